"""The list of tools in the sidebar: by category, searchable, and short enough for every page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
    """The content of the sidebar."""

    groups: tuple[Group, ...]
    broken: tuple[Entry, ...]
    broken_count: int
    shown: int
    total: int
    query: str = ""
    current: str | None = None


def make_sidebar(registry: ToolRegistry, *, query: str = "", current: str | None = None) -> Sidebar:
    """The tools whose name, id, description or category has every word of the query."""
    tools = [entry for entry in registry.entries() if entry.is_tool]
    found = search_entries(tools, query)
    broken = [entry for entry in found if not entry.valid]
    groups, room = list[Group](), MOST_SHOWN
    for group in group_by_category(found):
        if shown := group.entries[: min(MOST_OF_A_CATEGORY, room)]:
            groups.append(replace(group, entries=shown))
            room -= len(shown)
    return Sidebar(
        groups=tuple(groups),
        broken=tuple(broken[:MOST_OF_A_CATEGORY]),
        broken_count=len(broken),
        shown=sum(len(group.entries) for group in groups),
        total=len(tools),
        query=query,
        current=current,
    )


def search_entries(entries: Sequence[Entry], query: str) -> list[Entry]:
    """The entries that have every word."""
    words = query.casefold().split()[:20]
    if not words:
        return list(entries)
    texts = (f"{each.name} {each.id} {each.description} {each.category or ''}".casefold() for each in entries)
    return [entry for entry, words_of in zip(entries, texts, strict=True) if all(word in words_of for word in words)]


def group_by_category(entries: Iterable[Entry]) -> list[Group]:
    """Usable tools by category, those without one last but for the built-in ones."""
    named: dict[str, list[Entry]] = {}
    others, built_in = text("web.no-category"), text("web.built-in")
    for entry in entries:
        if entry.valid or entry.stale:
            category = built_in if entry.kind == "builtin" else entry.category or others
            named.setdefault(category, []).append(entry)
    groups = []
    for name in sorted(named, key=lambda name: (name == built_in, name == others, natural_order(name))):
        members = sorted(named[name], key=lambda entry: natural_order(entry.name))
        groups.append(Group(name=name, entries=tuple(members), count=len(members)))
    return groups


def natural_order(name: str) -> list[tuple[int, str]]:
    """The order people expect: 9 before 10."""
    parts = re.split(r"([0-9]{1,18})", name.casefold())
    return [(int(part), "") if place % 2 else (0, part) for place, part in enumerate(parts)]
