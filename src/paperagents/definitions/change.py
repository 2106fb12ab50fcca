"""What an effect changes: a note or an entry, as it was and as it will be."""

from __future__ import annotations

from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One note or entry before and after; None where there is none."""

    path: str
    """Of a note, its place in the vault; of an entry, its identifier."""
    kind: str = ""
    """Of an entry; empty for a note."""
    before: str | None
    """The whole text; of an entry, its fields and content as a text (``storage/entry_text.py``)."""
    after: str | None

    @property
    def name(self) -> str:
        """For people: the path of a note, ``memory/tea`` for an entry."""
        return name_target(self.kind, self.path)


def name_target(kind: str, path: str) -> str:
    """For people: the path of a note, where ``kind`` is empty, else ``memory/tea`` for an entry."""
    return f"{kind}/{path}" if kind else path
