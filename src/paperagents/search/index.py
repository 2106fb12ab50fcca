"""The index of a vault, brought up to date whenever somebody asks.

Few changed files are simply read with each search; many are put into the index first. So a small vault never has
an index, a search right after a save is not held up, and where the index cannot be written every search is right
all the same.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import tantivy

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import FolderListing, ListedFile
from paperagents.files.paths import PRIVATE_FOLDER
from paperagents.search.documents import KEYS, document, number_key
from paperagents.search.folder_changes import FolderState
from paperagents.search.index_store import IndexStore, OpenIndex, SearchIndexError, Written, told_as_damage
from paperagents.search.manifest import NEVER, Difference, HeldFolder, Manifest
from paperagents.search.notes import LARGEST_SEARCHED, Note, is_settled, read_note

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
                self._open()
            else:
                self._compare(changed)
            if self._is_much() and self._may_write:
                self._update(progress)
            return self._view()

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

    def give_up(self) -> None:
        """Use the index no more: it was found to be damaged."""
        from paperagents.search.index_store import IndexStore  # noqa: PLC0415  as below

        with self._lock:
            IndexStore(self._place).give_up()
            self._use(None)

    def close(self) -> None:
        """Let go of everything."""
        self._state.close()
        self._opened = None

    @property
    def _manifest(self) -> Manifest:
        return self._opened.manifest if self._opened is not None else _EMPTY

    def _view(self) -> View:
        differences = self._differences.values()
        return View(
            opened=self._opened,
            pending=tuple(file for each in differences for file in each.pending),
            outdated=tuple(number for each in differences for number in each.outdated),
        )

    def _manifest_on_disk(self) -> tuple[int, int] | None:
        """Which manifest is there now; a new one is another file."""
        try:
            status = (self._place / "manifest").stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    def _open(self) -> None:
        opened = None
        self._opened_from = self._manifest_on_disk()
        if self._opened_from is not None:
            # A small vault has no index and does not wait for the engine to be loaded.
            from paperagents.search.index_store import IndexStore  # noqa: PLC0415  see above

            opened = IndexStore(self._place).open()
        self._is_new = False
        self._use(opened)

    def _use(self, opened: OpenIndex | None) -> None:
        self._opened = opened
        self._notes.clear()
        self._differences.clear()
        self._compare({*self._manifest.folders, *self._state.listings})

    def _compare(self, folders: set[str]) -> None:
        for folder in folders:
            difference = self._manifest.difference(folder, self._state.listings.get(folder))
            if difference is not None:
                self._differences[folder] = difference
            else:
                self._differences.pop(folder, None)

    def _is_much(self) -> bool:
        files, size = 0, 0
        for difference in self._differences.values():
            files += max(len(difference.pending), len(difference.outdated))
            size += sum(file.size for file in difference.pending if file.size <= LARGEST_SEARCHED)
        return files > MOST_PENDING or size > MOST_PENDING_BYTES

    def _update(self, progress: Progress | None) -> None:
        from paperagents.search.index_store import IndexStore  # noqa: PLC0415  as above

        store = IndexStore(self._place)
        try:
            with store.writing() as mine:
                if not mine:
                    return
                if self._manifest_on_disk() != self._opened_from:
                    self._open()  # another process has just done it
                if self._is_much():
                    with told_as_damage():
                        self._write(store, progress)
                    self._open()
        except (OSError, SearchIndexError):
            # Read-only, or no space left: searches are right without, and need not try again and again.
            self._may_write = False

    def _write(self, store: IndexStore, progress: Progress | None) -> None:

        total = sum(len(listing.names) for listing in self._state.listings.values())
        if self._opened is not None and 2 * sum(len(each.pending) for each in self._differences.values()) > total:
            self._use(None)
        opened, self._opened = self._opened, None
        listings = self._state.listings
        changes = [(name, listings.get(name), difference) for name, difference in self._differences.items()]
        write_index(store, self.folder, opened, changes, progress)


# --- puts what has changed into the index


Progress = Callable[[int, int], None]


@dataclass(kw_only=True)
class _Update:
    """One update: what it reads from, what it writes to, and how far it is."""

    folder: VaultFolder
    writer: tantivy.IndexWriter
    number: int
    total: int
    progress: Progress | None
    done: int = 0
    folders: dict[str, HeldFolder] = field(default_factory=dict)

    def put(self, name: str, listing: FolderListing | None, difference: Difference) -> None:
        """Put one folder's changes into the index."""
        for outdated in difference.outdated:
            self.writer.delete_documents_by_term(KEYS, number_key(outdated))
        held = self.folders.pop(name, None)
        if listing is None:
            return
        known = {known_name: (stamp, number) for known_name, stamp, number in held.files()} if held else {}
        known |= {file.name: self._add(file) for file in difference.pending}
        entries = [known[each] for each in listing.names]
        self.folders[name] = HeldFolder(
            names="\0".join(listing.names),
            stamps=b"".join(stamp for stamp, _ in entries),
            numbers=array("q", [number for _, number in entries]).tobytes(),
        )

    def _add(self, file: ListedFile) -> tuple[bytes, int]:
        read_at = time.time_ns()
        self.number += 1
        self.writer.add_document(document(self.number, file, read_note(self.folder, file)))
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)
        return (file.stamp if is_settled(file, read_at) else NEVER), self.number


def write_index(
    store: IndexStore,
    folder: VaultFolder,
    opened: OpenIndex | None,
    changes: list[tuple[str, FolderListing | None, Difference]],
    progress: Progress | None,
) -> None:
    """Bring an index up to date, or make a new one."""
    total = sum(len(difference.pending) for *_, difference in changes)
    place, index, writer = store.writer(opened.manifest.place if opened else None, total)
    update = _Update(
        folder=folder,
        writer=writer,
        number=opened.manifest.next_number if opened else 0,
        total=total,
        progress=progress,
        folders=dict(opened.manifest.folders) if opened else {},
    )
    for name, listing, difference in changes:
        update.put(name, listing, difference)
    store.switch(Written(place=place, folders=update.folders, next_number=update.number), index, writer)
