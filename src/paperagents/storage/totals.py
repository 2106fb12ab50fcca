"""How many runs there were, how long they took and how much room they take, without reading them all.

Every ending adds a row to ``total_changes``, in the transaction of the ending: a row that all runs of a tool share
would make the workers of a cluster wait for each other. Now and then the changes are folded into ``totals``.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from paperagents.storage.database import Connection, Database, StoredRow, readable

ENDED = ("succeeded", "failed", "denied", "cancelled")
_FOLDED = 500
"""Changes that are folded at once."""
RUN_BYTES = (
    "500 + LENGTH(part.arguments) + COALESCE(LENGTH(part.data), 0) "
    "+ (SELECT COALESCE(SUM(120 + LENGTH(entry)), 0) FROM journal WHERE journal.run_id = part.run_id)"
)
"""SQL: about how many bytes the run ``part`` takes, its rows' share of the indexes included."""
_ENDING = (
    "INSERT INTO total_changes (tool, status, nested, runs, total_ms, max_ms, bytes) "  # noqa: S608  fixed words
    "SELECT tool, status, CASE WHEN parent_run IS NULL THEN 0 ELSE 1 END, {runs}, {sign} * duration_ms, duration_ms, "
    f"{{sign}} * ({RUN_BYTES}) FROM runs AS part WHERE run_id = ? AND status IN {ENDED}"
)
_COUNT_ENDING = _ENDING.format(runs=1, sign=1)
_TAKE_BACK = _ENDING.format(runs=-1, sign=-1)
_FORGET_SIZE = _ENDING.format(runs=0, sign=-1)
_BYTES = (
    "INSERT INTO total_changes (tool, status, nested, runs, total_ms, max_ms, bytes) VALUES ('', '', 1, 0, 0, 0, ?)"
)
_BOTH = (
    "SELECT tool, status, nested, runs, total_ms, max_ms, bytes FROM totals UNION ALL "
    "SELECT tool, status, nested, runs, total_ms, max_ms, bytes FROM total_changes"
)
RUN_TOTALS = (
    "SELECT tool, status, nested, CAST(SUM(runs) AS BIGINT) AS runs, SUM(total_ms) AS total_ms, MAX(max_ms) AS max_ms "  # noqa: S608  fixed words
    f"FROM ({_BOTH}) AS kept GROUP BY tool, status, nested HAVING SUM(runs) > 0 ORDER BY tool, status"
)
"""SQL: of runs that have ended, per tool, state and whether they were steps of others."""
_KEPT_BYTES = f"SELECT CAST(SUM(bytes) AS BIGINT) AS bytes FROM ({_BOTH}) AS kept"  # noqa: S608  fixed words
_FOLD = (
    "INSERT INTO totals (tool, status, nested, runs, total_ms, max_ms, bytes) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (tool, status, nested) DO UPDATE SET runs = totals.runs + excluded.runs, "
    "total_ms = totals.total_ms + excluded.total_ms, bytes = totals.bytes + excluded.bytes, "
    "max_ms = CASE WHEN excluded.max_ms > totals.max_ms THEN excluded.max_ms ELSE totals.max_ms END"
)


def count_ending(connection: Connection, run_id: str) -> None:
    """Count a run that has ended just now; one that waits is not counted."""
    connection.execute(_COUNT_ENDING, (run_id,))


def take_back_ending(connection: Connection, run_id: str) -> None:
    """The run goes on: it had not ended after all."""
    connection.execute(_TAKE_BACK, (run_id,))


def forget_size(connection: Connection, run_id: str) -> None:
    """The run is about to be removed: it stays counted, but takes no room any more."""
    connection.execute(_FORGET_SIZE, (run_id,))


def count_bytes(connection: Connection, size: int) -> None:
    """Room that is taken, or given back, and belongs to no single run."""
    connection.execute(_BYTES, (size,))


def kept_bytes(database: Database) -> int:
    """About how much room the history takes."""
    rows = database.rows(_KEPT_BYTES) if database.exists() else []
    return max(rows[0]["bytes"] or 0, 0) if rows else 0


def fold_totals(database: Database) -> None:
    """Add changes to the totals, no more than a few at once; those that cannot be read are dropped."""
    with database.transaction(alone="totals") as connection:
        rows = database.rows(f"SELECT * FROM total_changes ORDER BY tool, status, nested LIMIT {_FOLDED}")  # noqa: S608  a number
        for key, group in groupby(readable("total_changes", rows, _read_change), lambda change: change[:3]):
            _, _, _, runs, total, longest, size = zip(*group, strict=True)
            connection.execute(_FOLD, (*key, sum(runs), sum(total), max(longest), sum(size)))
        for row in rows:
            # One by one: another with a smaller number may be committed only after these were read.
            connection.execute("DELETE FROM total_changes WHERE seq = ?", (row["seq"],))


def _read_change(row: StoredRow) -> tuple[Any, ...]:
    return (
        row.text("tool"), row.text("status"), row.whole("nested"), row.whole("runs"), row.number("total_ms"),
        row.number("max_ms"), row.whole("bytes"),
    )  # fmt: skip
