"""The digest of a question: what it stands for, and what can be found by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from paperagents.approval.question import ApprovalRequest, asked_about, asked_at, is_as_asked, question_digest

WRITE = question_digest("call", "write_file", {}, "preview", place="run 1")
DELETE = question_digest("other", "memory", {}, "preview", place="run 2")
QUESTION = ApprovalRequest(
    id="q", run_id="r", step=1, tool="write_file", arguments={}, preview="preview", digest=WRITE, requested="now"
)


def test_a_question_shows_what_its_digest_stands_for() -> None:
    assert is_as_asked(QUESTION)


@pytest.mark.parametrize("part", range(3))
def test_a_digest_with_a_part_of_another_question_is_noticed(part: int) -> None:
    parts = WRITE.split("-")
    parts[part] = DELETE.split("-")[part]
    assert not is_as_asked(replace(QUESTION, digest="-".join(parts)))


@pytest.mark.parametrize("digest", ["", "-", "call", "call-x", WRITE.partition("-")[2]])
def test_a_digest_that_is_none_stands_for_nothing(digest: str) -> None:
    assert not is_as_asked(replace(QUESTION, digest=digest))
    assert asked_about("write_file", [digest]) == []


def test_questions_are_found_by_their_place_and_by_their_tool() -> None:
    questions = [WRITE, DELETE, "*"]
    assert asked_at("run 1", questions) == asked_about("write_file", questions) == [WRITE]
    assert asked_at("run 3", questions) == asked_about("task", questions) == []
