"""How often, how well and how long: the statistics of tools and tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.runs.journal import Journal
from paperagents.storage.rows import StoredRow, readable


def tool_statistics(journal: Journal) -> list[JsonObject]:
    """Per tool: how often, how well, how long."""
    rows = _rows(
        journal,
        "SELECT tool, status, duration_ms FROM runs WHERE status NOT IN ('running', 'queued') "
        "ORDER BY tool, duration_ms",
    )
    runs = readable("runs", rows, lambda row: (row.text("tool"), row.text("status"), row.number("duration_ms")))
    return [_summarise(tool, [(run[1], run[2]) for run in group]) for tool, group in groupby(runs, lambda run: run[0])]


def tag_statistics(journal: Journal) -> list[JsonObject]:
    """Per tag: how often a model wrote it, how well, how long it took."""
    return readable("tag_counts", _rows(journal, "SELECT * FROM tag_counts ORDER BY tag"), _read_tag)


def _rows(journal: Journal, query: str) -> list[Mapping[str, Any]]:
    journal.flush_all()
    return journal.database.rows(query) if journal.database.exists() else []


def _summarise(tool: str, runs: Sequence[tuple[str, float]]) -> JsonObject:
    """From runs that are ordered by how long they took."""
    counts = {
        status: sum(each == status for each, _ in runs) for status in ("succeeded", "failed", "denied", "waiting")
    }
    ended = [duration for status, duration in runs if status != "waiting"]
    return {
        "tool": tool,
        "runs": len(runs),
        **counts,
        "success_rate": counts["succeeded"] / len(runs),
        "median_ms": _median(ended),
        "p95_ms": ended[min(int(len(ended) * 0.95), len(ended) - 1)] if ended else None,
        "max_ms": ended[-1] if ended else None,
    }


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else round((ordered[middle - 1] + ordered[middle]) / 2, 3)


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
