"""Templates become pages. The one module that knows Jinja; everything it puts into a page is escaped."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from paperagents.approval.diff import visible
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.rest.responses import invalid_request, status_of
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.sidebar import sidebar
from paperagents.interfaces.web.texts import duration, in_zone, moment
from paperagents.messages import LANGUAGES, in_language, language, sentences, text

_SCRIPT_TEXTS = "web.js."


class PageRoute(APIRoute):
    """A route whose errors are pages, too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler; an error of ours is shown to the person who looks."""
        handler = super().get_route_handler()

        async def page_or_error(request: Request) -> Response:
            try:
                return await handler(request)
            except PaperError as error:
                return error_page(request, error)
            except RequestValidationError as error:
                return error_page(request, invalid_request(error), status=422)

        return page_or_error


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A whole page; for a script that asks for a part, the part alone."""
    live: LiveRuns = request.app.state.live
    shared = {
        # Taken before the rest is looked at: what happens meanwhile is told again when the page listens.
        "last_event": live.last_event,
        "request_path": request.url.path,
        "here": f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path,
        "theme": theme_of(request),
        "vault_name": live.vault.root.name or "/",
        "waiting": live.vault.store.count_approvals(),
        "sidebar": sidebar(live.vault.registry, current=values.get("current")),
    }
    return _response(template, {**shared, **values}, status)


def fragment(template: str, **values: Any) -> Response:
    """A piece of a page, for a script to put in its place."""
    return _response(template, values, 200)


def error_page(request: Request, error: PaperError, *, status: int | None = None) -> Response:
    """What is wrong, where, and what to do next."""
    problems = getattr(error, "problems", ())
    return page(request, "error.html", status=status or status_of(error), error=error, problems=problems)


def page_json(value: Any) -> Markup:
    """JSON for a data block of a page: no character in it can end the block."""
    written = json.dumps(value, ensure_ascii=True)
    for character in "<>&'":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return Markup(written)  # noqa: S704  every character that HTML knows is escaped above


def _response(template: str, values: dict[str, Any], status: int) -> Response:
    content = environment().get_template(template).render(values)
    return Response(utf8(content), status_code=status, media_type="text/html; charset=utf-8")


@cache
def environment() -> Environment:
    """The templates, with what all of them use."""
    made = Environment(
        loader=PackageLoader("paperagents.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals.update(
        text=text, static_url=static_url, module_urls=module_urls, language=language,
        LANGUAGES=LANGUAGES, THEMES=THEMES, script_texts=_script_texts,
    )  # fmt: skip
    made.filters.update(
        visible=lambda value: visible(str(value)),
        quoted=lambda value: quote(utf8(str(value)), safe=""),
        page_json=page_json,
        moment=moment,
        duration=duration,
        pretty=pretty,
    )
    return made


def pretty(value: Any) -> str:
    """JSON as people read it; lone surrogates stay escapes."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    return written if written.isascii() else written.encode("utf-8", "backslashreplace").decode("utf-8")


def _script_texts() -> dict[str, str]:
    """The sentences that scripts say, in the reader's language, with their places for values left open."""
    number = LANGUAGES.index(language())
    keys = (key for key in sentences() if key.startswith(_SCRIPT_TEXTS))
    return {key.removeprefix(_SCRIPT_TEXTS): sentences()[key][number] for key in keys}


# --- how somebody wants the pages: their language, light or dark. Kept in cookies, so that no page flickers


THEMES = ("auto", "light", "dark")
LANGUAGE_COOKIE = "paper_language"
THEME_COOKIE = "paper_theme"
STATUS_HEADER = "x-paper-status"
_CHOICES = {"language": (LANGUAGE_COOKIE, LANGUAGES), "theme": (THEME_COOKIE, THEMES)}
_YEAR = 365 * 24 * 3600
Application = Callable[[MutableMapping[str, Any], Any, Any], Awaitable[None]]
router = APIRouter(include_in_schema=False)


class SpeakTheReadersLanguage:
    """Everything inside, pages and errors alike, is said in the language that the reader has chosen."""

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Look at the cookie, then let through."""
        chosen = HTTPConnection(scope).cookies.get(LANGUAGE_COOKIE) if scope["type"] == "http" else None
        if chosen not in LANGUAGES:
            await self.app(scope, receive, send)
            return
        with in_language(chosen):
            await self.app(scope, receive, send)


class TellTheVaultsTime:
    """Everything inside tells moments by the clocks of the vault, wherever the server stands."""

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Look at the settings as they are now, then let through."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with in_zone(scope["app"].state.live.vault.settings.zone):
            await self.app(scope, receive, send)


class RefuseQuietly:
    """Scripts of a page get the status of a refusal in a header.

    Browsers report every other status than a good one as a flaw of the page, and a form that was filled in wrongly is
    none. Whoever does not ask for it gets the status where it belongs.
    """

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Let through; where a script asks for it, move the status."""
        asked = scope["type"] == "http" and (STATUS_HEADER.encode(), b"wanted") in scope["headers"]
        await self.app(scope, receive, _moving_status(send) if asked else send)


def _moving_status(send: Any) -> Any:
    async def moved(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            headers = [*message.get("headers", []), (STATUS_HEADER.encode(), str(message["status"]).encode())]
            message = {**message, "status": 200, "headers": headers}
        await send(message)

    return moved


def theme_of(request: Request) -> str:
    """Light, dark, or as the system has it."""
    chosen = request.cookies.get(THEME_COOKIE, "auto")
    return chosen if chosen in THEMES else "auto"


@router.get("/choose/{name}/{value}")
def choose(name: str, value: str, back: str = Query("/", max_length=2000)) -> Response:
    """Remember a choice, and go back to where it was made."""
    cookie, values = _CHOICES.get(name, ("", ()))
    if value not in values:
        raise UsageError("no-such-route", path=f"/choose/{name}/{value}"[:200])
    response = RedirectResponse(own_path(back), status_code=303)
    response.set_cookie(cookie, value, max_age=_YEAR, samesite="strict", path="/")
    return response


def own_path(target: str) -> str:
    """A path of this server, whatever somebody put into the link."""
    is_path = target.startswith("/") and target[1:2] not in ("/", "\\") and target.isprintable()
    return target if is_path else "/"


# --- stylesheet and scripts: their addresses name their content, so browsers keep them until it changes


_KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_FOR_A_YEAR = "private, max-age=31536000, immutable"


def static_url(name: str) -> str:
    """The address of a file; modules find each other beside them."""
    return f"/static/{_version()}/{name}"


def module_urls() -> list[str]:
    """The addresses of all modules: fetched at once, not one after the other as each names the next."""
    return [static_url(name) for name in sorted(_contents()) if name.endswith(".js")]


@router.get("/static/{version}/{name}")
def static_file(version: str, name: str) -> Response:
    """One file of ours. Only names in the folder's own list are known: a path leads nowhere."""
    content = _contents().get(name)
    if content is None:
        raise UsageError("no-such-route", path=f"/static/{version}/{name}"[:200])
    # An old address gets today's content, and is not kept: the page that asks for it is about to be renewed.
    keeping = _FOR_A_YEAR if version == _version() else "no-store"
    kind = _KINDS[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": keeping})


@cache
def _contents() -> dict[str, bytes]:
    folder = files("paperagents.interfaces.web") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name.rpartition(".")[2] in _KINDS}


@cache
def _version() -> str:
    together = b"\0".join(name.encode() + content for name, content in sorted(_contents().items()))
    return sha256(together).hexdigest()[:12]
