"""Adds the pages to the application: their routes and middleware, the inbox, and the choices of a reader."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from fastapi import APIRouter, FastAPI, Query
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from paperagents.errors import UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.readers import LANGUAGE_COOKIE, language_of_reader
from paperagents.interfaces.web import (
    agent_pages,
    decide_pages,
    device_pages,
    editor_pages,
    entry_pages,
    home_pages,
    model_pages,
    note_pages,
    palette_pages,
    rendering,
    run_pages,
    schedule_pages,
    settings_pages,
    tool_pages,
    trust_pages,
)
from paperagents.interfaces.web.question_view import group_by_run, question_views
from paperagents.interfaces.web.rendering import THEME_COOKIE, THEMES, PageRoute, error_page, fragment, page
from paperagents.interfaces.web.texts import in_zone, read_diff
from paperagents.messages import LANGUAGES, in_language
from paperagents.secrets.redaction import Redaction

router = APIRouter(include_in_schema=False, route_class=PageRoute)
choices = APIRouter(include_in_schema=False)
PARTS = (
    rendering, run_pages, editor_pages, settings_pages, entry_pages, agent_pages, note_pages, home_pages, tool_pages,
    trust_pages, device_pages, model_pages, palette_pages, schedule_pages,
)  # fmt: skip
MOST_AT_ONCE = 50
STATUS_HEADER = "x-paper-status"
_CHOICES = {"language": (LANGUAGE_COOKIE, LANGUAGES), "theme": (THEME_COOKIE, THEMES)}
_YEAR = 365 * 24 * 3600


def add_pages(app: FastAPI) -> None:
    """Add all pages to the application, in the language of the reader."""
    for part in PARTS:
        app.include_router(part.router)
    app.include_router(choices)
    app.include_router(device_pages.open_router)
    app.include_router(decide_pages.open_router)
    app.include_router(router)
    problem_response: Any = app.exception_handlers[HTTPException]

    @app.exception_handler(HTTPException)
    async def page_or_problem(request: Request, error: HTTPException) -> Response:
        """A person who follows a wrong link gets a page, a program problem details."""
        path = request.url.path
        is_person = "text/html" in request.headers.get("accept", "") and not path.startswith(("/api", "/mcp"))
        if error.status_code == 404 and is_person:
            return error_page(request, UsageError("no-such-page", path=path[:200]))
        response: Response = await problem_response(request, error)
        return response

    app.add_middleware(LocaleMiddleware)
    app.add_middleware(StatusHeaderMiddleware)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)


class LocaleMiddleware:
    """Pages and errors in the language of the reader, times in the time zone of the vault."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Set both around a request."""
        with ExitStack() as locale:
            if scope["type"] == "http":
                # Looked up for every request: the settings may have changed.
                locale.enter_context(in_zone(scope["app"].state.live.vault.settings.zone))
                if (chosen := language_of_reader(HTTPConnection(scope))) is not None:
                    locale.enter_context(in_language(chosen))
            await self.app(scope, receive, send)


class StatusHeaderMiddleware:
    """Scripts of a page get the status of an error in a header of a response with 200.

    Browsers log every other status as a flaw of the page, and a form that was filled in wrongly is none. Only requests
    that ask for it are changed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with the status moved where a script asks for it."""
        is_wanted = scope["type"] == "http" and (STATUS_HEADER.encode(), b"wanted") in scope["headers"]

        async def send_moved(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                headers = [*message.get("headers", []), (STATUS_HEADER.encode(), str(message["status"]).encode())]
                message = {**message, "status": 200, "headers": headers}
            await send(message)

        await self.app(scope, receive, send_moved if is_wanted else send)


@choices.get("/choose/{name}/{value}")
def choose(name: str, value: str, back: str = Query("/", max_length=2000)) -> Response:
    """Store a choice in a cookie, so that no page flickers, and go back to where it was made."""
    cookie, values = _CHOICES.get(name, ("", ()))
    if value not in values:
        raise UsageError("no-such-route", path=f"/choose/{name}/{value}"[:200])
    response = RedirectResponse(own_path(back), status_code=303)
    response.set_cookie(cookie, value, max_age=_YEAR, samesite="strict", path="/")
    return response


def own_path(target: str) -> str:
    """A path of this server, whatever the link says."""
    is_path = target.startswith("/") and target[1:2] not in ("/", "\\") and target.isprintable()
    return target if is_path else "/"


class Changed(BaseModel):
    """What somebody would rather say yes to."""

    model_config = ConfigDict(extra="forbid", strict=True)

    arguments: dict[str, Any]


@router.get("/approvals")
def inbox(request: Request, live: Live) -> Response:
    """Every open question, those of one run together, the oldest first."""
    return page(request, "approvals.html", **open_questions(live))


@router.get("/approvals/list")
def question_list(live: Live) -> Response:
    """The questions alone, after something has changed."""
    return fragment("_approval_list.html", **open_questions(live))


def open_questions(live: LiveRuns) -> dict[str, Any]:
    """What the inbox shows."""
    asked = question_views(live)
    return {"groups": group_by_run(asked[:MOST_AT_ONCE]), "left": max(len(asked) - MOST_AT_ONCE, 0)}


@router.post("/approvals/diff")
def diff(live: Live, changed: Changed) -> Response:
    """What writing a file with other arguments would change, or why that is not possible. Nothing is done."""
    plan = live.vault.plan("write_file", changed.arguments)
    told = str(plan.planned[0]["preview"]) if plan.planned else str(plan.error["message"]) if plan.error else ""
    preview = Redaction().text(told)
    return fragment("_effect.html", preview=preview, diff=read_diff(preview))


@router.get("/approvals/count")
def count(live: Live) -> Response:
    """How many there are."""
    return Response(str(live.vault.history.count_questions()), media_type="text/plain")
