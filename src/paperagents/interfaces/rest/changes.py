"""What runs have changed, whose a line is, and taking changes back, over REST."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from paperagents.interfaces.rest.models import RequestBody
from paperagents.interfaces.rest.responses import Json, StrictRoute, plan_response, record_response
from paperagents.interfaces.rest.runs import ENDED, PROBLEM, Live, RunId, Wait
from paperagents.runs.undo import UNDO

router = APIRouter(prefix="/api", tags=["changes"], route_class=StrictRoute, responses=PROBLEM)
ChangeWord = Literal["created", "changed", "deleted"]


class ChangeLine(BaseModel):
    """What a run changed in one note or entry."""

    run_id: str
    tool: str | None
    step: int = Field(description="The last step of that run that changed it.")
    path: str = Field(description="Of a note; memory/tea for an entry.")
    change: ChangeWord
    added: int
    removed: int
    when: str
    approved_by: str | None
    undone: bool


class Hunk(BaseModel):
    """A part of a diff."""

    number: int
    header: str
    diff: str


class ShownChange(BaseModel):
    """What a run changed in one note or entry, with its diff."""

    path: str
    change: ChangeWord
    diff: str
    hunks: list[Hunk]


class BlamedLine(BaseModel):
    """A line and the run that wrote it; nulls where it came from outside."""

    line: int
    text: str
    run_id: str | None
    tool: str | None
    step: int | None
    approved_by: str | None
    when: str | None


class UndoRequest(RequestBody):
    """What is to be taken back."""

    files: list[str] = Field(default=[], max_length=10_000, description="Only these files and entries; all if empty.")
    dry_run: bool = Field(default=False, description="Only show what would change.")


@router.get("/changes", summary="What runs have changed, the newest first", response_model=list[ChangeLine])
def changes(
    live: Live,
    file: Annotated[str | None, Query(max_length=4000)] = None,
    run: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 1000,
) -> Response:
    """In one file, by one run, or all."""
    return Json(live.vault.changes(file=file, run=run, limit=limit))


@router.get("/runs/{run_id}/changes", summary="What a run has changed", response_model=list[ShownChange])
def show_changes(live: Live, run_id: RunId) -> Response:
    """Each note and entry with its diff and hunks."""
    return Json(live.vault.show_changes(run_id))


@router.get("/blame", summary="Whose each line of a note is", response_model=list[BlamedLine])
def blame(live: Live, file: Annotated[str, Query(min_length=1, max_length=4000)]) -> Response:
    """The run that wrote each line, its step, and who agreed."""
    return Json(live.vault.blame(file))


@router.post("/runs/{run_id}/undo", summary="Take back what a run changed", responses=ENDED)
async def undo(live: Live, run_id: RunId, wanted: UndoRequest | None = None, wait: Wait = 30.0) -> Response:
    """A run that waits for somebody's yes; the answer is its record. ``last`` is the newest that is not undone."""
    wanted = wanted or UndoRequest()
    arguments = await asyncio.to_thread(live.vault.undo_arguments, run_id, wanted.files)
    if wanted.dry_run:
        return plan_response(await asyncio.to_thread(live.vault.plan, UNDO, arguments))
    return record_response(await live.finished(live.start(UNDO, arguments), wait))
