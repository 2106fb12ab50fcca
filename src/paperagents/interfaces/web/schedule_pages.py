"""The page of what runs by itself: when, when next, how it went last, and whether it may."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web.rendering import PageRoute, page
from paperagents.interfaces.web.texts import local_now
from paperagents.inventory import schedule_of, state_of
from paperagents.reading.fields import next_tick

router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.get("/schedules")
def schedules(request: Request, live: Live) -> Response:
    """Every tool with a schedule, the next one first."""
    now = local_now()
    found: list[dict[str, Any]] = []
    for entry in live.vault.registry.scheduled():
        last = live.vault.history.runs(tool=entry.id, limit=1, nested=False)
        state = state_of(live.vault, schedule_of(live.vault, entry))
        tick = next_tick(str(entry.schedule), now).isoformat()
        found.append({"entry": entry, "next": tick, "last": last[0] if last else None, "state": state})
    found.sort(key=lambda each: str(each["next"]))
    return page(request, "schedules.html", schedules=found)
