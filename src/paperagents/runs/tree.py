"""A run as a tree: its steps in order, and below each the run it started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paperagents.definitions.json_value import JsonObject
from paperagents.runs.journal import RunStore

DEEPEST = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One step and what happened because of it."""

    entry: JsonObject
    below: list[Node]
    run_id: str | None = None
    """The run that the step was, where it was one of its own."""


def run_tree(store: RunStore, run_id: str, *, most: int | None = None, depth: int = 0) -> list[Node]:
    """The steps of a run in order; the calls of an answer below it, and a run below the call that started it.

    Of each run no more than ``most`` steps, where that is given.
    """
    top: list[Node] = []
    turns: dict[str, Node] = {}
    for path, entry in sorted(store.steps(run_id), key=_order)[:most]:
        inner = f"{run_id}.{path}"
        known = depth < DEEPEST and store.stored(inner) is not None
        below = run_tree(store, inner, most=most, depth=depth + 1) if known else []
        turns[path] = node = Node(entry=entry, below=below, run_id=inner if known else None)
        above = turns.get(path.partition("/call/")[0]) if "/call/" in path else None
        (above.below if above is not None else top).append(node)
    return top


def is_agents(log: Sequence[JsonObject]) -> bool:
    """Whether a model took part: then the order of the steps alone does not tell who called whom."""
    return any(entry["name"] == "model" for entry in log)


def _order(step: tuple[str, JsonObject]) -> int:
    number = step[1]["step"]
    return number if isinstance(number, int) else 0
