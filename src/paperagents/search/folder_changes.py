"""The vault's folders as they are now: scanned the first time, followed by inotify from then on."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import FolderListing
from paperagents.files.safe_open import join_path
from paperagents.values import dataclass


class FolderState:
    """The listing of every folder of a vault, by its path."""

    def __init__(self, folder: VaultFolder) -> None:
        self._folder = folder
        self._inotify: Inotify | None = None
        self._has_scanned = False
        self.listings: dict[str, FolderListing] = {}

    def refresh(self) -> set[str]:
        """Bring the listings up to date; the folders that were scanned or have gone."""
        if self._inotify is not None:
            try:
                return self.apply_events(self._inotify)
            except InotifyError:
                self.close()
        return self.scan_all()

    def close(self) -> None:
        """Follow the folders no more."""
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def scan_all(self) -> set[str]:
        """Scan every folder. A program that searches once need not follow them; one that does it again will."""
        before = set(self.listings)
        if self._has_scanned:
            with suppress(InotifyError):
                self._inotify = Inotify()
        self._has_scanned = True
        self.listings = {join_path(each.folder): each for each in self._folder.list_folders((), self.follow)}
        return before | set(self.listings)

    def follow(self, folder: tuple[str, ...], descriptor: int) -> None:
        """Be told about an open folder; where that is not possible, about none."""
        if self._inotify is None:
            return
        try:
            self._inotify.follow(folder, descriptor)
        except InotifyError:
            self.close()

    def apply_events(self, inotify: Inotify) -> set[str]:
        """Scan the folders in which something has changed."""
        changed = inotify.read_events()
        scanned: set[str] = set()
        for folder in {each.folder for each in changed}:
            scanned |= self.scan_folder(folder)
        for folder in {(*each.folder, each.below) for each in changed if each.below is not None}:
            scanned |= self.forget(join_path(folder)) | self.scan_below(folder)
        if self._inotify is None:
            raise InotifyError
        return scanned

    def scan_folder(self, folder: tuple[str, ...]) -> set[str]:
        """Scan one folder again, and those in it that came or went."""
        name = join_path(folder)
        before = self.listings.get(name)
        if before is None:
            return set()
        now = self.listings[name] = self._folder.list_folder(folder)
        scanned = {name}
        for gone in set(before.folders) - set(now.folders):
            scanned |= self.forget(join_path((*folder, gone)))
        for new in set(now.folders) - set(before.folders):
            scanned |= self.scan_below((*folder, new))
        return scanned

    def scan_below(self, folder: tuple[str, ...]) -> set[str]:
        """Scan a folder and all below it, where the folder above shows it."""
        above = self.listings.get(join_path(folder[:-1]))
        if above is None or folder[-1] not in above.folders:
            return set()
        found = {join_path(each.folder): each for each in self._folder.list_folders(folder, self.follow)}
        self.listings |= found
        return set(found)

    def forget(self, name: str) -> set[str]:
        """Drop a folder that has gone, and all below it."""
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


class InotifyError(Exception):
    """The system tells nothing about these folders, or has lost count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderEvent:
    """Something changed in a folder; with a name, in that folder of it, perhaps also further below."""

    folder: tuple[str, ...]
    below: str | None = None


class Inotify:
    """What the system says about some folders. Raises InotifyError where it says nothing."""

    def __init__(self) -> None:
        if not sys.platform.startswith("linux"):
            raise InotifyError
        self._system = ctypes.CDLL(None, use_errno=True)
        self._folders: dict[int, tuple[str, ...]] = {}
        self._descriptor = self._system.inotify_init1(_NONBLOCK_CLOEXEC)
        if self._descriptor < 0:
            raise InotifyError

    def follow(self, folder: tuple[str, ...], descriptor: int) -> None:
        """Be told about an open folder from now on."""
        if read_file_system(self._system, descriptor) not in _LOCAL:
            raise InotifyError
        watch = self._system.inotify_add_watch(self._descriptor, f"/proc/self/fd/{descriptor}".encode(), _WANTED)
        if watch < 0:
            raise InotifyError
        self._folders[watch] = folder

    def read_events(self) -> list[FolderEvent]:
        """The events since the last time."""
        events: list[FolderEvent] = []
        while content := self.read():
            position = 0
            while position < len(content):
                watch, kind, _, length = _NOTICE.unpack_from(content, position)
                name = content[position + _NOTICE.size : position + _NOTICE.size + length].rstrip(b"\0")
                position += _NOTICE.size + length
                if kind & _OVERFLOW:
                    raise InotifyError
                if watch in self._folders and not name.startswith(b"."):
                    below = os.fsdecode(name) if kind & _FOLDER and name else None
                    events.append(FolderEvent(folder=self._folders[watch], below=below))
        return events

    def close(self) -> None:
        """Be told nothing more."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        """A vault that nobody closes leaves nothing open."""
        if getattr(self, "_descriptor", -1) >= 0:
            self.close()

    def read(self) -> bytes:
        """The bytes that wait to be read; none where nothing has happened."""
        try:
            return os.read(self._descriptor, _READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise InotifyError from error


def read_file_system(system: ctypes.CDLL, descriptor: int) -> int:
    """The kind of file system an open folder is on."""
    answer = (ctypes.c_long * 64)()
    return int(answer[0]) & 0xFFFFFFFF if system.fstatfs(descriptor, ctypes.byref(answer)) == 0 else 0
