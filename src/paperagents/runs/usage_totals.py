"""What the runs of each tool have used of language models, without reading them all."""

from __future__ import annotations

from typing import Any

from paperagents.runs.record import RunRecord
from paperagents.runs.usage import Usage, add_up, read_usage
from paperagents.storage.database import Connection, Database, StoredRow, readable

_NAMES = tuple(Usage().as_json())
_ADD = (
    f"INSERT INTO model_totals (tool, nested, {', '.join(_NAMES)}) VALUES (?, ?, {', '.join('?' * len(_NAMES))}) "  # noqa: S608  fixed words
    "ON CONFLICT (tool, nested) DO UPDATE SET "
    + ", ".join(f"{name} = model_totals.{name} + excluded.{name}" for name in _NAMES if name != "cost")
    + ", cost = CASE WHEN excluded.cost IS NULL THEN model_totals.cost "
    "ELSE COALESCE(model_totals.cost, 0) + excluded.cost END"
)


def count_usage(database: Database, connection: Connection, record: RunRecord) -> None:
    """Count what a run that ends or waits has used since it was counted last: one that was resumed counts once."""
    if record.usage is None:
        return
    rows = database.rows("SELECT usage FROM runs WHERE run_id = ?", (record.run_id,))
    counted = read_usage(StoredRow("runs", rows[0]).value("usage")) if rows else None
    now, before = record.usage.as_json(), (counted or Usage()).as_json()
    added: list[Any] = [_difference(now[name], before[name]) for name in _NAMES]
    connection.execute(_ADD, (record.tool, int(record.parent_run is not None), *added))


def usage_totals(database: Database) -> list[tuple[str, bool, Usage]]:
    """Of each tool, what its runs have used; those that were steps of others apart."""
    return readable("model_totals", database.rows("SELECT * FROM model_totals ORDER BY tool, nested"), _read)


def total_usage(database: Database) -> Usage | None:
    """What all runs have used; a step of another is part of that."""
    if not database.exists():
        return None
    return add_up(usage for _, is_nested, usage in usage_totals(database) if not is_nested)


def _difference(now: Any, before: Any) -> Any:
    return None if now is None else now - (before or 0)


def _read(row: StoredRow) -> tuple[str, bool, Usage]:
    figures = {name: row.whole(name) for name in _NAMES if name != "cost"}
    cost = row.number_or_none("cost")
    return row.text("tool"), bool(row.whole("nested")), Usage(**figures, cost=cost)
