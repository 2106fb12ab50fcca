"""Figures as pictures: bars whose lengths say how often, how well and how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from paperagents.definitions.tool import Step, ToolDefinition
from paperagents.interfaces.web.texts import local, local_now
from paperagents.messages import text

WIDTH = 320
DAYS = 14


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
    """One day: how many runs were started, and how many of them failed."""

    day: str
    runs: int
    failed: int
    height: float
    failed_height: float


def tool_bars(figures: Sequence[dict[str, Any]], most: int = 30) -> list[ToolBar]:
    """The tools that ran most, the busiest first."""
    chosen = sorted(figures, key=lambda each: -each["runs"])[:most]
    most_runs = max((each["runs"] for each in chosen), default=1)
    longest = max((each["p95_ms"] or 0 for each in chosen), default=0) or 1
    return [_bar(each, most_runs, longest) for each in chosen]


def _bar(figures: dict[str, Any], most_runs: int, longest: float) -> ToolBar:
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
    """A hundred is all of them and nothing is none: one failure in a thousand runs is still seen."""
    rounded = round(100 * part / whole) if whole else 0
    return rounded if part in (0, whole) else min(max(rounded, 1), 99)


def day_bars(runs: Sequence[dict[str, Any]], height: int = 100, today: datetime | None = None) -> list[DayBar]:
    """The last fourteen days, by the clocks of the vault."""
    today = today or local_now()
    days = [f"{today - timedelta(days=back):%Y-%m-%d}" for back in range(DAYS - 1, -1, -1)]
    started = Counter(_day(run) for run in runs)
    failed = Counter(_day(run) for run in runs if run["status"] == "failed")
    unit = height / max((started[day] for day in days), default=1) if any(started[day] for day in days) else 0
    return [
        DayBar(
            day=day,
            runs=started[day],
            failed=failed[day],
            height=round(unit * started[day], 1),
            failed_height=round(unit * failed[day], 1),
        )
        for day in days
    ]


def _day(run: dict[str, Any]) -> str:
    return f"{local(str(run['started'])):%Y-%m-%d}"


# --- the diagram of a chain: its blocks and steps from top to bottom, those that run side by side beside each other


DIAGRAM_WIDTH, HEIGHT, GAP, SIDE = 200, 44, 22, 16
MOST_LANES = 4
MOST_ROWS = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """One block or step, with its place in the picture."""

    step: int
    name: str
    detail: str
    x: int
    y: int
    kind: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagram:
    """The picture of a chain."""

    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """Paths of the connections."""
    width: int
    height: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Item:
    step: int
    name: str
    detail: str
    kind: str


def diagram(tool: ToolDefinition) -> Diagram | None:
    """The diagram of a tool; None where there is nothing to see but one block."""
    rows = list(_rows(tool))[:MOST_ROWS]
    if len(rows) < 2 or not tool.steps:
        return None
    lanes = max(len(row) for row in rows)
    width = lanes * DIAGRAM_WIDTH + (lanes - 1) * SIDE + 2
    boxes = [tuple(_placed(row, number, width)) for number, row in enumerate(rows)]
    lines = [path for above, below in pairwise(boxes) for path in _connections(above, below)]
    height = len(rows) * HEIGHT + (len(rows) - 1) * GAP + 2
    return Diagram(boxes=tuple(box for row in boxes for box in row), lines=tuple(lines), width=width, height=height)


def _rows(tool: ToolDefinition) -> Iterator[list[_Item]]:
    number = 0
    if tool.preprocess is not None:
        number += 1
        yield [_Item(step=number, name=tool.id, detail=text("web.block.preprocess"), kind="preprocess")]
    for step in tool.steps:
        number += 1
        yield list(_items(step, number))
    if tool.postprocess is not None:
        yield [_Item(step=number + 1, name=tool.id, detail=text("web.block.postprocess"), kind="postprocess")]


def _items(step: Step, number: int) -> Iterator[_Item]:
    if not step.parallel:
        yield _Item(step=number, name=step.name, detail=_detail(step), kind="tool")
        return
    for inner in step.parallel[:MOST_LANES]:
        yield _Item(step=number, name=inner.name, detail=_detail(inner), kind="tool")


def _detail(step: Step) -> str:
    remarks = [
        step.tool if step.tool != step.name else "",
        text("web.diagram.if") if step.condition is not None else "",
        text("web.diagram.each") if step.for_each is not None else "",
        text("web.diagram.retry", count=step.retry.attempts) if step.retry.attempts > 1 else "",
    ]
    return " · ".join(filter(None, remarks))


def _placed(row: Sequence[_Item], number: int, width: int) -> Iterator[Box]:
    own = len(row) * DIAGRAM_WIDTH + (len(row) - 1) * SIDE
    left = (width - own) // 2
    for lane, item in enumerate(row):
        yield Box(
            step=item.step,
            name=_short(item.name),
            detail=_short(item.detail, 30),
            x=left + lane * (DIAGRAM_WIDTH + SIDE),
            y=1 + number * (HEIGHT + GAP),
            kind=item.kind,
        )


def _connections(above: Sequence[Box], below: Sequence[Box]) -> Iterator[str]:
    for one in above:
        for other in below:
            start, end = one.x + DIAGRAM_WIDTH // 2, other.x + DIAGRAM_WIDTH // 2
            top, bottom = one.y + HEIGHT, other.y
            middle = (top + bottom) // 2
            yield f"M{start} {top} C{start} {middle} {end} {middle} {end} {bottom}"


def _short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"
