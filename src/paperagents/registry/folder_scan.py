"""Finds the tool and agent files of a folder, and reads only those that changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from paperagents.definitions.problem import Problem
from paperagents.definitions.source import Span
from paperagents.reading.file_reading import MAX_BYTES, FileReading, read_markdown
from paperagents.registry.entry import Entry, entry_of

JAVASCRIPT_ENDING = ".tool.js"
_START = Span(line=1, column=1, end_line=1, end_column=1)
_SETTLED = 100_000_000
"""Nanoseconds after which a file's time stamps tell every later change apart."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stamp:
    """What changes when a file changes."""

    size: int
    modified: int
    changed: int
    inode: int


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRecord:
    """A file as it was when it was last read."""

    stamp: Stamp | None
    """None where the file was so new that a later change could look the same: it is read again."""
    entry: Entry | None = None
    problems: tuple[Problem, ...] = ()
    """Of a file that is no tool, but probably was meant to be one."""
    reading: FileReading | None = None


@dataclass(kw_only=True)
class FolderScan:
    """The files of one vault folder."""

    root: Path
    records: dict[str, FileRecord] = field(default_factory=dict)
    files_read: int = 0
    """How often a file was opened, since the start: unchanged ones are not."""

    def refresh(self) -> None:
        """Walk the whole folder."""
        found = dict(_walk(str(self.root), ""))
        self.records = {file: self._record(file, found[file]) for file in sorted(found)}

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders only."""
        for file in files:
            self._forget_below(file)
            for found, path in _look(str(self.root), file):
                self.records[found] = self._record(found, path)

    def _forget_below(self, file: str) -> None:
        below = f"{file}/"
        gone = [known for known in self.records if known.startswith(below)]
        if not os.path.lexists(self.root / file):
            gone.append(file)
        for each in gone:
            self.records.pop(each, None)

    def _record(self, file: str, path: str) -> FileRecord:
        known = self.records.get(file)
        try:
            stamp = _stamp(path)
            if known is not None and known.stamp is not None and known.stamp == stamp:
                return known
            self.files_read += 1
            return _read(file, path, stamp)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            problem = Problem(
                code="file-unreadable", severity="warning", file=file, span=_START, values={"reason": reason}
            )
            return FileRecord(stamp=None, problems=(problem,))


def read_file(path: str, file: str) -> FileReading:
    """Read one file of the vault as whatever it is."""
    return read_markdown(_content(path), file)


def _walk(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Every file that may be ours: its path in the vault and on the disk. Hidden ones are left out."""
    waiting = [(folder, prefix)]
    while waiting:
        place, before = waiting.pop()
        try:
            listing = os.scandir(place)
        except OSError:
            continue
        with listing:
            for each in listing:
                if each.name.startswith("."):
                    continue
                if each.is_dir(follow_symlinks=False):
                    waiting.append((each.path, f"{before}{each.name}/"))
                elif _is_ours(each.name) and (each.is_file(follow_symlinks=False) or _stays_inside(folder, each)):
                    yield before + each.name, each.path


def _look(root: str, file: str) -> Iterator[tuple[str, str]]:
    """The same for one path that may have become a file, a folder, or nothing."""
    path = os.path.join(root, file)  # noqa: PTH118  paths stay text here: ten thousand Path objects are slow
    if any(part.startswith(".") for part in file.split("/")) or os.path.islink(path):  # noqa: PTH114
        return
    if os.path.isdir(path):  # noqa: PTH112
        yield from _walk(path, f"{file}/")
    elif os.path.isfile(path) and _is_ours(file):  # noqa: PTH113
        yield file, path


def _is_ours(name: str) -> bool:
    lower = name.lower()
    return lower.endswith((".md", JAVASCRIPT_ENDING))


def _stays_inside(root: str, link: os.DirEntry[str]) -> bool:
    """A link to a file of the vault is that file; one that leads out is not followed."""
    target = os.path.realpath(link.path)
    return target.startswith(os.path.realpath(root) + os.sep) and os.path.isfile(target)  # noqa: PTH113


def _stamp(path: str) -> Stamp | None:
    status = os.stat(path)  # noqa: PTH116  see above
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _SETTLED:
        return None
    return Stamp(size=status.st_size, modified=status.st_mtime_ns, changed=status.st_ctime_ns, inode=status.st_ino)


def _read(file: str, path: str, stamp: Stamp | None) -> FileRecord:
    if file.lower().endswith(JAVASCRIPT_ENDING):
        stem = file.rsplit("/", 1)[-1][: -len(JAVASCRIPT_ENDING)]
        return FileRecord(stamp=stamp, entry=Entry(id=stem, name=stem, kind="javascript", type="single", file=file))
    reading = read_file(path, file)
    entry = entry_of(reading)
    if entry is None:
        return FileRecord(stamp=stamp, problems=reading.problems)
    return FileRecord(stamp=stamp, entry=entry, reading=reading)


def _content(path: str) -> bytes:
    # Not blocking: a named pipe that took the file's place must not hold us.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, 65536)
        if len(data) < 65536 or not data.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
            return data
        pieces = [data]
        while sum(map(len, pieces)) <= MAX_BYTES and (data := os.read(descriptor, 1 << 20)):
            pieces.append(data)
        return b"".join(pieces)
    finally:
        os.close(descriptor)
