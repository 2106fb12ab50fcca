"""The vault's files as a plan sees them: writes stay in memory, and reads see them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from paperagents.definitions.text import lossless_bytes
from paperagents.errors import ToolError
from paperagents.files.folder import Closable, FileContent, VaultFolder, Written
from paperagents.files.listing import ListedFile
from paperagents.files.paths import file_segments_of, segments_of, shown, writable_segments_of
from paperagents.files.reading import digest_of, modified_time

_Resource = TypeVar("_Resource", bound=Closable)


class PlannedFolder(VaultFolder):
    """A vault folder that never writes to the disk."""

    _pending: dict[str, str]

    def find_text(self, path: str) -> FileContent | None:
        """The text as it would be."""
        pending = self._changes().get(self._name(path))
        if pending is None:
            return super().find_text(path)
        data = lossless_bytes(pending)
        return FileContent(
            path=shown(file_segments_of(path)),
            content=pending,
            size=len(data),
            modified=modified_time(time.time_ns()),
            digest=digest_of(data),
        )

    def write_text(
        self,
        path: str,
        content: str,
        *,
        overwrite: bool = False,
        append: bool = False,
        expected_digest: str | None = None,  # noqa: ARG002  nobody else changes a plan
    ) -> Written:
        """Keep the text in memory."""
        name = shown(writable_segments_of(path))
        found = self.find_text(path)
        old = found.content if found is not None else None
        if old is not None and not (overwrite or append):
            raise ToolError("file-exists", path=name)
        new = (old or "") + content if append else content
        self._changes()[name] = new
        return Written(path=name, size=len(lossless_bytes(new)), created=old is None)

    def digest(self, path: str) -> str:
        """The digest of the text as it would be."""
        name = self._name(path)
        return digest_of(self._changes()[name].encode()) if name in self._changes() else super().digest(path)

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

    def planned(self) -> Mapping[str, str]:
        """What would be written."""
        return self._changes()

    def list_files(self, folder: str = "/") -> Iterator[ListedFile]:
        """The files there would be."""
        below = shown(self._real(segments_of(folder)))
        for name, text in self._changes().items():
            if not below or name.startswith(f"{below}/"):
                yield ListedFile(path=name, size=len(text.encode()), modified_ns=time.time_ns())
        try:
            yield from (file for file in super().list_files(folder) if file.path not in self._changes())
        except ToolError:
            if not any(name.startswith(f"{below}/") for name in self._changes()):
                raise

    def read_listed(self, file: ListedFile, largest: int) -> str | None:
        """The text of a listed file as it would be."""
        pending = self._changes().get(file.path)
        return pending if pending is not None else super().read_listed(file, largest)

    def _name(self, path: str) -> str:
        """Under which a text is kept: where the file really is."""
        return shown(self._real(file_segments_of(path)))

    def _changes(self) -> dict[str, str]:
        if not hasattr(self, "_pending"):
            self._pending = {}
        return self._pending
