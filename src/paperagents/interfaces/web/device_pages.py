"""Paired devices: a code to scan, the way in for whoever has scanned it, and the list of those who may come in."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.errors import PaperError
from paperagents.interfaces.rest.responses import ERROR_POLICY, Json, OpenRoute, error_html, needs, status_of
from paperagents.interfaces.rest.runs import By, Live
from paperagents.interfaces.serving.callers import caller_of
from paperagents.interfaces.serving.guard import cookie_name
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.pairing import CODE_SECONDS, open_pairing
from paperagents.interfaces.serving.pairing_link import PATH, address_for_devices, draw_svg, pairing_link
from paperagents.interfaces.serving.tokens import open_token_book
from paperagents.interfaces.web.rendering import PageRoute, fragment

router = APIRouter(include_in_schema=False, route_class=PageRoute)
open_router = APIRouter(include_in_schema=False, route_class=OpenRoute)
_YEAR = 365 * 24 * 3600
_KINDS = ("iPhone", "iPad", "Android", "Windows", "Macintosh", "Linux")


@open_router.get(PATH)
def pair(request: Request, live: Live, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Pair the browser that opens this. Its cookie is a token with a name, which can be revoked like any other."""
    if caller_of(request.scope).rights:
        # Who is in already keeps the rights they have, and the code stays good for the device that it is for.
        return RedirectResponse("/", status_code=303)
    try:
        paired = open_pairing(live.vault).redeem(code, name_device(request.headers.get("user-agent", "")))
    except PaperError as error:
        # A stranger sees nothing of the vault: neither its name nor its tools.
        return Response(error_html(error), status_of(error), {"content-security-policy": ERROR_POLICY}, "text/html")
    answer = RedirectResponse("/", status_code=303)
    name = cookie_name(request.scope)
    answer.set_cookie(name, str(paired["token"]), max_age=_YEAR, httponly=True, samesite="strict", path="/")
    return answer


def name_device(agent: str) -> str:
    """What a browser runs on, as far as it says so."""
    return next((kind for kind in _KINDS if kind in agent), "phone")


@router.post("/devices/code", openapi_extra=needs("edit"))
def new_code(request: Request, live: Live, by: By) -> Response:
    """A code to scan or to type. Whoever has it may answer, and so must whoever asks for it."""
    by.require("answer")
    code = open_pairing(live.vault).new_code()
    port: int = request.scope["server"][1]
    # The guard has compared the origin with the host; the scheme is known to the browser alone.
    at = address_for_devices(request.headers.get("origin", ""), port, is_reachable=request.app.state.is_reachable)
    link = pairing_link(at, code) if at else None
    drawn = Markup(draw_svg(link)) if link else None  # noqa: S704  numbers of our own
    return fragment("_pairing.html", code=code, link=link, drawn=drawn, minutes=CODE_SECONDS // 60)


@router.get("/devices")
def devices(live: Live) -> Response:
    """Those who may come in, after a change."""
    return fragment("_devices.html", devices=list_devices(live))


@router.delete("/devices/{name}", openapi_extra=needs("edit"))
def revoke(live: Live, by: By, name: Annotated[str, Path(max_length=100)]) -> Response:
    """Let this one in no more."""
    by.require("answer")
    open_token_book(live.vault).revoke(name)
    return Json({"name": name, "revoked": True})


def list_devices(live: LiveRuns) -> list[dict[str, Any]]:
    """The named tokens, the newest first."""
    found = sorted(open_token_book(live.vault).tokens(), key=lambda each: each.created, reverse=True)
    return [each.as_json() for each in found]
