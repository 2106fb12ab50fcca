"""A real ``paper lsp`` and a client that others wrote, which also looks whether answers keep to the protocol."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import client_capabilities, make_test_lsp_client
from tests.language.conftest import FILES

COMMAND = (sys.executable, "-m", "paperagents", "lsp")
SECONDS = 30
Session = Callable[["Editor"], Awaitable[None]]


class Editor:
    """A client with a vault, in which files are opened by their paths."""

    def __init__(self, client: Any, root: Path) -> None:
        self.client = client
        self.root = root
        self.answers: list[str] = []
        """What the person presses, in order."""
        self.asked: list[str] = []

    def uri(self, file: str) -> str:
        return (self.root / file).as_uri()

    def identifier(self, file: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(uri=self.uri(file))

    def open(self, file: str, text: str | None = None) -> None:
        content = (self.root / file).read_text(encoding="utf-8") if text is None else text
        item = types.TextDocumentItem(uri=self.uri(file), language_id="markdown", version=1, text=content)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def change(self, file: str, text: str) -> None:
        document = types.VersionedTextDocumentIdentifier(uri=self.uri(file), version=2)
        whole = types.TextDocumentContentChangeWholeDocument(text=text)
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=[whole])
        self.client.text_document_did_change(params)

    async def diagnostics(self, file: str, expected: list[str], start: int | None = None) -> list[types.Diagnostic]:
        """The diagnostics of a file, once their codes are these and the first begins at this character."""

        async def wait() -> list[types.Diagnostic]:
            while True:
                found = list(self.client.diagnostics.get(self.uri(file), []))
                is_there = start is None or (found[:1] and found[0].range.start.character == start)
                if self.uri(file) in self.client.diagnostics and [each.code for each in found] == expected and is_there:
                    return found
                await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

        return await asyncio.wait_for(wait(), SECONDS)


@pytest.fixture
def with_editor(tmp_path: Path) -> Callable[..., None]:
    """Carry out a session of an editor with a vault of these files."""
    root = tmp_path / "vault"

    def run(session: Session, *, files: Mapping[str, str] = FILES, like: str = "neovim@0.9.1") -> None:
        (root / ".paper").mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")

        async def carry_out() -> None:
            async with start(root, like) as editor:
                await asyncio.wait_for(session(editor), 2 * SECONDS)

        asyncio.run(carry_out())

    return run


@asynccontextmanager
async def start(root: Path, like: str) -> AsyncIterator[Editor]:
    client: Any = make_test_lsp_client()
    editor = Editor(client, root)

    def answer(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        editor.asked.append(params.message)
        return types.MessageActionItem(title=editor.answers.pop(0)) if editor.answers else None

    client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(answer)
    await client.start_io(*COMMAND, env={**os.environ, "LC_ALL": "en_US.UTF-8"})
    capabilities = client_capabilities(like)
    await client.initialize_session(types.InitializeParams(capabilities=capabilities, root_uri=root.as_uri()))
    try:
        yield editor
    finally:
        await client.shutdown_session()
        await client.stop()
