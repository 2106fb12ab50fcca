"""The vault's folders as they are now: looked at the first time, told about from then on."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from dataclasses import dataclass

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import FolderListing
from paperagents.files.paths import join_path


class FolderState:
    """The listing of every folder of a vault, by its path."""

    def __init__(self, folder: VaultFolder) -> None:
        self._folder = folder
        self._notices: FolderNotices | None = None
        self._looked_once = False
        self.listings: dict[str, FolderListing] = {}

    def refresh(self) -> set[str]:
        """Bring the listings up to date; the folders that were looked at or have gone."""
        if self._notices is not None:
            try:
                return self._follow_notices(self._notices)
            except NoNoticesError:
                self.close()
        return self._look_at_all()

    def close(self) -> None:
        """Follow the folders no more."""
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _look_at_all(self) -> set[str]:
        """Look at every folder. A program that searches once needs no notices; one that does it again will."""
        before = set(self.listings)
        if self._looked_once:
            self._begin_following()
        self._looked_once = True
        self.listings = {join_path(each.folder): each for each in self._folder.list_folders((), self._follow)}
        return before | set(self.listings)

    def _begin_following(self) -> None:
        try:
            self._notices = FolderNotices()
        except NoNoticesError:
            self._notices = None

    def _follow(self, folder: tuple[str, ...], descriptor: int) -> None:
        if self._notices is None:
            return
        try:
            self._notices.follow(folder, descriptor)
        except NoNoticesError:
            self.close()

    def _follow_notices(self, notices: FolderNotices) -> set[str]:
        changed = notices.take()
        looked_at: set[str] = set()
        for folder in {each.folder for each in changed}:
            looked_at |= self._look_at(folder)
        for folder in {(*each.folder, each.below) for each in changed if each.below is not None}:
            looked_at |= self._forget(join_path(folder)) | self._look_below(folder)
        if self._notices is None:
            raise NoNoticesError
        return looked_at

    def _look_at(self, folder: tuple[str, ...]) -> set[str]:
        """Look at one folder again, and at those in it that came or went."""
        name = join_path(folder)
        before = self.listings.get(name)
        if before is None:
            return set()
        now = self.listings[name] = self._folder.list_folder(folder)
        looked_at = {name}
        for gone in set(before.folders) - set(now.folders):
            looked_at |= self._forget(join_path((*folder, gone)))
        for new in set(now.folders) - set(before.folders):
            looked_at |= self._look_below((*folder, new))
        return looked_at

    def _look_below(self, folder: tuple[str, ...]) -> set[str]:
        """Look at a folder and all below it, where the folder above shows it."""
        above = self.listings.get(join_path(folder[:-1]))
        if above is None or folder[-1] not in above.folders:
            return set()
        found = {join_path(each.folder): each for each in self._folder.list_folders(folder, self._follow)}
        self.listings |= found
        return set(found)

    def _forget(self, name: str) -> set[str]:
        gone = {each for each in self.listings if each == name or each.startswith(f"{name}/")}
        for each in gone:
            del self.listings[each]
        return gone


# --- what the system says about changes in folders, read at the moment it is needed (inotify, Linux only)


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
