"""Pages of runs: all of them, one as it goes on, two compared."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from paperagents.approval.diff import unified_diff
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.text import utf8
from paperagents.errors import UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.web.rendering import PageRoute, fragment, page, pretty
from paperagents.interfaces.web.results import tree
from paperagents.interfaces.web.run_view import RunView, run_view, step_view, step_views
from paperagents.interfaces.web.texts import Diff, beginning_of_day, read_diff
from paperagents.runs.record import RunRecord

router = APIRouter(include_in_schema=False, route_class=PageRoute)
STATUSES = ("running", "waiting", "succeeded", "failed", "denied", "cancelled")
LONGEST_COMPARED = 200_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Short = Annotated[str, Query(max_length=200)]
Number = Annotated[int, Query(ge=0, le=1_000_000_000)]


@router.get("/runs")
def history(  # noqa: PLR0913  each is a field of the address
    request: Request, live: Live, *, tool: Short = "", status: Short = "", since: Short = "", most: Number = 50
) -> Response:
    """The runs that somebody started, the newest first."""
    most = min(max(most, 1), 1000)
    chosen = status if status in STATUSES else None
    begins = _beginning(since)
    runs = live.vault.store.history(tool=tool or None, status=chosen, since=begins, limit=most + 1)
    return page(
        request, "runs.html", runs=runs[:most], is_more=len(runs) > most, most=most, statuses=STATUSES,
        chosen={"tool": tool, "status": chosen or "", "since": since if begins else ""},
    )  # fmt: skip


def _beginning(day: str) -> str | None:
    """When the day begins that somebody chose; None where it is none."""
    try:
        return beginning_of_day(day) if _DAY.fullmatch(day) else None
    except (ValueError, OverflowError):
        return None


@router.get("/runs/compare")
def compare(request: Request, live: Live, run: Annotated[tuple[str, ...], Query(max_length=10)] = ()) -> Response:
    """Two runs side by side: what was different, in and out."""
    if len(run) != 2:
        raise UsageError("compare-two")
    one, other = (run_view(live, each) for each in run)
    return page(request, "compare.html", one=one, other=other, differences=_differences(one, other))


@router.get("/runs/{run_id:path}/panel")
def panel(live: Live, run_id: str) -> Response:
    """The run as it is now, to take the place of how it was."""
    return fragment("_run_panel.html", run=run_view(live, run_id))


@router.get("/runs/{run_id:path}/steps")
def steps(live: Live, run_id: str, first: Number = 0) -> Response:
    """More of its steps."""
    record = live.record(run_id)
    return fragment("_run_steps.html", steps=step_views(record, first), record=record)


@router.get("/runs/{run_id:path}/steps/{number:int}")
def step(request: Request, live: Live, run_id: str, number: int, *, part: bool = False) -> Response:
    """The data of one step."""
    shown = step_view(number, _entry(live.record(run_id), number))
    record = live.record(run_id)
    if part:
        return fragment("_step_data.html", step=shown, record=record)
    return page(request, "step.html", step=shown, record=record, current=record.tool)


@router.get("/runs/{run_id:path}/value")
def value(  # noqa: PLR0913  each is a field of the address
    live: Live,
    run_id: str,
    *,
    pointer: Annotated[str, Query(max_length=10_000)] = "",
    offset: Number = 0,
    step: Annotated[int | None, Query(ge=0)] = None,
    field: Annotated[str, Query(pattern="^(output|parameters)$")] = "output",
) -> Response:
    """The members of a list or object that are not there yet."""
    record = live.record(run_id)
    whole: JsonValue = record.data if step is None else _entry(record, step)[field]
    at = f"/runs/{record.run_id}/value" if step is None else f"/runs/{record.run_id}/value?step={step}&field={field}"
    return fragment("_tree_part.html", node=tree(whole, pointer=pointer, offset=offset), base=at)


@router.get("/runs/{run_id:path}/download")
def download(live: Live, run_id: str, *, record: bool = False) -> Response:
    """The result as a file, or the whole record."""
    found = live.record(run_id)
    name = "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "-" for each in found.tool)[:60]
    if isinstance(found.data, str) and not record:
        return _file(utf8(found.data), f"{name}.txt", "text/plain; charset=utf-8")
    content = found.as_json() if record else found.data
    kind = "record" if record else "result"
    return _file(json.dumps(content, indent=2).encode("ascii"), f"{name}-{kind}.json", "application/json")


@router.get("/runs/{run_id:path}")
def one_run(request: Request, live: Live, run_id: str, first: Number = 0) -> Response:
    """One run with everything about it."""
    shown = run_view(live, run_id, first_step=first)
    return page(request, "run.html", run=shown, current=shown.record.tool)


def _file(content: bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


def _entry(record: RunRecord, number: int) -> dict[str, Any]:
    if not 0 <= number < len(record.execution_log):
        raise UsageError("no-such-value", pointer=str(number))
    return record.execution_log[number]


def _differences(one: RunView, other: RunView) -> dict[str, Diff | None]:
    return {
        "arguments": _difference(one.arguments, other.arguments),
        "result": _difference(one.record.data, other.record.data),
        "error": _difference(one.record.error, other.record.error),
    }


def _difference(before: JsonValue, after: JsonValue) -> Diff | None:
    """What changed from one value to the other; None where nothing did."""
    old, new = (pretty(each)[:LONGEST_COMPARED] for each in (before, after))
    return None if old == new else read_diff(unified_diff(old + "\n", new + "\n", ""))
