"""``paper lsp``: one server for the editor that started it, over standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError
from paperagents.interfaces.language_server import translation
from paperagents.interfaces.language_server.commands import (
    EditorApprover,
    carry_out,
    describe,
    describe_error,
    show_data,
)
from paperagents.interfaces.language_server.positions import Positions
from paperagents.interfaces.language_server.vaults import OpenVault, Vaults
from paperagents.language.answers import Edit, Location
from paperagents.language.service import LanguageService
from paperagents.version import __version__

PAUSE = 0.02
"""Seconds in which keystrokes that belong together are checked together."""
_REQUEST_FAILED = -32803
Answer = TypeVar("Answer")


class PaperServer(LanguageServer):
    """The server with the vaults it has open."""

    def __init__(self, vault: Path | None = None) -> None:
        super().__init__("paper", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.vaults = Vaults(vault, self._disk_changed)
        self.is_shut_down = False
        """Whether the editor has said that it is about to end the server."""
        self._published: dict[str, list[types.Diagnostic]] = {}
        self._due: set[str] = set()
        self._checking: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    # --- files

    def changed(self, uri: str, text: str) -> None:
        """A file is open with this text."""
        self._loop = asyncio.get_running_loop()
        if (found := self.vaults.find(uri)) is not None:
            opened, file = found
            opened.service.open(file, text)
            self.check_soon(uri)

    def closed(self, uri: str) -> None:
        """A file is not open any more."""
        if (found := self.vaults.find(uri)) is not None:
            opened, file = found
            opened.service.close(file)
            if self._published.pop(uri, ()):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
            self._check_others(opened)

    def saved(self, uri: str) -> None:
        """A file was written; the watch would find out a moment later."""
        if (found := self.vaults.find(uri)) is not None:
            opened, file = found
            opened.vault.registry.update([file])
            opened.service.files_changed()
            self._check_others(opened)

    def _disk_changed(self, opened: OpenVault) -> None:
        """Told by the thread that watches the folder."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take_over, opened)

    def _take_over(self, opened: OpenVault) -> None:
        opened.service.files_changed()
        self._check_others(opened)

    # --- diagnostics

    def check_soon(self, uri: str) -> None:
        """Check a file once the keystrokes pause, and the others that stand on it."""
        self._due.add(uri)
        if self._checking is None or self._checking.done():
            self._checking = asyncio.get_running_loop().create_task(self._check())

    def _check_others(self, opened: OpenVault) -> None:
        for file in opened.service.open_files:
            self.check_soon(opened.uri(file))

    async def _check(self) -> None:
        while self._due:
            await asyncio.sleep(PAUSE)
            changed, self._due = self._due, set()
            vaults = {id(found[0]): found[0] for uri in changed if (found := self.vaults.find(uri)) is not None}
            others = [opened.uri(file) for opened in vaults.values() for file in opened.service.open_files]
            for uri in dict.fromkeys((*changed, *others)):
                # Whatever is asked meanwhile is answered between two files.
                await asyncio.sleep(0)
                self._publish(uri)

    def _publish(self, uri: str) -> None:
        found = self.vaults.find(uri)
        if found is None or found[1] not in found[0].service.open_files:
            return
        opened, file = found
        positions = self.positions(opened.service, file)
        diagnostics = [translation.diagnostic(each, positions) for each in opened.service.diagnostics(file)]
        if self._published.get(uri) == diagnostics:
            return
        self._published[uri] = diagnostics
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics))

    # --- positions

    def positions(self, service: LanguageService, file: str) -> Positions:
        """The positions in a file as it stands in the editor, or on disk."""
        encoding = self.server_capabilities.position_encoding or types.PositionEncodingKind.Utf16
        return Positions(service.lines(file), encoding)

    def ask(self, uri: str, answer: Callable[[LanguageService, str, Positions], Answer]) -> Answer | None:
        """What the service of a file's vault says; None for a file of no vault."""
        found = self.vaults.find(uri)
        if found is None:
            return None
        opened, file = found
        try:
            return answer(opened.service, file, self.positions(opened.service, file))
        except PaperError as error:
            raise JsonRpcException(message=describe_error(error), code=_REQUEST_FAILED) from error

    def locations(self, opened: OpenVault, found: list[Location]) -> list[types.Location]:
        """Places in files of a vault."""
        return [
            types.Location(uri=opened.uri(each.file), range=self.positions(opened.service, each.file).range(each.span))
            for each in found
        ]

    def workspace_edit(self, opened: OpenVault, edits: list[Edit]) -> types.WorkspaceEdit:
        """Edits of several files at once."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            positions = self.positions(opened.service, edit.file)
            change = types.TextEdit(range=positions.range(edit.span), new_text=edit.text)
            changes.setdefault(opened.uri(edit.file), []).append(change)
        return types.WorkspaceEdit(changes=changes)

    # --- commands

    async def carry_out(self, call: Any, *, dry: bool) -> JsonObject | None:
        """Run a tool and tell how it ended; the record is the answer of the command."""
        wanted = call if isinstance(call, dict) else {}
        found = self.vaults.find(str(wanted.get("uri", "")))
        if found is None:
            return None
        opened, _ = found
        loop = asyncio.get_running_loop()
        approver = None if dry else EditorApprover(self.window_show_message_request_async, loop)
        try:
            record = await asyncio.to_thread(carry_out, opened, wanted, approver)
        except PaperError as error:
            self.tell(types.MessageType.Error, describe_error(error))
            return {"success": False, "error": error.as_json()}
        kind, sentence = await asyncio.to_thread(describe, record, opened)
        self.tell(kind, sentence)
        self.window_log_message(types.LogMessageParams(type=types.MessageType.Log, message=show_data(record)))
        return record.as_json()

    def tell(self, kind: types.MessageType, sentence: str) -> None:
        """Show a sentence in the editor."""
        self.window_show_message(types.ShowMessageParams(type=kind, message=sentence))
