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

from paperagents.errors import FileChangedError, ToolError
from paperagents.files.reading import ABSENT, OpenedFile, closing, decode_text, hash_content, read_regular_file
from paperagents.files.safe_open import rename_without_replacing
from paperagents.values import dataclass

DRAFT_PREFIX = ".paper-draft-"
_LONGEST_WAIT = 10.0
_PAUSE = 0.002
_TRIES = 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class FileWrite:
    """What is to be written, and under which conditions."""

    path: str
    added: bytes
    overwrite: bool
    append: bool
    expected_digest: str | None
    largest_file: int


class ChangedMeanwhileError(Exception):
    """Somebody else changed the file while the draft was being written."""


def write_atomically(write: FileWrite, folder: int, name: str) -> tuple[int, bool]:
    """Write the file in this open folder; its size in bytes, and whether it is new."""
    for _ in range(_TRIES):
        try:
            return try_to_write(write, folder, name)
        except ChangedMeanwhileError:
            continue
    raise ToolError("file-busy", path=write.path, retryable=True)


def encode_text(content: str, path: str, limit: int) -> bytes:
    """The bytes of a text that is to be written; halves of characters, and more than the limit, are refused."""
    try:
        encoded = content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError("text-not-unicode", path=path, position=error.start) from None
    if len(encoded) > limit:
        raise ToolError("file-too-large", path=path, size=len(encoded), limit=limit)
    return encoded


def make_folder(parent: int, name: str) -> None:
    """Make a folder that survives a power cut; one that is there already is fine."""
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
        os.fsync(parent)


def read_mode(folder: int, name: str) -> int:
    """The kind and permissions of a name in a folder, 0 where there is nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return 0


def remove_abandoned_draft(folder: int, name: str) -> None:
    """Remove the draft of a writer that is no longer there."""
    with suppress(OSError), closing(os.open(name, _READ, dir_fd=folder)) as draft:
        fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_if_same(folder, name, draft)


def try_to_write(write: FileWrite, folder: int, name: str) -> tuple[int, bool]:
    """One attempt. Raises ChangedMeanwhileError where somebody else was faster."""
    require_replaceable(write, read_mode(folder, name))
    with open_draft(write, folder, name) as (draft_name, draft):
        existing = read_existing(write, folder, name)
        require_conditions(write, existing)
        content = existing.content + write.added if existing and write.append else write.added
        if len(content) > write.largest_file:
            raise ToolError("file-too-large", path=write.path, size=len(content), limit=write.largest_file)
        fill_draft(draft, content, existing)
        take_name(write, folder, draft_name, name, existing)
        flush_folder(folder)
    return len(content), existing is None


def require_replaceable(write: FileWrite, mode: int) -> None:
    """Refuse what must not be replaced; a mode of 0 is a file that is not there."""
    if mode and not stat.S_ISREG(mode):
        raise ToolError("not-a-file", path=write.path)
    if mode and not write.overwrite and not write.append:
        raise ToolError("file-exists", path=write.path)
    # Renaming would get around a write protection that somebody has set on purpose.
    if mode and not mode & 0o222:
        raise ToolError("file-not-permitted", path=write.path)


@contextmanager
def open_draft(write: FileWrite, folder: int, name: str) -> Iterator[tuple[str, int]]:
    """A new, locked, empty file beside the one to be written; gone at the end, whatever happens."""
    draft_name = lock_name(name)
    with closing(create_draft(write, folder, draft_name, read_mode(folder, name))) as draft:
        try:
            yield draft_name, draft
        finally:
            remove_if_same(folder, draft_name, draft)


def lock_name(name: str) -> str:
    """The name of the draft of a file; whoever has locked it writes the file."""
    return DRAFT_PREFIX + hashlib.sha256(os.fsencode(name)).hexdigest()[:32]


def create_draft(write: FileWrite, folder: int, draft_name: str, mode: int) -> int:
    """Create and lock the draft once its last writer has finished."""
    permissions = stat.S_IMODE(mode) & 0o777 if mode else 0o666
    deadline = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < deadline:
        try:
            draft = os.open(draft_name, NEW_FILE, permissions, dir_fd=folder)
        except FileExistsError:
            wait_for_turn(folder, draft_name)
            continue
        # Between creating and locking, another writer may have taken the draft for an abandoned one.
        if try_lock(draft) and is_same_file(folder, draft_name, draft):
            return draft
        os.close(draft)
    raise ToolError("file-busy", path=write.path, retryable=True)


def wait_for_turn(folder: int, draft_name: str) -> None:
    """Remove a draft whose writer is gone, else pause while its writer is at work."""
    remove_abandoned_draft(folder, draft_name)
    if stat.S_ISLNK(read_mode(folder, draft_name)):
        os.unlink(draft_name, dir_fd=folder)
    if read_mode(folder, draft_name):
        time.sleep(_PAUSE)


def try_lock(draft: int) -> bool:
    """Whether the lock was free."""
    try:
        fcntl.flock(draft, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_same_file(folder: int, name: str, descriptor: int) -> bool:
    """Whether a name still means an open file."""
    with suppress(FileNotFoundError):
        named = os.stat(name, dir_fd=folder, follow_symlinks=False)
        return os.path.samestat(named, os.fstat(descriptor))
    return False


def remove_if_same(folder: int, name: str, descriptor: int) -> None:
    """Remove a file, unless its name means another one by now."""
    if is_same_file(folder, name, descriptor):
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def read_existing(write: FileWrite, folder: int, name: str) -> OpenedFile | None:
    """The file as it is before the change; None where there is none."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    with closing(descriptor):
        return read_regular_file(descriptor, write.path, write.largest_file)


