"""The vault's files: read, write and list them without ever leaving the vault.

Reading follows links that stay inside the vault. Writing follows none: where a link stands in a path, its real
place is worked out first, and the place a person approved is the place that is written. Text is UTF-8, byte for
byte: line ends, a byte order mark and NUL characters stay as they are, so writing what was read changes nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, Self, TypeVar, cast

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError
from paperagents.files.listing import FolderListing, ListedFile, PendingFile, closest_paths, list_open_folder
from paperagents.files.reading import (
    ABSENT,
    OpenedFile,
    closing,
    decode_text,
    format_time,
    hash_content,
    read_regular_file,
    translate_os_errors,
)
from paperagents.files.safe_open import (
    LINK_ERRORS,
    join_path,
    open_strictly,
    resolve_links,
    split_file_path,
    split_path,
    split_writable_path,
)
from paperagents.files.writing import FileWrite, encode_text, make_folder, read_mode, write_atomically
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_NEAR_REFERENCE = late_pattern(r"(item)(?:\.[\w-]+)+|[^\W\d][\w-]*\.output(?:\.[\w-]+)*")
"""In the place of a path: what its writer meant as a reference and forgot to put into braces."""
LARGEST_FILE = 16 * 1024 * 1024
_Answer = TypeVar("_Answer")
OnOpen = Callable[[tuple[str, ...], int], None]
"""Gets each folder with its descriptor before it is read."""


class Closable(Protocol):
    """Something that belongs to a folder and is closed with it."""

    def close(self) -> None:
        """Let go of it."""


_Resource = TypeVar("_Resource", bound=Closable)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileContent:
    """A text file as it was read, with the digest of its bytes."""

    path: str
    content: str
    size: int
    modified: str
    digest: str

    def as_json(self) -> JsonObject:
        """What ``read_file`` gives."""
        from paperagents.reading.markdown import read_properties  # noqa: PLC0415  its libraries are slow to load

        return {
            "filePath": self.path,
            "path": self.path,
            "content": self.content,
            "size": self.size,
            "modified": self.modified,
            "frontmatter": read_properties(self.content)[0],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenFile:
    """A finished write: where, how many bytes the file has now, and whether it is new."""

    path: str
    size: int
    created: bool

    def as_json(self) -> JsonObject:
        """What ``write_file`` gives."""
        return {"filePath": self.path, "size": self.size, "created": self.created}


class VaultFolder:
    """The folder of notes, held open: a renamed or swapped path cannot make it another one."""

    def __init__(self, root: str | Path, *, largest_file: int = LARGEST_FILE, by_kernel: bool | None = None) -> None:
        self.root = Path(root).resolve()
        self.largest_file = largest_file
        self._by_kernel = by_kernel
        self._resources: dict[object, Closable] = {}
        try:
            with translate_os_errors(str(root)):
                self._descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ToolError("folder-not-found", path=str(root), case="alone") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder, and of what was made of it."""
        while self._resources:
            self._resources.popitem()[1].close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    # --- reading

    def read_text(self, path: str) -> FileContent:
        """The text of a file; one that is missing, too large or not UTF-8 is an error that says so."""
        found = self.find_text(path)
        if found is None:
            raise self._not_found("file-not-found", split_file_path(path))
        return found

    def find_text(self, path: str) -> FileContent | None:
        """As ``read_text``, but None for a missing file: then the vault is not searched for similar names."""
        segments = split_file_path(path)
        try:
            content, status = self._follow_links(segments, self._read_bytes)
        except FileNotFoundError:
            return None
        return FileContent(
            path=join_path(segments),
            content=decode_text(content, join_path(segments)),
            size=len(content),
            modified=format_time(status.st_mtime_ns),
            digest=hash_content(content),
        )

    def read_bytes(self, path: str, largest: int) -> bytes:
        """The bytes of a file that is no larger than this."""
        segments = split_file_path(path)
        try:
            return self._follow_links(segments, lambda real: self._read_bytes(real, largest)).content
        except FileNotFoundError:
            raise self._not_found("file-not-found", segments) from None

    def digest(self, path: str) -> str:
        """The digest of a file's bytes, or ``"absent"``."""
        try:
            content, _ = self._follow_links(split_file_path(path), self._read_bytes)
        except FileNotFoundError:
            return ABSENT
        return hash_content(content)

    def read_listed(self, file: ListedFile, largest: int) -> str | None:
        """The text of a listed file; None where it is gone, too large, or not text."""
        try:
            content, _ = self._read_bytes(tuple(file.path.split("/")), largest)
            return content.decode("utf-8")
        except (OSError, ToolError, UnicodeDecodeError):
            return None

    @property
    def pending_files(self) -> Mapping[str, PendingFile]:
        """Files that are not written yet but shall be seen, by path."""
        return {}

    # --- writing

    def write_text(
        self,
        path: str,
        content: str,
        *,
        overwrite: bool = False,
        append: bool = False,
        expected_digest: str | None = None,
    ) -> WrittenFile:
        """Write a file completely or not at all; parent folders are made.

        ``expected_digest`` is that of the content the change was agreed on, or ``"absent"``: the write fails
        with ``file-changed`` when the file is another one by now.
        """
        path = join_path(split_writable_path(path))
        write = FileWrite(
            path=path,
            added=encode_text(content, path, self.largest_file),
            overwrite=overwrite,
            append=append,
            expected_digest=expected_digest,
            largest_file=self.largest_file,
        )
        with self.open_parent(path) as (parent, name):
            size, created = write_atomically(write, parent, name)
        return WrittenFile(path=path, size=size, created=created)

    @contextmanager
    def open_parent(self, path: str) -> Iterator[tuple[int, str]]:
        """The folder that a file is written in, made where missing, and the file's name. Raises ToolError."""
        segments = split_writable_path(path)
        try:
            with translate_os_errors(path), self._open_parent(segments) as parent:
                yield parent, segments[-1]
        except FileNotFoundError:
            # The folder was there a moment ago: somebody is moving things.
            raise ToolError("file-busy", path=path, retryable=True) from None

    def resolve_writable_path(self, path: str, content: str) -> str:
        """Where this would really be written. Refuse what could never be, before anybody is asked about it."""
        real = join_path(split_writable_path(join_path(self.resolve(split_writable_path(path)))))
        encode_text(content, real, self.largest_file)
        return real

    # --- listing

    def list_files(self, folder: str = "/") -> Iterator[ListedFile]:
        """All regular files that are not hidden. Links are not followed, their targets are listed anyway."""
        return (file for listing in self.list_folders(self.resolve_folder(folder)) for file in listing.files())

    def list_folders(self, start: tuple[str, ...], on_open: OnOpen | None = None) -> Iterator[FolderListing]:
        """A folder and all below it that are not hidden, in the order of their names."""
        waiting = [start]
        while waiting:
            listing = self.list_folder(waiting.pop(), on_open)
            yield listing
            waiting.extend((*listing.folder, name) for name in sorted(listing.folders, reverse=True))

    def list_folder(self, folder: tuple[str, ...], on_open: OnOpen | None = None) -> FolderListing:
        """The files and folders of one folder; one that has gone or is closed to us has none."""
        try:
            with closing(self._open(folder, _FOLDER)) as descriptor:
                if on_open is not None:
                    on_open(folder, descriptor)
                return list_open_folder(descriptor, folder)
        except OSError:
            return FolderListing(folder=folder)

    def resolve_folder(self, folder: str) -> tuple[str, ...]:
        """Where a folder really is in the vault; one that is missing or no folder is an error that says so."""

        def require_folder(real: tuple[str, ...]) -> tuple[str, ...]:
            os.close(self._open(real, _FOLDER))
            return real

        segments = split_path(folder)
        try:
            return self._follow_links(segments, require_folder)
        except FileNotFoundError:
            raise self._not_found("folder-not-found", segments) from None

    def has_folder(self, folder: str) -> bool:
        """Whether there is such a folder."""
        try:
            os.close(self._open(split_path(folder), _FOLDER))
        except OSError:
            return False
        return True

    def resolve(self, segments: tuple[str, ...]) -> tuple[str, ...]:
        """Where a path with links in it really is in the vault."""
        return resolve_links(self._descriptor, str(self.root), segments)

    def resource(self, make: Callable[[VaultFolder], _Resource]) -> _Resource:
        """What ``make`` makes of this folder: made once, closed with the folder. The search keeps its index so."""
        if make not in self._resources:
            self._resources[make] = make(self)
        return cast("_Resource", self._resources[make])

    def _open(self, segments: tuple[str, ...], flags: int) -> int:
        return open_strictly(self._descriptor, segments, flags, by_kernel=self._by_kernel)

    def _follow_links(self, segments: tuple[str, ...], use: Callable[[tuple[str, ...]], _Answer]) -> _Answer:
        """Use a path; where links stand in it, its real place inside the vault."""
        with translate_os_errors(join_path(segments)):
            try:
                return use(segments)
            except OSError as error:
                if error.errno not in LINK_ERRORS or (real := self.resolve(segments)) == segments:
                    raise
                return use(real)

    def _read_bytes(self, segments: tuple[str, ...], largest: int | None = None) -> OpenedFile:
        limit = self.largest_file if largest is None else largest
        with closing(self._open(segments, os.O_RDONLY)) as descriptor:
            return read_regular_file(descriptor, join_path(segments), limit)

    @contextmanager
    def _open_parent(self, segments: tuple[str, ...]) -> Iterator[int]:
        """The folder a file is to be written in, made where missing; links in the path are refused."""
        try:
            descriptor = self._make_folders(segments[:-1])
        except OSError as error:
            if error.errno in LINK_ERRORS:
                self._refuse_links(segments)
            raise
        with closing(descriptor):
            if stat.S_ISLNK(read_mode(descriptor, segments[-1])):
                self._refuse_links(segments)
            yield descriptor

    def _make_folders(self, segments: tuple[str, ...]) -> int:
        with suppress(FileNotFoundError):
            return self._open(segments, _FOLDER)
        # From the top down, each opened anew: a folder that becomes a link meanwhile is never followed.
        for depth, name in enumerate(segments):
            with closing(self._open(segments[:depth], _FOLDER)) as parent:
                make_folder(parent, name)
        return self._open(segments, _FOLDER)

    def _refuse_links(self, segments: tuple[str, ...]) -> None:
        real = self.resolve(segments)
        if real != segments:
            raise ToolError("path-through-link", path=join_path(segments), real=join_path(real))

    def _not_found(self, code: str, segments: tuple[str, ...]) -> ToolError:
        wanted = join_path(segments)
        closest = closest_paths(wanted, self.list_files(), folders=code == "folder-not-found")
        told = ", ".join(closest)
        near = _NEAR_REFERENCE.fullmatch(wanted) if not closest else None
        meant = f"{'' if near and near[1] else 'steps.'}{wanted}"
        case = "reference" if near else None if closest else "alone"
        return ToolError(code, path=wanted, closest=told, meant=meant, case=case, details={"closest": closest})
