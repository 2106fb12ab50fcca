"""Help while a file is written, over REST: what the language server says, for an editor in a page."""

from __future__ import annotations

from fastapi import APIRouter, Response

from paperagents.files.safe_open import join_path, split_path
from paperagents.interfaces.rest.models import CompletionAnswer, HoverAnswer, PlaceInDraft
from paperagents.interfaces.rest.responses import Json, StrictRoute
from paperagents.interfaces.rest.runs import PROBLEM, Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.language.document import Position
from paperagents.language.service import LanguageService
from paperagents.runs.recorded_values import RecordedValues

router = APIRouter(prefix="/api/language", tags=["language"], route_class=StrictRoute, responses=PROBLEM)


@router.post("/completion", summary="What can stand at a place of a file", response_model=CompletionAnswer)
def completion(live: Live, place: PlaceInDraft) -> Response:
    """The file is taken as it is sent, saved or not."""
    service, file = open_draft(live, place.file, place.content)
    found = service.completions(file, Position(line=place.line, column=place.column))
    items = [
        {
            "label": each.label,
            "kind": each.kind,
            "insert": each.insert,
            "start": each.span.column,
            "end": each.span.end_column,
            "detail": each.detail,
            "documentation": each.documentation,
        }
        for each in found.items
    ]
    return Json({"items": items, "is_cut": found.is_cut})


@router.post("/hover", summary="What there is to say about a place of a file", response_model=HoverAnswer)
def hover(live: Live, place: PlaceInDraft) -> Response:
    """The manual of a tool or parameter, the last recorded value of a reference, and where it is defined."""
    service, file = open_draft(live, place.file, place.content)
    at = Position(line=place.line, column=place.column)
    found = service.hover(file, at)
    defined = [
        {"file": each.file, "line": each.span.line, "column": each.span.column} for each in service.definition(file, at)
    ]
    return Json({"markdown": found.markdown if found is not None else "", "definitions": defined})


def open_draft(live: LiveRuns, path: str, content: str) -> tuple[LanguageService, str]:
    """A service in which the file is open, for this one request."""
    recordings = RecordedValues(lambda: live.vault.history, live.vault.redaction.value)
    service, file = LanguageService(live.vault.registry, recordings), join_path(split_path(path))
    service.open(file, content)
    return service, file
