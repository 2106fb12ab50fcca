"""Three-way merge of texts, line by line: what two sides have made of a common text, in one.

Two sides are at odds only where both have changed the same lines, or have put something into the same place. A change
directly beside another is none of its business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paperagents.approval.diff import compare
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Merged:
    """The text that both sides come to."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conflict:
    """Where both sides have changed the same lines: ranges of lines in the text of our side, counted from 1."""

    lines: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Edit:
    """Lines ``start`` to ``end`` of the common text become these lines."""

    start: int
    end: int
    lines: Sequence[str]
    at: int
    """Where these lines begin in the text of their side."""

    def is_at_odds_with(self, other: _Edit) -> bool:
        if (self.start, self.end) == (other.start, other.end):
            return list(self.lines) != list(other.lines)
        if self.start == self.end:
            return other.start < self.start < other.end
        if other.start == other.end:
            return self.start < other.start < self.end
        return max(self.start, other.start) < min(self.end, other.end)


def merge(base: str, ours: str, theirs: str) -> Merged | Conflict:
    """What our side and theirs have made of the base, together; or where they are at odds."""
    lines = split(base)
    our_edits, their_edits = [*_edits(lines, split(ours))], [*_edits(lines, split(theirs))]
    conflicts = [*_edits_at_odds(our_edits, their_edits)]
    if conflicts:
        return Conflict(lines=tuple((edit.at + 1, max(edit.at + len(edit.lines), edit.at + 1)) for edit in conflicts))
    known = {(edit.start, edit.end) for edit in our_edits}
    # Something that both have done the same way is done once.
    edits = [*our_edits, *(edit for edit in their_edits if (edit.start, edit.end) not in known)]
    merged: list[str] = []
    position = 0
    # What is put in before a line comes before what becomes of that line.
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        merged += [*lines[position : edit.start], *edit.lines]
        position = edit.end
    return Merged(text="\n".join([*merged, *lines[position:]]))


def split(text: str) -> list[str]:
    """The lines of a text between its line ends: one that ends with a line end has an empty last one.

    So the last line is the same line with and without something after it.
    """
    return text.split("\n")


def _edits(lines: list[str], others: list[str]) -> Iterator[_Edit]:
    for kind, start, end, new_start, new_end in compare(lines, others):
        if kind != "equal":
            yield _Edit(start=start, end=end, lines=others[new_start:new_end], at=new_start)


def _edits_at_odds(ours: Sequence[_Edit], theirs: Sequence[_Edit]) -> Iterator[_Edit]:
    """Each of our edits that cannot go with one of theirs; both are in the order of the text."""
    first = 0
    for mine in ours:
        while first < len(theirs) and theirs[first].end < mine.start:
            first += 1
        for place in range(first, len(theirs)):
            other = theirs[place]
            if other.start > mine.end:
                break
            if mine.is_at_odds_with(other):
                yield mine
                break
