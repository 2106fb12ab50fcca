"""Puts what has changed into the index."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field

import tantivy

from paperagents.builtin_tools.file_listing import FolderListing, ListedFile
from paperagents.builtin_tools.search_index.documents import KEYS, document, number_key
from paperagents.builtin_tools.search_index.index_store import IndexStore, OpenIndex, Written
from paperagents.builtin_tools.search_index.manifest import NEVER, Difference, HeldFolder
from paperagents.builtin_tools.search_index.note_reading import is_settled, read_note
from paperagents.builtin_tools.vault_files import VaultFolder

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
