"""Searching the vault's notes: the one function behind the tool, the command, and whatever else searches.

What a query means is said in ``matching``. Here notes are gathered: from the index, and by reading the files
that have changed since it was made.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.listing import ListedFile, PendingFile, list_pending
from paperagents.files.reading import format_time
from paperagents.files.safe_open import join_path, split_path
from paperagents.search.index import NoteIndex, View
from paperagents.search.manifest import Progress, SearchIndexError
from paperagents.search.matching import Found, Order, make_snippet, matches, matches_by_path, rank_note
from paperagents.search.notes import Note, read_note, read_note_text
from paperagents.search.query import Query, parse_query
from paperagents.values import dataclass

DEFAULT_LIMIT = 100


def search_files(  # noqa: PLR0913  what the tool takes, and what its callers need
    folder: VaultFolder,
    query: str,
    path: str = "/",
    limit: int = DEFAULT_LIMIT,
    sort: str = "relevance",
    *,
    seconds: float = 30.0,
    progress: Progress | None = None,
) -> JsonObject:
    """The notes that match, best ones first; ``count`` is the number of all, ``truncated`` whether some are left out.

    ``progress`` is told about files read and files to be read when many are put into the index first.
    """
    parsed = parse_query(query)
    below = find_folder(folder, path)
    search = _Search(folder=folder, query=parsed, below=below, seconds=seconds)
    found, count = search.find(Order(sort), limit, progress)
    return _answer([describe(parsed, folder, each) for each in found], count)


def scan_files(
    folder: VaultFolder, query: str, path: str = "/", limit: int = DEFAULT_LIMIT, sort: str = "relevance"
) -> JsonObject:
    """The same without an index: every file is read. Slow, and the measure for ``search_files``."""
    parsed = parse_query(query)
    notes = ((file, read_note(folder, file)) for file in folder.list_files(path))
    found = [
        Found(level=rank_note(parsed, note), file=file, tags=note.tags) for file, note in notes if matches(parsed, note)
    ]
    first = Order(sort).first(found, limit)
    return _answer([describe(parsed, folder, each) for each in first], len(found))


def _answer(results: list[JsonValue], count: int) -> JsonObject:
    return {"results": results, "count": count, "truncated": count > len(results)}


@dataclass(frozen=True, kw_only=True)
class _Search:
    """One search, which must end in time."""

    folder: VaultFolder
    query: Query
    below: str
    seconds: float

    @property
    def index(self) -> NoteIndex:
        """What finds notes without reading all of them."""
        return self.folder.resource(NoteIndex)

    @cached_property
    def pending(self) -> Mapping[str, PendingFile]:
        """The files that the run who searches has changed, and nobody else sees."""
        return self.folder.pending_files

    @cached_property
    def until(self) -> float:
        """When it must have ended; the index may be made before."""
        return time.monotonic() + self.seconds

    def find(self, order: Order, limit: int, progress: Progress | None) -> tuple[list[Found], int]:
        """The first notes, and how many there are."""
        view = self.index.view(progress)
        changed = [file for file in view.pending if file.path not in self.pending]
        to_read = (*list_pending(self.pending), *changed)
        read = [found for file in to_read if self.is_below(file) and (found := self.match(file))]
        try:
            first, count = self.find_in_index(view, order, limit)
        except SearchIndexError:
            # It is made anew, or everything is read: either way the next answer does not come from it.
            self.index.discard()
            return self.find(order, limit, progress)
        return order.first([*first, *read], limit), count + len(read)

    def find_in_index(self, view: View, order: Order, limit: int) -> tuple[list[Found], int]:
        """The same of the notes that the index knows as they are."""
        if view.opened is None:
            return [], 0
        from paperagents.search.index_query import IndexSearch  # noqa: PLC0415  loads the engine

        numbers = map(view.opened.manifest.number_of, self.pending)
        left_out = (*view.outdated, *(number for number in numbers if number is not None))
        search = IndexSearch(
            opened=view.opened, query=self.query, folder=self.below, left_out=left_out, match=self.match
        )
        return search.find(order, limit)

    def is_below(self, file: ListedFile) -> bool:
        """Whether a file is in the folder that is searched."""
        return not self.below or file.path.startswith(f"{self.below}/")

    def match(self, file: ListedFile) -> Found | None:
        """The file, where it is one that is asked for."""
        if time.monotonic() > self.until:
            raise ToolError("search-timeout", seconds=f"{self.seconds:g}")
        if matches_by_path(self.query, file.path) is False:
            return None
        note = read_note(self.folder, file) if file.path in self.pending else self.index.read(file)
        return (
            Found(level=rank_note(self.query, note), file=file, tags=note.tags) if matches(self.query, note) else None
        )


def find_folder(folder: VaultFolder, path: str) -> str:
    """The folder to search in; one that is pending is there already."""
    try:
        return join_path(folder.resolve_folder(path))
    except ToolError:
        below = join_path(split_path(path))
        if any(file.path.startswith(f"{below}/") for file in list_pending(folder.pending_files)):
            return below
        raise


def describe(query: Query, folder: VaultFolder, found: Found) -> JsonValue:
    """A note that was found, as ``search_files`` answers."""
    text = read_note_text(folder, found.file)
    return {
        "name": found.file.name,
        "path": found.path,
        "size": found.file.size,
        "modified": format_time(found.file.modified_ns),
        "tags": list(found.tags),
        "snippet": make_snippet(query, Note(path=found.path, text=text or "")),
    }
