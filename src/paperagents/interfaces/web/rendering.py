"""Templates become pages. The one module that knows Jinja; everything it puts into a page is escaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from paperagents.approval.diff import visible
from paperagents.definitions.surrogates import utf8
from paperagents.errors import PaperError
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.serving.problem_details import status_of
from paperagents.interfaces.serving.rest_answers import invalid_request
from paperagents.interfaces.web.preferences import THEMES, theme_of
from paperagents.interfaces.web.sidebar import sidebar
from paperagents.interfaces.web.static_files import module_urls, static_url
from paperagents.interfaces.web.times import duration, moment
from paperagents.messages import LANGUAGES, language, sentences, text

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
