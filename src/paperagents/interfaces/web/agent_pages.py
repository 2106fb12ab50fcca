"""Pages of agents: all of them, and a conversation with one, which can be gone back in and taken up elsewhere."""

from __future__ import annotations

import os
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from paperagents.agents.conversation import (
    FOLDER,
    Section,
    agent_of,
    fork_conversation,
    list_conversations,
    read_sections,
)
from paperagents.agents.toolbox import open_toolbox
from paperagents.definitions.text import slug
from paperagents.definitions.tool import AgentDefinition
from paperagents.errors import UsageError
from paperagents.interfaces.rest.responses import Json
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.markdown import render_markdown
from paperagents.interfaces.web.rendering import PageRoute, fragment, page
from paperagents.interfaces.web.run_view import run_view
from paperagents.messages import has_text, text
from paperagents.runs.usage import add_up
from paperagents.runs.usage_totals import usage_totals
from paperagents.settings import KEEPING_FOLDER
from paperagents.values import dataclass

router = APIRouter(include_in_schema=False, route_class=PageRoute)
LARGEST_NOTE = 2_000_000
MOST_TURNS = 200
MOST_STARTERS = 3
LONGEST_OPENING = 4_000
LONGEST_TITLE = 80
_CONVERSATION_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """What one side said, ready to be shown."""

    role: str
    said: Markup
    source: str
    """The same as it was written."""
    number: int
    """Its place in the note, from 0."""
    about: str = ""
    """Which call it was, and how it ended."""


class Fork(BaseModel):
    """Where a conversation is to be taken up again."""

    model_config = ConfigDict(extra="forbid", strict=True)

    turn: int = Field(ge=0, le=1_000_000)


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
    newest = list(reversed(list_conversations(folder, definition.id)))[:50]
    return page(
        request,
        "agent.html",
        agent=definition,
        conversation=conversation or new_name(definition.id),
        conversations=[(each, _conversation_title(folder, each)) for each in newest],
        turns=_read_turns(read_conversation(folder, conversation)) if conversation else [],
        speaker=definition.name,
        run=run_view(live, run) if run else None,
        starters=(definition.starters or tuple(each.question for each in definition.evals))[:MOST_STARTERS],
        **describe_agent(live, definition),
        current=None,
    )


def describe_agent(live: LiveRuns, agent: AgentDefinition) -> dict[str, Any]:
    """What an agent thinks and works with, and what its runs have used so far."""
    vault = live.vault
    box = open_toolbox(agent, vault.registry.entries(), vault.services.find_tool, vault.tag_registry())
    database = vault.journal.database
    used = usage_totals(database) if database.exists() else []
    return {
        "model": agent.model or vault.settings.get("llm.model") or "",
        "tools": [*box.tools.values()],
        "usage": add_up(usage for tool, _, usage in used if tool == agent.id),
    }


def new_name(agent: str) -> str:
    """The name of a conversation that has not begun."""
    return f"{slug(agent)[:60] or 'agent'}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}"


@router.get("/conversations/{name}")
def turns(live: Live, name: str) -> Response:
    """What has been said so far."""
    content = read_conversation(live.vault.root / KEEPING_FOLDER, name)
    agent = agent_of(content)
    speaker = live.vault.registry.names_of([agent]).get(agent, agent)
    return fragment("_conversation.html", turns=_read_turns(content), speaker=speaker)


@router.post("/conversations/{name}/fork")
def fork(live: Live, name: str, wanted: Fork) -> Response:
    """A conversation of its own with everything before this turn; the other stays as it is."""
    folder = live.vault.root / KEEPING_FOLDER
    content = read_conversation(folder, name)
    agent = agent_of(content)
    if not agent:
        raise UsageError("no-such-route", path=f"/conversations/{name}"[:200])
    made = new_name(agent)
    fork_conversation(folder, agent, read_sections(content)[: wanted.turn], made)
    return Json({"conversation": made})


def _read_turns(content: str) -> list[Turn]:
    said = [*enumerate(read_sections(content))][-MOST_TURNS:]
    return [
        Turn(role=each.role, said=render_markdown(each.text), source=each.text, number=at, about=describe_call(each))
        for at, each in said
    ]


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
