"""The question that an MCP client shows."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import ElicitResult

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest
from paperagents.interfaces.mcp.calls import LONGEST_PREVIEW, is_undecided, question_form

PREVIEW = "POST https://a.example/\nbody: {}"


def question(tool: str = "tool", preview: str = PREVIEW) -> ApprovalRequest:
    return ApprovalRequest(
        id="1", run_id="r", step=1, tool=tool, arguments={}, preview=preview, digest="d",
        requested="2026-01-01T00:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200b", "\u2028", "\u2029", "\x1b[2J", "\ufeff", "\u3164"])
def test_what_hides_or_reorders_is_shown_as_on_the_pages(hidden: str) -> None:
    preview = f"{PREVIEW}{hidden}gnp.exe"
    request = question(f"to{hidden}ol", preview)
    message = question_form(request, "2025-11-25", f"Not{hidden}JSON").message
    assert hidden not in message
    assert escape_invisible(preview) in message
    assert PREVIEW in message


@pytest.mark.parametrize(
    ("version", "choices"),
    [
        ("2025-06-18", {"enum": ["approve", "deny"], "enumNames": ["Approve", "Deny"]}),
        ("2025-11-25", {"oneOf": [{"const": "approve", "title": "Approve"}, {"const": "deny", "title": "Deny"}]}),
        ("2026-07-28", {"oneOf": [{"const": "approve", "title": "Approve"}, {"const": "deny", "title": "Deny"}]}),
    ],
)
def test_the_choice_is_written_as_the_version_of_the_client_knows_it(version: str, choices: dict[str, Any]) -> None:
    decision = question_form(question(), version).requested_schema["properties"]["decision"]
    assert {key: value for key, value in decision.items() if key not in ("type", "title")} == choices


def test_a_change_that_is_too_long_for_a_form_takes_no_yes_there_and_says_where_it_is_shown() -> None:
    request = question(preview="x" * (LONGEST_PREVIEW + 1234))
    form = question_form(request, "2025-11-25")
    assert "1234 more characters" in form.message
    assert "paper approvals show 1" in form.message
    assert [each["const"] for each in form.requested_schema["properties"]["decision"]["oneOf"]] == ["deny"]
    yes, no = (ElicitResult(action="accept", content={"decision": word}) for word in ("approve", "deny"))
    assert is_undecided(yes, request)
    assert not is_undecided(no, request)
    assert is_undecided(ElicitResult(action="accept", content={}), request)


def test_a_change_that_fits_is_shown_whole_and_takes_a_yes() -> None:
    request = question(preview="x" * LONGEST_PREVIEW)
    form = question_form(request, "2025-11-25")
    assert request.preview in form.message
    assert not is_undecided(ElicitResult(action="accept", content={"decision": "approve"}), request)
