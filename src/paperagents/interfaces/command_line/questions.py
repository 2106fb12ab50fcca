"""Questions in words: who wants what."""

from __future__ import annotations

from contextlib import suppress

from paperagents.approval.file_changes import count_lines
from paperagents.approval.question import ApprovalRequest
from paperagents.errors import PaperError
from paperagents.interfaces.command_line.output import one_line
from paperagents.messages import text
from paperagents.runs.record import NOTE_LOG
from paperagents.vault import Vault


def describe_question(request: ApprovalRequest, who: str) -> str:
    """The first line of a question: who wants what."""
    summary = summarise(request)
    wish = f"ask.wish.{_kind_of(request)}"
    return one_line(text(wish, who=who, tool=request.tool, target=request.target, summary=summary))


def summarise(request: ApprovalRequest) -> str:
    """How much a question about several changes holds: files, lines added and removed."""
    added, removed = count_lines(request.files)
    words = "ask.summary.one" if len(request.files) == 1 else "ask.summary"
    return text(words, count=len(request.files), added=added, removed=removed)


def _kind_of(request: ApprovalRequest) -> str:
    if request.path == NOTE_LOG:
        return "log"
    if request.files:
        return "together"
    if request.scope is None:
        return "run"
    return request.scope.mode or ("send" if request.scope.host else "call")


def tool_name(vault: Vault, tool: str) -> str:
    """What people call a tool; its id where there is no such tool any more."""
    with suppress(PaperError):
        return vault.registry.tool(tool).name
    return tool
