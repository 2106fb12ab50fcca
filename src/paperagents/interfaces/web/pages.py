"""Hangs the pages into the application that serves a vault."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response

from paperagents.errors import UsageError
from paperagents.interfaces.web import (
    agent_pages,
    approval_pages,
    editor_pages,
    preferences,
    run_pages,
    settings_pages,
    static_files,
    tool_pages,
)
from paperagents.interfaces.web.rendering import error_page

PARTS = (static_files, agent_pages, preferences, run_pages, approval_pages, editor_pages, settings_pages, tool_pages)


def add_pages(app: FastAPI) -> None:
    """From here on, people are answered too, in their language."""
    for part in PARTS:
        app.include_router(part.router)
    _show_pages_for_what_is_not_there(app)
    app.add_middleware(preferences.SpeakTheReadersLanguage)
    app.add_middleware(preferences.TellTheVaultsTime)
    app.add_middleware(preferences.RefuseQuietly)
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
