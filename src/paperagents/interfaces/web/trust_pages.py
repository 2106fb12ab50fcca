"""The page of what the vault brings along, to trust it or not."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.inventory import list_brought, state_of

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/trust")
def trust(request: Request, live: Live) -> Response:
    """Everything, with what it could do; what is not trusted first."""
    found = [(thing, state_of(live.vault, thing)) for thing in list_brought(live.vault)]
    found.sort(key=lambda each: each[1] == "trusted")
    return page(request, "trust.html", things=found, untrusted=())
