"""The digest of a question: what it stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paperagents.approval.question import ApprovalRequest, question_digest

DIGEST = question_digest("effect", "write_file", {}, "preview", run_id="run", path="1")
QUESTION = ApprovalRequest(
    id="q", run_id="r", step=1, tool="write_file", arguments={}, preview="preview", digest=DIGEST, requested="now",
    asked_in="run", path="1", effect="effect",
)  # fmt: skip


def test_a_question_shows_what_its_digest_stands_for() -> None:
    assert QUESTION.is_intact


@pytest.mark.parametrize(
    "change",
    [
        {"tool": "memory"}, {"arguments": {"a": 1}}, {"preview": "other"}, {"asked_in": "r2"}, {"path": "2"},
        {"effect": "other"}, {"digest": ""}, {"digest": DIGEST[:-1]},
    ],
)  # fmt: skip
def test_a_question_with_a_part_of_another_is_noticed(change: dict[str, Any]) -> None:
    assert not replace(QUESTION, **change).is_intact
