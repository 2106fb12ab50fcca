"""Memories, tasks, goals, the data vault and kinds of one's own over REST, with every version."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.rest.models import EntryFields, EntryKindLine, EntryVersion, Restored, StoredEntry
from paperagents.interfaces.rest.responses import Json, StrictRoute, record_response
from paperagents.interfaces.rest.runs import ENDED, PROBLEM, Live, Wait
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.runs.restoring import RESTORE_ENTRY
from paperagents.storage.entries import Entry
from paperagents.vault import Vault

router = APIRouter(prefix="/api/entries", tags=["entries"], route_class=StrictRoute, responses=PROBLEM)
Identifier = Annotated[str, Path(min_length=1, max_length=200)]
Kind = Annotated[str, Path(min_length=1, max_length=200, description="memory, task, goal, datavault, or one of yours")]


@router.get("", summary="List the kinds of entries", response_model=list[EntryKindLine])
def kinds(live: Live) -> Response:
    """Each with the number of its entries."""
    return Json([{"kind": kind, "count": count} for kind, count in count_entries(live.vault).items()])


@router.get("/{kind}", summary="List entries", response_model=list[StoredEntry])
def entries(live: Live, kind: Kind, search: Annotated[str | None, Query(max_length=1000)] = None) -> Response:
    """All entries of a kind, or those that mention a text."""
    found = live.vault.entries.entries(require_kind(live.vault, kind), search=search)
    return Json([entry.as_json() for entry in found])


@router.get("/{kind}/{identifier}", summary="Show an entry", response_model=StoredEntry)
def entry(live: Live, kind: Kind, identifier: Identifier) -> Response:
    """One entry."""
    return Json(find_entry(live.vault, kind, identifier).as_json())


@router.put("/{kind}/{identifier}", summary="Create or change an entry", responses=ENDED)
async def set_entry(live: Live, kind: Kind, identifier: Identifier, fields: EntryFields, wait: Wait = 30.0) -> Response:
    """A run of the tool of that name; the answer is its record."""
    named = {name: value for name, value in fields.model_dump().items() if value is not None}
    return await run_kind(live, kind, identifier, named, wait)


@router.delete("/{kind}/{identifier}", summary="Delete an entry", responses=ENDED)
async def delete_entry(live: Live, kind: Kind, identifier: Identifier, wait: Wait = 30.0) -> Response:
    """A run that waits for somebody's yes; the answer is its record."""
    return await run_kind(live, kind, identifier, {"delete": True}, wait)


@router.get("/{kind}/{identifier}/versions", summary="What an entry was", response_model=list[EntryVersion])
def versions(live: Live, kind: Kind, identifier: Identifier) -> Response:
    """Every version, the oldest first; a deletion has no fields."""
    found = live.vault.entries.versions(kind, identifier)
    if not found:
        raise PaperError("entry-not-found", kind=kind, id=identifier)
    return Json(found)


@router.post("/{kind}/{identifier}/restore", summary="Make an entry what it was", responses=ENDED)
async def restore(live: Live, kind: Kind, identifier: Identifier, wanted: Restored, wait: Wait = 30.0) -> Response:
    """A run that waits for somebody's yes to a new version with the fields of an old one; the answer is its record."""
    live.vault.entries.at_version(kind, identifier, wanted.version)
    arguments: JsonObject = {"kind": kind, "identifier": identifier, "version": wanted.version}
    return record_response(await live.finished(live.start(RESTORE_ENTRY, arguments), wait))


async def run_kind(live: LiveRuns, kind: str, identifier: str, wanted: JsonObject, wait: float) -> Response:
    """Call the tool of a kind, validated, approved and recorded like every call; the response is its record."""
    tool, named = live.vault.own_stores.address(require_kind(live.vault, kind), identifier)
    run_id = live.start(tool, {**named, **wanted})
    return record_response(await live.finished(run_id, wait))


def count_entries(vault: Vault) -> dict[str, int]:
    """The kinds of entries, with how many there are: the four that every vault has, then those of its own."""
    return {**dict.fromkeys(vault.entry_kinds(), 0), **vault.entries.counts()}


def require_kind(vault: Vault, kind: str) -> str:
    """A kind that there is. Raises UsageError for another."""
    if kind not in ENTRY_KINDS and kind not in (known := count_entries(vault)):
        raise UsageError("unknown-kind", kind=kind, kinds=", ".join(known))
    return kind


def find_entry(vault: Vault, kind: str, identifier: str) -> Entry:
    """One entry. Raises PaperError where there is none."""
    found = vault.entries.get(require_kind(vault, kind), identifier)
    if found is None:
        raise PaperError("entry-not-found", kind=kind, id=identifier)
    return found
