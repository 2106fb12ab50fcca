"""Bar charts of runs and diagrams of chains, as numbers for SVG templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from paperagents.definitions.tool import Step, ToolDefinition
from paperagents.interfaces.web.texts import local_now, to_local
from paperagents.messages import text
from paperagents.runs.record import POSTPROCESS, PREPROCESS
from paperagents.values import dataclass

WIDTH = 320
DAYS = 14
LINE_WIDTH = 104
DIAGRAM_WIDTH, HEIGHT, GAP, SIDE = 200, 44, 22, 16
MOST_LANES = 4
MOST_ROWS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolBar:
    """One tool: how its runs ended, and how long they took."""

    tool: str
    runs: int
    succeeded: int
    failed: int
    other: int
    rate: int
    succeeded_width: float
    failed_width: float
    other_width: float
    median: float | None
    p95: float | None
    median_width: float
    p95_width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DayBar:
    """One day: how many runs were started, and how they ended."""

    day: str
    runs: int
    failed: int
    height: float
    """Of all of them; those that failed and those that ended otherwise are the parts of it."""
    failed_height: float
    other_height: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DayTime:
    """One day: how long a run took, and the place of that in the picture."""

    day: str
    median: float
    x: int
    y: float


def tool_bars(figures: Sequence[dict[str, Any]], most: int = 30) -> list[ToolBar]:
    """The tools with the most runs, the busiest first."""
    chosen = sorted(figures, key=lambda each: -each["runs"])[:most]
    most_runs = max((each["runs"] for each in chosen), default=1)
    longest = max((each["p95_ms"] or 0 for each in chosen), default=0) or 1
    return [_tool_bar(each, most_runs, longest) for each in chosen]


def _tool_bar(figures: dict[str, Any], most_runs: int, longest: float) -> ToolBar:
    other = figures["runs"] - figures["succeeded"] - figures["failed"]
    unit = WIDTH / most_runs
    return ToolBar(
        tool=figures["tool"],
        runs=figures["runs"],
        succeeded=figures["succeeded"],
        failed=figures["failed"],
        other=other,
        rate=percent(figures["succeeded"], figures["runs"]),
        succeeded_width=round(unit * figures["succeeded"], 1),
        failed_width=round(unit * figures["failed"], 1),
        other_width=round(unit * other, 1),
        median=figures["median_ms"],
        p95=figures["p95_ms"],
        median_width=round(WIDTH * (figures["median_ms"] or 0) / longest, 1),
        p95_width=round(WIDTH * (figures["p95_ms"] or 0) / longest, 1),
    )


def percent(part: int, whole: int) -> int:
    """Rounded, but 100 only for all and 0 only for none: one failure in a thousand runs is visible."""
    rounded = round(100 * part / whole) if whole else 0
    return rounded if part in (0, whole) else min(max(rounded, 1), 99)


def day_bars(runs: Sequence[dict[str, Any]], height: int = 100, today: datetime | None = None) -> list[DayBar]:
    """The last fourteen days, in the time zone of the vault."""
    today = today or local_now()
    days = [f"{today - timedelta(days=back):%Y-%m-%d}" for back in range(DAYS - 1, -1, -1)]
    dated = [(f"{to_local(str(run['started'])):%Y-%m-%d}", run["status"]) for run in runs]
    started = Counter(day for day, _ in dated)
    failed = Counter(day for day, status in dated if status == "failed")
    succeeded = Counter(day for day, status in dated if status == "succeeded")
    unit = height / max((started[day] for day in days), default=1) if any(started[day] for day in days) else 0
    return [
        DayBar(
            day=day,
            runs=started[day],
            failed=failed[day],
            height=round(unit * started[day], 1),
            failed_height=round(unit * failed[day], 1),
            other_height=round(unit * (started[day] - failed[day] - succeeded[day]), 1),
        )
        for day in days
    ]


def day_times(runs: Sequence[dict[str, Any]], height: int = 90, today: datetime | None = None) -> list[DayTime]:
    """How long the runs of each day took that succeeded, the one in the middle; days without one are left out."""
    days = [bar.day for bar in day_bars(runs, height, today)]
    took: dict[str, list[float]] = {}
    for run in runs:
        if run["status"] == "succeeded":
            took.setdefault(f"{to_local(str(run['started'])):%Y-%m-%d}", []).append(float(run["duration_ms"]))
    medians = {day: median(took[day]) for day in days if day in took}
    unit = height / (max(medians.values(), default=0.0) or 1.0)
    return [
        DayTime(day=day, median=medians[day], x=20 + 40 * place, y=round(110 - unit * medians[day], 1))
        for place, day in enumerate(days)
        if day in medians
    ]


def day_lines(runs: Sequence[dict[str, Any]], height: int = 20, today: datetime | None = None) -> dict[str, str]:
    """For each tool the points of a line over the same days: how often it ran."""
    by_tool: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        by_tool.setdefault(str(run["tool"]), []).append(run)
    step = LINE_WIDTH / (DAYS - 1)
    return {
        tool: " ".join(
            f"{place * step:.1f},{height - day.height:.1f}" for place, day in enumerate(day_bars(own, height, today))
        )
        for tool, own in by_tool.items()
    }


# --- the diagram of a chain: blocks and steps from top to bottom, parallel ones beside each other


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """One block or step, with its place in the picture."""

    step: int
    path: str
    """The step it stands for."""
    name: str
    detail: str
    kind: str
    x: int = 0
    y: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram:
    """The picture of a chain."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """Paths of the connections."""
    width: int
    height: int


def diagram(tool: ToolDefinition) -> Diagram | None:
    """The diagram of a tool; None where there is only one block."""
    rows = list(diagram_rows(tool))[:MOST_ROWS]
    if len(rows) < 2 or not tool.steps:
        return None
    lanes = max(len(row) for row in rows)
    width = lanes * DIAGRAM_WIDTH + (lanes - 1) * SIDE + 2
    boxes = [tuple(place_boxes(row, number, width)) for number, row in enumerate(rows)]
    lines = [connect(one, other) for above, below in pairwise(boxes) for one in above for other in below]
    height = len(rows) * HEIGHT + (len(rows) - 1) * GAP + 2
    return Diagram(boxes=tuple(box for row in boxes for box in row), lines=tuple(lines), width=width, height=height)


def diagram_rows(tool: ToolDefinition) -> Iterator[list[Box]]:
    """The boxes of each row, not placed yet."""
    number = 0
    if tool.preprocess is not None:
        number += 1
        yield [Box(step=number, path=PREPROCESS, name=text("web.block.preprocess"), detail="", kind="preprocess")]
    for place, step in enumerate(tool.steps, 1):
        number += 1
        lanes = step.parallel[:MOST_LANES] if step.parallel else (step,)
        # The branches of a loop have a path for each round: the boxes stand for the step as a whole.
        paths = [f"{place}/{lane}" if step.parallel and step.for_each is None else str(place) for lane in range(1, 9)]
        yield [
            Box(step=number, path=path, name=each.name, detail=step_detail(each), kind="tool")
            for each, path in zip(lanes, paths, strict=False)
        ]
    if tool.postprocess is not None:
        yield [
            Box(
                step=number + 1,
                path=POSTPROCESS,
                name=text("web.block.postprocess"),
                detail="",
                kind="postprocess",
            )
        ]


def step_detail(step: Step) -> str:
    """The tool of a step, and how it is repeated or skipped."""
    remarks = [
        step.tool if step.tool != step.name else "",
        text("web.diagram.if") if step.condition is not None else "",
        text("web.diagram.each") if step.for_each is not None else "",
        text("web.diagram.retry", count=step.retry.attempts) if step.retry.attempts > 1 else "",
    ]
    return " · ".join(filter(None, remarks))


def place_boxes(row: Sequence[Box], number: int, width: int) -> Iterator[Box]:
    """The boxes of a row, centred, with names that fit."""
    left = (width - len(row) * DIAGRAM_WIDTH - (len(row) - 1) * SIDE) // 2
    for lane, box in enumerate(row):
        x, y = left + lane * (DIAGRAM_WIDTH + SIDE), 1 + number * (HEIGHT + GAP)
        yield replace(box, name=_shorten(box.name, 24), detail=_shorten(box.detail, 30), x=x, y=y)


def connect(one: Box, other: Box) -> str:
    """The path from the bottom of a box to the top of one in the next row."""
    start, end = one.x + DIAGRAM_WIDTH // 2, other.x + DIAGRAM_WIDTH // 2
    top, bottom = one.y + HEIGHT, other.y
    middle = (top + bottom) // 2
    return f"M{start} {top} C{start} {middle} {end} {middle} {end} {bottom}"


def _shorten(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
