"""Questions of one run that several processes answer at the same time: no answer is refused or lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler

import pytest
from tests.desk import Desk
from tests.servers import Web

import paperagents
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied, Pending
from paperagents.errors import RunBusyError, UnknownApprovalError
from paperagents.runs.record import RunRecord
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

TWO = """
  - parallel:
      - {tool: write_file, parameters: {filePath: a.md, content: a}}
      - {tool: write_file, parameters: {filePath: b.md, content: b}}
"""


class Busy:
    """Somebody who has said yes to one question, and keeps the run while thinking about the other."""

    def __init__(self, desk: Desk, pool: ThreadPoolExecutor) -> None:
        self.thinking, self.done = threading.Event(), threading.Event()
        self.run_id = desk.run("two").run_id
        self.questions = {each.arguments["filePath"]: each for each in desk.vault.history.questions()}
        self._desk, self._pool = desk, pool

    def begins(self) -> Future[RunRecord]:
        answer = self._pool.submit(
            self._desk.vault.answer, self.questions["a.md"].id, Approved(), approver=self._decide
        )
        assert self.thinking.wait(60)
        return answer

    def _decide(self, request: ApprovalRequest) -> Decision:
        assert request.arguments["filePath"] == "b.md"
        self.thinking.set()
        assert self.done.wait(60)
        return Pending()


class Watched(Cancellation):
    """Knows whether somebody who waits has looked at it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = threading.Event()

    @property
    def cancelled(self) -> bool:
        self.seen.set()
        return super().cancelled


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=2) as made:
        yield made


@pytest.fixture
def busy(desk: Desk, pool: ThreadPoolExecutor) -> Busy:
    desk.chain("two", TWO)
    return Busy(desk, pool)


@pytest.fixture
def other(desk: Desk) -> Iterator[Vault]:
    """The vault as another process has it."""
    with paperagents.open_vault(desk.root) as vault:
        yield vault


def test_an_answer_to_a_run_that_is_busy_is_given_when_it_is_let_go_of(
    desk: Desk, busy: Busy, other: Vault, pool: ThreadPoolExecutor
) -> None:
    first, stop = busy.begins(), Watched()
    second = pool.submit(other.answer, busy.questions["b.md"].id, Approved(), stop=stop)
    assert stop.seen.wait(60)
    busy.done.set()
    assert (first.result(60).status, second.result(60).status) == ("waiting", "succeeded")
    assert (desk.text("a.md"), desk.text("b.md")) == ("a", "b")


def test_a_question_stays_open_while_the_run_goes_on_with_another(
    desk: Desk, busy: Busy, other: Vault, pool: ThreadPoolExecutor
) -> None:
    busy.begins()
    assert [each.id for each in other.history.questions()] == [busy.questions["b.md"].id]
    stop = Watched()
    second = pool.submit(other.answer, busy.questions["b.md"].id, Denied(reason="no"), stop=stop)
    assert stop.seen.wait(60)
    busy.done.set()
    assert second.result(60).status == "denied"
    assert not (desk.root / "b.md").exists()


def test_an_answer_that_was_given_while_the_run_was_busy_is_found_when_it_is_resumed(desk: Desk, other: Vault) -> None:
    run = desk.run("write_file", {"filePath": "a.md", "content": "a"})
    (question,) = desk.vault.history.questions()
    with desk.vault.journal.lock_run(run.run_id):
        other.continuation.answer(question.id, Approved())
    assert desk.vault.resume(run.run_id).status == "succeeded"


def test_two_answers_to_one_question_have_one_effect(
    desk: Desk, other: Vault, pool: ThreadPoolExecutor, web: Web
) -> None:
    came, over = threading.Event(), threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        came.set()
        assert over.wait(60)
        handler.send_response(204)
        handler.end_headers()

    web.answers["/x"] = slow
    desk.run("rest_request", {"url": web.url("/x"), "method": "POST"})
    (question,) = desk.vault.history.questions()
    first = pool.submit(desk.vault.answer, question.id, Approved())
    assert came.wait(60)
    with pytest.raises(UnknownApprovalError):
        other.answer(question.id, Approved())
    over.set()
    assert first.result(60).status == "succeeded"
    assert [each[0] for each in web.requests] == ["POST"]


def test_an_answer_that_is_needed_no_more_tells_how_the_run_stands(
    busy: Busy, other: Vault, pool: ThreadPoolExecutor, desk: Desk
) -> None:
    stop = Watched()
    with desk.vault.journal.lock_run(busy.run_id):
        second = pool.submit(other.answer, busy.questions["b.md"].id, Denied(), stop=stop)
        assert stop.seen.wait(60)
        with desk.vault.database.transaction() as connection:
            connection.execute("UPDATE runs SET status = 'succeeded'")
            connection.execute("DELETE FROM questions")
            connection.execute("DELETE FROM answers")
    assert second.result(60).status == "succeeded"


def test_whoever_does_not_want_to_wait_any_more_is_told_that_the_run_is_busy(
    desk: Desk, busy: Busy, other: Vault
) -> None:
    stop = Cancellation()
    stop.cancel()
    with desk.vault.journal.lock_run(busy.run_id), pytest.raises(RunBusyError):
        other.answer(busy.questions["b.md"].id, Approved(), stop=stop)


def test_an_id_that_no_question_has_is_told_at_once_also_while_runs_go_on(desk: Desk, busy: Busy, other: Vault) -> None:
    with desk.vault.database.transaction() as connection:
        connection.execute("UPDATE runs SET status = 'running'")
    with desk.vault.journal.lock_run(busy.run_id), pytest.raises(UnknownApprovalError):
        other.answer("0" * 16, Approved())