def require_conditions(write: FileWrite, existing: OpenedFile | None) -> None:
    """Refuse to write on another file than was agreed on, or on one that is no text."""
    expected = write.expected_digest
    if expected is not None and expected != (hash_content(existing.content) if existing else ABSENT):
        raise FileChangedError(path=write.path)
    if existing is not None:
        require_replaceable(write, existing.status.st_mode)
        # Nobody can be shown what would be lost of a picture, so it is not replaced by text.
        decode_text(existing.content, write.path)


def fill_draft(draft: int, content: bytes, existing: OpenedFile | None) -> None:
    """Write and flush the content, with owner and permissions of the file that is replaced."""
    if existing:
        with suppress(PermissionError):
            os.fchown(draft, existing.status.st_uid, existing.status.st_gid)
        os.fchmod(draft, stat.S_IMODE(existing.status.st_mode) & 0o777)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(draft, rest) :]
    os.fsync(draft)


def take_name(write: FileWrite, folder: int, draft_name: str, name: str, existing: OpenedFile | None) -> None:
    """The one step in which the change happens; it outlives the loss of power once the folder is flushed."""
    require_unchanged(write, folder, name, existing)
    if existing is None:
        try:
            rename_without_replacing(folder, draft_name, name)
        except FileExistsError:
            raise ChangedMeanwhileError from None
    else:
        os.rename(draft_name, name, src_dir_fd=folder, dst_dir_fd=folder)


def flush_folder(folder: int) -> None:
    """Make what was renamed in a folder outlive the loss of power."""
    try:
        os.fsync(folder)
    except OSError as error:
        # Some network file systems cannot flush a folder; the file itself is safe.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def require_unchanged(write: FileWrite, folder: int, name: str, existing: OpenedFile | None) -> None:
    """Editors do not know our lock: look once more, directly before the name is taken."""
    if existing is None or not (write.append or write.expected_digest):
        return
    try:
        now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise ChangedMeanwhileError from None
    before = existing.status
    if (now.st_ino, now.st_size, now.st_mtime_ns) != (before.st_ino, before.st_size, before.st_mtime_ns):
        raise ChangedMeanwhileError
