"""Runs a bench, prints its table, keeps its rows and renews the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import report
from result_files import Result, store, this_machine, today
from table import Row, print_table


def record(bench: str, measure: Callable[[], Iterable[Row]], peers: Callable[[], Mapping[str, str]] = dict) -> bool:
    """Whether every bar was met."""
    machine = this_machine()
    rows = list(measure())
    print_table(rows)
    store(Result(bench=bench, date=today(), machine=machine, rows=rows, peers=dict(peers())))
    report.write()
    return all(row.met is not False for row in rows)
