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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tantivy

from paperagents.files.state_files import require_no_links
from paperagents.messages import text
from paperagents.search.documents import Vocabulary, add_analysers, schema
from paperagents.search.manifest import HeldFolder, Manifest, read_manifest

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


@dataclass(frozen=True, kw_only=True)
class Written:
    """What a writer has put into the index in a place."""

    place: str
    folders: dict[str, HeldFolder]
    next_number: int


class IndexStore:
    """The folder of an index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open(self) -> OpenIndex | None:
        """The index, or None where there is none that can be used."""
        try:
            require_no_links(self._folder, self._folder.parent)
            with self._switch(fcntl.LOCK_SH):
                content = self._stored_manifest()
                with told_as_damage():
                    return self._opened(read_manifest(content))
        except SearchIndexError:
            self.give_up()
        except OSError:
            pass  # there is none, or none for us
        return None

    def give_up(self) -> None:
        """Forget an index that cannot be used, and say so."""
        _LOGGER.warning("%s", text("search-index-anew"))
        with contextlib.suppress(OSError):
            (self._folder / "manifest").unlink(missing_ok=True)

    @contextlib.contextmanager
    def writing(self) -> Iterator[bool]:
        """Whether this process is the one that may write, as long as the block runs."""
        require_no_links(self._folder, self._folder.parent)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(self._folder / "writing.lock", fcntl.LOCK_EX | fcntl.LOCK_NB) as mine:
            yield mine

    def writer(self, place: str | None, notes: int) -> tuple[str, tantivy.Index, tantivy.IndexWriter]:
        """What writes so many notes to the index in this place; without one, to an empty index in a new place."""
        if place is None:
            place = f"notes-{secrets.token_hex(8)}"
            (self._folder / place).mkdir(mode=0o700)
        self._remove_all_but(place)
        index = tantivy.Index(schema(), path=str(self._folder / place))
        add_analysers(index)
        threads = 1 if notes <= _FEW else min(os.cpu_count() or 1, _MOST_THREADS)
        memory = _SMALL_MEMORY if notes <= _FEW else _MEMORY
        return place, index, index.writer(memory, threads)

    def switch(self, written: Written, index: tantivy.Index, writer: tantivy.IndexWriter) -> None:
        """Let what was written be the index from now on."""
        with self._switch(fcntl.LOCK_EX):
            writer.commit()
            writer.wait_merging_threads()
            index.reload()
            words = index.searcher().terms_with_prefix("text", "")
            place = self._folder / written.place
            (place / _VOCABULARY).write_bytes(Vocabulary.of(word for word, _ in words).stored())
            manifest = Manifest(
                place=written.place,
                next_number=written.next_number,
                files_of_index=_files_of(place),
                folders=written.folders,
            )
            self._replace_manifest(manifest.stored())

    def _opened(self, manifest: Manifest) -> OpenIndex:
        place = self._folder / manifest.place
        if not _PLACE.fullmatch(manifest.place) or _files_of(place) != manifest.files_of_index:
            raise SearchIndexError
        index = tantivy.Index.open(str(place))
        add_analysers(index)
        # What was opened stays as it is; nobody needs to watch the disk for a newer one.
        index.config_reader("manual")
        vocabulary = Vocabulary((place / _VOCABULARY).read_bytes())
        return OpenIndex(manifest=manifest, index=index, searcher=index.searcher(), vocabulary=vocabulary)

    def _switch(self, kind: int) -> contextlib.AbstractContextManager[bool]:
        return _locked(self._folder / "switch.lock", kind)

    def _stored_manifest(self) -> bytes:
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
            in_use = read_manifest(self._stored_manifest()).place
            for each in self._folder.iterdir():
                if _PLACE.fullmatch(each.name) and each.name not in (place, in_use):
                    shutil.rmtree(each, ignore_errors=True)


def _files_of(place: Path) -> dict[str, list[int]]:
    """The index's files with size, time and number; locks come and go."""
    with os.scandir(place) as entries:
        found = {entry.name: entry.stat(follow_symlinks=False) for entry in entries if not entry.name.endswith(".lock")}
    return {name: [status.st_size, status.st_mtime_ns, status.st_ino] for name, status in sorted(found.items())}


@contextlib.contextmanager
def _locked(file: Path, kind: int) -> Iterator[bool]:
    """Whether the lock was given; it ends with the block, or with the process."""
    descriptor = _open_lock(file)
    try:
        try:
            fcntl.flock(descriptor, kind)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def _open_lock(file: Path) -> int:
    try:
        return _open_regular(file, _READ | os.O_CREAT)
    except OSError:
        # In a vault that may only be read, the lock is there already or nobody ever wrote.
        return _open_regular(file, _READ)


def _open_regular(file: Path, flags: int) -> int:
    """A file that is one: no link is followed, and no pipe is waited for."""
    descriptor = os.open(file, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(file))
    return descriptor


# --- an index that does not hold what it should


class SearchIndexError(Exception):
    """The index is damaged. Nobody outside of the search meets this: the index is made anew."""


@contextlib.contextmanager
def told_as_damage() -> Iterator[None]:
    """The engine's errors, and its panics, which are no ordinary exceptions."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise SearchIndexError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SearchIndexError(str(error)) from error
