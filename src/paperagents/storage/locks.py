"""Who works on a run: one at a time, known to every process, and let go of by a kill."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from paperagents.errors import RunBusyError, StorageError
from paperagents.messages import system_text

_LOCK = "hhqqi"
"""The structure in which Linux is told, and tells, about a lock."""


class RunLocks:
    """One byte of one file for each run; the file itself stays empty."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextmanager
    def held(self, run_id: str) -> Iterator[None]:
        """Inside, the run is ours. Raises UsageError where somebody else has it."""
        descriptor = self._open()
        try:
            if not _locked(descriptor, _byte(run_id)):
                raise RunBusyError(run_id)
            yield
        finally:
            os.close(descriptor)

    def is_held(self, run_id: str) -> bool:
        """Whether somebody has it; whoever wants it in this very moment gets it all the same."""
        descriptor = self._open()
        try:
            return _is_locked(descriptor, _byte(run_id))
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        try:
            try:
                return self._opened()
            except FileNotFoundError:
                self._file.parent.mkdir(exist_ok=True)
                return self._opened()
        except OSError as error:
            raise StorageError("database-failed", file=str(self._file), reason=system_text(error)) from error

    def _opened(self) -> int:
        return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)


def _byte(run_id: str) -> int:
    return int.from_bytes(sha256(run_id.encode()).digest()[:7], "big")


def _locked(descriptor: int, byte: int) -> bool:
    try:
        if sys.platform == "linux":
            # Held by the open file and not by the process, so that two threads exclude each other, too.
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _wanted(byte))
        else:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_locked(descriptor: int, byte: int) -> bool:
    if sys.platform == "linux":
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _wanted(byte))
        locked = bool(struct.unpack(_LOCK, found)[0] != fcntl.F_UNLCK)
    else:
        locked = not _locked(descriptor, byte)
    return locked


def _wanted(byte: int) -> bytes:
    return struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
