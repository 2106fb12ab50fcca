"""Finds the tool and agent files of a folder, and reads only those that changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.messages import system_text
from paperagents.registry.entry import Entry, make_entry

if TYPE_CHECKING:
    # Reading needs YAML, Markdown and JavaScript libraries: they are loaded when a file must be read.
    from paperagents.reading.files import FileReading

JAVASCRIPT_ENDING = ".tool.js"
_START = Span(line=1, column=1, end_line=1, end_column=1)
_HARMLESS_SECONDS = 0.1
"""What a .tool.js file may take without being counted."""
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
    answers: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    """What the built-in tools answer, as JSON Schemas: references to it are checked."""
    keep: Callable[[Entry], Entry] = lambda entry: entry
    """What to remember of an entry."""
    records: dict[str, FileRecord] = field(default_factory=dict)
    """Never changed in place: who holds it keeps a complete state."""
    folders: frozenset[str] = frozenset()
    """The visible folders that are no links; the root is the empty text."""
    files_read: int = 0
    """How often a file was opened, since the start: unchanged ones are not."""
    javascript_seconds: float = 5.0
    """What evaluating ``.tool.js`` files may cost in one look at the folder; the rest is read at the next one."""
    _has_links: bool = False
    _spent: float = 0.0

    def refresh(self) -> None:
        """Walk the whole folder."""
        self._spent = 0.0
        root = os.path.realpath(self.root)
        found = _Listing(root)
        self.folders = frozenset(found.folders)
        self._has_links = bool(found.links)
        paths = {**{file: f"{root}/{file}" for file in found.files}, **found.followed_links()}
        self.records = {file: self._record(file, paths[file]) for file in sorted(paths)}

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders only."""
        self._spent = 0.0
        files = [file for file in files if not is_hidden(file)]
        root = os.path.realpath(self.root)
        # A folder or a link can mean other files than those named; looking at all of them is always right.
        if self._has_links or not all(self._is_plain(root, file) for file in files):
            self.refresh()
            return
        records = dict(self.records)
        for file in files:
            path = f"{root}/{file}"
            if is_definition_file(file) and os.path.isfile(path):  # noqa: PTH113  paths stay text here: ten thousand Path objects are slow
                records[file] = self._record(file, path)
            else:
                records.pop(file, None)
        self.records = dict(sorted(records.items()))

    def _is_plain(self, root: str, file: str) -> bool:
        """Whether this is, or was, a file in a folder we know, with no link on the way."""
        path = f"{root}/{file}"
        in_known_folder = file not in self.folders and file.rpartition("/")[0] in self.folders
        return in_known_folder and os.path.realpath(path) == path and not os.path.isdir(path)  # noqa: PTH112  see above

    def _record(self, file: str, path: str) -> FileRecord:
        known = self.records.get(file)
        try:
            stamp = _stamp(path)
            # The stamp is taken before reading: a change in between is seen the next time.
            if known is not None and known.stamp is not None and known.stamp == stamp:
                return known
            if not file.lower().endswith(JAVASCRIPT_ENDING):
                return self._read(file, path, stamp)
            return self._read_javascript(file, path, stamp)
        except OSError as error:
            return FileRecord(stamp=None, problems=(_unreadable(file, error, "warning"),))

    def _read_javascript(self, file: str, path: str, stamp: Stamp | None) -> FileRecord:
        """Read a file that is evaluated for that: each has its limit, and all of one look together have one."""
        if self._spent > self.javascript_seconds:
            from paperagents.reading.files import FileReading  # noqa: PLC0415  see above

            unread = Problem(code="tool-not-read", severity="error", file=file, span=_START)
            return FileRecord(stamp=None, entry=make_entry(FileReading(file=file, problems=(unread,))))
        started = time.monotonic()
        try:
            return self._read(file, path, stamp)
        finally:
            # A thousand harmless files must not use it up, on a busy computer neither.
            self._spent += max(0.0, time.monotonic() - started - _HARMLESS_SECONDS)

    def _read(self, file: str, path: str, stamp: Stamp | None) -> FileRecord:
        self.files_read += 1
        reading = _reading(file, path, self.answers)
        if not reading.concerns_us:
            return FileRecord(stamp=stamp)
        from paperagents.reading.files import check_with_engine  # noqa: PLC0415  see above

        reading = check_with_engine(reading)
        entry = make_entry(reading)
        if entry is None:
            return FileRecord(stamp=stamp, problems=reading.problems)
        return FileRecord(stamp=stamp, entry=self.keep(entry), reading=reading)


