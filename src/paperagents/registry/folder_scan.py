"""Finds the tool and agent files of a folder, and reads only those that changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from paperagents.definitions.file_reading import MAX_BYTES, FileReading
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.messages import system_text
from paperagents.registry.entry import Entry, make_entry
from paperagents.values import dataclass

JAVASCRIPT_ENDING = ".tool.js"
_START = Span(line=1, column=1, end_line=1, end_column=1)
_HARMLESS_SECONDS = 0.1
"""What a .tool.js file may take without being counted."""
_AT_ONCE = 50
"""So many files are checked by the engine in one call."""
_SETTLED = 100_000_000
"""Nanoseconds after which a file's time stamps tell every later change apart."""


Stamp = tuple[int, int, int, int]
"""Size, time of change, time of any change of its status, and number of a file: what changes when it changes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileRecord:
    """A file as it was when it was last read."""

    stamp: Stamp | None
    """None where the file was so new that a later change could look the same: it is read again."""
    entry: Entry | None = None
    problems: tuple[Problem, ...] = ()
    """Of a file that is no tool, but probably was meant to be one."""
    reading: FileReading | None = None


Changes = Mapping[str, FileRecord | None]
"""What a look at the folder found: files that are new or not the same, and None for those that are gone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _ToRead:
    file: str
    path: str
    stamp: Stamp | None


@dataclass(kw_only=True)
class FolderScan:
    """The files of one vault folder."""

    root: Path
    answers: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    """What the built-in tools answer, as JSON Schemas: references to it are checked."""
    keep: Callable[[Entry], Entry] = lambda entry: entry
    """What to remember of an entry."""
    stamps: dict[str, Stamp | None] = field(default_factory=dict)
    """The files as they were at the last look."""
    folders: dict[str, Stamp | None] = field(default_factory=dict)
    """The visible folders that are no links, as they were before they were listed; the root is the empty text."""
    files_read: int = 0
    """How often a file was opened, since the start: unchanged ones are not."""
    javascript_seconds: float = 5.0
    """What evaluating ``.tool.js`` files may cost in one look at the folder; the rest is read at the next one."""
    _has_links: bool = False
    _spent: float = 0.0

    def refresh(self) -> Changes:
        """Walk the whole folder."""
        root = os.path.realpath(self.root)
        found = _Listing(root)
        self.folders = found.folders
        self._has_links = bool(found.links)
        paths = {**{file: f"{root}/{file}" for file in found.files}, **found.followed_links()}
        return {**dict.fromkeys(self.stamps.keys() - paths.keys()), **self._look_at(paths)}

    def update(self, files: Iterable[str]) -> Changes:
        """Look again at these files or folders only."""
        files = [file for file in files if not is_hidden(file)]
        root = os.path.realpath(self.root)
        # A folder or a link can mean other files than those named; looking at all of them is always right.
        if self._has_links or not all(self._is_plain(root, file) for file in files):
            return self.refresh()
        paths = {file: f"{root}/{file}" for file in files if is_definition_file(file)}
        there = {file: path for file, path in paths.items() if os.path.isfile(path)}  # noqa: PTH113  paths stay text here: ten thousand Path objects are slow
        return {**{file: None for file in files if file in self.stamps and file not in there}, **self._look_at(there)}

    def has_changed_folder(self) -> bool:
        """Whether a file may have come, gone or taken another's place anywhere since the last walk."""
        root = os.path.realpath(self.root)
        return any(stamp is None or stamp != stamp_of(root, folder) for folder, stamp in self.folders.items())

    def read_again(self, file: str) -> FileRecord | None:
        """One file that is known without a walk; None where it is gone, or no plain file of the vault any more."""
        path = f"{os.path.realpath(self.root)}/{file}"
        if is_hidden(file) or os.path.realpath(path) != path or not os.path.isfile(path):  # noqa: PTH113  see above
            return None
        self.stamps.pop(file, None)
        return self._look_at({file: path})[file]

    def note(self, changes: Changes) -> None:
        """Remember what was found, so that it is not found again."""
        for file, record in changes.items():
            if record is None:
                self.stamps.pop(file, None)
            else:
                self.stamps[file] = record.stamp

    def _is_plain(self, root: str, file: str) -> bool:
        """Whether this is, or was, a file in a folder we know, with no link on the way."""
        path = f"{root}/{file}"
        in_known_folder = file not in self.folders and file.rpartition("/")[0] in self.folders
        return in_known_folder and os.path.realpath(path) == path and not os.path.isdir(path)  # noqa: PTH112  see above

    def _look_at(self, paths: Mapping[str, str]) -> dict[str, FileRecord]:
        """Read those that are not as they were."""
        self._spent = 0.0
        found: dict[str, FileRecord] = {}
        waiting: list[_ToRead] = []
        now = time.time_ns()
        for file, path in paths.items():
            try:
                stamp = _stamp(path, now)
            except OSError as error:
                found[file] = _unread(file, error)
                continue
            # The stamp is taken before reading: a change in between is seen the next time.
            if stamp is None or stamp != self.stamps.get(file):
                waiting.append(_ToRead(file=file, path=path, stamp=stamp))
        waiting.sort(key=lambda each: each.file)
        for start in range(0, len(waiting), _AT_ONCE):
            found |= self._read(waiting[start : start + _AT_ONCE])
        return found

    def _read(self, files: Sequence[_ToRead]) -> dict[str, FileRecord]:
        from paperagents.reading.files import check_with_engine  # noqa: PLC0415  its libraries are slow to load

        found: dict[str, FileRecord] = {}
        readings: list[FileReading] = []
        for each in files:
            try:
                reading = self._read_one(each)
            except OSError as error:
                found[each.file] = _unread(each.file, error)
                continue
            found[each.file] = FileRecord(stamp=each.stamp if reading else None)
            if reading is None:
                unread = Problem(code="tool-not-read", severity="error", file=each.file, span=_START)
                found[each.file] = replace(found[each.file], entry=_entry_of_unread(unread))
            elif reading.concerns_us:
                readings.append(reading)
        for reading in check_with_engine(readings):
            record, entry = found[reading.file], make_entry(reading)
            if entry is None:
                found[reading.file] = replace(record, problems=reading.problems)
            else:
                found[reading.file] = replace(record, entry=self.keep(entry), reading=reading)
        return found

    def _read_one(self, each: _ToRead) -> FileReading | None:
        """The file; None for one that would have to be evaluated when all of this look have used up their time."""
        if not each.file.lower().endswith(JAVASCRIPT_ENDING):
            self.files_read += 1
            return _reading(each.file, each.path, self.answers)
        if self._spent > self.javascript_seconds:
            return None
        self.files_read += 1
        started = time.monotonic()
        try:
            return _reading(each.file, each.path, self.answers)
        finally:
            # A thousand harmless files must not use it up, on a busy computer neither.
            self._spent += max(0.0, time.monotonic() - started - _HARMLESS_SECONDS)


