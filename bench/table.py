"""The table every bench fills: what was measured, beside what, against which bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HEAD = "| bench | measure | ours | theirs | ratio | bar | |\n|---|---|---|---|---|---|---|"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One line: a figure of ours, theirs where there is one, and whether the bar was met."""

    bench: str
    measure: str
    ours: str
    theirs: str = ""
    ratio: float | None = None
    bar: str = ""
    met: bool | None = None


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    return "\n".join([HEAD, *map(_line, rows)])


def print_table(rows: Iterable[Row]) -> None:
    """Print the rows as a Markdown table."""
    print(table(rows))


def shown_ratio(ratio: float) -> str:
    """Two digits that count: 8.34, 0.63, 0.04, 0.0014."""
    return f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.2g}"


def _line(row: Row) -> str:
    ratio = "" if row.ratio is None else shown_ratio(row.ratio)
    verdict = {True: "met", False: "missed", None: ""}[row.met]
    cells = (row.bench, row.measure, row.ours, row.theirs, ratio, row.bar, verdict)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
