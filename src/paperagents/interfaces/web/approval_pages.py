"""The inbox: everything that waits for somebody's yes or no."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from paperagents.interfaces.serving.rest_runs import Live
from paperagents.interfaces.web.rendering import PageRoute, fragment, page
from paperagents.interfaces.web.run_view import questions

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_AT_ONCE = 50


@router.get("/approvals")
def inbox(request: Request, live: Live) -> Response:
    """Every open question, the oldest first."""
    asked = questions(live)
    return page(request, "approvals.html", questions=asked[:MOST_AT_ONCE], left=max(len(asked) - MOST_AT_ONCE, 0))


@router.get("/approvals/list")
def asked(live: Live) -> Response:
    """The questions alone, after something has changed."""
    asked = questions(live)
    return fragment("_approval_list.html", questions=asked[:MOST_AT_ONCE], left=max(len(asked) - MOST_AT_ONCE, 0))


@router.get("/approvals/count")
def count(live: Live) -> Response:
    """How many there are."""
    return Response(str(live.vault.store.count_approvals()), media_type="text/plain")
