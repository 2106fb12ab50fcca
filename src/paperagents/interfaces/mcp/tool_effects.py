"""What a tool can do to the world, as far as its file tells: hints for clients, never a decision of ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from paperagents.definitions.builtin import builtin_tools
from paperagents.registry.entry import Entry

CHANGES, WORLD = "changes", "world"
_ANYTHING = frozenset({CHANGES, WORLD})
"""Code that can call any tool, a model, another server: nobody knows beforehand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """Whether something is changed, and whether it goes beyond the vault."""

    changes: bool
    leaves_the_vault: bool


ANYTHING = Effects(changes=True, leaves_the_vault=True)


def effects_of(entries: Sequence[Entry], only_reading: Collection[str] = ()) -> dict[str, Effects]:
    """The effects of every tool by its id; a chain has those of all its steps.

    ``only_reading`` are tools of other servers that are said to change nothing.
    """
    by_name = {name: entry for entry in entries for name in (entry.name, entry.id)}
    known: dict[str, frozenset[str]] = dict.fromkeys(only_reading, frozenset({WORLD}))
    for entry in entries:
        _collect(entry, by_name, known)
    return {
        entry.id: Effects(changes=CHANGES in known[entry.id], leaves_the_vault=WORLD in known[entry.id])
        for entry in entries
    }


def _collect(entry: Entry, by_name: Mapping[str, Entry], known: dict[str, frozenset[str]]) -> frozenset[str]:
    if entry.id in known:
        return known[entry.id]
    if entry.kind != "markdown":
        known[entry.id] = _effects_of_builtin(entry.id) if entry.kind == "builtin" else _ANYTHING
        return known[entry.id]
    # A circle adds nothing to what its other members do.
    known[entry.id] = frozenset()
    found: frozenset[str] = frozenset()
    for call in entry.calls:
        called = by_name.get(call.tool)
        found |= _ANYTHING if called is None else _collect(called, by_name, known)
    known[entry.id] = found
    return found


def _effects_of_builtin(tool_id: str) -> frozenset[str]:
    tool = next(each for each in builtin_tools() if each.id == tool_id)
    changes = {CHANGES} if tool.reads_when is None or tool.reads_when else set()
    return frozenset(changes | ({WORLD} if tool.leaves_the_vault else set()))
