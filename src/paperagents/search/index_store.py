"""The index on the disk, in ``.paper/index/``.

    manifest          which files the index holds, and in which folder it is
    notes-…/          the index itself and its vocabulary
    writing.lock      held by the one process that brings the index up to date
    switch.lock       held for as long as the index and its manifest are not of one piece

Everything here can be deleted at any time. What does not fit together, because a program was killed or somebody
else wrote here, is not used and made anew.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import re
import secrets
import shutil
import stat
import struct
import sys
import time
import unicodedata
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tantivy

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import STAMP_BYTES, FolderListing, ListedFile
from paperagents.files.state_files import require_no_links
from paperagents.messages import text
from paperagents.search.documents import (
    KEYS,
    Vocabulary,
    make_document,
    make_number_key,
    register_tokenizers,
    schema,
)
from paperagents.search.notes import is_settled, read_note

ENGINE = str(vars(tantivy)["__version__"])  # not in the library's own description
_LOGGER = logging.getLogger("paper")
_PLACE = re.compile(r"notes-[0-9a-f]{16}")
_VOCABULARY = "vocabulary"
_MEMORY = 512_000_000
_SMALL_MEMORY = 20_000_000
_MOST_THREADS = 4
_LARGEST_MANIFEST = 1_000_000_000
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_FEW = 2_000
"""So many notes are written by one thread: starting more takes longer than they save."""


@dataclass(frozen=True, kw_only=True)
class OpenIndex:
    """An index as it was at one moment; what others do to it later does not show."""

    manifest: Manifest
    index: tantivy.Index
    searcher: tantivy.Searcher
    vocabulary: Vocabulary


class IndexStore:
    """The folder of an index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> OpenIndex | None:
        """The index, or None where there is none that can be used."""
        try:
            require_no_links(self._folder, self._folder.parent)
            with _lock(self._folder / "switch.lock", fcntl.LOCK_SH):
                content = self._read_manifest()
                with translate_engine_errors():
                    return self._open(read_manifest(content, ENGINE))
        except SearchIndexError:
            self.discard()
        except OSError:
            pass  # there is none, or none for us
        return None

    def discard(self) -> None:
        """Forget an index that cannot be used, and say so."""
        _LOGGER.warning("%s", text("search-index-anew"))
        with contextlib.suppress(OSError):
            (self._folder / "manifest").unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock_for_writing(self) -> Iterator[bool]:
        """Whether this process is the one that may write, as long as the block runs."""
        require_no_links(self._folder, self._folder.parent)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _lock(self._folder / "writing.lock", fcntl.LOCK_EX | fcntl.LOCK_NB) as is_ours:
            yield is_ours

    def update(
        self, folder: VaultFolder, opened: OpenIndex | None, changes: Sequence[FolderChange], progress: Progress | None
    ) -> None:
        """Bring an index up to date, or make a new one in a new place."""
        total = sum(len(difference.pending) for *_, difference in changes)
        with translate_engine_errors():
            place = opened.manifest.place if opened else self._make_place()
            self._remove_all_but(place)
            index = tantivy.Index(schema(), path=str(self._folder / place))
            register_tokenizers(index)
            is_small = total <= _FEW
            threads = 1 if is_small else min(os.cpu_count() or 1, _MOST_THREADS)
            update = _Update(
                folder=folder,
                writer=index.writer(_SMALL_MEMORY if is_small else _MEMORY, threads),
                number=opened.manifest.next_number if opened else 0,
                total=total,
                progress=progress,
                folders=dict(opened.manifest.folders) if opened else {},
            )
            for name, listing, difference in changes:
                update.put(name, listing, difference)
            self._switch_to(place, index, update)

    def _make_place(self) -> str:
        place = f"notes-{secrets.token_hex(8)}"
        (self._folder / place).mkdir(mode=0o700)
        return place

    def _switch_to(self, name: str, index: tantivy.Index, update: _Update) -> None:
        """Let what was written be the index from now on."""
        with _lock(self._folder / "switch.lock", fcntl.LOCK_EX):
            update.writer.commit()
            update.writer.wait_merging_threads()
            index.reload()
            words = index.searcher().terms_with_prefix("text", "")
            place = self._folder / name
            (place / _VOCABULARY).write_bytes(Vocabulary.from_words(word for word, _ in words).content)
            manifest = Manifest(
                place=name, next_number=update.number, files_of_index=_stamp_files(place), folders=update.folders
            )
            self._replace_manifest(manifest.to_bytes(ENGINE))

    def _open(self, manifest: Manifest) -> OpenIndex:
        place = self._folder / manifest.place
        if not _PLACE.fullmatch(manifest.place) or _stamp_files(place) != manifest.files_of_index:
            raise SearchIndexError
        index = tantivy.Index.open(str(place))
        register_tokenizers(index)
        # What was opened stays as it is; nobody needs to watch the disk for a newer one.
        index.config_reader("manual")
        vocabulary = Vocabulary((place / _VOCABULARY).read_bytes())
        return OpenIndex(manifest=manifest, index=index, searcher=index.searcher(), vocabulary=vocabulary)

    def _read_manifest(self) -> bytes:
        with open(_open_regular(self._folder / "manifest", _READ), "rb") as file:
            return file.read(_LARGEST_MANIFEST)

    def _replace_manifest(self, content: bytes) -> None:
        draft = self._folder / "manifest.new"
        draft.unlink(missing_ok=True)
        with open(os.open(draft, _NEW, 0o600), "wb") as file:  # noqa: PTH123  by descriptor
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._folder / "manifest")

    def _remove_all_but(self, place: str) -> None:
        """Remove what builders left that were killed, and the index before this one unless it is still in use."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            in_use = read_manifest(self._read_manifest(), ENGINE).place
            for each in self._folder.iterdir():
                if _PLACE.fullmatch(each.name) and each.name not in (place, in_use):
                    shutil.rmtree(each, ignore_errors=True)


def _stamp_files(place: Path) -> dict[str, list[int]]:
    """The index's files with size, time and number; locks come and go."""
    with os.scandir(place) as entries:
        found = {entry.name: entry.stat(follow_symlinks=False) for entry in entries if not entry.name.endswith(".lock")}
    return {name: [status.st_size, status.st_mtime_ns, status.st_ino] for name, status in sorted(found.items())}


