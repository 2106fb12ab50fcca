"""Listing the vault's files, one folder at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from paperagents.builtin_tools.file_reading import closing
from paperagents.builtin_tools.file_writing import DRAFT_PREFIX, remove_abandoned
from paperagents.builtin_tools.vault_paths import shown

OpenFolder = Callable[[tuple[str, ...], int], int]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedFile:
    """A file of the vault as the folder shows it."""

    path: str
    size: int
    modified_ns: int

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]


def list_files(open_folder: OpenFolder, start: tuple[str, ...]) -> Iterator[ListedFile]:
    """All regular files below a folder that are not hidden, folders in the order of their names."""
    waiting = [start]
    while waiting:
        folder = waiting.pop()
        files, folders = _entries(open_folder, folder)
        yield from files
        waiting.extend((*folder, name) for name in sorted(folders, reverse=True))


def _entries(open_folder: OpenFolder, folder: tuple[str, ...]) -> tuple[list[ListedFile], list[str]]:
    """The files and folders of one folder; one that has gone or is closed to us has none."""
    try:
        with closing(open_folder(folder, os.O_RDONLY | os.O_DIRECTORY)) as descriptor:
            return _visible(descriptor, folder)
    except OSError:
        return [], []


def _visible(descriptor: int, folder: tuple[str, ...]) -> tuple[list[ListedFile], list[str]]:
    files, folders = [], []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if entry.name.startswith(DRAFT_PREFIX):
                remove_abandoned(descriptor, entry.name)
            elif entry.name.startswith(".") or not _is_text(entry.name):
                continue
            elif entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            elif entry.is_file(follow_symlinks=False) and (file := _listed(entry, folder)):
                files.append(file)
    return sorted(files, key=lambda file: file.path), folders


def _listed(entry: os.DirEntry[str], folder: tuple[str, ...]) -> ListedFile | None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        return None
    path = shown((*folder, entry.name))
    return ListedFile(path=path, size=status.st_size, modified_ns=status.st_mtime_ns)


def _is_text(name: str) -> bool:
    """Whether a name can be written in an answer; bytes that are no UTF-8 come as lone surrogates."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
