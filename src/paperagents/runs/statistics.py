"""How often, how well and how long tools and tags do what they do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.runs.journal import Journal
from paperagents.runs.usage import add_up
from paperagents.runs.usage_totals import usage_totals
from paperagents.storage.database import Database, StoredRow, readable
from paperagents.storage.totals import ENDED, RUN_TOTALS
from paperagents.values import dataclass

LATEST = 100
"""Of each tool, so many of its latest runs make the median and the 95th percentile."""
_UNFINISHED = (
    "SELECT tool, status, CASE WHEN parent_run IS NULL THEN 0 ELSE 1 END AS nested, COUNT(*) AS runs, "
    "SUM(duration_ms) AS total_ms, MAX(duration_ms) AS max_ms FROM runs "
    "WHERE status IN ('queued', 'running', 'waiting') GROUP BY 1, 2, 3 ORDER BY 1, 2"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunTotal:
    """All runs of one tool that are in the same state."""

    tool: str
    status: str
    is_nested: bool
    runs: int
    total_ms: float
    max_ms: float


def run_totals(journal: Journal) -> list[RunTotal]:
    """All runs there ever were, those that are removed by now included."""
    rows = [*_rows(journal, RUN_TOTALS), *_rows(journal, _UNFINISHED)]
    return sorted(readable("totals", rows, _read_total), key=lambda total: (total.tool, total.status))


def _read_total(row: StoredRow) -> RunTotal:
    return RunTotal(
        tool=row.text("tool"),
        status=row.text("status"),
        is_nested=bool(row.whole("nested")),
        runs=row.whole("runs"),
        total_ms=row.number("total_ms"),
        max_ms=row.number("max_ms"),
    )


def tool_statistics(journal: Journal) -> list[JsonObject]:
    """Per tool: how often, how well, how long."""
    counted = [total for total in run_totals(journal) if total.status in (*ENDED, "waiting")]
    used = model_usage(journal)
    return [
        {**_summarise(journal, tool, list(totals)), "usage": used.get(tool)}
        for tool, totals in groupby(counted, lambda total: total.tool)
    ]


def model_usage(journal: Journal) -> dict[str, JsonObject]:
    """Per tool whose runs asked models, also in the runs below: what these used."""
    if not journal.database.exists():
        return {}
    each = sorted(usage_totals(journal.database), key=lambda total: total[0])
    sums = {tool: add_up(total[2] for total in totals) for tool, totals in groupby(each, lambda total: total[0])}
    return {tool: usage.as_json() for tool, usage in sums.items() if usage is not None}


def _summarise(journal: Journal, tool: str, totals: Sequence[RunTotal]) -> JsonObject:
    runs = sum(total.runs for total in totals)
    counts = {
        status: sum(total.runs for total in totals if total.status == status)
        for status in ("succeeded", "failed", "denied", "waiting")
    }
    ended = [total for total in totals if total.status != "waiting"]
    latest = _latest_durations(journal, tool) if ended else []
    return {
        "tool": tool,
        "runs": runs,
        **counts,
        "success_rate": counts["succeeded"] / runs,
        "median_ms": _median(latest),
        "p95_ms": latest[min(int(len(latest) * 0.95), len(latest) - 1)] if latest else None,
        "max_ms": max(total.max_ms for total in ended) if ended else None,
    }


def _latest_durations(journal: Journal, tool: str) -> list[float]:
    """Of the latest runs, those that have ended: how long they took, in order."""
    query = "SELECT status, duration_ms FROM runs WHERE tool = ? ORDER BY started DESC LIMIT ?"
    ended = [row for row in _rows(journal, query, (tool, LATEST)) if row["status"] in ENDED]
    return sorted(readable("runs", ended, lambda row: row.number("duration_ms")))


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else round((ordered[middle - 1] + ordered[middle]) / 2, 3)


# --- tags


def count_tag(database: Database, tag: str, *, valid: bool, succeeded: bool, duration_ms: float) -> None:
    """Count one more call that a model wrote into its text."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO tag_counts (tag, calls, valid, succeeded, total_ms) VALUES (?, 1, ?, ?, ?) "
            "ON CONFLICT (tag) DO UPDATE SET calls = tag_counts.calls + 1, "
            "valid = tag_counts.valid + excluded.valid, succeeded = tag_counts.succeeded + excluded.succeeded, "
            "total_ms = tag_counts.total_ms + excluded.total_ms",
            (tag, int(valid), int(succeeded), duration_ms),
        )


def tag_statistics(journal: Journal) -> list[JsonObject]:
    """Per tag: how often a model wrote it, how well, how long it took."""
    return readable("tag_counts", _rows(journal, "SELECT * FROM tag_counts ORDER BY tag"), _read_tag)


def _read_tag(row: StoredRow) -> JsonObject:
    calls, valid = row.whole("calls"), row.whole("valid")
    return {
        "tag": row.text("tag"),
        "calls": calls,
        "valid": valid,
        "invalid": calls - valid,
        "succeeded": row.whole("succeeded"),
        "mean_ms": row.number("total_ms") / calls if calls > 0 else row.refuse("calls"),
    }


def _rows(journal: Journal, query: str, values: Sequence[Any] = ()) -> list[Any]:
    journal.flush_all()
    return journal.database.rows(query, values) if journal.database.exists() else []
