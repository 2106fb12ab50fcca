"""The page behind the link of a notification: one question, for whoever has the link, without a login.

Opening the link shows nothing and uses nothing up: mail programs and messengers open links by themselves. The button
there redeems it, for a cookie that is good for this one question and for minutes; no script is needed.
"""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from hashlib import sha256
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.approval.question import Approved, Decision, Denied, system_user
from paperagents.errors import ApprovalChangedError, PaperError
from paperagents.interfaces.rest.responses import ERROR_POLICY, ERROR_STYLE, OpenRoute, error_html, status_of
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.guard import cookie_name
from paperagents.interfaces.web.rendering import fragment
from paperagents.messages import text
from paperagents.secrets.redaction import Redaction

PATH = "/decide"
QUESTION, ANSWER = f"{PATH}/question", f"{PATH}/answer"
OPEN_SECONDS = 15 * 60
STYLE = (
    f"{ERROR_STYLE}main{{max-width:60rem}}pre{{overflow:auto;max-height:60vh;padding:1rem;font-size:.85rem;"
    "background:light-dark(#f2efe8,#15181a);white-space:pre-wrap}button{font:inherit;padding:.6rem 1.4rem;"
    "min-height:44px;margin:0 .5rem .5rem 0}form{display:inline}"
)
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
open_router = APIRouter(include_in_schema=False, route_class=OpenRoute)
Link = Annotated[str, Query(max_length=100)]


@open_router.get(PATH)
def look(link: Link = "") -> Response:
    """The same page for every link, good or not."""
    return decide_page(open=f"{PATH}?link={quote(link, safe='')}")


@open_router.post(PATH)
def redeem(request: Request, live: Live, link: Link = "") -> Response:
    """Use the link up, and show its question."""
    try:
        question = live.vault.question_links.redeem(link)
    except PaperError as error:
        return refusal(error)
    answer = RedirectResponse(QUESTION, status_code=303)
    keep_cookie(request, answer, seal(access_of(request), question), OPEN_SECONDS)
    return answer


@open_router.get(QUESTION)
def show(request: Request, live: Live) -> Response:
    """Exactly what would happen, and the two answers."""
    try:
        asked = live.vault.history.question(question_of(request))
    except PaperError as error:
        return refusal(error)
    shown = Redaction().text(asked.preview)
    answers = {word: f"{ANSWER}?word={word}&digest={quote(asked.digest, safe='')}" for word in ("approve", "deny")}
    wish = text("mcp.ask", tool=asked.tool, step=asked.step, run=asked.run_id)
    return decide_page(wish=wish, preview=shown, answers=answers)


@open_router.post(ANSWER)
async def answer(
    request: Request,
    live: Live,
    word: Literal["approve", "deny"],
    digest: Annotated[str, Query(min_length=1, max_length=200)],
) -> Response:
    """Pass the answer on; that is all that the cookie was for. What has changed meanwhile is shown again."""
    by: dict[str, Any] = {"by": system_user(), "via": "link"}
    decision: Decision = Approved(**by) if word == "approve" else Denied(reason="", **by)
    try:
        question = question_of(request)
        await asyncio.to_thread(live.answer, question, decision, digest=digest)
    except ApprovalChangedError:
        return RedirectResponse(QUESTION, status_code=303)
    except PaperError as error:
        return refusal(error)
    done = decide_page(done=text(f"web.decide.{word}"))
    keep_cookie(request, done, "", 0)
    return done


def decide_page(**shown: Any) -> Response:
    """The page; nothing of it is kept by browsers, and no other page learns its address."""
    empty = {"open": "", "wish": "", "preview": "", "answers": {}, "done": ""}
    made = fragment("decide.html", style=STYLE, **{**empty, **shown})
    made.headers["content-security-policy"] = _POLICY
    return made


def refusal(error: PaperError) -> Response:
    """An error, without anything of the vault around it."""
    return Response(error_html(error), status_of(error), {"content-security-policy": ERROR_POLICY}, "text/html")


# --- the cookie: a question and an end, signed


def access_of(request: Request) -> Access:
    """What signs for this vault."""
    access: Access = request.app.state.access
    return access


def seal(access: Access, question: str) -> str:
    """The cookie for one question."""
    expires = str(int(time.time()) + OPEN_SECONDS)
    return f"{question}.{expires}.{access.derive_text('question', question, expires)}"


def question_of(request: Request) -> str:
    """The id of the question that the cookie is for. Raises PaperError where it is not ours, or too old."""
    whole = request.cookies.get(f"{cookie_name(request.scope)}_question", "")
    question, expires, signature = ["", "", "", *whole.rsplit(".", 2)][-3:]
    # The signature first: nothing of a text that is not ours is interpreted.
    if not access_of(request).is_signed(signature, "question", question, expires) or int(expires) < time.time():
        raise PaperError("question-link-used")
    return question


def keep_cookie(request: Request, response: Response, value: str, seconds: int) -> None:
    """Set the cookie for these pages alone, or take it back."""
    name = f"{cookie_name(request.scope)}_question"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", path=PATH)
