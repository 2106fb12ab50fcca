"""Run and dry run from an editor: the ordinary path, with the person asked in the editor's own window."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any

from lsprotocol import types

from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision, Denied, Pending
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError, UsageError
from paperagents.files.folder import VaultFolder
from paperagents.interfaces.language_server.vaults import OpenVault
from paperagents.messages import text
from paperagents.runs.record import RunRecord

MOST_LINES = 30
MOST_LETTERS = 3000
"""What a window shows as a whole. A longer question is answered where all of it can be read."""
Ask = Callable[[types.ShowMessageRequestParams], Coroutine[Any, Any, types.MessageActionItem | None]]


class EditorApprover(Approver):
    """Asks in a window of the editor; what does not fit there, or gets no answer, waits."""

    takes_time = True

    def __init__(self, ask: Ask, loop: asyncio.AbstractEventLoop) -> None:
        self._ask = ask
        self._loop = loop

    def decide(self, request: ApprovalRequest) -> Decision:
        """The button that was pressed."""
        if request.preview.count("\n") >= MOST_LINES or len(request.preview) > MOST_LETTERS:
            return Pending()
        words = {text(f"lsp.{each}"): each for each in ("yes", "no", "later")}
        question = types.ShowMessageRequestParams(
            type=types.MessageType.Warning,
            message=f"{text('lsp.question', tool=request.tool)}\n\n{request.preview}",
            actions=[types.MessageActionItem(title=word) for word in words],
        )
        try:
            answer = asyncio.run_coroutine_threadsafe(self._ask(question), self._loop).result()
        except (CancelledError, RuntimeError):
            return Pending()
        match words.get(answer.title) if answer is not None else None:
            case "yes":
                return Approved(via="editor")
            case "no":
                return Denied(via="editor")
        return Pending()


def carry_out(opened: OpenVault, call: JsonObject, approver: Approver | None) -> RunRecord:
    """Run a tool of the vault; without an approver a dry run. Raises PaperError."""
    tool, arguments = call.get("tool"), call.get("arguments") or {}
    if not isinstance(tool, str) or not isinstance(arguments, dict):
        raise UsageError("lsp-call")
    require_saved(opened, tool)
    if approver is None:
        return opened.vault.plan(tool, arguments)
    return opened.vault.run(tool, arguments, approver=approver)


def require_saved(opened: OpenVault, tool: str) -> None:
    """Raises UsageError where the editor shows another tool than the disk has: what was read is what runs."""
    file = opened.vault.registry.find(tool).file
    if file is None or file not in opened.service.open_files:
        return
    with VaultFolder(opened.vault.root) as folder:
        if opened.service.differs(file, folder.read_text(file).content):
            raise UsageError("lsp-unsaved", file=file)


def describe(record: RunRecord, opened: OpenVault) -> tuple[types.MessageType, str]:
    """How a run ended, in one sentence, and how bad that is."""
    if record.status == "waiting":
        questions = opened.vault.history.questions(record.run_id)
        if questions:
            return types.MessageType.Warning, text("lsp.waiting", tool=record.tool, id=questions[0].id)
    if record.error is not None:
        return types.MessageType.Error, f"{record.tool}: {record.error['message']}"
    ended = text("lsp.ended", tool=record.tool, status=record.status, duration=round(record.duration_ms))
    return types.MessageType.Info, ended


def describe_error(error: PaperError) -> str:
    """What is wrong and what to do, in one line."""
    return f"{error.message} {error.hint or ''}".strip()


def show_data(record: RunRecord) -> str:
    """The whole record for the editor's log."""
    return json.dumps(record.as_json(), ensure_ascii=False, indent=2)
