"""The first page: search, what waits, what is pinned and was used last, all tools by category."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.question_view import question_views
from paperagents.interfaces.web.recent import find_recent, make_cards, read_pins
from paperagents.interfaces.web.rendering import (
    FEW_TOOLS,
    PageRoute,
    fragment,
    group_by_category,
    make_sidebar,
    page,
    search_entries,
)

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_ON_A_PAGE = 300
LEAST_OF_A_CATEGORY = 6
MOST_QUESTIONS = 3
Words = Annotated[str, Query(max_length=500)]


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
def sidebar_tools(request: Request, live: Live, q: Words = "", current: Words = "") -> Response:
    """The tools of the sidebar, for a search or after a change."""
    recent = find_recent(live, read_pins(request)) if not q else []
    sidebar = make_sidebar(live.vault.registry, query=q, current=current or None)
    return fragment("_sidebar_tools.html", sidebar=sidebar, recent=recent)


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
