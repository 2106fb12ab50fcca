"""Chains that call themselves, each other, or on and on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from paperagents.registry.entry import CallSite
from paperagents.values import dataclass

CallGraph = Mapping[str, Mapping[str, CallSite]]
"""Who calls whom through steps that are always taken, by id."""
MOST_SHOWN = 6


@dataclass(frozen=True, kw_only=True)
class Circles:
    """The circles in a graph of calls."""

    calls: CallGraph

    @cached_property
    def circling(self) -> frozenset[str]:
        """Who is in one, or between two."""
        # What nothing calls, and what calls nothing, is taken away from both ends: circles are left.
        graph = {name: set(targets) for name, targets in self.calls.items()}
        return frozenset(peel(turn(peel(turn(graph)))))

    def first_call(self, name: str) -> CallSite:
        """The call with which it goes on."""
        return self.calls[name][next(each for each in self.calls[name] if each in self.circling)]

    def describe_path(self, start: str) -> str:
        """The first names of a circle, with arrows between."""
        names = [start]
        while len(names) < MOST_SHOWN:
            names.append(next(each for each in self.calls[names[-1]] if each in self.circling))
            if names[-1] in names[:-1]:
                return " → ".join(names)
        return " → ".join([*names, "…"])


def peel(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Take away what nothing points to, again and again: only what a circle reaches is left."""
    pointed_at = Counter(target for targets in graph.values() for target in targets)
    loose = [name for name in graph if not pointed_at[name]]
    graph = dict(graph)
    while loose:
        for target in graph.pop(loose.pop()):
            pointed_at[target] -= 1
            if not pointed_at[target] and target in graph:
                loose.append(target)
    return graph


def turn(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same graph with every arrow the other way round."""
    turned: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets & graph.keys():
            turned[target].add(name)
    return turned
