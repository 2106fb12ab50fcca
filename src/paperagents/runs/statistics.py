"""How often, how well and how long: the figures of tools and tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.storage.rows import StoredRow, readable


def run_figures(rows: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """Per tool, from runs that are ordered by it and by how long they took."""
    groups: dict[str, list[_Ended]] = {}
    for tool, run in readable("runs", rows, _ended):
        groups.setdefault(tool, []).append(run)
    return [_figures(tool, group) for tool, group in groups.items()]


def tag_figures(rows: Iterable[Mapping[str, Any]]) -> list[JsonObject]:
    """Per tag, from what was counted of each."""
    return readable("tag_counts", rows, _tag)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ended:
    status: str
    took: float


def _ended(row: StoredRow) -> tuple[str, _Ended]:
    return row.text("tool"), _Ended(status=row.text("status"), took=row.number("duration_ms"))


def _figures(tool: str, runs: Sequence[_Ended]) -> JsonObject:
    succeeded = sum(run.status == "succeeded" for run in runs)
    ended = [run.took for run in runs if run.status != "waiting"]
    return {
        "tool": tool,
        "runs": len(runs),
        "succeeded": succeeded,
        "failed": sum(run.status == "failed" for run in runs),
        "denied": sum(run.status == "denied" for run in runs),
        "waiting": sum(run.status == "waiting" for run in runs),
        "success_rate": succeeded / len(runs),
        "median_ms": _median(ended),
        "p95_ms": _quantile(ended, 0.95),
        "max_ms": ended[-1] if ended else None,
    }


def _tag(row: StoredRow) -> JsonObject:
    calls, valid = row.whole("calls"), row.whole("valid")
    return {
        "tag": row.text("tag"),
        "calls": calls,
        "valid": valid,
        "invalid": calls - valid,
        "succeeded": row.whole("succeeded"),
        "mean_ms": row.number("total_ms") / calls if calls > 0 else row.refuse("calls"),
    }


def _median(ordered: Sequence[float]) -> float | None:
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else round((ordered[middle - 1] + ordered[middle]) / 2, 3)


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else None
