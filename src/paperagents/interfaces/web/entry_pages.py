"""Pages of the store: memories, tasks, goals, the data vault and kinds of one's own, each with its versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.approval.diff import unified_diff
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.errors import PaperError
from paperagents.interfaces.rest.entries import count_entries, require_kind
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web.markdown import render_markdown
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.interfaces.web.texts import Diff, read_diff
from paperagents.messages import text
from paperagents.storage.entries import FIELDS, Entry
from paperagents.values import dataclass

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_SHOWN = 200
MOST_VERSIONS = 50
LONGEST_SHOWN = 200_000
_FIELDS_OF = {
    "memory": ("heading", "content", "notes"),
    "task": ("heading", "status", "content", "notes"),
    "goal": ("heading", "content", "notes"),
    "datavault": ("description", "type", "content"),
}
"""The fields with a place in the form of a kind; entries of one's own kinds have all of them."""
_CHOICES: dict[str, list[str]] = {
    "status": ["pending", "ongoing", "finished", "paused"],
    "type": ["text", "code", "data"],
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """What an entry was, and what was changed to make it so."""

    number: int
    changed: str
    diff: Diff | None
    is_deletion: bool
    is_current: bool


@router.get("/entries")
def first_kind() -> Response:
    """The memories."""
    return RedirectResponse(f"/entries/{ENTRY_KINDS[0]}", status_code=303)


@router.get("/entries/{kind}")
def entries(request: Request, live: Live, kind: str, q: Annotated[str, Query(max_length=500)] = "") -> Response:
    """The entries of a kind, those that changed last first."""
    found = live.vault.entries.entries(require_kind(live.vault, kind), search=q.strip() or None)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    schema = form_schema(kind, is_new=True)
    return page(
        request, "entries.html", kind=kind, kinds=count_entries(live.vault), entries=found[:MOST_SHOWN], query=q,
        left=max(len(found) - MOST_SHOWN, 0), data={"kind": kind, "identifier": None, "schema": schema, "values": {}},
    )  # fmt: skip


@router.get("/entries/{kind}/{identifier}")
def one_entry(request: Request, live: Live, kind: str, identifier: str) -> Response:
    """An entry with its form and its versions; one that was deleted can be brought back here."""
    stored = live.vault.entries.get(require_kind(live.vault, kind), identifier)
    kept = live.vault.entries.versions(kind, identifier)
    if stored is None and not kept:
        raise PaperError("entry-not-found", kind=kind, id=identifier)
    schema = form_schema(kind, is_new=False)
    named = _FIELDS_OF.get(kind, FIELDS) if stored is not None else ()
    values: JsonObject = {name: getattr(stored, name) or "" for name in named}
    return page(
        request, "entry.html", kind=kind, identifier=identifier, entry=stored,
        content=show_content(stored) if stored is not None else None, versions=describe_versions(kept, stored),
        data={"kind": kind, "identifier": identifier, "schema": schema, "values": values},
    )  # fmt: skip


def form_schema(kind: str, *, is_new: bool) -> JsonObject:
    """The form of an entry as a JSON Schema."""
    fields: JsonObject = {}
    if is_new:
        fields["identifier"] = {"type": "string", "title": text("web.entry.identifier"), "pattern": "[A-Za-z0-9_-]+"}
    for name in _FIELDS_OF.get(kind, FIELDS):
        choices: JsonObject = {"enum": [*_CHOICES[name]]} if name in _CHOICES and kind in _FIELDS_OF else {}
        fields[name] = {"type": "string", "title": text(f"web.entry.{name}"), **choices}
    return {"type": "object", "properties": fields, "required": ["identifier"] if is_new else []}


def show_content(entry: Entry) -> Markup | None:
    """The content as Markdown; None for code and data, which are shown as they are."""
    is_text = entry.type in (None, "text") and len(entry.content) <= LONGEST_SHOWN
    return render_markdown(entry.content) if is_text else None


def describe_versions(kept: list[JsonObject], stored: Entry | None) -> list[Version]:
    """The newest versions, each with what it changed."""
    texts = ["", *(_as_text(each["fields"]) for each in kept)]
    versions = [
        Version(
            number=int(str(each["version"])),
            changed=str(each["changed"]),
            diff=read_diff(unified_diff(before, after, "")),
            is_deletion=each["fields"] is None,
            is_current=stored is not None and each["version"] == stored.version,
        )
        for each, before, after in [*zip(kept, texts, texts[1:], strict=False)][-MOST_VERSIONS:]
    ]
    return versions[::-1]


def _as_text(fields: object) -> str:
    """All fields of a version as lines, the content last."""
    if not isinstance(fields, dict):
        return ""
    named = {name: str(value) for name, value in fields.items() if value and name != "content"}
    lines = [f"{name}: {value}" for name, value in named.items()]
    return "\n".join([*lines, *([""] if lines else []), str(fields.get("content") or "")])[:LONGEST_SHOWN] + "\n"
