"""Answers that are kept until a run goes on: read again as they were given, or as no answer."""

from __future__ import annotations

import pytest

from paperagents.approval.question import Approved, Decision, Denied, Pending, decision_as_json, decision_of
from paperagents.definitions.json_value import JsonObject

ANSWERS = [
    Approved(),
    Approved(by="ann", via="page", for_run=True),
    Approved(always=True, arguments={"path": "a.md"}),
    Denied(),
    Denied(reason="no"),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_read_as_it_was_given_whatever_a_newer_version_adds(answer: Decision) -> None:
    assert decision_of(decision_as_json(answer)) == answer
    assert decision_of({**decision_as_json(answer), "expires": "2999-01-01", "by_whom": {"name": "x"}}) == answer


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"approved": "yes"},
        {"approved": 1, "by": "person", "via": "terminal", "at": "2026-01-01", "for_run": False, "always": False},
        {"approved": None},
        {"approved": True},
        {
            "approved": True,
            "by": "person",
            "via": "terminal",
            "at": "2026-01-01",
            "for_run": 1,
            "always": False,
            "arguments": None,
        },
        {
            "approved": True,
            "by": "person",
            "via": "terminal",
            "at": "2026-01-01",
            "for_run": False,
            "always": False,
            "arguments": "path=a.md",
        },
        {"approved": False, "reason": 5},
        {"decision": "approved"},
    ],
)
def test_an_answer_that_is_not_understood_is_no_answer(kept: JsonObject) -> None:
    assert decision_of(kept) == Pending()
