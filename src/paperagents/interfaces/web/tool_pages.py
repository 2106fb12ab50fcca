"""The page of a tool: its form, its runs, its manual."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import AgentDefinition, ToolDefinition
from paperagents.errors import BrokenFileError, PaperError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.drawings import diagram
from paperagents.interfaces.web.markdown import render_markdown
from paperagents.interfaces.web.note_pages import path_parameter
from paperagents.interfaces.web.recent import read_pins
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.interfaces.web.run_view import RunView, run_view, stored_arguments, without_secrets
from paperagents.registry.entry import definition_document
from paperagents.tool_modes import configure

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/tools/{tool:path}")
def one_tool(  # noqa: PLR0913  each is a field of the address
    request: Request,
    live: Live,
    tool: str,
    *,
    run: Annotated[str | None, Query(max_length=200)] = None,
    like: Annotated[str | None, Query(max_length=200)] = None,
    note: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """A tool's form; with ``run``, a run of it beside; filled in as for the run ``like``, or for a note."""
    try:
        definition = live.vault.registry.find_definition(tool)
    except BrokenFileError as error:
        return page(request, "broken.html", status=422, error=error, problems=error.problems, current=tool)
    if isinstance(definition, AgentDefinition):
        return RedirectResponse(f"/agents/{quote(definition.id, safe='')}", status_code=303)
    entry = live.vault.registry.describe(definition)
    shown = run_view(live, run) if run else None
    document = definition_document(definition)
    return page(
        request, "tool.html", tool=definition, entry=entry, document=document, run=shown, pins=read_pins(request),
        filling=prefill(live, definition, shown, like, note), current=definition.id,
        diagram=diagram(definition) if not isinstance(definition, TagNote) else None,
        manual=render_markdown(str(document["manual"])), is_tool=not isinstance(definition, TagNote),
        variables=configure(live.vault, definition, {}) if not isinstance(definition, TagNote) else {},
    )  # fmt: skip


def prefill(
    live: LiveRuns, tool: ToolDefinition | TagNote, run: RunView | None, like: str | None, note: str | None
) -> JsonObject | None:
    """The values the form begins with: those of the run that is shown, named, or was the last; or a note."""
    if run is not None:
        return without_secrets(run.arguments)
    if (
        note is not None
        and not isinstance(tool, TagNote)
        and (name := path_parameter(each.name for each in tool.parameters))
    ):
        return {name: note}
    last = live.vault.history.runs(tool=tool.id, limit=1, nested=False)
    named = like or next((str(each["run_id"]) for each in last), None)
    if named is None:
        return None
    try:
        return without_secrets(stored_arguments(live, named))
    except PaperError:
        return None
