"""Changing many files together: all of them, or none.

Every new text goes into a draft beside its file and is flushed to the disk before the first file is touched. Then each
draft takes the name of its file in one step, in the order of ``in_order``, and the deletions come last. Whoever does
this has journaled the changes before, before and after: so a kill in between can be completed, or taken back. After a
kill whatever comes before a changed file in that order has been changed, too.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress

from paperagents.definitions.change import Change
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import FileChangedError, StorageError, ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.reading import ABSENT, OpenedFile, closing, hash_content
from paperagents.files.safe_open import join_path, split_writable_path
from paperagents.files.writing import (
    NEW_FILE,
    ChangedMeanwhileError,
    FileWrite,
    encode_text,
    fill_draft,
    flush_folder,
    lock_name,
    open_draft,
    read_existing,
    read_mode,
    remove_abandoned_draft,
    require_conditions,
    require_replaceable,
    require_unchanged,
    take_name,
)
from paperagents.values import dataclass

PREFIX = ".paper-together-"
"""Other than that of a single draft: nobody removes these as abandoned, they are found again by their names."""


def commit_changes(folder: VaultFolder, changes: Iterable[Change], name: str) -> None:
    """Make all changes of files. ``name`` is that of the commit: the same again after a kill, and nobody else's.

    Raises FileChangedError where a file is not what the changes were made from, ToolError where one cannot be
    written: then none is changed. StorageError where a part is, and could not be taken back.
    """
    commit = _Commit(folder, name)
    made: list[_Prepared] = []
    try:
        prepared = [commit.prepare(each) for each in in_order(changes)]
        for each in prepared:
            commit.make(each)
            made.append(each)
        commit.flush()
    except BaseException:
        take_back(folder, [each.change for each in made])
        commit.clean_up()
        raise


def complete_changes(folder: VaultFolder, changes: Iterable[Change], name: str) -> bool:
    """Make what a killed commit has not made yet. False, and all is taken back, where that is not possible.

    That is where somebody has changed a file, or the disk is full. Raises StorageError where it cannot be taken back.

    A file that is neither as before nor as after is one that was made and edited since, where a later one is made.
    """
    ordered = in_order(changes)
    now = [folder.digest(each.path) for each in ordered]
    made = [each for each, digest in zip(ordered, now, strict=True) if digest == digest_text(each.after)]
    left = [each for each, digest in zip(ordered, now, strict=True) if digest == digest_text(each.before)]
    behind = ordered[ordered.index(made[-1]) + 1 :] if made else ordered
    is_possible = {each.path for each in behind} <= {each.path for each in left}
    if is_possible:
        try:
            commit_changes(folder, left, name)
        except ToolError:
            is_possible = False
    # First: taking back may need the room that they take.
    remove_drafts(folder, ordered, name)
    if not is_possible:
        take_back(folder, made)
    return is_possible


def in_order(changes: Iterable[Change]) -> list[Change]:
    """By their paths, deletions last: what is moved is there twice for a moment, and never nowhere."""
    return sorted(changes, key=lambda each: (each.after is None, each.path))


def digest_text(text: str | None) -> str:
    """The digest of a file with this text; ``absent`` for none."""
    return ABSENT if text is None else hash_content(lossless_bytes(text))


def take_back(folder: VaultFolder, made: Sequence[Change]) -> None:
    """Bring files back to what they were before, the last one first; one that somebody has edited since is left.

    Raises StorageError where one cannot be: a part is made then, and the next start completes it.
    """
    failures: list[ToolError] = []
    for each in reversed(made):
        try:
            if each.before is None:
                delete_file(folder, each.path, digest_text(each.after))
            else:
                expected = digest_text(each.after)
                folder.write_text(each.path, each.before, overwrite=True, expected_digest=expected)
        except FileChangedError:
            pass
        except ToolError as error:
            failures.append(error)
    if failures:
        raise StorageError("changes-unfinished", reason=failures[0].message) from failures[0]


def delete_file(folder: VaultFolder, path: str, expected_digest: str) -> None:
    """Delete the file with this digest. Raises FileChangedError where it is another one by now."""
    if folder.digest(path) != expected_digest:
        raise FileChangedError(path=path)
    commit = _Commit(folder, "")
    commit.make(commit.prepare(Change(path=path, before=folder.read_text(path).content, after=None)))
    commit.flush()


def remove_drafts(folder: VaultFolder, changes: Iterable[Change], name: str) -> None:
    """Remove what a killed commit has left beside the files."""
    for each in changes:
        # Nothing is made on the way: where there is no folder, there is no draft.
        with suppress(ToolError, OSError):
            folder.resolve_folder(each.path.rpartition("/")[0])
            with folder.open_parent(each.path) as (parent, file):
                remove_abandoned_draft(parent, lock_name(file))
                os.unlink(draft_name(file, name), dir_fd=parent)


def draft_name(file: str, name: str) -> str:
    """The name of the draft of a file in a commit."""
    return PREFIX + hashlib.sha256(os.fsencode(f"{name}\0{file}")).hexdigest()[:32]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Prepared:
    """A change whose new text stands in a draft."""

    change: Change
    write: FileWrite
    existing: OpenedFile | None
    """The file that is replaced, without its content."""


class _Commit:
    def __init__(self, folder: VaultFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self._drafts: list[str] = []
        self._made_folders: list[str] = []
        self._touched: dict[str, str] = {}
        """Of each folder that something was renamed in, one path."""

    def prepare(self, change: Change) -> _Prepared:
        """Look whether a file is what the change was made from, and write its new text beside it."""
        write = FileWrite(
            path=change.path,
            added=encode_text(change.after or "", change.path, self._folder.largest_file),
            overwrite=True,
            append=False,
            expected_digest=digest_text(change.before),
            largest_file=self._folder.largest_file,
        )
        if change.before is None:
            self._note_missing_folders(change.path)
        with self._folder.open_parent(change.path) as (parent, name):
            require_replaceable(write, read_mode(parent, name))
            existing = read_existing(write, parent, name)
            require_conditions(write, existing)
            if change.after is not None:
                self._drafts.append(change.path)
                self._write_draft(parent, draft_name(name, self._name), write, existing)
        return _Prepared(change=change, write=write, existing=existing and OpenedFile(b"", existing.status))

    def make(self, prepared: _Prepared) -> None:
        """The one step in which one file changes."""
        write = prepared.write
        self._touched[write.path.rpartition("/")[0]] = write.path
        # The ordinary draft is the lock: no other writer of ours is at work on the file.
        with self._folder.open_parent(write.path) as (parent, name), open_draft(write, parent, name):
            try:
                if prepared.change.after is not None:
                    take_name(write, parent, draft_name(name, self._name), name, prepared.existing)
                else:
                    require_unchanged(write, parent, name, prepared.existing)
                    os.unlink(name, dir_fd=parent)
            except ChangedMeanwhileError:
                raise FileChangedError(path=write.path) from None

    def flush(self) -> None:
        """Make it outlive the loss of power."""
        for path in self._touched.values():
            with self._folder.open_parent(path) as (parent, _):
                flush_folder(parent)

    def clean_up(self) -> None:
        """Remove the drafts, and the folders that were made for them."""
        for path in self._drafts:
            with suppress(ToolError, OSError), self._folder.open_parent(path) as (parent, name):
                os.unlink(draft_name(name, self._name), dir_fd=parent)
        for path in reversed(self._made_folders):
            with suppress(ToolError, OSError), self._folder.open_parent(path) as (parent, name):
                os.rmdir(name, dir_fd=parent)

    def _write_draft(self, parent: int, name: str, write: FileWrite, existing: OpenedFile | None) -> None:
        # One that a killed commit has left.
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=parent)
        mode = stat.S_IMODE(existing.status.st_mode) & 0o777 if existing is not None else 0o666
        with closing(os.open(name, NEW_FILE, mode, dir_fd=parent)) as draft:
            fill_draft(draft, write.added, existing)

    def _note_missing_folders(self, path: str) -> None:
        segments = split_writable_path(path)
        for depth in range(1, len(segments)):
            folder = join_path(segments[:depth])
            if folder not in self._made_folders and not self._folder.has_folder(folder):
                self._made_folders.append(folder)
