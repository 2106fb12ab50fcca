"""Texts for pages: diffs line by line, moments and durations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from paperagents.messages import text
from paperagents.values import dataclass

# --- diffs: parsed by the counts of their hunks, so that no content can look like another line


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
        """How many lines are added."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines are removed."""
        return sum(line.kind == "removed" for line in self.lines)

    def chunks(self) -> Iterator[tuple[DiffLine, ...]]:
        """The lines in pieces that a browser need not lay out while they are off screen."""
        yield from (self.lines[start : start + CHUNK] for start in range(0, len(self.lines), CHUNK))


def read_diff(preview: str) -> Diff | None:
    """The diff in a preview; None where it is something else."""
    lines = preview.split("\n")
    if len(lines) < 2 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ b/"):
        return None
    try:
        shown = tuple(read_hunks(lines[2:]))
    except (ValueError, IndexError):
        return None
    return Diff(path=lines[1].removeprefix("+++ b/"), is_new=lines[0] == "--- /dev/null", lines=shown)


def read_hunks(lines: Sequence[str]) -> Iterator[DiffLine]:
    """The lines of all hunks with their numbers. Raises ValueError or IndexError where the counts do not fit."""
    at = 0
    while at < len(lines):
        hunk = _HUNK.fullmatch(lines[at])
        if hunk is None:
            raise ValueError(lines[at])
        old, old_left, new, new_left = map(int, hunk.groups())
        yield DiffLine(kind="place", text=lines[at])
        at += 1
        # By the counts of the hunk: a line of the file may itself look like a heading.
        while old_left or new_left or (at < len(lines) and lines[at].startswith("\\ ")):
            line = read_line(lines[at], old, new)
            at += 1
            yield line
            taken_old, taken_new = int(line.old is not None), int(line.new is not None)
            old, old_left, new, new_left = old + taken_old, old_left - taken_old, new + taken_new, new_left - taken_new
            if min(old_left, new_left) < 0:
                raise ValueError(line.text)


def read_line(line: str, old: int, new: int) -> DiffLine:
    """One line of a hunk."""
    if line.startswith("\\ "):
        return DiffLine(kind="note", text=line[2:])
    kind = _KINDS.get(line[:1])
    if kind is None:
        raise ValueError(line)
    return DiffLine(
        kind=kind, text=line[1:], old=None if kind == "added" else old, new=None if kind == "removed" else new
    )


# --- moments and durations


_SECOND = 1000.0
_MINUTE = 60 * _SECOND
_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)


@contextmanager
def in_zone(zone: tzinfo | None) -> Iterator[None]:
    """Inside, moments are shown in this time zone; None means the system's."""
    before = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(before)


def to_local(written: str) -> datetime:
    """A recorded moment in the time zone of the vault. Raises ValueError where it is none."""
    return datetime.fromisoformat(written).astimezone(_ZONE.get())


def local_now() -> datetime:
    """Now, in the time zone of the vault."""
    return datetime.now(UTC).astimezone(_ZONE.get())


def start_of_day(day: str) -> str:
    """When a day begins in the time zone of the vault. Raises ValueError or OverflowError for no day."""
    begins = datetime.fromisoformat(day)
    zone = _ZONE.get()
    return (begins if zone is None else begins.replace(tzinfo=zone)).astimezone(UTC).isoformat()


def format_duration(milliseconds: float) -> str:
    """A duration: ``4 ms``, ``1.2 s``, ``3 min 5 s``."""
    if milliseconds < _SECOND:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    minutes, seconds = divmod(round(milliseconds / _SECOND), 60)
    return f"{minutes} min {seconds} s"


def format_moment(written: str) -> str:
    """A moment in the time zone of the vault: today without the date, else with it. Other texts stay as they are."""
    try:
        at = to_local(written)
    except ValueError:
        return written
    today = local_now().date()
    if at.date() == today:
        return text("web.today", time=f"{at:%H:%M:%S}")
    if at.date() == today - timedelta(days=1):
        return text("web.yesterday", time=f"{at:%H:%M}")
    return f"{at:%Y-%m-%d %H:%M}"