def read_file(root: Path, file: str, read: Callable[[bytes], FileReading]) -> FileReading:
    """Read one file of the vault as whatever it is now."""
    path = os.path.realpath(root / file)
    if not path.startswith(os.path.realpath(root) + os.sep):
        outside = Problem(code="file-outside-vault", severity="error", file=file, span=_START)
        return FileReading(file=file, problems=(outside,))
    try:
        content = _content(file, path)
    except OSError as error:
        return FileReading(file=file, problems=(_unreadable(file, error, "error"),))
    return read(content)


def stamp_of(root: Path | str, file: str) -> Stamp | None:
    """What would change if the file changed; None where it is too new to tell, or gone."""
    try:
        return _stamp(f"{root}/{file}", time.time_ns())
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
        self.folders: dict[str, Stamp | None] = {}
        self.files: set[str] = set()
        self.links: list[str] = []
        waiting = [""]
        while waiting:
            waiting += self.list_folder(waiting.pop())

    def list_folder(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        inner: list[str] = []
        try:
            stamp = _stamp(f"{self.root}/{folder}", time.time_ns())
            listing = os.scandir(f"{self.root}/{folder}")
        except OSError:
            return inner
        self.folders[folder] = stamp
        with listing:
            for each in listing:
                name = each.name
                if name.startswith("."):
                    continue
                # Most are files: nothing else is asked about them.
                if each.is_file(follow_symlinks=False):
                    if is_definition_file(name):
                        self.files.add(prefix + name)
                elif each.is_dir(follow_symlinks=False):
                    inner.append(prefix + name)
                elif each.is_symlink() and is_definition_file(name):
                    self.links.append(prefix + name)
        return inner

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


def _stamp(path: str, now: int) -> Stamp | None:
    status = os.stat(path)  # noqa: PTH116  see above
    modified, changed = status.st_mtime_ns, status.st_ctime_ns
    # Time stamps are coarse: a second change in the same tick would look the same.
    if now - (modified if modified > changed else changed) < _SETTLED:
        return None
    return status.st_size, modified, changed, status.st_ino


def _reading(file: str, path: str, answers: Mapping[str, Mapping[str, JsonValue]]) -> FileReading:
    from paperagents.reading.files import read_definition  # noqa: PLC0415  its libraries are slow to load

    return read_definition(_content(file, path), file, answers)


def _content(file: str, path: str) -> bytes:
    whole = file.lower().endswith(JAVASCRIPT_ENDING)
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


def _unread(file: str, error: OSError) -> FileRecord:
    return FileRecord(stamp=None, problems=(_unreadable(file, error, "warning"),))


def _entry_of_unread(problem: Problem) -> Entry | None:
    return make_entry(FileReading(file=problem.file, problems=(problem,)))


def _unreadable(file: str, error: OSError, severity: Severity) -> Problem:
    values = {"reason": system_text(error)}
    return Problem(code="file-unreadable", severity=severity, file=file, span=_START, values=values)
