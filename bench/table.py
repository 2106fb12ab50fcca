"""The table every bench fills: what was measured, beside what, against which bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


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


def print_table(rows: Iterable[Row]) -> None:
    """Print the rows as a Markdown table."""
    print("| bench | measure | ours | theirs | ratio | bar | |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        verdict = {True: "met", False: "missed", None: ""}[row.met]
        print(f"| {row.bench} | {row.measure} | {row.ours} | {row.theirs} | {ratio} | {row.bar} | {verdict} |")
