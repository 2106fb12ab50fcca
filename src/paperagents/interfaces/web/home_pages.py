"""The first page: search, what waits, what is pinned and was used last, all tools by category; and the palette."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import utf8
from paperagents.interfaces.rest.responses import Json
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.question_view import question_views
from paperagents.interfaces.web.rendering import (
    FEW_TOOLS,
    PageRoute,
    fragment,
    group_by_category,
    make_sidebar,
    page,
    search_entries,
)
from paperagents.interfaces.web.run_pages import describe_runs
from paperagents.messages import text
from paperagents.registry.entry import Entry

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_ON_A_PAGE = 300
LEAST_OF_A_CATEGORY = 6
MOST_CARDS = 6
MOST_QUESTIONS = 3
MOST_PINS = 24
PINS_COOKIE = "paper_pins"
LATEST_RUNS = 60
MOST_FOUND = 30
MOST_NOTES = 20_000
PLACES = {
    "/": "web.tools", "/notes": "web.notes", "/approvals": "web.inbox", "/runs": "web.history", "/agents": "web.agents",
    "/entries": "web.entries", "/stats": "web.stats", "/new/tool": "web.new-tool", "/new/chain": "web.new-chain",
    "/new/agent": "web.new-agent", "/settings": "web.settings", "/settings#model": "web.settings.model",
    "/settings#limits": "web.settings.limits", "/settings#region": "web.settings.region",
    "/settings#rules": "web.rules", "/settings#devices": "web.devices",
}  # fmt: skip
Words = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """A tool or agent that was pinned or used last."""

    entry: Entry
    is_pinned: bool
    run: JsonObject | None


@router.get("/")
def home(request: Request, live: Live, q: Words = "", category: Words = "") -> Response:
    """What waits, what was used last, and every tool by category."""
    asked = question_views(live) if not (q or category) else ()
    return page(
        request, "tools.html", **find_groups(live, q, category), questions=asked[:MOST_QUESTIONS],
        cards=make_cards(live, read_pins(request)) if not (q or category) else [],
    )  # fmt: skip


@router.get("/groups")
def groups(live: Live, q: Words = "", category: Words = "") -> Response:
    """The tools that a search finds, while somebody types."""
    return fragment("_tool_groups.html", **find_groups(live, q, category))


@router.get("/sidebar")
def sidebar_tools(live: Live, q: Words = "", current: Words = "") -> Response:
    """The tools of the sidebar, for a search or after a change."""
    return fragment("_sidebar_tools.html", sidebar=make_sidebar(live.vault.registry, query=q, current=current or None))


def find_groups(live: LiveRuns, query: str, category: str) -> dict[str, Any]:
    """Tools by category, and the files with problems."""
    entries = [entry for entry in live.vault.registry.entries() if entry.is_tool]
    found = search_entries(entries, query)
    groups = [group for group in group_by_category(found) if category in ("", group.name)]
    return {
        "groups": groups,
        "broken": [entry for entry in found if entry.problems] if not category else [],
        "query": query,
        "category": category,
        # Of each category so many that all together are no more than somebody looks through.
        "most": max(MOST_ON_A_PAGE // max(len(groups), 1), LEAST_OF_A_CATEGORY),
        "is_open": bool(query or category) or len(entries) <= FEW_TOOLS,
    }


def read_pins(request: Request) -> list[str]:
    """The ids that somebody has pinned."""
    written = request.cookies.get(PINS_COOKIE, "")
    return [unquote(each) for each in written.split("~")[:MOST_PINS] if each]


def make_cards(live: LiveRuns, pins: list[str]) -> list[Card]:
    """What is pinned, then what was used last, each with its last outcome."""
    known = {entry.id: entry for entry in live.vault.registry.entries()}
    runs: dict[str, JsonObject] = {}
    for run in live.vault.history.runs(limit=LATEST_RUNS):
        runs.setdefault(str(run["tool"]).removeprefix("agent:"), run)
    wanted = dict.fromkeys([*pins, *runs])
    found = [Card(entry=known[each], is_pinned=each in pins, run=runs.get(each)) for each in wanted if each in known]
    return found[: max(MOST_CARDS, sum(each.is_pinned for each in found))]


# --- the palette: everything by a few letters of its name


@router.get("/palette")
def palette(live: Live, q: Words = "") -> Response:
    """What a few letters may mean, the best first: tools, agents, notes, runs, places."""
    rated = ((rate(q.casefold().strip(), each["title"].casefold()), each) for each in candidates(live))
    found = sorted((each for each in rated if each[0] is not None), key=lambda each: (each[0], len(each[1]["title"])))
    return Json([each for _, each in found[:MOST_FOUND]])


def candidates(live: LiveRuns) -> Iterator[dict[str, str]]:
    """Everything that can be opened, what is used most first."""
    for entry in live.vault.registry.entries():
        if entry.is_tool or entry.kind == "agent":
            kind = "agent" if entry.kind == "agent" else "tool"
            yield _candidate(
                kind, entry.name, f"/{kind}s/{quote(utf8(entry.id), safe='')}", entry.description[:200], entry.id
            )
    for path, key in PLACES.items():
        yield _candidate("place", text(key), path)
    files = (each.path for each in live.vault.folder.list_files())
    for path in islice(files, MOST_NOTES):
        if path.lower().endswith((".md", ".markdown")):
            yield _candidate("note", path.removesuffix(".md"), f"/notes/{quote(utf8(path), safe='/')}")
    runs = live.vault.history.runs(limit=LATEST_RUNS)
    described = describe_runs(live, runs)
    for run in runs:
        name = described["names"].get(run["tool"], run["tool"])
        given = described["inputs"].get(run["run_id"], "")
        yield _candidate(
            "run",
            f"{name} {given}".strip()[:200],
            f"/runs/{quote(str(run['run_id']), safe='')}",
            str(run["run_id"])[:8],
        )


def _candidate(kind: str, title: str, href: str, detail: str = "", name: str = "") -> dict[str, str]:
    return {"kind": kind, "title": title, "href": href, "detail": detail, "id": name}


def rate(query: str, title: str) -> tuple[int, int] | None:
    """How well a title fits: it begins so, a word does, it has it, or the letters in this order. None: not at all."""
    if not query:
        return 0, 0
    at = title.find(query)
    if at == 0:
        return 0, 0
    if at > 0:
        return (1, at) if not title[at - 1].isalnum() else (2, at)
    return rate_letters(query, title)


def rate_letters(query: str, title: str) -> tuple[int, int] | None:
    """The letters in this order, the closer together the better."""
    place, first = -1, -1
    for letter in query.replace(" ", ""):
        place = title.find(letter, place + 1)
        if place < 0:
            return None
        first = place if first < 0 else first
    return 3, place - first
