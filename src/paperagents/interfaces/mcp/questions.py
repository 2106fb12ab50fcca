"""A question to a person as an MCP client shows it, and the answer as a decision of ours."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp_types.version import is_version_at_least

from paperagents.approval.decision import ApprovalRequest, Approved, Decision, Denied
from paperagents.approval.diff import visible
from paperagents.calls.json_arguments import read_arguments
from paperagents.messages import text

LONGEST_PREVIEW = 20_000
_KNOWS_TITLED_CHOICES = "2025-11-25"


def form(request: ApprovalRequest, version: str, remark: str = "") -> types.ElicitRequestFormParams:
    """Exactly what will happen, and the answers there are, as clients of this version of the protocol read them.

    A remark says what was wrong with the last answer.
    """
    message = "\n\n".join(part for part in (remark, _message(request)) if part)
    return types.ElicitRequestFormParams(message=visible(message), requested_schema=_answers(version))


def is_undecided(answer: Any) -> bool:
    """Whether the person closed the form without an answer: the question stays open."""
    return not (_is_no(answer) or _is_yes(answer))


def decision_of(answer: Any) -> Decision:
    """What the person said. Raises UsageError where the arguments that were written instead are no JSON object."""
    content = getattr(answer, "content", None) or {}
    if not _is_yes(answer):
        return Denied(reason=str(content.get("reason") or ""))
    edit = content.get("edit")
    return Approved(
        by="MCP",
        for_run=content.get("for_run") is True,
        always=content.get("always") is True,
        arguments=read_arguments(edit) if isinstance(edit, str) and edit.strip() else None,
    )


def _is_yes(answer: Any) -> bool:
    return _said(answer) == "approve"


def _is_no(answer: Any) -> bool:
    return _said(answer) in ("deny", "decline")


def _said(answer: Any) -> str:
    """A client that shows no fields, only the question and a button to accept it, has the person's yes all the same."""
    action = str(getattr(answer, "action", ""))
    return str((answer.content or {}).get("decision", "approve")) if action == "accept" else action


def _message(request: ApprovalRequest) -> str:
    title = text("mcp.ask", tool=request.tool, step=request.step, run=request.run_id)
    shown = request.preview[:LONGEST_PREVIEW]
    if (more := len(request.preview) - LONGEST_PREVIEW) > 0:
        shown += "\n" + text("mcp.ask.cut", count=more)
    return f"{title}\n\n{shown}"


def _answers(version: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "decision": {"type": "string", "title": text("mcp.ask.decision"), **_choices(version)},
            "reason": {"type": "string", "title": text("mcp.ask.reason")},
            "for_run": {"type": "boolean", "title": text("mcp.ask.for-run"), "default": False},
            "always": {"type": "boolean", "title": text("mcp.ask.always"), "default": False},
            "edit": {"type": "string", "title": text("mcp.ask.edit")},
        },
        "required": ["decision"],
    }


def _choices(version: str) -> dict[str, Any]:
    titles = {each: text(f"mcp.ask.{each}") for each in ("approve", "deny")}
    if is_version_at_least(version, _KNOWS_TITLED_CHOICES):
        return {"oneOf": [{"const": each, "title": title} for each, title in titles.items()]}
    return {"enum": [*titles], "enumNames": [*titles.values()]}
