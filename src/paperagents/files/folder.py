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
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, TypeVar, cast

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError
from paperagents.files import listing as file_listing
from paperagents.files import writing as file_writing
from paperagents.files.listing import FolderListing, ListedFile, closest_paths
from paperagents.files.paths import file_segments_of, segments_of, shown, writable_segments_of
from paperagents.files.reading import (
    ABSENT,
    closing,
    decoded,
    digest_of,
    modified_time,
    read_regular,
    told_as_tool_errors,
)
from paperagents.files.safe_open import LINK_ERRORS, open_strictly, real_segments
from paperagents.files.writing import Change
from paperagents.messages import Sentence
from paperagents.reading.properties import read_properties

LARGEST_FILE = 16 * 1024 * 1024
_Answer = TypeVar("_Answer")


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

    def answer(self) -> JsonObject:
        """What ``read_file`` gives."""
        return {
            "filePath": self.path,
            "path": self.path,
            "content": self.content,
            "size": self.size,
            "modified": self.modified,
            "frontmatter": read_properties(self.content)[0],
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A finished write: where, how many bytes the file has now, and whether it is new."""

    path: str
    size: int
    created: bool

    def answer(self) -> JsonObject:
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
            with told_as_tool_errors(str(root)):
                self._descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ToolError("folder-not-found", path=str(root), closest=Sentence(key="closest-none")) from None

    def __enter__(self) -> VaultFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        while self._resources:
            self._resources.popitem()[1].close()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def read_text(self, path: str) -> FileContent:
        """The text of a file; one that is missing, too large or not UTF-8 is an error that says so."""
        found = self.find_text(path)
        if found is None:
            raise self._not_found("file-not-found", file_segments_of(path))
        return found

    def find_text(self, path: str) -> FileContent | None:
        """The same where a missing file is nothing wrong, and the whole vault need not be looked at for others."""
        segments = file_segments_of(path)
        try:
            content, status = self._reading(segments, self._read_bytes)
        except FileNotFoundError:
            return None
        return FileContent(
            path=shown(segments),
            content=decoded(content, shown(segments)),
            size=len(content),
            modified=modified_time(status.st_mtime_ns),
            digest=digest_of(content),
        )

    def write_text(
        self,
        path: str,
        content: str,
        *,
        overwrite: bool = False,
        append: bool = False,
        expected_digest: str | None = None,
    ) -> Written:
        """Write a file completely or not at all; parent folders are made.

        ``expected_digest`` is that of the content the change was agreed on, or ``"absent"``: the write fails
        with ``file-changed`` when the file is another one by now.
        """
        segments = writable_segments_of(path)
        change = Change(
            path=shown(segments),
            added=self._encoded(content, shown(segments)),
            overwrite=overwrite,
            append=append,
            expected_digest=expected_digest,
            largest_file=self.largest_file,
        )
        try:
            with told_as_tool_errors(change.path), self._open_parent(segments) as parent:
                size, created = file_writing.carry_out(change, parent, segments[-1])
        except FileNotFoundError:
            # The folder was there a moment ago: somebody is moving things.
            raise ToolError("file-busy", path=change.path, retryable=True) from None
        return Written(path=change.path, size=size, created=created)

    def writable_path(self, path: str, content: str) -> str:
        """Where this would really be written. Refuse what could never be, before anybody is asked about it."""
        real = writable_segments_of(shown(self._real(writable_segments_of(path))))
        self._encoded(content, shown(real))
        return shown(real)

    def digest(self, path: str) -> str:
        """The digest of a file's bytes, or ``"absent"``."""
        try:
            content, _ = self._reading(file_segments_of(path), self._read_bytes)
        except FileNotFoundError:
            return ABSENT
        return digest_of(content)

    def list_files(self, folder: str = "/") -> Iterator[ListedFile]:
        """All regular files that are not hidden. Links are not followed, their targets are listed anyway."""
        return file_listing.list_files(self._open_real, self.real_folder(folder))

    def real_folder(self, folder: str) -> tuple[str, ...]:
        """Where a folder really is in the vault; one that is missing or no folder is an error that says so."""
        segments = segments_of(folder)
        try:
            return self._reading(segments, self._require_folder)
        except FileNotFoundError:
            raise self._not_found("folder-not-found", segments) from None

    def list_folder(self, folder: tuple[str, ...]) -> FolderListing:
        """What one folder holds."""
        return file_listing.list_folder(self._open_real, folder)

    def list_folders(
        self, folder: tuple[str, ...], on_open: Callable[[tuple[str, ...], int], None]
    ) -> Iterator[FolderListing]:
        """What a folder and all below it hold; ``on_open`` gets each one's descriptor before it is read."""
        return file_listing.list_folders(self._open_real, folder, on_open)

    def planned(self) -> Mapping[str, str]:
        """Texts that are not written yet but shall be seen, by path."""
        return {}

    def resource(self, make: Callable[[VaultFolder], _Resource]) -> _Resource:
        """What ``make`` makes of this folder: made once, closed with the folder. The search keeps its index so."""
        if make not in self._resources:
            self._resources[make] = make(self)
        return cast("_Resource", self._resources[make])

    def read_listed(self, file: ListedFile, largest: int) -> str | None:
        """The text of a listed file; None where it is gone, too large, or not text."""
        try:
            content, _ = self._read_bytes(tuple(file.path.split("/")), largest)
            return content.decode("utf-8")
        except (OSError, ToolError, UnicodeDecodeError):
            return None

    def _open_real(self, segments: tuple[str, ...], flags: int) -> int:
        return open_strictly(self._descriptor, segments, flags, by_kernel=self._by_kernel)

    def _real(self, segments: tuple[str, ...]) -> tuple[str, ...]:
        return real_segments(self._descriptor, str(self.root), segments)

    def _reading(self, segments: tuple[str, ...], read: Callable[[tuple[str, ...]], _Answer]) -> _Answer:
        """Do something with a path; where links stand in it, with its real place inside the vault."""
        with told_as_tool_errors(shown(segments)):
            try:
                return read(segments)
            except OSError as error:
                if error.errno not in LINK_ERRORS:
                    raise
                real = self._real(segments)
                if real == segments:
                    raise
                return read(real)

    def _read_bytes(self, segments: tuple[str, ...], largest: int | None = None) -> tuple[bytes, os.stat_result]:
        limit = self.largest_file if largest is None else largest
        with closing(self._open_real(segments, os.O_RDONLY)) as descriptor:
            return read_regular(descriptor, shown(segments), limit)

    def _require_folder(self, segments: tuple[str, ...]) -> tuple[str, ...]:
        os.close(self._open_real(segments, os.O_RDONLY | os.O_DIRECTORY))
        return segments

    @contextmanager
    def _open_parent(self, segments: tuple[str, ...]) -> Iterator[int]:
        """The folder a file is to be written in, made where missing; links in the path are refused."""
        try:
            descriptor = self._made_folder(segments[:-1])
        except OSError as error:
            if error.errno in LINK_ERRORS:
                self._refuse_links(segments)
            raise
        with closing(descriptor):
            if stat.S_ISLNK(file_writing.mode_of(descriptor, segments[-1])):
                self._refuse_links(segments)
            yield descriptor

    def _made_folder(self, segments: tuple[str, ...]) -> int:
        with suppress(FileNotFoundError):
            return self._open_real(segments, os.O_RDONLY | os.O_DIRECTORY)
        for depth, name in enumerate(segments):
            with closing(self._open_real(segments[:depth], os.O_RDONLY | os.O_DIRECTORY)) as parent:
                file_writing.make_folder(parent, name)
        return self._open_real(segments, os.O_RDONLY | os.O_DIRECTORY)

    def _refuse_links(self, segments: tuple[str, ...]) -> None:
        real = self._real(segments)
        if real != segments:
            raise ToolError("path-through-link", path=shown(segments), real=shown(real))

    def _not_found(self, code: str, segments: tuple[str, ...]) -> ToolError:
        wanted = shown(segments)
        files = file_listing.list_files(self._open_real, ())
        closest = closest_paths(wanted, files, folders=code == "folder-not-found")
        told = ", ".join(closest) or Sentence(key="closest-none")
        return ToolError(code, path=wanted, closest=told, details={"closest": closest})

    def _encoded(self, content: str, path: str) -> bytes:
        try:
            encoded = content.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ToolError("text-not-unicode", path=path, position=error.start) from None
        if len(encoded) > self.largest_file:
            raise ToolError("file-too-large", path=path, size=len(encoded), limit=self.largest_file)
        return encoded
