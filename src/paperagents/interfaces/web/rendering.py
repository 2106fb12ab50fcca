"""Renders templates to pages, and serves static files. The one module that knows Jinja; all values are escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from functools import cache
from gzip import compress
from hashlib import sha256
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from paperagents.agents.reasoning import reasoning_text
from paperagents.approval.invisible import escape_invisible
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.rest.responses import StrictRoute, invalid_request, status_of
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.recent import find_recent, read_pins
from paperagents.interfaces.web.texts import format_duration, format_moment
from paperagents.inventory import list_brought, list_undecided
from paperagents.messages import LANGUAGES, language, sentences, text
from paperagents.registry.entry import Entry
from paperagents.registry.tool_registry import ToolRegistry
from paperagents.runs.usage import describe_usage
from paperagents.values import dataclass

router = APIRouter(include_in_schema=False)
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "paper_theme"
_SCRIPT_TEXTS = "web.js."
_MIME_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
_NOTE_PATH = re.compile(
    r"(?!/|\.{1,2}/)(?!.*/\.{1,2}/)[^\\:*?\"<>|\x00-\x1f]{1,300}\.(?:md|markdown|png|jpe?g|gif|webp)", re.IGNORECASE
)
"""A text in a result that is the path of a note or picture."""
_IMPORT = re.compile(r'^import (?:.* from )?"\./([a-z_]+\.js)";$', re.MULTILINE)
_FOR_A_YEAR = "private, max-age=31536000, immutable"


class PageRoute(StrictRoute):
    """A page, whose errors are pages, too; other methods than GET are for scripts, as in the REST API."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler; an error of a page becomes a page."""
        handler = super().get_route_handler()
        if "GET" not in (self.methods or ()):
            return handler

        async def page_or_error(request: Request) -> Response:
            try:
                return await handler(request)
            except PaperError as error:
                return error_page(request, error)
            except RequestValidationError as error:
                return error_page(request, invalid_request(error), status=422)

        return page_or_error


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A whole page."""
    live: LiveRuns = request.app.state.live
    shared: dict[str, Any] = {
        # Read first: what happens while the page is made is sent again when it listens.
        "last_event": live.last_event,
        "request_path": request.url.path,
        "here": f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path,
        "theme": theme if (theme := request.cookies.get(THEME_COOKIE)) in THEMES else THEMES[0],
        "vault_name": live.vault.root.name or "/",
        "waiting": live.vault.history.count_questions(),
        "sidebar": make_sidebar(live.vault.registry, current=values.get("current")),
        # The first page has them in its middle.
        "recent": find_recent(live, read_pins(request)) if request.url.path != "/" else [],
    }
    if "untrusted" not in values:
        shared["untrusted"] = list_undecided(live.vault, list_brought(live.vault))
    return fragment(template, status, **{**shared, **values})


def fragment(template: str, status: int = 200, /, **values: Any) -> Response:
    """A piece of a page, for a script to put in its place."""
    content = environment().get_template(template).render(values)
    return Response(utf8(content), status_code=status, media_type="text/html; charset=utf-8")


def error_page(request: Request, error: PaperError, *, status: int | None = None) -> Response:
    """What is wrong, where, and what to do next."""
    problems = getattr(error, "problems", ())
    return page(request, "error.html", status=status or status_of(error), error=error, problems=problems)


def page_json(value: Any) -> Markup:
    """JSON for a data block of a page: no character in it can end the block."""
    written = json.dumps(value, ensure_ascii=True)
    # As escapes of JSON, not of HTML: the content of a script element is not decoded.
    for character in "<>&'":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return Markup(written)  # noqa: S704  every character that HTML knows is escaped above


@cache
def environment() -> Environment:
    """The templates with their globals and filters."""
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
        LANGUAGES=LANGUAGES, THEMES=THEMES, FEW_TOOLS=FEW_TOOLS, script_texts=script_texts,
    )  # fmt: skip
    made.filters.update(
        visible=lambda value: escape_invisible(str(value)),
        quoted=lambda value: quote(utf8(str(value)), safe=""),
        address=lambda path: quote(utf8(str(path)), safe="/"),
        is_note=lambda value: _NOTE_PATH.fullmatch(str(value)) is not None,
        page_json=page_json,
        moment=format_moment,
        duration=format_duration,
        pretty=pretty,
        usage=describe_usage,
        reasoning=lambda output: reasoning_text(output) if isinstance(output, dict) else "",
    )
    return made


def pretty(value: Any) -> str:
    """JSON as people read it; lone surrogates stay escapes."""
    written = json.dumps(value, ensure_ascii=False, indent=2)
    return written if written.isascii() else written.encode("utf-8", "backslashreplace").decode("utf-8")


def script_texts() -> dict[str, str]:
    """The messages that scripts show, in the reader's language, with their placeholders."""
    number = LANGUAGES.index(language())
    keys = (key for key in sentences() if key.startswith(_SCRIPT_TEXTS))
    return {key.removeprefix(_SCRIPT_TEXTS): sentences()[key][number] for key in keys}


# --- static files: their addresses contain a digest, so that browsers keep them until they change


def static_url(name: str) -> str:
    """The address of a file; modules import each other relative to it."""
    return f"/static/{static_digest()}/{name}"


