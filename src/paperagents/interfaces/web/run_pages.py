"""Pages of runs: the history, one run, two runs compared."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from paperagents.approval.diff import unified_diff
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import utf8
from paperagents.errors import UsageError
from paperagents.interfaces.rest.runs import Live
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.change_view import read_change
from paperagents.interfaces.web.rendering import PageRoute, fragment, page, pretty
from paperagents.interfaces.web.results import tree
from paperagents.interfaces.web.run_view import run_view, step_view, timeline
from paperagents.interfaces.web.texts import Diff, read_diff, start_of_day
from paperagents.interfaces.web.timeline import items_from, summarize_all
from paperagents.runs.record import RunRecord

router = APIRouter(include_in_schema=False, route_class=PageRoute)
STATUSES = ("running", "waiting", "succeeded", "failed", "denied", "cancelled")
LONGEST_COMPARED = 200_000
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Short = Annotated[str, Query(max_length=200)]
Path = Annotated[str, Query(min_length=1, max_length=1000)]
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
        **describe_runs(live, runs[:most]),
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
    names = live.vault.registry.names_of([one.record.tool, other.record.tool])
    return page(request, "compare.html", one=one, other=other, differences=differences, names=names)


@router.get("/runs/{run_id:path}/panel")
def panel(live: Live, run_id: str) -> Response:
    """The run as it is now, to replace the panel of a page."""
    return fragment("_run_panel.html", run=run_view(live, run_id))


@router.get("/runs/{run_id:path}/timeline")
def rows(live: Live, run_id: str) -> Response:
    """The rows of a run as they are now."""
    shown = run_view(live, run_id)
    return fragment("_timeline.html", timeline=shown.timeline, run=shown)


@router.get("/runs/{run_id:path}/rows")
def rows_below(live: Live, run_id: str, path: Path, first: Number = 0) -> Response:
    """The rounds or calls in a row, some at once."""
    known = live.whole_id(run_id)
    found = timeline(live, known, None).find(path)
    items = found.items if found is not None else []
    chosen = items_from(items, first)
    left = len(items) - first - len(chosen)
    return fragment("_rows.html", rows=chosen, run_id=known, path=path, next=first + len(chosen), left=left)


@router.get("/runs/{run_id:path}/row")
def row(request: Request, live: Live, run_id: str, path: Path, *, part: bool = False) -> Response:
    """Input and output of one step, and the run that it was."""
    known = live.record(run_id, with_log=False)
    entry = live.vault.history.step(known.run_id, path)
    shown = step_view(live, known.run_id, path, entry) if entry is not None else None
    if part:
        return fragment("_step_data.html", step=shown, record=known)
    if shown is None:
        raise UsageError("no-such-value", pointer=path)
    return page(request, "step.html", step=shown, record=known, current=known.tool)


@router.get("/runs/{run_id:path}/change")
def change(live: Live, run_id: str, path: Path) -> Response:
    """What the run changed in one note or entry."""
    return fragment("_change.html", diffs=read_change(live, live.whole_id(run_id), path))


@router.get("/runs/{run_id:path}/value")
def value(  # noqa: PLR0913  each is a field of the address
    live: Live,
    run_id: str,
    *,
    pointer: Annotated[str, Query(max_length=10_000)] = "",
    offset: Number = 0,
    step: Annotated[str | None, Query(max_length=1000)] = None,
    field: Annotated[str, Query(pattern="^(output|parameters)$")] = "output",
) -> Response:
    """More members of a list or object."""
    record = live.record(run_id, with_log=False)
    whole: JsonValue = record.data if step is None else log_entry(live, record, step)[field]
    at = f"/runs/{quote(record.run_id, safe='')}/value"
    at = at if step is None else f"{at}?step={quote(step, safe='')}&field={field}"
    return fragment("_tree_part.html", node=tree(whole, pointer=pointer, offset=offset), base=at)


@router.get("/runs/{run_id:path}/download")
def download(live: Live, run_id: str, *, record: bool = False) -> Response:
    """The result as a file, or the whole record."""
    found = live.record(run_id, with_log=record)
    name = "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "-" for each in found.tool)[:60]
    if isinstance(found.data, str) and not record:
        content, file, kind = utf8(found.data), f"{name}.txt", "text/plain; charset=utf-8"
    else:
        content = json.dumps(found.as_json() if record else found.data, indent=2).encode("ascii")
        file, kind = f"{name}-{'record' if record else 'result'}.json", "application/json"
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{file}"'})


@router.get("/runs/{run_id:path}")
def one_run(request: Request, live: Live, run_id: str) -> Response:
    """One run with everything about it."""
    shown = run_view(live, run_id)
    name = live.vault.registry.names_of([shown.record.tool]).get(shown.record.tool, shown.record.tool)
    return page(request, "run.html", run=shown, name=name, current=shown.record.tool)


def describe_runs(live: LiveRuns, runs: Sequence[JsonObject]) -> dict[str, Any]:
    """What tells runs apart: the names of their tools, their input in one line, and who said yes to what they did."""
    ids = [str(each["run_id"]) for each in runs]
    given = live.vault.history.inputs(ids)
    redacted = live.vault.services.redaction.text
    return {
        "names": live.vault.registry.names_of({str(each["tool"]) for each in runs}),
        "inputs": {run_id: redacted(summarize_all(_what_was_asked(arguments))) for run_id, arguments in given.items()},
        "approvers": {run_id: ", ".join(names) for run_id, names in live.vault.history.approvers(ids).items()},
    }


def _what_was_asked(arguments: JsonObject) -> JsonObject:
    """Of a question to an agent the words: the name of the conversation tells nobody anything."""
    is_question = {*arguments} == {"query", "conversation"}
    return {"query": arguments["query"]} if is_question else arguments


def log_entry(live: LiveRuns, record: RunRecord, path: str) -> JsonObject:
    """One entry of the log. Raises UsageError where there is none."""
    entry = live.vault.history.step(record.run_id, path)
    if entry is None:
        raise UsageError("no-such-value", pointer=path)
    return entry


def compare_values(before: JsonValue, after: JsonValue) -> Diff | None:
    """What changed from one value to the other; None where nothing did."""
    old, new = (pretty(each)[:LONGEST_COMPARED] for each in (before, after))
    return None if old == new else read_diff(unified_diff(old + "\n", new + "\n", ""))
