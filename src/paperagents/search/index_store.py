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
import logging
import os
import re
import secrets
import shutil
import stat
import time
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path

import tantivy

from paperagents.files.folder import VaultFolder
from paperagents.files.listing import FolderListing, ListedFile
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
from paperagents.search.manifest import (
    UNSETTLED,
    Difference,
    FolderChange,
    IndexedFolder,
    Manifest,
    Progress,
    SearchIndexError,
    read_manifest,
)
from paperagents.search.notes import is_settled, read_note
from paperagents.values import dataclass

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
        """Forget an index that cannot be used: damaged, of another version, or copied together with its vault."""
        # Nobody has lost anything, so nobody is alarmed.
        _LOGGER.info("%s", text("search-index-anew"))
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
