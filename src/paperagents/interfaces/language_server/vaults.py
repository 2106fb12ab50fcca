"""The vaults whose files an editor has open: each is opened once, followed on disk, and let go of at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import unquote, urlsplit

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import PaperError
from paperagents.language.service import LanguageService
from paperagents.notes_folder import nearest_vault
from paperagents.registry.folder_scan import is_definition_file, is_hidden
from paperagents.runs.recorded_values import RecordedValues
from paperagents.settings import KEEPING_FOLDER
from paperagents.vault import Vault


class OpenVault:
    """One vault, with the answers about its files. Opening it runs nothing of it."""

    def __init__(self, root: Path, on_change: Callable[[OpenVault], None]) -> None:
        self.vault = Vault(root)
        recordings = RecordedValues(lambda: self.vault.history, self._mask)
        self.service = LanguageService(self.vault.registry, recordings)
        self._watching = ExitStack()
        self._on_change = on_change
        # The first look at a large folder takes a while, and nobody has to wait for the watch.
        self._start = threading.Thread(target=self._follow, name="paper-lsp-follow", daemon=True)
        self._start.start()

    def uri(self, file: str) -> str:
        """The address of a file of the vault."""
        return (self.vault.root / file).as_uri()

    def close(self) -> None:
        """Let go of everything."""
        self._start.join()
        self._watching.close()
        self.vault.close()

    def _mask(self, value: JsonValue) -> JsonValue:
        return self.vault.redaction.value(value)

    def _follow(self) -> None:
        try:
            self._watching.enter_context(self.vault.follow(lambda: self._on_change(self)))
        except PaperError:
            # Files that are saved from this editor are looked at in any case.
            return
        # What changed before the watch was ready has not been told.
        self._on_change(self)


class Vaults:
    """Every vault that is open."""

    def __init__(self, chosen: Path | None, on_change: Callable[[OpenVault], None]) -> None:
        self._chosen = chosen.resolve() if chosen is not None else None
        self._folders: list[Path] = []
        self._open: dict[Path, OpenVault] = {}
        self._on_change = on_change

    def use_folders(self, uris: Iterable[str | None]) -> None:
        """The folders that the editor has open."""
        self._folders = [path for uri in uris if uri is not None and (path := path_of(uri)) is not None]

    def find(self, uri: str) -> tuple[OpenVault, str] | None:
        """The vault of a file and its path there; None for what can be no tool."""
        path = path_of(uri)
        if path is None or not is_definition_file(path.name):
            return None
        root = self._root_of(path)
        if not path.is_relative_to(root) or is_hidden(file := path.relative_to(root).as_posix()):
            return None
        if root not in self._open:
            try:
                self._open[root] = OpenVault(root, self._on_change)
            except PaperError:
                return None
        return self._open[root], file

    def close(self) -> None:
        """Let go of all of them."""
        while self._open:
            self._open.popitem()[1].close()

    def _root_of(self, path: Path) -> Path:
        """The folder that was chosen; else the nearest with a vault in it, else the editor's own, else the file's."""
        if self._chosen is not None:
            return self._chosen
        nearest = nearest_vault(path.parent)
        if (nearest / KEEPING_FOLDER).is_dir():
            return nearest
        around = [folder for folder in self._folders if path.is_relative_to(folder)]
        return max(around, key=lambda folder: len(folder.parts), default=path.parent)


def path_of(uri: str) -> Path | None:
    """The file that an address names; None where it is not on this computer."""
    parts = urlsplit(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    path = Path(unquote(parts.path))
    # Links are followed in the folders alone: a note may be one itself.
    return path.parent.resolve() / path.name
