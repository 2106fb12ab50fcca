"""The vault's files as a dry run sees them: writes stay in memory, and reads see them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

from paperagents.definitions.text import lossless_bytes
from paperagents.errors import ToolError
from paperagents.files.folder import Closable, FileContent, VaultFolder, WrittenFile
from paperagents.files.listing import ListedFile
from paperagents.files.reading import format_time, hash_content
from paperagents.files.safe_open import join_path, split_file_path, split_path, split_writable_path

_Resource = TypeVar("_Resource", bound=Closable)


class PlannedFolder(VaultFolder):
    """A vault folder that never writes to the disk."""

    @cached_property
    def pending_changes(self) -> dict[str, str]:
        """What would be written, by path."""
        return {}

    def find_text(self, path: str) -> FileContent | None:
        """The text as it would be."""
        pending = self.pending_changes.get(self._real_path(path))
        if pending is None:
            return super().find_text(path)
        data = lossless_bytes(pending)
        return FileContent(
            path=join_path(split_file_path(path)),
            content=pending,
            size=len(data),
            modified=format_time(time.time_ns()),
            digest=hash_content(data),
        )

    def write_text(
        self,
        path: str,
        content: str,
        *,
        overwrite: bool = False,
        append: bool = False,
        expected_digest: str | None = None,  # noqa: ARG002  nobody else changes a plan
    ) -> WrittenFile:
        """Keep the text in memory."""
        name = join_path(split_writable_path(path))
        found = self.find_text(path)
        old = found.content if found is not None else None
        if old is not None and not (overwrite or append):
            raise ToolError("file-exists", path=name)
        new = (old or "") + content if append else content
        self.pending_changes[name] = new
        return WrittenFile(path=name, size=len(lossless_bytes(new)), created=old is None)

    def digest(self, path: str) -> str:
        """The digest of the text as it would be."""
        name = self._real_path(path)
        return (
            hash_content(self.pending_changes[name].encode()) if name in self.pending_changes else super().digest(path)
        )

    def resource(self, make: Callable[[VaultFolder], _Resource]) -> _Resource:
        """Made of what is on the disk; what is planned does not belong in it."""
        return self._on_disk.resource(make)

    def close(self) -> None:
        """Let go of the folder."""
        if "_on_disk" in self.__dict__:
            self._on_disk.close()
        super().close()

    @cached_property
    def _on_disk(self) -> VaultFolder:
        return VaultFolder(self.root)

    def list_files(self, folder: str = "/") -> Iterator[ListedFile]:
        """The files there would be."""
        below = join_path(self.resolve(split_path(folder)))
        for name, text in self.pending_changes.items():
            if not below or name.startswith(f"{below}/"):
                yield ListedFile(path=name, size=len(text.encode()), modified_ns=time.time_ns())
        try:
            yield from (file for file in super().list_files(folder) if file.path not in self.pending_changes)
        except ToolError:
            if not any(name.startswith(f"{below}/") for name in self.pending_changes):
                raise

    def read_listed(self, file: ListedFile, largest: int) -> str | None:
        """The text of a listed file as it would be."""
        pending = self.pending_changes.get(file.path)
        return pending if pending is not None else super().read_listed(file, largest)

    def _real_path(self, path: str) -> str:
        """Where the file really is: two names of one file have one pending text."""
        return join_path(self.resolve(split_file_path(path)))
