"""Which files an index holds, as they were when it was made: quick to read, and never believed when in doubt."""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
import zlib
from array import array
from collections.abc import Callable, Iterator

from paperagents.files.listing import STAMP_BYTES, FolderListing, ListedFile
from paperagents.values import dataclass

_FORMAT = 3
_LENGTHS = struct.Struct("<III")
UNSETTLED = bytes(STAMP_BYTES)
"""The stamp of a file that may have changed while it was read: no file has it, so it is looked at again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexedFolder:
    """The files of one folder that the index holds: names, stamps, and the numbers they have in the index."""

    names: str
    stamps: bytes
    numbers: bytes

    def files(self) -> Iterator[tuple[str, bytes, int]]:
        """Each file's name, stamp and number."""
        names = self.names.split("\0") if self.numbers else []
        for place, (name, number) in enumerate(zip(names, array("q", self.numbers), strict=True)):
            yield name, self.stamps[place * STAMP_BYTES : (place + 1) * STAMP_BYTES], number

    def equals(self, listing: FolderListing) -> bool:
        """Whether the folder is as the index knows it."""
        return self.stamps == listing.stamps and self.names == "\0".join(listing.names)


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What a folder has that the index has not, and what the index has that is no longer so."""

    pending: tuple[ListedFile, ...] = ()
    outdated: tuple[int, ...] = ()


FolderChange = tuple[str, FolderListing | None, Difference]
"""A folder's path, what it holds now, and how that differs from the index."""
Progress = Callable[[int, int], None]
"""Gets how many files have been read, and how many there are to read."""


class SearchIndexError(Exception):
    """The index is damaged. Nobody outside of the search meets this: the index is made anew."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """Everything an index holds."""

    place: str
    """The folder of the index, beside the manifest."""
    next_number: int
    files_of_index: dict[str, list[int]]
    """The index's own files; one that was changed by somebody else is not trusted."""
    folders: dict[str, IndexedFolder]

    def difference(self, folder: str, listing: FolderListing | None) -> Difference | None:
        """How a folder differs from what the index holds of it; None where it does not."""
        held = self.folders.get(folder)
        if held is None:
            return Difference(pending=tuple(listing.files())) if listing is not None and listing.names else None
        if listing is not None and held.equals(listing):
            return None
        current = {} if listing is None else {name: place for place, name in enumerate(listing.names)}
        kept, outdated = set[str](), list[int]()
        for name, stamp, number in held.files():
            if listing is not None and name in current and listing.stamp_of(current[name]) == stamp:
                kept.add(name)
            else:
                outdated.append(number)
        pending = [listing.file(place) for name, place in current.items() if name not in kept] if listing else []
        return Difference(pending=tuple(pending), outdated=tuple(outdated)) if pending or outdated else None

    def number_of(self, path: str) -> int | None:
        """The number a file has in the index."""
        folder, _, wanted = path.rpartition("/")
        held = self.folders.get(folder)
        return next((number for name, _, number in held.files() if name == wanted), None) if held else None

    def to_bytes(self, engine: str) -> bytes:
        """The manifest as bytes, with a sum over all of them at the end."""
        header = {
            **collect_versions(engine),
            "place": self.place,
            "next": self.next_number,
            "files": self.files_of_index,
        }
        pieces = [json.dumps(header).encode(), b"\n"]
        for folder, held in self.folders.items():
            texts = folder.encode(), held.names.encode()
            lengths = _LENGTHS.pack(len(texts[0]), len(texts[1]), len(held.numbers))
            pieces += [lengths, *texts, held.stamps, held.numbers]
        content = b"".join(pieces)
        return content + zlib.crc32(content).to_bytes(4, "little")


def read_manifest(stored: bytes, engine: str) -> Manifest:
    """The manifest in these bytes. ValueError for one that is damaged or was made by another version."""
    # Nothing is copied that need not be: this is read before every search of a new process.
    end = len(stored) - 4
    if zlib.crc32(memoryview(stored)[:end]).to_bytes(4, "little") != stored[end:]:
        raise ValueError("damaged")
    line_end = stored.index(b"\n")
    header = json.loads(stored[:line_end])
    versions = collect_versions(engine)
    if {name: header.get(name) for name in versions} != versions:
        raise ValueError("another version")
    return Manifest(
        place=header["place"],
        next_number=header["next"],
        files_of_index=header["files"],
        folders=dict(read_folders(stored, line_end + 1, end)),
    )


def read_folders(stored: bytes, position: int, end: int) -> Iterator[tuple[str, IndexedFolder]]:
    """Each folder in the bytes of a manifest, by its path."""
    while position < end:
        sizes = _LENGTHS.unpack_from(stored, position)
        position += _LENGTHS.size
        pieces = list[bytes]()
        for length in (sizes[0], sizes[1], sizes[2] // 8 * STAMP_BYTES, sizes[2]):
            pieces.append(stored[position : position + length])
            position += length
        folder, names, stamps, numbers = pieces
        yield folder.decode(), IndexedFolder(names=names.decode(), stamps=stamps, numbers=numbers)


def collect_versions(engine: str) -> dict[str, object]:
    """What an index depends on: another Unicode folds texts in another way."""
    return {"format": _FORMAT, "unicode": unicodedata.unidata_version, "order": sys.byteorder, "engine": engine}
