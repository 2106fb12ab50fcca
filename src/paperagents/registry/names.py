"""Names in the order of their beginnings and of their ends: what is nearly a name stands beside it in one of both."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

NEIGHBOURS = 12
"""So many names before and after it are compared with a name that is not known."""


def fold(name: str) -> str:
    """How names are compared."""
    return name.casefold()


def backwards(name: str) -> str:
    """The same from the end."""
    return fold(name)[::-1]


class SortedNames:
    """All names of a vault. A slip leaves the beginning or the end of a name as it is, so few need to be compared."""

    def __init__(self, names: Iterable[str]) -> None:
        names = tuple(names)
        self._forwards = sorted((fold(name), name) for name in names)
        self._backwards = sorted((backwards(name), name) for name in names)

    def add(self, name: str) -> None:
        """A new one."""
        insort(self._forwards, (fold(name), name))
        insort(self._backwards, (backwards(name), name))

    def remove(self, name: str) -> None:
        """One that is known."""
        for names, key in ((self._forwards, fold(name)), (self._backwards, backwards(name))):
            del names[bisect_left(names, (key, name))]

    def near(self, name: str) -> list[str]:
        """The names around this one in both orders."""
        found = []
        for names, key in ((self._forwards, fold(name)), (self._backwards, backwards(name))):
            place = bisect_left(names, (key,))
            found += [each for _, each in names[max(0, place - NEIGHBOURS) : place + NEIGHBOURS]]
        return list(dict.fromkeys(found))
