"""The rest of a vault over REST: tools, agents, problems, search, figures, settings, events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response, WebSocket
from starlette.responses import StreamingResponse

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError
from paperagents.interfaces.rest.models import (
    FileProblem,
    JsonDict,
    SearchAnswer,
    SettingLine,
    Status,
    ToolDocument,
    ToolLine,
    Variable,
    VariableValue,
)
from paperagents.interfaces.rest.responses import Json, StrictRoute, needs
from paperagents.interfaces.rest.runs import PROBLEM, Live, event_stream
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.messages import language
from paperagents.registry.entry import definition_document
from paperagents.runs.statistics import tag_statistics, tool_statistics
from paperagents.settings import mask_value
from paperagents.tool_modes import configure
from paperagents.version import __version__

router = APIRouter(prefix="/api", route_class=StrictRoute, responses=PROBLEM)
Name = Annotated[str, Path(min_length=1, max_length=500)]
Variables = dict[str, Variable]


@router.get("/status", summary="What is being served", response_model=Status, tags=["vault"])
def status(live: Live) -> Response:
    """Version, vault and language."""
    return Json({"version": __version__, "vault": live.vault.root.name, "language": language(), "mcp": "/mcp"})


# --- tools and agents


@router.get("/tools", summary="List tools", response_model=list[ToolLine], tags=["tools"])
def tools(live: Live) -> Response:
    """Every tool, broken files too, with their problems."""
    return Json([entry.as_json() for entry in live.vault.registry.entries() if entry.is_tool])


@router.get("/tools/{tool:path}", summary="Show a tool", response_model=ToolDocument, tags=["tools"])
def tool(live: Live, tool: Name) -> Response:
    """Its manual, and the JSON Schema of its arguments."""
    return Json(definition_document(live.vault.registry.find_definition(tool)))


@router.get("/agents", summary="List agents", response_model=list[ToolLine], tags=["agents"])
def agents(live: Live) -> Response:
    """Every agent. An agent is called as a tool of its id: start a run."""
    return Json([entry.as_json() for entry in live.vault.registry.entries() if entry.kind == "agent"])


@router.get("/agents/{agent:path}", summary="Show an agent", response_model=ToolDocument, tags=["agents"])
def agent(live: Live, agent: Name) -> Response:
    """Its manual, model and tools."""
    return Json(definition_document(live.vault.registry.agent(agent)))


@router.get("/environment/{tool:path}", summary="Which variables are set", response_model=Variables, tags=["tools"])
def environment(live: Live, tool: Name) -> Response:
    """The settings and secrets that a tool declares. Values are never shown."""
    return Json(configure(live.vault, live.vault.registry.tool(tool), {}))


@router.put(
    "/environment/{tool:path}",
    summary="Set variables",
    response_model=Variables,
    tags=["tools"],
    openapi_extra=needs("edit"),
)
def set_environment(live: Live, tool: Name, values: dict[str, VariableValue]) -> Response:
    """Each by its name; null or an empty text removes one. They are kept with the user, outside of the vault."""
    return Json(configure(live.vault, live.vault.registry.tool(tool), values))


@router.get("/problems", summary="Check the vault", response_model=list[FileProblem], tags=["tools"])
def problems(live: Live, file: Annotated[str | None, Query(max_length=4000)] = None) -> Response:
    """Everything wrong with the files of the vault, or with one of them."""
    registry = live.vault.registry
    found = [*(each for entry in registry.entries() for each in entry.problems), *registry.loose_problems()]
    chosen = [each for each in found if file is None or each.file == file.lstrip("/")]
    chosen.sort(key=lambda each: (each.file, each.span.line, each.span.column))
    return Json([each.as_json() for each in chosen])


# --- the notes, the figures, the settings


@router.get("/search", summary="Search the notes", response_model=SearchAnswer, tags=["vault"])
def search(
    live: Live,
    query: Annotated[str, Query(min_length=1, max_length=10_000)],
    path: Annotated[str, Query(max_length=4000)] = "/",
    limit: Annotated[int, Query(ge=1, le=1000)] = 20,
) -> Response:
    """The answer of the tool search_files."""
    # Without a run: looking around is not recorded.
    effect = live.vault.services.built_in["search_files"]({"query": query, "path": path, "limit": limit})
    if effect.refusal is not None:
        raise effect.refusal
    return Json(effect.perform())


@router.get("/stats", summary="Figures of all runs", response_model=JsonDict, tags=["vault"])
def stats(live: Live) -> Response:
    """Per tool and tag: how often, how well, how long."""
    figures, tags = tool_statistics(live.vault.journal), tag_statistics(live.vault.journal)
    return Json({"tools": figures, "tags": tags, "runs": sum(int(str(each["runs"])) for each in figures)})


@router.get("/settings", summary="The settings in force", response_model=dict[str, SettingLine], tags=["vault"])
def settings(live: Live) -> Response:
    """Each with its origin; secrets are not shown."""
    values = live.vault.settings.values
    return Json({name: {"value": mask_value(name, each), "origin": each.origin} for name, each in values.items()})


# --- events


@router.get(
    "/events",
    summary="Follow everything (server-sent events)",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
    tags=["events"],
)
async def follow_everything(live: Live, after: Annotated[int | None, Query(ge=0)] = None) -> Response:
    """What happens in all runs and in the folder. Pages use the WebSocket at the same address."""
    return event_stream(live.everything(after=after))


@router.websocket("/events")
async def everything_live(
    socket: WebSocket, run: str | None = None, after: int | None = None, about: str | None = None
) -> None:
    """The same as a WebSocket: one JSON text for each event; with ``run``, the events of that run.

    With ``about``, the inside of other runs is left out: what a page needs that shows this one, or none. Then a message
    is a list of events, and there are few of them however much happens.
    """
    live: LiveRuns = socket.app.state.live
    # Looked up before the socket is accepted: nothing that happens from then on is missed.
    after = live.last_event if after is None and run is None else after or 0
    events = live.follow(run, after=after) if run is not None else live.everything(after=after)
    await socket.accept()
    sending = asyncio.ensure_future(
        send_events(socket, events) if about is None else send_bundles(socket, live.bundles.follow(about, after))
    )
    try:
        while (await socket.receive())["type"] != "websocket.disconnect":
            # Messages of the client are ignored.
            pass
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def send_events(socket: WebSocket, events: AsyncIterator[JsonObject]) -> None:
    """Send events until there are no more, each as a message."""
    try:
        async for event in events:
            # As ASCII: texts of JavaScript may have lone surrogates, which cannot be sent otherwise.
            await socket.send_text(json.dumps(event))
        await socket.close()
    except PaperError as error:
        await socket.close(code=4004, reason=error.code)


async def send_bundles(socket: WebSocket, bundles: AsyncIterator[str]) -> None:
    """Send bundles until there are no more; while one is on its way the next is not read."""
    async for bundle in bundles:
        await socket.send_text(bundle)
    await socket.close()
