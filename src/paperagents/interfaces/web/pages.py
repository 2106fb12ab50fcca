"""Hangs the pages into the application that serves a vault."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response

from paperagents.errors import UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web import agent_pages, editor_pages, rendering, run_pages, settings_pages, tool_pages
from paperagents.interfaces.web.rendering import PageRoute, error_page, fragment, page
from paperagents.interfaces.web.run_view import questions


def add_pages(app: FastAPI) -> None:
    """From here on, people are answered too, in their language."""
    for part in (rendering, agent_pages, run_pages, editor_pages, settings_pages, tool_pages):
        app.include_router(part.router)
    app.include_router(router)
    _show_pages_for_what_is_not_there(app)
    app.add_middleware(rendering.SpeakTheReadersLanguage)
    app.add_middleware(rendering.TellTheVaultsTime)
    app.add_middleware(rendering.RefuseQuietly)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)


def _show_pages_for_what_is_not_there(app: FastAPI) -> None:
    """Somebody who follows a wrong link gets a page; programs get problem details as before."""
    told: Any = app.exception_handlers[HTTPException]

    @app.exception_handler(HTTPException)
    async def page_or_problem(request: Request, error: HTTPException) -> Response:
        path = request.url.path
        is_person = "text/html" in request.headers.get("accept", "") and not path.startswith(("/api", "/mcp"))
        if error.status_code == 404 and is_person:
            return error_page(request, UsageError("no-such-route", path=path[:200]))
        response: Response = await told(request, error)
        return response


# --- the inbox: everything that waits for somebody's yes or no


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
