"""Answers that were given while nobody was running: what they hold for, and how long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.question import ApprovalRequest, Approved, Denied
from paperagents.errors import ApprovalChangedError, UnknownApprovalError

if TYPE_CHECKING:
    from tests.desk import Desk

APPEND = {"filePath": "log.md", "content": "mine\n", "append": True}
SIDE_BY_SIDE = """
  - parallel:
      - {tool: write_file, parameters: {filePath: one.md, content: "1"}}
      - {tool: write_file, parameters: {filePath: two.md, content: "2"}}
"""


def asked_about_an_append(desk: Desk) -> tuple[str, ApprovalRequest]:
    """A run that waits for an answer about a file that somebody changes meanwhile, and its question."""
    desk.note("log.md", "first\n")
    run = desk.run("write_file", APPEND)
    (question,) = desk.vault.history.questions()
    desk.note("log.md", "changed\n")
    return run.run_id, question


def test_a_yes_to_what_is_not_asked_any_more_is_no_reason_to_go_on(desk: Desk) -> None:
    run_id, question = asked_about_an_append(desk)
    assert desk.vault.answer(question.id, Approved()).status == "waiting"
    assert desk.vault.history.resumable() == []
    assert not desk.vault.questions.has_answer(run_id)


def test_a_yes_that_did_not_fit_does_not_fit_later(desk: Desk) -> None:
    run_id, question = asked_about_an_append(desk)
    desk.vault.answer(question.id, Approved())
    desk.note("log.md", "first\n")
    assert desk.reopened().resume(run_id).status == "waiting"
    assert desk.text("log.md") == "first\n"


def test_an_answer_to_another_picture_of_a_question_is_refused_and_the_question_stays_open(desk: Desk) -> None:
    desk.run("write_file", APPEND)
    (question,) = desk.vault.history.questions()
    with pytest.raises(ApprovalChangedError):
        desk.vault.continuation.answer(question.id, Approved(), digest="0" * 64)
    assert desk.vault.history.questions() == [question]
    assert desk.vault.continuation.answer(question.id, Approved(), digest=question.digest) == question.run_id
    assert desk.vault.questions.has_answer(question.run_id)


def test_the_first_of_two_answers_holds(desk: Desk) -> None:
    desk.run("write_file", APPEND)
    (question,) = desk.vault.history.questions()
    desk.vault.questions.answer(question, Denied(reason="first"))
    with pytest.raises(UnknownApprovalError):
        desk.vault.questions.answer(question, Approved())
    assert desk.vault.resume(question.run_id).status == "denied"


def test_a_no_that_a_chain_went_on_after_is_no_reason_to_go_on(desk: Desk) -> None:
    desk.chain("c", """
  - {tool: write_file, parameters: {filePath: one.md, content: x}, continue_on_error: true}
  - {tool: write_file, parameters: {filePath: two.md, content: x}}
""")  # fmt: skip
    desk.run("c")
    assert desk.vault.answer(desk.vault.history.questions()[0].id, Denied()).status == "waiting"
    assert desk.vault.history.resumable() == []


def test_an_answer_to_a_question_that_is_still_open_stays(desk: Desk) -> None:
    desk.chain("c", SIDE_BY_SIDE)
    run = desk.run("c")
    first, second = desk.vault.history.questions()
    desk.vault.continuation.answer(second.id, Approved(), announce=True)
    assert desk.vault.history.resumable() == [run.run_id]
    assert desk.vault.answer(first.id, Approved()).status == "succeeded"


def test_a_no_holds_although_the_file_has_changed_since(desk: Desk) -> None:
    _, question = asked_about_an_append(desk)
    record = desk.vault.answer(question.id, Denied(reason="no way"))
    assert record.status == "denied"
    assert record.error is not None
    assert record.error["details"] == {"reason": "no way"}
    assert desk.text("log.md") == "changed\n"


def test_a_no_to_one_step_is_none_to_another(desk: Desk) -> None:
    desk.chain("c", SIDE_BY_SIDE)
    desk.run("c")
    first, second = desk.vault.history.questions()
    desk.vault.continuation.answer(first.id, Denied(), announce=True)
    desk.vault.answer(second.id, Approved())
    written = [path for path in ("one.md", "two.md") if (desk.root / path).exists()]
    assert written in ([], [second.arguments["filePath"]])


@pytest.mark.parametrize("answered", [0, 1])
def test_a_stored_yes_for_the_run_holds_for_the_step_beside_it(desk: Desk, answered: int) -> None:
    desk.chain("c", SIDE_BY_SIDE)
    for _ in range(5):
        desk.run("c")
        record = desk.reopened().answer(desk.vault.history.questions()[answered].id, Approved(for_run=True))
        assert record.status == "succeeded"
        for path in ("one.md", "two.md"):
            (desk.root / path).unlink()


def test_a_yes_for_the_run_is_asked_again_where_its_own_file_has_changed(desk: Desk) -> None:
    _, question = asked_about_an_append(desk)
    assert desk.vault.answer(question.id, Approved(for_run=True)).status == "waiting"
    assert desk.text("log.md") == "changed\n"


def test_who_allows_a_tool_for_the_run_is_not_asked_about_the_step_beside_it(
    desk: Desk, person: Callable[..., Any]
) -> None:
    both = threading.Barrier(2)

    def wait_for_the_other(event: Any) -> None:
        if event["type"] == "step-started" and event["block"] == "tool":
            both.wait(10)

    def think_about_it(_: ApprovalRequest) -> Approved:
        # Long enough for the step beside it to come to its question, too.
        desk.vault.plan("c")
        return Approved(for_run=True)

    desk.chain("c", SIDE_BY_SIDE)
    somebody = person(think_about_it)
    record = desk.vault.run("c", approver=somebody, on_event=wait_for_the_other)
    assert record.status == "succeeded"
    assert len(somebody.asked) == 1


def test_an_edit_is_done_although_the_tool_is_allowed_for_the_run(desk: Desk) -> None:
    desk.chain("c", SIDE_BY_SIDE)
    desk.run("c")
    first, second = desk.vault.history.questions()
    desk.vault.continuation.answer(first.id, Approved(for_run=True), announce=True)
    record = desk.vault.answer(second.id, Approved(arguments={**second.arguments, "filePath": "edited.md"}))
    assert record.status == "succeeded"
    assert (desk.root / "edited.md").exists()
    assert not (desk.root / str(second.arguments["filePath"])).exists()


def test_a_run_that_goes_on_waits_for_nobody_any_more(desk: Desk) -> None:
    waiting = desk.run("write_file", {"filePath": "a.md", "content": "a"})
    assert waiting.error is not None
    desk.vault.journal.reopen(waiting.run_id)
    record = desk.vault.history.record(waiting.run_id)
    assert (record.status, record.error) == ("running", None)


def test_an_answer_that_nobody_understands_is_no_yes_and_no_reason_to_go_on_for_ever(desk: Desk) -> None:
    run = desk.run("write_file", {"filePath": "a.md", "content": "a"})
    (question,) = desk.vault.history.questions()
    desk.vault.continuation.answer(question.id, Approved())
    with desk.vault.database.transaction() as connection:
        connection.execute("UPDATE answers SET decision = ?", ('{"approved": "perhaps"}',))
    assert desk.vault.resume(run.run_id).status == "waiting"
    assert desk.vault.history.resumable() == []
    assert [each.id for each in desk.vault.history.questions()] == [question.id]
