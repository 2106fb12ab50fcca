"""The index of a vault, brought up to date whenever somebody asks.

Few changed files are simply read with each search; many are put into the index first. So a small vault never has
an index, a search right after a save is not held up, and where the index cannot be written every search is right
all the same.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import ListedFile
from paperagents.files.safe_open import PRIVATE_FOLDER
from paperagents.search.folder_changes import FolderState
from paperagents.search.manifest import Difference, Manifest, Progress, SearchIndexError
from paperagents.search.notes import LARGEST_SEARCHED, Note, is_settled, read_note
from paperagents.values import dataclass

if TYPE_CHECKING:
    from paperagents.search.index_store import IndexStore, OpenIndex

MOST_PENDING = 256
MOST_PENDING_BYTES = 4_000_000
"""So much is read with each search; more is put into the index first."""

_EMPTY = Manifest(place="", next_number=0, files_of_index={}, folders={})


@dataclass(frozen=True, kw_only=True)
class View:
    """What is known about the notes at one moment: an index, files to be read, and numbers to leave out."""

    opened: OpenIndex | None
    pending: tuple[ListedFile, ...]
    outdated: tuple[int, ...]


class NoteIndex:
    """What finds the notes of a vault. One for all threads."""

    def __init__(self, folder: VaultFolder) -> None:
        self.folder = folder
        self._place = folder.root / PRIVATE_FOLDER / "index"
        self._state = FolderState(folder)
        self._opened: OpenIndex | None = None
        self._opened_from: tuple[int, int] | None = None
        self._differences: dict[str, Difference] = {}
        self._notes: dict[str, tuple[bytes, Note]] = {}
        self._is_new = self._may_write = True
        self._lock = threading.Lock()

    def view(self, progress: Progress | None = None) -> View:
        """What is so now. Where much has changed, the index is brought up to date first."""
        with self._lock:
            changed = self._state.refresh()
            if self._is_new:
                self.open()
            else:
                self.compare(changed)
            if self.needs_update() and self._may_write:
                self.update(progress)
            differences = self._differences.values()
            return View(
                opened=self._opened,
                pending=tuple(file for each in differences for file in each.pending),
                outdated=tuple(number for each in differences for number in each.outdated),
            )

    def read(self, file: ListedFile) -> Note:
        """A file that is not in the index, kept for the next search."""
        kept = self._notes.get(file.path)
        if kept is not None and kept[0] == file.stamp:
            return kept[1]
        read_at = time.time_ns()
        note = read_note(self.folder, file)
        if file.stamp and is_settled(file, read_at) and len(self._notes) < MOST_PENDING:
            self._notes[file.path] = file.stamp, note
        return note

    def discard(self) -> None:
        """Use the index no more: it was found to be damaged."""
        with self._lock:
            self._store().discard()
            self.use(None)

    def close(self) -> None:
        """Let go of everything."""
        self._state.close()
        self._opened = None

    def open(self) -> None:
        """Open the index that is on the disk."""
        self._opened_from = self._manifest_stamp()
        self._is_new = False
        # A small vault has no index and does not wait for the engine to be loaded.
        self.use(self._store().open() if self._opened_from is not None else None)

    def use(self, opened: OpenIndex | None) -> None:
        """Search this index from now on; without one, every file is read."""
        self._opened = opened
        self._notes.clear()
        self._differences.clear()
        held = opened.manifest.folders if opened is not None else {}
        self.compare({*held, *self._state.listings})

    def compare(self, folders: set[str]) -> None:
        """Find out how these folders differ from what the index holds of them."""
        manifest = self._opened.manifest if self._opened is not None else _EMPTY
        for folder in folders:
            difference = manifest.difference(folder, self._state.listings.get(folder))
            if difference is not None:
                self._differences[folder] = difference
            else:
                self._differences.pop(folder, None)

    def needs_update(self) -> bool:
        """Whether more has changed than is read with each search."""
        files, size = 0, 0
        for difference in self._differences.values():
            files += max(len(difference.pending), len(difference.outdated))
            size += sum(file.size for file in difference.pending if file.size <= LARGEST_SEARCHED)
        return files > MOST_PENDING or size > MOST_PENDING_BYTES

    def update(self, progress: Progress | None) -> None:
        """Put what has changed into the index, unless another process is doing it."""
        store = self._store()
        try:
            with store.lock_for_writing() as is_ours:
                if not is_ours:
                    return
                if self._manifest_stamp() != self._opened_from:
                    self.open()  # another process has just done it
                if self.needs_update():
                    self.write(store, progress)
                    self.open()
        except (OSError, SearchIndexError):
            # Read-only, or no space left: searches are right without, and need not try again and again.
            self._may_write = False

    def write(self, store: IndexStore, progress: Progress | None) -> None:
        """Write what has changed; where that is more than half of the vault, the whole index anew."""
        listings = self._state.listings
        total = sum(len(listing.names) for listing in listings.values())
        if self._opened is not None and 2 * sum(len(each.pending) for each in self._differences.values()) > total:
            self.use(None)
        opened, self._opened = self._opened, None
        changes = [(name, listings.get(name), difference) for name, difference in self._differences.items()]
        store.update(self.folder, opened, changes, progress)

    def _manifest_stamp(self) -> tuple[int, int] | None:
        """Which manifest is there now; a new one is another file."""
        try:
            status = (self._place / "manifest").stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _store(self) -> IndexStore:
        from paperagents.search.index_store import IndexStore  # noqa: PLC0415  loads the engine

        return IndexStore(self._place)
