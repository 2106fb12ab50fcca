"""The vault's files as one run sees them: what it has changed stays in memory, and its reads see it.

Dry runs and examples stand on it, and so do runs that collect their changes. Nobody else sees any of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from paperagents.definitions.text import lossless_bytes
from paperagents.errors import FileChangedError, ToolError
from paperagents.files.folder import Closable, FileContent, VaultFolder, WrittenFile
from paperagents.files.listing import ListedFile, PendingFile, list_pending
from paperagents.files.reading import ABSENT, format_time, hash_content
from paperagents.files.safe_open import join_path, split_file_path, split_path, split_writable_path

_Resource = TypeVar("_Resource", bound=Closable)


class OverlayFolder(VaultFolder):
    """The files of another folder, and over them what is pending. Nothing is ever written to the disk."""

    def __init__(self, beneath: VaultFolder) -> None:
        self.root = beneath.root
        self.largest_file = beneath.largest_file
        self._beneath = beneath
        self._files: dict[str, PendingFile] = {}
        self._folders: set[str] = set()
        """Those that the pending files are in."""
        self._changing = threading.Lock()

    @property
    def pending_files(self) -> dict[str, PendingFile]:
        """What is pending, by path; a copy, since steps may run side by side."""
        return dict(self._files) if self._files else {}

    def set_pending(self, path: str, text: str | None) -> None:
        """Show a file with this text from now on, or none."""
        size = len(lossless_bytes(text or ""))
        self._files[path] = PendingFile(text=text, modified_ns=time.time_ns(), size=size)
        if text is not None:
            self._folders.update(folders_above(path))

    def find_text(self, path: str) -> FileContent | None:
        """The text as it would be."""
        pending = self._files.get(self._real_path(path)) if self._files else None
        if pending is None:
            return self._beneath.find_text(path)
        if pending.text is None:
            return None
        return FileContent(
            path=join_path(split_file_path(path)),
            content=pending.text,
            size=pending.size,
            modified=format_time(pending.modified_ns),
            digest=hash_content(lossless_bytes(pending.text)),
        )

    def write_text(
        self,
        path: str,
        content: str,
        *,
        overwrite: bool = False,
        append: bool = False,
        expected_digest: str | None = None,
    ) -> WrittenFile:
        """Keep the text in memory."""
        name = join_path(split_writable_path(path))
        with self._changing:
            self._require_place(name)
            found = self.find_text(path)
            old = found.content if found is not None else None
            if expected_digest is not None and expected_digest != (ABSENT if found is None else found.digest):
                raise FileChangedError(path=name)
            if old is not None and not (overwrite or append):
                raise ToolError("file-exists", path=name)
            new = (old or "") + content if append else content
            self.set_pending(name, new)
        return WrittenFile(path=name, size=len(lossless_bytes(new)), created=old is None)

    def digest(self, path: str) -> str:
        """The digest of the text as it would be."""
        pending = self._files.get(self._real_path(path)) if self._files else None
        if pending is None:
            return self._beneath.digest(path)
        return ABSENT if pending.text is None else hash_content(lossless_bytes(pending.text))

    def list_files(self, folder: str = "/") -> Iterator[ListedFile]:
        """The files there would be."""
        pending = self.pending_files
        if not pending:
            yield from self._beneath.list_files(folder)
            return
        below = join_path(self.resolve(split_path(folder)))
        listed = [each for each in list_pending(pending) if not below or each.path.startswith(f"{below}/")]
        yield from listed
        try:
            yield from (file for file in self._beneath.list_files(folder) if file.path not in pending)
        except ToolError:
            if not listed:
                raise

    def read_listed(self, file: ListedFile, largest: int) -> str | None:
        """The text of a listed file as it would be."""
        pending = self._files.get(file.path)
        return pending.text if pending is not None else self._beneath.read_listed(file, largest)

    def resolve(self, segments: tuple[str, ...]) -> tuple[str, ...]:
        """Where a path with links in it really is in the vault."""
        return self._beneath.resolve(segments)

    def resource(self, make: Callable[[VaultFolder], _Resource]) -> _Resource:
        """Made of what is on the disk; what is pending does not belong in it."""
        return self._beneath.resource(make)

    def close(self) -> None:
        """The folder beneath belongs to somebody else."""

    def _open(self, segments: tuple[str, ...], flags: int) -> int:
        return self._beneath._open(segments, flags)  # noqa: SLF001  the same folder

    def _real_path(self, path: str) -> str:
        """Where the file really is: two names of one file have one pending text."""
        return join_path(self.resolve(split_file_path(path)))

    def _require_place(self, path: str) -> None:
        """A pending file can be no folder, nor a pending folder a file; the disk would refuse it in the end."""
        above = (self._files.get(folder) for folder in folders_above(path))
        if any(each is not None and each.text is not None for each in above):
            raise ToolError("not-a-folder", path=path)
        if path in self._folders:
            raise ToolError("not-a-file", path=path)


def folders_above(path: str) -> Iterator[str]:
    """The folders that a file is in, from the inside out."""
    while path := path.rpartition("/")[0]:
        yield path
