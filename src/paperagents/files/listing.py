"""What a folder of the vault holds, and the paths that come closest to one that is missing."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Mapping
from itertools import islice

from paperagents.definitions.text import has_surrogates
from paperagents.files.safe_open import join_path
from paperagents.files.writing import DRAFT_PREFIX, remove_abandoned_draft
from paperagents.values import dataclass

STAMP_BYTES = 32


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedFile:
    """A file of the vault as the folder shows it. A file that was changed has another stamp."""

    path: str
    size: int
    modified_ns: int
    stamp: bytes = b""

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, kw_only=True, slots=True)
class FolderListing:
    """One folder: its files' names, their stamps one after the other, and the folders in it.

    A stamp is size, time of the last change, time of the last change of anything about the file, and the file's
    number in the file system. A tool can set the first time back, but not the second. Stamps are kept as plain bytes
    because a hundred thousand of them are to be compared before a search may answer.
    """

    folder: tuple[str, ...]
    names: tuple[str, ...] = ()
    stamps: bytes = b""
    folders: tuple[str, ...] = ()

    def stamp_of(self, place: int) -> bytes:
        """The stamp of the file with this place in ``names``."""
        return self.stamps[place * STAMP_BYTES : (place + 1) * STAMP_BYTES]

    def file(self, place: int) -> ListedFile:
        """The file with this place in ``names``."""
        stamp = self.stamp_of(place)
        size, modified, *_ = array("q", stamp)
        path = join_path((*self.folder, self.names[place]))
        return ListedFile(path=path, size=size, modified_ns=modified, stamp=stamp)

    def files(self) -> list[ListedFile]:
        """All files, in the order of their names."""
        numbers = array("q", self.stamps)
        above = join_path((*self.folder, ""))
        found = zip(self.names, numbers[::4], numbers[1::4], map(self.stamp_of, range(len(self.names))), strict=True)
        return [
            ListedFile(path=above + name, size=size, modified_ns=modified, stamp=stamp)
            for name, size, modified, stamp in sorted(found)
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingFile:
    """A file that one run has changed and nobody else sees; without a text it would not be there."""

    text: str | None
    modified_ns: int
    size: int


def list_pending(files: Mapping[str, PendingFile]) -> list[ListedFile]:
    """The pending files that a listing shows: those that would be there and are not hidden."""
    return [
        ListedFile(path=path, size=each.size, modified_ns=each.modified_ns)
        for path, each in files.items()
        if each.text is not None and not any(name.startswith(".") for name in path.split("/"))
    ]


def list_open_folder(descriptor: int, folder: tuple[str, ...]) -> FolderListing:
    """What an open folder holds that is not hidden; drafts of writers that were killed are removed on the way."""
    names, numbers, folders = list[str](), list[int](), list[str]()
    with os.scandir(descriptor) as entries:
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                if name.startswith(DRAFT_PREFIX):
                    remove_abandoned_draft(descriptor, name)
            elif has_surrogates(name):
                continue
            elif entry.is_file(follow_symlinks=False):
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # it has gone in the meantime
                names.append(name)
                numbers += (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
    return FolderListing(folder=folder, names=tuple(names), stamps=pack_stamps(numbers), folders=tuple(folders))


def pack_stamps(numbers: list[int]) -> bytes:
    """The numbers of all stamps as bytes."""
    try:
        return array("q", numbers).tobytes()
    except OverflowError:
        # Some file systems give their files numbers that use the last bit, too.
        return array("q", [each if each < 2**63 else each - 2**64 for each in numbers]).tobytes()


# --- the paths of the vault that come closest to one that is not there


_MOST_COMPARED = 5000
_LONGEST_COMPARED = 300
_MOST_ANSWERS = 3


def closest_paths(wanted: str, files: Iterable[ListedFile], *, folders: bool = False) -> list[str]:
    """At most three: first those of the same name elsewhere, then those that are spelt alike.

    Comparing spellings is slow, so a large vault is only compared in part.
    """
    wanted = wanted[:_LONGEST_COMPARED]
    paths = parent_folders(files) if folders else [file.path for file in files]
    same_name = [path for path in paths if note_name(path) == note_name(wanted)]
    compared = {path.casefold(): path for path in islice(paths, _MOST_COMPARED)}
    from difflib import get_close_matches  # noqa: PLC0415  only needed once something is wrong

    alike = get_close_matches(wanted.casefold(), compared, n=_MOST_ANSWERS, cutoff=0.6)
    found = dict.fromkeys([*same_name[:_MOST_ANSWERS], *(compared[path] for path in alike)])
    return list(found)[:_MOST_ANSWERS]


def note_name(path: str) -> str:
    """The last segment without case and ending: what people and models remember of a note."""
    return path.rpartition("/")[2].casefold().removesuffix(".md")


def parent_folders(files: Iterable[ListedFile]) -> list[str]:
    """All folders above these files."""
    found: dict[str, None] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        while folder and folder not in found:
            found[folder] = None
            folder = folder.rpartition("/")[0]
    return list(found)
