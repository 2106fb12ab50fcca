"""Writing a file completely or not at all.

The new content goes into a draft beside the file, is flushed to the disk, and takes the file's name in one
step. The draft's name follows from the file's, and its writer holds a lock on it: two writers of one file
take turns, and the draft of a writer that was killed is removed by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from paperagents.errors import FileChangedError, ToolError
from paperagents.files.reading import ABSENT, closing, decoded, digest_of, read_regular
from paperagents.files.safe_open import rename_without_replacing

DRAFT_PREFIX = ".paper-draft-"
_LONGEST_WAIT = 10.0
_PAUSE = 0.002
_TRIES = 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """What is to be written, and under which conditions."""

    path: str
    added: bytes
    overwrite: bool
    append: bool
    expected_digest: str | None
    largest_file: int


@dataclass(frozen=True, kw_only=True, slots=True)
class _Existing:
    """The file as it is before the change."""

    content: bytes
    status: os.stat_result


class _MovedOnError(Exception):
    """Somebody else changed the file while the draft was being written."""


def carry_out(change: Change, folder: int, name: str) -> tuple[int, bool]:
    """Write the file in this open folder; its size in bytes, and whether it is new."""
    for _ in range(_TRIES):
        try:
            return _attempt(change, folder, name)
        except _MovedOnError:
            continue
    raise ToolError("file-busy", path=change.path, retryable=True)


def make_folder(parent: int, name: str) -> None:
    """Make a folder that survives a power cut; one that is there already is fine."""
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
        os.fsync(parent)


def mode_of(folder: int, name: str) -> int:
    """The kind and permissions of a name in a folder, 0 where there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def remove_abandoned(folder: int, name: str) -> None:
    """Remove the draft of a writer that is no longer there."""
    with suppress(OSError), closing(os.open(name, _READ, dir_fd=folder)) as draft:
        fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove_if_same(folder, name, draft)


def _attempt(change: Change, folder: int, name: str) -> tuple[int, bool]:
    _require_replaceable(change, mode_of(folder, name))
    with _draft(change, folder, name) as (draft_name, draft):
        existing = _existing(change, folder, name)
        _require_conditions(change, existing)
        content = existing.content + change.added if existing and change.append else change.added
        if len(content) > change.largest_file:
            raise ToolError("file-too-large", path=change.path, size=len(content), limit=change.largest_file)
        _fill(draft, content, existing)
        _give_name(change, folder, draft_name, name, existing)
    return len(content), existing is None


def _require_replaceable(change: Change, mode: int) -> None:
    if mode and not stat.S_ISREG(mode):
        raise ToolError("not-a-file", path=change.path)
    if mode and not change.overwrite and not change.append:
        raise ToolError("file-exists", path=change.path)
    # Renaming would get around a write protection that somebody has set on purpose.
    if mode and not mode & 0o222:
        raise ToolError("file-not-permitted", path=change.path)


@contextmanager
def _draft(change: Change, folder: int, name: str) -> Iterator[tuple[str, int]]:
    """A new, locked, empty file beside the one to be written; gone at the end, whatever happens."""
    draft_name = DRAFT_PREFIX + hashlib.sha256(os.fsencode(name)).hexdigest()[:32]
    with closing(_new_draft(change, folder, draft_name, mode_of(folder, name))) as draft:
        try:
            yield draft_name, draft
        finally:
            _remove_if_same(folder, draft_name, draft)


def _new_draft(change: Change, folder: int, draft_name: str, mode: int) -> int:
    permissions = stat.S_IMODE(mode) & 0o777 if mode else 0o666
    deadline = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < deadline:
        try:
            draft = os.open(draft_name, _NEW, permissions, dir_fd=folder)
        except FileExistsError:
            _wait_for_turn(folder, draft_name)
            continue
        # Between creating and locking, another writer may have taken the draft for an abandoned one.
        if _locked(draft) and _is_same(folder, draft_name, draft):
            return draft
        os.close(draft)
    raise ToolError("file-busy", path=change.path, retryable=True)


def _wait_for_turn(folder: int, draft_name: str) -> None:
    """Remove a draft whose writer is gone, else pause while its writer is at work."""
    remove_abandoned(folder, draft_name)
    if stat.S_ISLNK(mode_of(folder, draft_name)):
        os.unlink(draft_name, dir_fd=folder)
    if mode_of(folder, draft_name):
        time.sleep(_PAUSE)


def _locked(draft: int) -> bool:
    try:
        fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_same(folder: int, name: str, descriptor: int) -> bool:
    with suppress(FileNotFoundError):
        named = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return os.path.samestat(named, os.fstat(descriptor))
    return False


def _remove_if_same(folder: int, name: str, descriptor: int) -> None:
    if _is_same(folder, name, descriptor):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _existing(change: Change, folder: int, name: str) -> _Existing | None:
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    with closing(descriptor):
        content, status = read_regular(descriptor, change.path, change.largest_file)
    return _Existing(content=content, status=status)


def _require_conditions(change: Change, existing: _Existing | None) -> None:
    if change.expected_digest is not None:
        digest = digest_of(existing.content) if existing else ABSENT
        if digest != change.expected_digest:
            raise FileChangedError(path=change.path)
    if existing is not None:
        _require_replaceable(change, existing.status.st_mode)
        # Nobody can be shown what would be lost of a picture, so it is not replaced by text.
        decoded(existing.content, change.path)


def _fill(draft: int, content: bytes, existing: _Existing | None) -> None:
    if existing:
        with suppress(PermissionError):
            os.fchown(draft, existing.status.st_uid, existing.status.st_gid)
        os.fchmod(draft, stat.S_IMODE(existing.status.st_mode) & 0o777)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(draft, rest) :]
    os.fsync(draft)


def _give_name(change: Change, folder: int, draft_name: str, name: str, existing: _Existing | None) -> None:
    """The one step in which the change happens."""
    _require_unchanged(change, folder, name, existing)
    if existing is None:
        try:
            rename_without_replacing(folder, draft_name, name)
        except FileExistsError:
            raise _MovedOnError from None
    else:
        os.rename(draft_name, name, src_dir_fd=folder, dst_dir_fd=folder)
    _flush_folder(folder)


def _require_unchanged(change: Change, folder: int, name: str, existing: _Existing | None) -> None:
    """Editors do not know our lock: look once more, directly before the name is taken."""
    if existing is None or not (change.append or change.expected_digest):
        return
    try:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise _MovedOnError from None
    before = existing.status
    if (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns):
        raise _MovedOnError


def _flush_folder(folder: int) -> None:
    try:
        os.fsync(folder)
    except OSError as error:
        # Some network file systems cannot flush a folder; the file itself is safe.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
