"""Figures as pictures: bars whose lengths say how often, how well and how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from paperagents.interfaces.web.times import local, local_now

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
