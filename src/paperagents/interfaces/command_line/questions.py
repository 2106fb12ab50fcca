"""Questions and rules in words: who wants what, and what has been allowed until when."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, tzinfo

from paperagents.approval.question import ApprovalRequest
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.errors import PaperError
from paperagents.interfaces.command_line.output import one_line
from paperagents.messages import text
from paperagents.vault import Vault


def describe_question(request: ApprovalRequest, who: str) -> str:
    """The first line of a question: who wants what."""
    return one_line(text(f"ask.wish.{_kind_of(request)}", who=who, tool=request.tool, target=request.target))


def _kind_of(request: ApprovalRequest) -> str:
    if request.tool == "write_file":
        # The preview is what the person sees: a diff from nothing creates the file.
        if request.preview.startswith("--- /dev/null\n"):
            return "create"
        return "append" if request.arguments.get("append") else "overwrite"
    if request.tool == "rest_request":
        return "send"
    if request.tool in ENTRY_KINDS:
        return "delete"
    return "call" if request.target else "run"


def describe_rule(rule: JsonObject, zone: tzinfo | None = None) -> str:
    """What a rule allows, and until when."""
    try:
        until = f"{datetime.fromisoformat(str(rule['expires'])).astimezone(zone):%Y-%m-%d}"
    except ValueError:
        until = str(rule["expires"])
    return one_line(text("ask.rule", tool=rule["tool"], target=rule["target"], until=until))


def tool_name(vault: Vault, tool: str) -> str:
    """What people call a tool; its id where there is no such tool any more."""
    with suppress(PaperError):
        return vault.registry.tool(tool).name
    return tool
