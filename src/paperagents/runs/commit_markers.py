"""Markers of changes that are being made together, so that the next start knows whether one was killed in between.

A marker lies in ``.paper/commits/`` from before the intent is journaled until the changes are made: a start with
nothing to complete costs one look into a folder. A vault may come from a stranger. A marker counts only where the user
has signed it for this vault, and all it does is to name an intent, which is signed, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from paperagents.approval.signatures import Signatures
from paperagents.errors import PaperError, StorageError
from paperagents.files.reading import closing, translate_os_errors
from paperagents.files.state_files import read_object, replace_file, require_no_links
from paperagents.files.writing import flush_folder
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitMarker:
    """Names the step of a run whose changes were being made."""

    run_id: str
    path: str
    file: Path

    def remove(self) -> None:
        """The changes are made, or it is known that they are not."""
        with suppress(OSError):
            self.file.unlink()


class CommitMarkers:
    """The markers of one vault."""

    def __init__(self, folder: Path, signatures: Signatures) -> None:
        self._folder = folder
        self._signatures = signatures

    @contextmanager
    def marking(self, run_id: str, path: str) -> Iterator[None]:
        """Inside, a kill leaves the marker. Raises ToolError where it cannot be written: nothing is changed then."""
        file = self._folder / sha256(f"{run_id} {path}".encode()).hexdigest()[:32]
        marker = CommitMarker(run_id=run_id, path=path, file=file)
        signature = self._signatures.sign("commit", run_id, path)
        with translate_os_errors(f"{self._folder.parent.name}/{self._folder.name}"):
            require_no_links(self._folder.parent, self._folder)
            self._folder.mkdir(parents=True, exist_ok=True)
            replace_file(file, json.dumps({"run_id": run_id, "path": path, "signature": signature}))
            with closing(os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as opened:
                flush_folder(opened)
        try:
            yield
        except StorageError:
            # Nobody knows what was journaled: the next start looks.
            raise
        except PaperError:
            marker.remove()
            raise
        marker.remove()

    def find(self) -> Iterator[CommitMarker]:
        """The markers that the user has signed; of commits under way, too: those have the lock of their run."""
        with suppress(OSError):
            require_no_links(self._folder.parent, self._folder)
            for file in [*self._folder.iterdir()]:
                yield from self._read(file)

    def _read(self, file: Path) -> Iterator[CommitMarker]:
        with suppress(OSError, ValueError):
            require_no_links(file)
            match read_object(file):
                case {"run_id": str(run_id), "path": str(path), "signature": str(signature)}:
                    if self._signatures.is_valid(signature, "commit", run_id, path):
                        yield CommitMarker(run_id=run_id, path=path, file=file)
