"""The list of tools at the side: by category, searchable, and short enough for every page to carry it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paperagents.messages import text
from paperagents.registry.entry import Entry
from paperagents.registry.tool_registry import ToolRegistry

MOST_SHOWN = 80
"""Links at the side; the page of all tools has the rest."""
MOST_OF_A_CATEGORY = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """The tools of one category."""

    name: str
    entries: tuple[Entry, ...]
    count: int
    """How many there are, shown or not."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sidebar:
    """What the side of a page shows."""

    groups: tuple[Group, ...]
    broken: tuple[Entry, ...]
    broken_count: int
    shown: int
    total: int
    query: str = ""
    current: str | None = None


def sidebar(registry: ToolRegistry, *, query: str = "", current: str | None = None) -> Sidebar:
    """The tools whose name, id, description or category has every word of the query."""
    tools = [entry for entry in registry.entries() if entry.is_tool]
    found = matching(tools, query)
    broken = [entry for entry in found if not entry.valid]
    groups = tuple(_shortened(by_category(found)))
    return Sidebar(
        groups=groups,
        broken=tuple(broken[:MOST_OF_A_CATEGORY]),
        broken_count=len(broken),
        shown=sum(len(group.entries) for group in groups),
        total=len(tools),
        query=query,
        current=current,
    )


def matching(entries: Sequence[Entry], query: str) -> list[Entry]:
    """The entries that have every word."""
    words = query.casefold().split()[:20]
    if not words:
        return list(entries)
    return [entry for entry in entries if all(word in _searched(entry) for word in words)]


def by_category(entries: Iterable[Entry]) -> list[Group]:
    """Usable tools by category, those without one last but for the built-in ones."""
    named: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.valid or entry.stale:
            named.setdefault(_category(entry), []).append(entry)
    others, built_in = text("web.no-category"), text("web.built-in")
    ordered = sorted(named, key=lambda name: (name == built_in, name == others, natural(name)))
    return [
        Group(name=name, entries=tuple(sorted(named[name], key=lambda e: natural(e.name))), count=len(named[name]))
        for name in ordered
    ]


def natural(name: str) -> list[tuple[int, str]]:
    """The order people expect: 9 before 10."""
    parts = re.split(r"([0-9]{1,18})", name.casefold())
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]


def _category(entry: Entry) -> str:
    if entry.kind == "builtin":
        return text("web.built-in")
    return entry.category or text("web.no-category")


def _searched(entry: Entry) -> str:
    return f"{entry.name} {entry.id} {entry.description} {entry.category or ''}".casefold()


def _shortened(groups: Iterable[Group]) -> Iterable[Group]:
    left = MOST_SHOWN
    for group in groups:
        shown = group.entries[: min(MOST_OF_A_CATEGORY, left)]
        left -= len(shown)
        if shown:
            yield Group(name=group.name, entries=shown, count=group.count)
