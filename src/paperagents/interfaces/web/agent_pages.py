"""Pages of agents: who there is, and a conversation with one of them."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from paperagents.agents.conversation import FOLDER, Section, list_conversations, read_sections
from paperagents.definitions.names import slug
from paperagents.errors import UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web.rendering import PageRoute, fragment, page
from paperagents.interfaces.web.run_view import run_view
from paperagents.interfaces.web.texts import rendered
from paperagents.messages import has_text, text
from paperagents.notes_folder import KEEPING_FOLDER

router = APIRouter(include_in_schema=False, route_class=PageRoute)
LARGEST_NOTE = 2_000_000
MOST_TURNS = 200
LONGEST_OPENING = 4_000
LONGEST_TITLE = 80
_NAME = re.compile(r"[A-Za-z0-9_-]{1,120}")
Name = Annotated[str, Query(max_length=120)]


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
    conversation: Name = "",
    run: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """A conversation: a new one, or one to go on with."""
    definition = live.vault.registry.agent(agent)
    kept = live.vault.root / KEEPING_FOLDER
    return page(
        request,
        "agent.html",
        agent=definition,
        conversation=conversation or _new_name(definition.id),
        conversations=[
            (each, _title(kept, each)) for each in list(reversed(list_conversations(kept, definition.id)))[:50]
        ],
        turns=_turns(kept, conversation) if conversation else [],
        run=run_view(live, run) if run else None,
        current=None,
    )


@router.get("/conversations/{name}")
def said(live: Live, name: str) -> Response:
    """What has been said so far."""
    return fragment("_conversation.html", turns=_turns(live.vault.root / KEEPING_FOLDER, name))


def _turns(kept: Path, name: str) -> list[Turn]:
    told = read_sections(_content(kept, name))
    return [Turn(role=each.role, said=rendered(each.text), about=_about(each)) for each in told[-MOST_TURNS:]]


def _about(section: Section) -> str:
    """The first line of a result tells the tool, and how the call ended."""
    first = section.text.partition("\n")[0].replace("`", "")[:200] if section.role == "tools" else ""
    tool, _, ended = first.rpartition(" ")
    return f"{tool}: {text(f'web.step.{ended}')}" if has_text(f"web.step.{ended}") else first


def _title(kept: Path, name: str) -> str:
    """The first words that somebody said."""
    if not _NAME.fullmatch(name):
        return ""
    said = (
        each.text.strip() for each in read_sections(_content(kept, name, most=LONGEST_OPENING)) if each.role == "you"
    )
    return next(said, "").partition("\n")[0][:LONGEST_TITLE]


def _content(kept: Path, name: str, *, most: int = LARGEST_NOTE) -> str:
    """The note of a conversation; empty where it has not begun."""
    if not _NAME.fullmatch(name):
        raise UsageError("no-such-route", path=f"/conversations/{name}"[:200])
    try:
        descriptor = os.open(kept / FOLDER / f"{name}.md", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read(most).decode("utf-8", "replace").replace("\r\n", "\n")


def _new_name(agent: str) -> str:
    return f"{slug(agent)[:60] or 'agent'}-{datetime.now(UTC):%Y-%m-%d-%H%M%S}-{secrets.token_hex(3)}"
