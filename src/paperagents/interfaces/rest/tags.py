"""The calls and the references in a model's text over REST, as ``paper extract`` and ``paper resolve`` have them."""

from __future__ import annotations

from fastapi import APIRouter, Response

from paperagents.interfaces.rest.models import Extracted, Resolved, TextToExtract, TextToResolve
from paperagents.interfaces.rest.responses import Json, StrictRoute
from paperagents.interfaces.rest.runs import PROBLEM, Live
from paperagents.tags import read_tags, resolve_vault_references
from paperagents.tags.document import describe_reading, require_tag

router = APIRouter(prefix="/api", tags=["text"], route_class=StrictRoute, responses=PROBLEM)


@router.post("/extract", summary="Find the calls in a text", response_model=Extracted)
def extract(live: Live, wanted: TextToExtract) -> Response:
    """With `apply` they are carried out; what must be asked waits for somebody's answer."""
    registry = live.vault.tag_registry()
    tool = require_tag(wanted.tool, registry) if wanted.tool is not None else None
    document = describe_reading(read_tags(wanted.text, registry), registry, tool)
    results = live.vault.apply(wanted.text, tool=tool, all_or_nothing=wanted.all_or_nothing) if wanted.apply else []
    return Json({**document, "results": results})


@router.post("/resolve", summary="Put entries where a text refers to them", response_model=Resolved)
def resolve(live: Live, wanted: TextToResolve) -> Response:
    """References to the data vault, those inside entries too."""
    return Json(resolve_vault_references(wanted.text, max_depth=wanted.max_depth, lookup=live.vault.vault_content))
