"""Pages of runs: the history, one run, two runs compared."""

from __future__ import annotations

import json
import re
from contextlib import suppress
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
from paperagents.interfaces.web.run_view import run_view, step_view, step_views
from paperagents.interfaces.web.texts import Diff, read_diff, start_of_day
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
    begins = None
    # A day that there is not, as in a link that was edited by hand, filters nothing.
    with suppress(ValueError, OverflowError):
        begins = start_of_day(since) if _DAY.fullmatch(since) else None
    runs = live.vault.history.runs(tool=tool or None, status=chosen, since=begins, limit=most + 1)
    foreign = {str(each["run_id"]) for each in runs[:most] if not live.vault.journal.is_own(str(each["run_id"]))}
    return page(
        request, "runs.html", foreign=foreign, runs=runs[:most], is_more=len(runs) > most, most=most, statuses=STATUSES,
        chosen={"tool": tool, "status": chosen or "", "since": since if begins else ""},
    )  # fmt: skip


@router.get("/runs/compare")
def compare(request: Request, live: Live, run: Annotated[tuple[str, ...], Query(max_length=10)] = ()) -> Response:
    """Two runs side by side, with the differences of their arguments, results and errors."""
    if len(run) != 2:
        raise UsageError("compare-two")
    one, other = (run_view(live, each) for each in run)
    differences = {
        "arguments": compare_values(one.arguments, other.arguments),
        "result": compare_values(one.record.data, other.record.data),
        "error": compare_values(one.record.error, other.record.error),
    }
    return page(request, "compare.html", one=one, other=other, differences=differences)


@router.get("/runs/{run_id:path}/panel")
def panel(live: Live, run_id: str) -> Response:
    """The run as it is now, to replace the panel of a page."""
    return fragment("_run_panel.html", run=run_view(live, run_id))


@router.get("/runs/{run_id:path}/steps")
def steps(live: Live, run_id: str, first: Number = 0) -> Response:
    """More of its steps."""
    record = live.record(run_id)
    return fragment("_run_steps.html", steps=step_views(record, first), record=record)


@router.get("/runs/{run_id:path}/steps/{number:int}")
def step(request: Request, live: Live, run_id: str, number: int, *, part: bool = False) -> Response:
    """The data of one step."""
    record = live.record(run_id)
    shown = step_view(number, log_entry(record, number))
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
    """More members of a list or object."""
    record = live.record(run_id)
    whole: JsonValue = record.data if step is None else log_entry(record, step)[field]
    at = f"/runs/{record.run_id}/value" if step is None else f"/runs/{record.run_id}/value?step={step}&field={field}"
    return fragment("_tree_part.html", node=tree(whole, pointer=pointer, offset=offset), base=at)


@router.get("/runs/{run_id:path}/download")
def download(live: Live, run_id: str, *, record: bool = False) -> Response:
    """The result as a file, or the whole record."""
    found = live.record(run_id)
    name = "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "-" for each in found.tool)[:60]
    if isinstance(found.data, str) and not record:
        content, file, kind = utf8(found.data), f"{name}.txt", "text/plain; charset=utf-8"
    else:
        content = json.dumps(found.as_json() if record else found.data, indent=2).encode("ascii")
        file, kind = f"{name}-{'record' if record else 'result'}.json", "application/json"
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{file}"'})


@router.get("/runs/{run_id:path}")
def one_run(request: Request, live: Live, run_id: str, first: Number = 0) -> Response:
    """One run with everything about it."""
    shown = run_view(live, run_id, first_step=first)
    return page(request, "run.html", run=shown, current=shown.record.tool)


def log_entry(record: RunRecord, number: int) -> dict[str, Any]:
    """One entry of the log. Raises UsageError where there is none."""
    if not 0 <= number < len(record.execution_log):
        raise UsageError("no-such-value", pointer=str(number))
    return record.execution_log[number]


def compare_values(before: JsonValue, after: JsonValue) -> Diff | None:
    """What changed from one value to the other; None where nothing did."""
    old, new = (pretty(each)[:LONGEST_COMPARED] for each in (before, after))
    return None if old == new else read_diff(unified_diff(old + "\n", new + "\n", ""))
