"""Pages of tools and agents: their lists, the form of a tool, a conversation with an agent."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.agents.conversation import FOLDER, Section, list_conversations, read_sections
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagNote
from paperagents.definitions.text import slug
from paperagents.definitions.tool import AgentDefinition
from paperagents.errors import BrokenFileError, PaperError, UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.drawings import diagram
from paperagents.interfaces.web.rendering import (
    PageRoute,
    fragment,
    group_by_category,
    make_sidebar,
    page,
    search_entries,
)
from paperagents.interfaces.web.run_pages import describe_runs
from paperagents.interfaces.web.run_view import RunView, run_view, stored_arguments, without_secrets
from paperagents.interfaces.web.texts import render_markdown
from paperagents.messages import has_text, text
from paperagents.registry.entry import definition_document
from paperagents.settings import KEEPING_FOLDER
from paperagents.tool_modes import configure

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_ON_A_PAGE = 300
LEAST_OF_A_CATEGORY = 6
LARGEST_NOTE = 2_000_000
MOST_TURNS = 200
LONGEST_OPENING = 4_000
LONGEST_TITLE = 80
_CONVERSATION_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}")
Words = Annotated[str, Query(max_length=500)]


@router.get("/")
def all_tools(request: Request, live: Live, q: Words = "", category: Words = "") -> Response:
    """Every tool by category, those with problems first."""
    entries = [entry for entry in live.vault.registry.entries() if entry.is_tool]
    found = search_entries(entries, q)
    groups = [group for group in group_by_category(found) if category in ("", group.name)]
    broken = [entry for entry in found if entry.problems] if not category else []
    # Of each category so many that all together are no more than somebody looks through.
    most = max(MOST_ON_A_PAGE // max(len(groups), 1), LEAST_OF_A_CATEGORY)
    runs = live.vault.history.runs(limit=5)
    return page(
        request, "tools.html", groups=groups, broken=broken, query=q, category=category, most=most, runs=runs,
        **describe_runs(live, runs),
    )  # fmt: skip


@router.get("/sidebar")
def sidebar_tools(live: Live, q: Words = "", current: Words = "") -> Response:
    """The tools of the sidebar, for a search or after a change."""
    return fragment("_sidebar_tools.html", sidebar=make_sidebar(live.vault.registry, query=q, current=current or None))


@router.get("/tools/{tool:path}")
def one_tool(
    request: Request,
    live: Live,
    tool: str,
    run: Annotated[str | None, Query(max_length=200)] = None,
    like: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """A tool's form; with ``run``, a run of it beside; with ``like``, filled in as for that run."""
    try:
        definition = live.vault.registry.find_definition(tool)
    except BrokenFileError as error:
        return page(request, "broken.html", status=422, error=error, problems=error.problems, current=tool)
    if isinstance(definition, AgentDefinition):
        return RedirectResponse(f"/agents/{quote(definition.id, safe='')}", status_code=303)
    entry = next(each for each in live.vault.registry.entries() if each.id == definition.id)
    shown = run_view(live, run) if run else None
    document = definition_document(definition)
    return page(
        request, "tool.html", tool=definition, entry=entry, document=document, run=shown,
        filling=prefill(live, definition.id, shown, like), current=definition.id,
        diagram=diagram(definition) if not isinstance(definition, TagNote) else None,
        manual=render_markdown(str(document["manual"])), is_tool=not isinstance(definition, TagNote),
        variables=configure(live.vault, definition, {}) if not isinstance(definition, TagNote) else {},
    )  # fmt: skip


def prefill(live: LiveRuns, tool: str, run: RunView | None, like: str | None) -> JsonObject | None:
    """The values the form begins with: those of the run that is shown, named, or was the last."""
    if run is not None:
        return without_secrets(run.arguments)
    last = live.vault.history.runs(tool=tool, limit=1, nested=False)
    named = like or next((str(each["run_id"]) for each in last), None)
    if named is None:
        return None
    try:
        return without_secrets(stored_arguments(live, named))
    except PaperError:
        return None


# --- agents


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What one side said, ready to be shown."""

    role: str
    said: Markup
    about: str = ""
    """Which call it was, and how it ended."""


@router.get("/agents")
def agents(request: Request, live: Live) -> Response:
    """Every agent."""
    found = [entry for entry in live.vault.registry.entries() if entry.kind == "agent"]
    return page(request, "agents.html", agents=found)


@router.get("/agents/{agent:path}")
def one_agent(
    request: Request,
    live: Live,
    agent: str,
    conversation: Annotated[str, Query(max_length=120)] = "",
    run: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """A conversation, new or continued."""
    definition = live.vault.registry.agent(agent)
    folder = live.vault.root / KEEPING_FOLDER
    new = f"{slug(definition.id)[:60] or 'agent'}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}"
    newest = list(reversed(list_conversations(folder, definition.id)))[:50]
    return page(
        request,
        "agent.html",
        agent=definition,
        conversation=conversation or new,
        conversations=[(each, _conversation_title(folder, each)) for each in newest],
        turns=_read_turns(folder, conversation) if conversation else [],
        run=run_view(live, run) if run else None,
        current=None,
    )


@router.get("/conversations/{name}")
def turns(live: Live, name: str) -> Response:
    """What has been said so far."""
    return fragment("_conversation.html", turns=_read_turns(live.vault.root / KEEPING_FOLDER, name))


def _read_turns(folder: Path, name: str) -> list[Turn]:
    said = read_sections(read_conversation(folder, name))[-MOST_TURNS:]
    return [Turn(role=each.role, said=render_markdown(each.text), about=describe_call(each)) for each in said]


def describe_call(section: Section) -> str:
    """The first line of a result: the tool, and how the call ended."""
    first = section.text.partition("\n")[0].replace("`", "")[:200] if section.role == "tools" else ""
    tool, _, ended = first.rpartition(" ")
    return f"{tool}: {text(f'web.step.{ended}')}" if has_text(f"web.step.{ended}") else first


def _conversation_title(folder: Path, name: str) -> str:
    if not _CONVERSATION_NAME.fullmatch(name):
        return ""
    opening = read_sections(read_conversation(folder, name, most=LONGEST_OPENING))
    said = (each.text.strip() for each in opening if each.role == "you")
    return next(said, "").partition("\n")[0][:LONGEST_TITLE]


def read_conversation(folder: Path, name: str, *, most: int = LARGEST_NOTE) -> str:
    """The note of a conversation; empty where it has not begun."""
    if not _CONVERSATION_NAME.fullmatch(name):
        raise UsageError("no-such-route", path=f"/conversations/{name}"[:200])
    try:
        # Neither a link out of the folder nor a pipe that blocks is opened.
        descriptor = os.open(folder / FOLDER / f"{name}.md", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read(most).decode("utf-8", "replace").replace("\r\n", "\n")
