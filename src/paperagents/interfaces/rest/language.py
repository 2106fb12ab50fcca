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
    service, file = open_draft(live, place)
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
    """The manual of a tool or parameter, the last recorded value of a reference with secrets masked."""
    service, file = open_draft(live, place)
    found = service.hover(file, Position(line=place.line, column=place.column))
    return Json({"markdown": found.markdown if found is not None else ""})


def open_draft(live: LiveRuns, place: PlaceInDraft) -> tuple[LanguageService, str]:
    """A service in which the file is open, for this one request."""
    recordings = RecordedValues(lambda: live.vault.history, live.vault.redaction.value)
    service, file = LanguageService(live.vault.registry, recordings), join_path(split_path(place.file))
    service.open(file, place.content)
    return service, file