@contextlib.contextmanager
def _lock(file: Path, kind: int) -> Iterator[bool]:
    """Whether the lock was given; it ends with the block, or with the process."""
    try:
        descriptor = _open_regular(file, _READ | os.O_CREAT)
    except OSError:
        # In a vault that may only be read, the lock is there already or nobody ever wrote.
        descriptor = _open_regular(file, _READ)
    try:
        try:
            fcntl.flock(descriptor, kind)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def _open_regular(file: Path, flags: int) -> int:
    """A file that is one: no link is followed, and no pipe is waited for."""
    descriptor = os.open(file, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(file))
    return descriptor


@contextlib.contextmanager
def translate_engine_errors() -> Iterator[None]:
    """Raise SearchIndexError for the engine's errors, and for its panics, which are no ordinary exceptions."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise SearchIndexError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SearchIndexError(str(error)) from error


@dataclass(kw_only=True)
class _Update:
    """One update: what it reads from, what it writes to, and how far it is."""

    folder: VaultFolder
    writer: tantivy.IndexWriter
    number: int
    total: int
    progress: Progress | None
    done: int = 0
    folders: dict[str, IndexedFolder] = field(default_factory=dict)

    def put(self, name: str, listing: FolderListing | None, difference: Difference) -> None:
        """Put one folder's changes into the index."""
        for outdated in difference.outdated:
            self.writer.delete_documents_by_term(KEYS, make_number_key(outdated))
        held = self.folders.pop(name, None)
        if listing is None:
            return
        known = {known_name: (stamp, number) for known_name, stamp, number in held.files()} if held else {}
        known |= {file.name: self.add(file) for file in difference.pending}
        entries = [known[each] for each in listing.names]
        self.folders[name] = IndexedFolder(
            names="\0".join(listing.names),
            stamps=b"".join(stamp for stamp, _ in entries),
            numbers=array("q", [number for _, number in entries]).tobytes(),
        )

    def add(self, file: ListedFile) -> tuple[bytes, int]:
        """Read a file and put it into the index; its stamp and number."""
        read_at = time.time_ns()
        self.number += 1
        self.writer.add_document(make_document(self.number, file, read_note(self.folder, file)))
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)
        return (file.stamp if is_settled(file, read_at) else UNSETTLED), self.number


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
