"""A note that was found, and the orders in which found notes are given."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from enum import StrEnum

from paperagents.builtin_tools.file_listing import ListedFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A note that was found: how well it answers, its file, its tags."""

    level: int
    file: ListedFile
    tags: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it is."""
        return self.file.path


class Order(StrEnum):
    """What comes first: the best answer, the newest note, or the first in the alphabet."""

    RELEVANCE = "relevance"
    MODIFIED = "modified"
    PATH = "path"

    def first(self, found: list[Found], limit: int) -> list[Found]:
        """So many that come first. Of equal ones the newest is first, of those of one moment the alphabet's."""
        return heapq.nsmallest(max(limit, 0), found, key=self._key)

    def _key(self, found: Found) -> tuple[int, int, str]:
        match self:
            case Order.PATH:
                return 0, 0, found.path
            case Order.MODIFIED:
                return 0, -found.file.modified_ns, found.path
        return found.level, -found.file.modified_ns, found.path