@cache
def module_urls(*scripts: str) -> list[str]:
    """The addresses of the modules that these scripts need, to be loaded at once and not one after the other."""
    needed: dict[str, None] = {}
    left = [f"{name}.js" for name in scripts]
    while left:
        name = left.pop()
        if name not in needed:
            needed[name] = None
            left += _IMPORT.findall(static_files()[name].decode())
    return [static_url(name) for name in sorted(needed)]


@router.get("/static/{version}/{name}")
def static_file(request: Request, version: str, name: str) -> Response:
    """One static file. Only names in the list of the folder are served: no path leads out of it."""
    content = static_files().get(name)
    if content is None:
        raise UsageError("no-such-route", path=f"/static/{version}/{name}"[:200])
    # An old address gets today's content, uncached: the page that asks for it is about to be reloaded.
    headers = {"cache-control": _FOR_A_YEAR if version == static_digest() else "no-store", "vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["content-encoding"] = compressed_file(name), "gzip"
    return Response(content, media_type=_MIME_TYPES[name.rpartition(".")[2]], headers=headers)


@cache
def compressed_file(name: str) -> bytes:
    """The content of a static file as small as it gets; done once, and not for every request."""
    return compress(static_files()[name], mtime=0)


@cache
def static_files() -> dict[str, bytes]:
    """The content of every static file by name."""
    folder = files("paperagents.interfaces.web") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name.rpartition(".")[2] in _MIME_TYPES}


@cache
def static_digest() -> str:
    """Changes with the content of any file."""
    together = b"\0".join(name.encode() + content for name, content in sorted(static_files().items()))
    return sha256(together).hexdigest()[:12]


MOST_SHOWN = 80
"""Links at the side; the page of all tools has the rest."""
MOST_OF_A_CATEGORY = 40
LEAST_OF_A_CATEGORY = 3
FEW_TOOLS = 24
"""So many tools are looked through at a glance: their categories are open."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The tools of one category."""

    name: str
    entries: tuple[Entry, ...]
    count: int
    """How many there are, shown or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sidebar:
    """The content of the sidebar."""

    groups: tuple[Group, ...]
    broken: tuple[Entry, ...]
    broken_count: int
    shown: int
    total: int
    query: str = ""
    current: str | None = None


def make_sidebar(registry: ToolRegistry, *, query: str = "", current: str | None = None) -> Sidebar:
    """The tools whose name, id, description or category has every word of the query."""
    entries = registry.entries()
    sidebar = _sidebar_of(entries, query) if query else _last_sidebar.make(entries)
    return replace(sidebar, current=current)


class _LastSidebar:
    """Every page has one: the last is kept for as long as the tools stay the same."""

    def __init__(self) -> None:
        self._made: tuple[tuple[Entry, ...], str, Sidebar] | None = None

    def make(self, entries: tuple[Entry, ...]) -> Sidebar:
        """The one that was made before, where it is of the very same entries."""
        made, spoken = self._made, language()
        if made is None or made[0] is not entries or made[1] != spoken:
            made = self._made = entries, spoken, _sidebar_of(entries, "")
        return made[2]


_last_sidebar = _LastSidebar()


def _sidebar_of(entries: Iterable[Entry], query: str) -> Sidebar:
    tools = [entry for entry in entries if entry.is_tool]
    found = search_entries(tools, query)
    broken = [entry for entry in found if not entry.valid]
    all_groups = group_by_category(found)
    # Every category is there; each with its share of the links.
    share = min(max(MOST_SHOWN // max(len(all_groups), 1), LEAST_OF_A_CATEGORY), MOST_OF_A_CATEGORY)
    groups = [replace(group, entries=group.entries[:share]) for group in all_groups]
    return Sidebar(
        groups=tuple(groups),
        broken=tuple(broken[:MOST_OF_A_CATEGORY]),
        broken_count=len(broken),
        shown=sum(len(group.entries) for group in groups),
        total=len(tools),
        query=query,
    )


def search_entries(entries: Sequence[Entry], query: str) -> list[Entry]:
    """The entries that have every word."""
    words = query.casefold().split()[:20]
    if not words:
        return list(entries)
    texts = (f"{each.name} {each.id} {each.description} {each.category or ''}".casefold() for each in entries)
    return [entry for entry, words_of in zip(entries, texts, strict=True) if all(word in words_of for word in words)]


def group_by_category(entries: Iterable[Entry]) -> list[Group]:
    """Usable tools by category, those without one last but for the built-in ones."""
    named: dict[str, list[Entry]] = {}
    others, built_in = text("web.no-category"), text("web.built-in")
    for entry in entries:
        if entry.valid or entry.stale:
            category = built_in if entry.kind == "builtin" else entry.category or others
            named.setdefault(category, []).append(entry)
    groups = []
    for name in sorted(named, key=lambda name: (name == built_in, name == others, natural_order(name))):
        members = sorted(named[name], key=lambda entry: natural_order(entry.name))
        groups.append(Group(name=name, entries=tuple(members), count=len(members)))
    return groups


def natural_order(name: str) -> list[tuple[int, str]]:
    """The order people expect: 9 before 10."""
    parts = re.split(r"([0-9]{1,18})", name.casefold())
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]
