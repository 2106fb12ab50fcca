"""What a person is asked to agree to, line by line: added, removed, kept. Read by the counts, never by the looks.

A removed line that begins with two dashes looks like the head of a file; the numbers of each hunk say what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

LineKind = Literal["kept", "added", "removed", "place", "note"]
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_KINDS: dict[str, LineKind] = {" ": "kept", "-": "removed", "+": "added"}
CHUNK = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """One line as it is shown."""

    kind: LineKind
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Diff:
    """The change of one file."""

    path: str
    is_new: bool
    lines: tuple[DiffLine, ...]

    @property
    def added(self) -> int:
        """How many lines come."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines go."""
        return sum(line.kind == "removed" for line in self.lines)

    def chunks(self) -> Iterator[tuple[DiffLine, ...]]:
        """The lines in pieces that a browser can leave out while nobody looks at them."""
        yield from (self.lines[start : start + CHUNK] for start in range(0, len(self.lines), CHUNK))


def read_diff(preview: str) -> Diff | None:
    """The diff in a preview of ours; None where it is something else, which is then shown as it is."""
    lines = preview.split("\n")
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ b/"):
        return None
    try:
        shown = tuple(_lines(lines[2:]))
    except (ValueError, IndexError):
        return None
    return Diff(path=lines[1].removeprefix("+++ b/"), is_new=lines[0] == "--- /dev/null", lines=shown)


def _lines(lines: Sequence[str]) -> Iterator[DiffLine]:
    at = 0
    while at < len(lines):
        hunk = _HUNK.fullmatch(lines[at])
        if hunk is None:
            raise ValueError(lines[at])
        old, old_left, new, new_left = map(int, hunk.groups())
        yield DiffLine(kind="place", text=lines[at])
        at += 1
        while old_left or new_left or (at < len(lines) and lines[at].startswith("\\ ")):
            line = _line(lines[at], old, new)
            at += 1
            yield line
            taken_old, taken_new = int(line.old is not None), int(line.new is not None)
            old, old_left, new, new_left = old + taken_old, old_left - taken_old, new + taken_new, new_left - taken_new
            if min(old_left, new_left) < 0:
                raise ValueError(line.text)


def _line(line: str, old: int, new: int) -> DiffLine:
    if line.startswith("\\ "):
        return DiffLine(kind="note", text=line[2:])
    kind = _KINDS.get(line[:1])
    if kind is None:
        raise ValueError(line)
    return DiffLine(
        kind=kind, text=line[1:], old=None if kind == "added" else old, new=None if kind == "removed" else new
    )
