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
from paperagents.errors import UsageError
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
        self.questions = {each.arguments["filePath"]: each for each in desk.vault.store.approvals()}
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
    root_run, decisions = other.checked_answer(busy.questions["b.md"].id, Approved())
    first, stop = busy.begins(), Watched()
    second = pool.submit(other.resume, root_run, decisions=decisions, stop=stop)
    assert stop.seen.wait(60)
    busy.done.set()
    assert (first.result(60).status, second.result(60).status) == ("waiting", "succeeded")
    assert (desk.text("a.md"), desk.text("b.md")) == ("a", "b")


def test_a_question_that_was_taken_back_for_a_moment_can_be_answered(
    desk: Desk, busy: Busy, other: Vault, pool: ThreadPoolExecutor
) -> None:
    busy.begins()
    assert not other.store.approvals()
    stop = Watched()
    second = pool.submit(other.answer, busy.questions["b.md"].id, Denied(reason="no"), stop=stop)
    assert stop.seen.wait(60)
    busy.done.set()
    assert second.result(60).status == "denied"
    assert not (desk.root / "b.md").exists()


def test_two_answers_to_one_question_have_one_effect(
    desk: Desk, other: Vault, pool: ThreadPoolExecutor, web: Web
) -> None:
    came, over, stop = threading.Event(), threading.Event(), Watched()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        came.set()
        assert over.wait(60)
        handler.send_response(204)
        handler.end_headers()

    web.answers["/x"] = slow
    run = desk.run("rest_request", {"url": web.url("/x"), "method": "POST"})
    decisions = {each.digest: Approved() for each in desk.vault.store.approvals()}
    first = pool.submit(desk.vault.resume, run.run_id, decisions=decisions)
    assert came.wait(60)
    second = pool.submit(other.resume, run.run_id, decisions=decisions, stop=stop)
    assert stop.seen.wait(60)
    over.set()
    assert (first.result(60).status, second.result(60).status) == ("succeeded", "succeeded")
    assert [request.method for request in web.requests] == ["POST"]


def test_an_answer_that_is_needed_no_more_tells_how_the_run_stands(
    busy: Busy, other: Vault, pool: ThreadPoolExecutor, desk: Desk
) -> None:
    root_run, decisions = other.checked_answer(busy.questions["b.md"].id, Denied())
    stop = Watched()
    with desk.vault.store.held(root_run):
        second = pool.submit(other.resume, root_run, decisions=decisions, stop=stop)
        assert stop.seen.wait(60)
        with desk.vault.database.transaction() as connection:
            connection.execute("UPDATE runs SET status = 'succeeded'")
            connection.execute("DELETE FROM approvals")
            connection.execute("DELETE FROM answers")
    assert second.result(60).status == "succeeded"


def test_whoever_does_not_want_to_wait_any_more_is_told_that_the_run_is_busy(
    desk: Desk, busy: Busy, other: Vault
) -> None:
    root_run, decisions = other.checked_answer(busy.questions["b.md"].id, Approved())
    stop = Cancellation()
    stop.cancel()
    with desk.vault.store.held(root_run), pytest.raises(UsageError) as refused:
        other.resume(root_run, decisions=decisions, stop=stop)
    assert refused.value.code == "run-is-running"