def read_file(root: Path, file: str, answers: Mapping[str, Mapping[str, JsonValue]]) -> FileReading:
    """Read one file of the vault as whatever it is now."""
    from paperagents.reading.files import FileReading  # noqa: PLC0415  see above

    path = os.path.realpath(root / file)
    if not path.startswith(os.path.realpath(root) + os.sep):
        outside = Problem(code="file-outside-vault", severity="error", file=file, span=_START)
        return FileReading(file=file, problems=(outside,))
    try:
        return _reading(file, path, answers)
    except OSError as error:
        return FileReading(file=file, problems=(_unreadable(file, error, "error"),))


def stamp_of(root: Path, file: str) -> Stamp | None:
    """What would change if the file changed; None where it is too new to tell, or gone."""
    try:
        return _stamp(f"{root}/{file}")
    except OSError:
        return None


def is_hidden(file: str) -> bool:
    """Whether the file or a folder above it is hidden, and so none of our business."""
    return file.startswith(".") or "/." in file


def is_definition_file(name: str) -> bool:
    """Whether a file of this name may be a tool or an agent."""
    return name.lower().endswith((".md", JAVASCRIPT_ENDING))


class _Listing:
    """Everything visible below a folder: folders and files without links on the way, and links beside them."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.folders: set[str] = set()
        self.files: set[str] = set()
        self.links: list[str] = []
        waiting = [""]
        while waiting:
            waiting += self.list_folder(waiting.pop())

    def list_folder(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        inner: list[str] = []
        try:
            listing = os.scandir(f"{self.root}/{folder}")
        except OSError:
            return inner
        self.folders.add(folder)
        with listing:
            for each in listing:
                if each.name.startswith("."):
                    continue
                if each.is_dir(follow_symlinks=False):
                    inner.append(prefix + each.name)
                elif is_definition_file(each.name):
                    self.add(prefix + each.name, each)
        return inner

    def add(self, file: str, entry: os.DirEntry[str]) -> None:
        if entry.is_symlink():
            self.links.append(file)
        elif entry.is_file(follow_symlinks=False):
            self.files.add(file)

    def followed_links(self) -> dict[str, str]:
        """Links to visible files of the vault that are not listed anyway, each such file once."""
        followed: dict[str, str] = {}
        for link in sorted(self.links):
            target = os.path.realpath(f"{self.root}/{link}")
            inside = target.removeprefix(f"{self.root}/")
            # A link must not bring in what lies outside the vault or is hidden in it.
            leads_out = inside == target or is_hidden(inside)
            if not leads_out and inside not in self.files and os.path.isfile(target):  # noqa: PTH113  see above
                followed.setdefault(target, link)
        return {link: target for target, link in followed.items()}


def _stamp(path: str) -> Stamp | None:
    status = os.stat(path)  # noqa: PTH116  see above
    # Time stamps are coarse: a second change in the same tick would look the same.
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _SETTLED:
        return None
    return Stamp(size=status.st_size, modified=status.st_mtime_ns, changed=status.st_ctime_ns, inode=status.st_ino)


def _reading(file: str, path: str, answers: Mapping[str, Mapping[str, JsonValue]]) -> FileReading:
    from paperagents.reading.files import read_definition  # noqa: PLC0415  see above

    return read_definition(_content(path, whole=file.lower().endswith(JAVASCRIPT_ENDING)), file, answers)


def _content(path: str, *, whole: bool = False) -> bytes:
    from paperagents.reading.files import MAX_BYTES  # noqa: PLC0415  see above

    # Not blocking, not following: neither a named pipe nor a link may have taken the file's place.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, 65536)
        if len(data) < 65536 or not (whole or data.removeprefix(b"\xef\xbb\xbf").startswith(b"---")):
            return data
        pieces = [data]
        while sum(map(len, pieces)) <= MAX_BYTES and (data := os.read(descriptor, 1 << 20)):
            pieces.append(data)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def _unreadable(file: str, error: OSError, severity: Severity) -> Problem:
    values = {"reason": system_text(error)}
    return Problem(code="file-unreadable", severity=severity, file=file, span=_START, values=values)
