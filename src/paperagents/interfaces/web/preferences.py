"""How somebody wants the pages: their language, light or dark. Kept in cookies, so that no page flickers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import APIRouter, Query
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response

from paperagents.errors import UsageError
from paperagents.interfaces.web.times import in_zone
from paperagents.messages import LANGUAGES, in_language

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
