"""Pages of tools: all of them, and each with its form."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import AgentDefinition
from paperagents.errors import BrokenFileError, PaperError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.drawings import diagram
from paperagents.interfaces.web.rendering import PageRoute, fragment, page
from paperagents.interfaces.web.run_view import RunView, arguments_of, run_view, without_secrets
from paperagents.interfaces.web.sidebar import by_category, matching, sidebar
from paperagents.interfaces.web.texts import rendered
from paperagents.registry.entry import definition_document

router = APIRouter(include_in_schema=False, route_class=PageRoute)
MOST_ON_A_PAGE = 300
LEAST_OF_A_CATEGORY = 6
Words = Annotated[str, Query(max_length=500)]


@router.get("/")
def all_tools(request: Request, live: Live, q: Words = "", category: Words = "") -> Response:
    """Every tool, by category; those with problems first of all."""
    entries = [entry for entry in live.vault.registry.entries() if entry.is_tool]
    found = matching(entries, q)
    groups = [group for group in by_category(found) if category in ("", group.name)]
    broken = [entry for entry in found if entry.problems] if not category else []
    return page(
        request, "tools.html", groups=groups, broken=broken, query=q, category=category, most=_most(len(groups)),
        runs=live.vault.store.history(limit=5),
    )  # fmt: skip


def _most(groups: int) -> int:
    """How many tools of each category: all together no more than somebody looks through."""
    return max(MOST_ON_A_PAGE // max(groups, 1), LEAST_OF_A_CATEGORY)


@router.get("/sidebar")
def tools_at_the_side(live: Live, q: Words = "", current: Words = "") -> Response:
    """The list at the side, for a search or after a change."""
    return fragment("_sidebar_tools.html", sidebar=sidebar(live.vault.registry, query=q, current=current or None))


@router.get("/tools/{tool:path}")
def one_tool(
    request: Request,
    live: Live,
    tool: str,
    run: Annotated[str | None, Query(max_length=200)] = None,
    like: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """A tool's form; with ``run``, a run of it beside; with ``like``, filled in as for that run."""
    try:
        definition = live.vault.registry.find_definition(tool)
    except BrokenFileError as error:
        return page(request, "broken.html", status=422, error=error, problems=error.problems, current=tool)
    if isinstance(definition, AgentDefinition):
        return RedirectResponse(f"/agents/{quote(definition.id, safe='')}", status_code=303)
    entry = next(each for each in live.vault.registry.entries() if each.id == definition.id)
    shown = run_view(live, run) if run else None
    is_tool = not isinstance(definition, TagNote)
    return page(
        request, "tool.html", tool=definition, entry=entry, document=definition_document(definition), run=shown,
        filling=_filling(live, definition.id, shown, like), current=definition.id,
        diagram=diagram(definition) if not isinstance(definition, TagNote) else None,
        manual=rendered(str(definition_document(definition)["manual"])), is_tool=is_tool,
    )  # fmt: skip


def _filling(live: LiveRuns, tool: str, run: RunView | None, like: str | None) -> JsonObject | None:
    """What the form begins with: as in the run that is shown, that was named, or that was the last."""
    if run is not None:
        return without_secrets(run.arguments)
    last = live.vault.store.history(tool=tool, limit=1, nested=False)
    named = like or next((str(each["run_id"]) for each in last), None)
    if named is None:
        return None
    try:
        return without_secrets(arguments_of(live, named))
    except PaperError:
        return None
