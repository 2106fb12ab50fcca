"""The palette: everything that can be opened, by a few letters of its name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import Response

from paperagents.definitions.text import utf8
from paperagents.interfaces.rest.responses import Json
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.recent import LATEST_RUNS
from paperagents.interfaces.web.rendering import PageRoute
from paperagents.interfaces.web.run_pages import describe_runs
from paperagents.messages import text

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_FOUND = 30
MOST_NOTES = 20_000
PLACES = {
    "/": "web.tools", "/notes": "web.notes", "/approvals": "web.inbox", "/runs": "web.history", "/agents": "web.agents",
    "/entries": "web.entries", "/stats": "web.stats", "/schedules": "web.schedules",
    "/trust": "web.trust", "/new/tool": "web.new-tool", "/new/chain": "web.new-chain",
    "/new/agent": "web.new-agent", "/settings": "web.settings", "/settings#model": "web.settings.model",
    "/settings#limits": "web.settings.limits", "/settings#region": "web.settings.region",
    "/settings#rules": "web.rules", "/settings#devices": "web.devices",
}  # fmt: skip


@router.get("/palette")
def palette(live: Live, q: Annotated[str, Query(max_length=500)] = "") -> Response:
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
