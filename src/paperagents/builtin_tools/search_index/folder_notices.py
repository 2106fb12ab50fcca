"""What the system says about changes in folders, read at the moment it is needed (inotify, Linux only).

A save that is over has been told: the kernel writes the notice down before the saving program goes on. So a search
that reads the notices first is never behind, and needs no thread that waits for them. Where there are none (other
systems, network drives, too many folders) callers look at the folders themselves.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from dataclasses import dataclass

_NONBLOCK_CLOEXEC = os.O_NONBLOCK | os.O_CLOEXEC if hasattr(os, "O_CLOEXEC") else 0
_MODIFIED, _ATTRIBUTES, _CLOSED = 0x002, 0x004, 0x008
_MOVED, _CREATED, _DELETED, _SELF = 0x0C0, 0x100, 0x200, 0xC00
_WANTED = _MODIFIED | _ATTRIBUTES | _CLOSED | _MOVED | _CREATED | _DELETED | _SELF
_OVERFLOW, _FOLDER = 0x4000, 0x40000000
_NOTICE = struct.Struct("iIII")
_READ = 1 << 20
# ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs, bcachefs: all writers are on this machine, so every change is told.
_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x794C7630, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E}


class NoNoticesError(Exception):
    """The system tells nothing about these folders, or has lost count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something changed in a folder; with a name, in that folder of it, perhaps also further below."""

    folder: tuple[str, ...]
    below: str | None = None


class FolderNotices:
    """The notices about some folders. Raises NoNoticesError where there are none."""

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise NoNoticesError
        self._system = ctypes.CDLL(None, use_errno=True)
        self._folders: dict[int, tuple[str, ...]] = {}
        self._descriptor = self._system.inotify_init1(_NONBLOCK_CLOEXEC)
        if self._descriptor < 0:
            raise NoNoticesError

    def follow(self, folder: tuple[str, ...], descriptor: int) -> None:
        """Be told about an open folder from now on."""
        if _file_system(self._system, descriptor) not in _LOCAL:
            raise NoNoticesError
        watch = self._system.inotify_add_watch(self._descriptor, f"/proc/self/fd/{descriptor}".encode(), _WANTED)
        if watch < 0:
            raise NoNoticesError
        self._folders[watch] = folder

    def take(self) -> list[Notice]:
        """The notices since the last time."""
        notices: list[Notice] = []
        while content := self._waiting():
            position = 0
            while position < len(content):
                watch, kind, _, length = _NOTICE.unpack_from(content, position)
                name = content[position + _NOTICE.size : position + _NOTICE.size + length].rstrip(b"\0")
                position += _NOTICE.size + length
                notices += self._read(watch, kind, name)
        return notices

    def close(self) -> None:
        """Be told nothing more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        """A vault that nobody closes leaves nothing open."""
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()

    def _waiting(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise NoNoticesError from error

    def _read(self, watch: int, kind: int, name: bytes) -> list[Notice]:
        if kind & _OVERFLOW:
            raise NoNoticesError
        if watch not in self._folders or name.startswith(b"."):
            return []
        below = os.fsdecode(name) if kind & _FOLDER and name else None
        return [Notice(folder=self._folders[watch], below=below)]


def _file_system(system: ctypes.CDLL, descriptor: int) -> int:
    """The kind of file system an open folder is on."""
    answer = (ctypes.c_long * 64)()
    return int(answer[0]) & 0xFFFFFFFF if system.fstatfs(descriptor, ctypes.byref(answer)) == 0 else 0
