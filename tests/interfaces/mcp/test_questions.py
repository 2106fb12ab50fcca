"""The question that an MCP client shows."""

from __future__ import annotations

import pytest

from paperagents.approval.decision import ApprovalRequest
from paperagents.approval.diff import visible
from paperagents.interfaces.mcp.questions import form

PREVIEW = "POST https://a.example/\nbody: {}"


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\x1b[2J", "\ufeff", "\u00ad"])
def test_what_hides_or_reorders_is_shown_as_on_the_pages(hidden: str) -> None:
    preview = f"{PREVIEW}{hidden}gnp.exe"
    request = ApprovalRequest(
        id="1", run_id="r", step=1, tool=f"to{hidden}ol", arguments={}, preview=preview, digest="d",
        requested="2026-01-01T00:00:00Z", target="",
    )  # fmt: skip
    message = form(request, f"Not{hidden}JSON").message
    assert hidden not in message
    assert visible(preview) in message
    assert PREVIEW in message
