"""Which entry of the data vault refers to which, and where they go round in a circle."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from paperagents.definitions.pattern import compiled
from paperagents.tags.attributes import parse_attributes
from paperagents.tags.grammar import ATTRIBUTE, BLANKS

MOST_ENTRIES = 100_000
"""How many entries are looked at in all to find a circle."""

REFERENCE = compiled(
    rf"\{{\{{<{BLANKS}vaultref(?P<attributes>(?:{ATTRIBUTE})*+)[\s,]*+/{BLANKS}>\}}\}}",
    re.IGNORECASE | re.DOTALL,
)


def identifier_of(match: re.Match[str]) -> str:
    """The entry that a reference names, or nothing."""
    attributes = {key.lower(): value for key, value in parse_attributes(match["attributes"]).items()}
    value = attributes.get("id", attributes.get("identifier", ""))
    return value.strip() if isinstance(value, str) else ""


class ReferenceGraph:
    """Follows references from entry to entry; each entry is read once, whoever asks."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._circles: dict[str, tuple[str, ...] | None] = {}

    def circle_from(self, identifier: str) -> tuple[str, ...] | None:
        """A circle that one gets into from this entry, first and last name the same, or None."""
        if identifier not in self._circles:
            self._walk(identifier)
        return self._circles[identifier]

    def _walk(self, start: str) -> None:
        path: dict[str, Iterator[str]] = {start: self._links(start)}
        while path:
            current = next(reversed(path))
            following = next((name for name in path[current] if self._circles.get(name, ()) is not None), None)
            if following is None:
                self._circles[current] = None
                del path[current]
            elif following in path or following in self._circles:
                self._remember_circle(path, following)
                return
            else:
                path[following] = self._links(following)

    def _remember_circle(self, path: dict[str, Iterator[str]], closing: str) -> None:
        names = tuple(path)
        known = self._circles.get(closing)
        circle = known or (*names[names.index(closing) :], closing)
        self._circles.update(dict.fromkeys(names, circle))

    def _links(self, identifier: str) -> Iterator[str]:
        if len(self._circles) > MOST_ENTRIES:
            return iter(())
        try:
            content = self._read(identifier) or ""
        except Exception:
            return iter(())
        return (name for match in REFERENCE.finditer(content) if (name := identifier_of(match)))
