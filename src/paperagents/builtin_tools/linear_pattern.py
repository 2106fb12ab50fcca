"""Regular expressions that take time in proportion to the text, whatever they look like.

Python's own ``re`` can be made to search for years. The engine used here is the one that checks ``pattern``
in JSON Schema: it has no look-around and no back references, and cannot be slowed down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from paperagents.reading.json_schema import pattern_check

_LARGEST_PROGRAM = 200_000  # bytes, compiled; "(a{1000}){1000}" is refused instead of built
_LONGEST_SOURCE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class LinearPattern:
    """A regular expression, with case ignored."""

    source: str

    def is_found_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in the text."""
        return _check(self.source)(text)


def linear_pattern(source: str) -> LinearPattern:
    """The pattern of a regular expression; ValueError for one that is broken, too large or too clever."""
    if len(source) > _LONGEST_SOURCE:
        raise ValueError(source)
    _check(source)
    return LinearPattern(source=source)


@lru_cache(maxsize=64)
def _check(source: str) -> Callable[[str], bool]:
    return pattern_check(f"(?im){source}", largest_program=_LARGEST_PROGRAM)
