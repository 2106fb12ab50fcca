"""Workers carry out what is queued, answered or left behind, each run by one of them only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from tests.waiting import wait_until

from paperagents.approval.question import Approved, Denied
from paperagents.cluster.worker import LimitReachedError, continue_run
from paperagents.errors import StorageError, UsageError
from paperagents.storage.postgres import PostgresDatabase
from paperagents.vault import Vault

from .conftest import working


def status(vault: Vault, run_id: str) -> str:
    return vault.history.record(run_id).status


def test_a_queued_run_is_carried_out(vault: Vault) -> None:
    queued = vault.enqueue("greet", {"who": "you"})
    assert (queued.status, queued.success, queued.exit_code) == ("queued", False, 0)
    assert status(vault, queued.run_id) == "queued"
    with working(vault):
        wait_until(lambda: status(vault, queued.run_id) == "succeeded")
    assert vault.history.record(queued.run_id).data == "hello you"


def test_a_call_that_is_wrong_is_told_at_once_and_queues_nothing(vault: Vault) -> None:
    with pytest.raises(UsageError):
        vault.enqueue("greet", {})
    with pytest.raises(UsageError):
        vault.enqueue("gret", {"who": "you"})
    assert vault.history.runs() == []


def test_a_run_that_must_ask_waits_and_goes_on_with_the_answer_that_was_left(vault: Vault) -> None:
    run_id = vault.enqueue("note").run_id
    with working(vault):
        wait_until(lambda: status(vault, run_id) == "waiting")
        assert not (vault.root / "out.txt").exists()
        assert vault.continuation.answer(vault.history.questions()[0].id, Approved(), announce=True) == run_id
        wait_until(lambda: status(vault, run_id) == "succeeded")
    assert (vault.root / "out.txt").read_text() == "x"
    assert not vault.questions.has_answer(run_id)


def test_a_no_that_was_left_reaches_the_run(vault: Vault) -> None:
    run_id = vault.enqueue("note").run_id
    with working(vault):
        wait_until(lambda: status(vault, run_id) == "waiting")
        vault.continuation.answer(vault.history.questions()[0].id, Denied(reason="not today"), announce=True)
        wait_until(lambda: status(vault, run_id) == "denied")
    error = vault.history.record(run_id).error
    assert error is not None
    assert "not today" in str(error["message"])


def test_what_was_approved_when_it_was_queued_is_not_asked_and_the_record_says_so(vault: Vault) -> None:
    run_id = vault.enqueue("note", yes=True).run_id
    with working(vault):
        wait_until(lambda: status(vault, run_id) == "succeeded")
    (entry,) = vault.history.record(run_id).execution_log
    assert (entry["hitl_required"], entry["hitl_confirmed"]) == (True, True)
    assert "--yes" in str(entry["message"])


def test_a_worker_runs_the_file_as_it_was_when_the_run_was_queued(vault: Vault) -> None:
    run_id = vault.enqueue("greet", {"who": "you"}).run_id
    (vault.root / "greet.md").unlink()
    vault.registry.refresh()
    with working(vault):
        wait_until(lambda: status(vault, run_id) == "succeeded")
    assert vault.history.record(run_id).data == "hello you"


@pytest.mark.parametrize("column", ["arguments", "clock"])
def test_a_run_that_cannot_be_read_any_more_ends_and_is_not_tried_for_ever(vault: Vault, column: str) -> None:
    run_id = vault.enqueue("greet", {"who": "you"}).run_id
    with vault.database.transaction() as connection:
        connection.execute(f"UPDATE runs SET {column} = '{{' WHERE run_id = ?", (run_id,))
    assert continue_run(vault, run_id) is None
    assert list(vault.continuation.find_continuable()) == []
    record = vault.history.record(run_id)
    assert (record.status, (record.error or {})["code"]) == ("failed", "row-damaged")


def test_a_waiting_run_is_left_alone_by_workers_until_somebody_answers(vault: Vault) -> None:
    run_id = vault.run("note").run_id
    before = vault.history.questions()
    assert list(vault.continuation.find_continuable()) == []
    assert continue_run(vault, run_id) is None
    assert vault.history.questions() == before


def test_a_failed_run_is_not_tried_again_by_workers(vault: Vault) -> None:
    (vault.root / "bad.md").write_text(
        "---\ntool: true\nname: bad\ndescription: d\ncustom_function: return x.y;\n---\n"
    )
    vault.registry.refresh()
    run_id = vault.run("bad").run_id
    assert continue_run(vault, run_id) is None
    assert status(vault, run_id) == "failed"


KILLED = """
import sys
from pathlib import Path
from paperagents.vault import Vault

def answer(request):
    print("asked", flush=True)
    sys.stdin.read()

Vault(Path(sys.argv[1])).resume(sys.argv[2], approver=answer)
"""


def test_a_run_whose_process_was_killed_is_taken_over(vault: Vault) -> None:
    run_id = vault.enqueue("note").run_id
    command = [sys.executable, "-c", KILLED, str(vault.root), run_id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"asked\n"
        assert status(vault, run_id) == "running"
        process.kill()
    with working(vault):
        wait_until(lambda: status(vault, run_id) == "waiting")
    assert len(vault.history.questions()) == 1


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_command_works_and_ends_politely(vault: Vault, stop: signal.Signals) -> None:
    run_id = vault.enqueue("greet", {"who": "you"}).run_id
    command = [sys.executable, "-m", "paperagents", "--vault", str(vault.root), "worker", "--log-format", "json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        try:
            wait_until(lambda: status(vault, run_id) == "succeeded")
            process.send_signal(stop)
            _, log = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert run_id.encode() in log


def test_a_tool_with_one_place_has_one_run_at_a_time(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault.root / ".paper" / "settings.toml").write_text("[limits.greet]\nconcurrency = 1\n")
    monkeypatch.delitem(vault.__dict__, "settings", raising=False)
    run_id = vault.enqueue("greet", {"who": "you"}).run_id
    with vault.database.held("place 0 of greet"), pytest.raises(LimitReachedError):
        continue_run(vault, run_id)
    assert status(vault, run_id) == "queued"
    done = continue_run(vault, run_id)
    assert done is not None
    assert done.status == "succeeded"


def test_a_tool_is_started_only_so_often_in_a_minute(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    (vault.root / ".paper" / "settings.toml").write_text("[limits.greet]\nper_minute = 2\n")
    monkeypatch.delitem(vault.__dict__, "settings", raising=False)
    runs = [vault.enqueue("greet", {"who": str(number)}).run_id for number in range(3)]
    for run_id in runs[:2]:
        assert continue_run(vault, run_id) is not None
    with pytest.raises(LimitReachedError) as caught:
        continue_run(vault, runs[2])
    assert 0 < caught.value.seconds <= 60
    assert status(vault, runs[2]) == "queued"


def test_many_runs_are_each_carried_out_once_by_several_workers(vault: Vault) -> None:
    runs = [vault.enqueue("greet", {"who": str(number)}).run_id for number in range(20)]
    other = Vault(vault.root)
    with other, working(vault), working(other):
        wait_until(lambda: vault.history.count("succeeded") == len(runs), 60)
    for run_id in runs:
        assert len(vault.history.record(run_id).execution_log) == 1


def test_who_lost_a_run_to_somebody_else_can_write_nothing_any_more(vault: Vault) -> None:
    if not isinstance(vault.database, PostgresDatabase):
        pytest.skip("a lock of the operating system cannot be lost")
    taken: list[Any] = []

    def lose_it(request: Any) -> Approved:
        # As after a cut of the network: the server ends the session, and another worker takes the run.
        assert isinstance(vault.database, PostgresDatabase)
        with vault.database.transaction() as connection:
            connection.execute("UPDATE holders SET holder = 'another' WHERE run_id = ?", (request.run_id,))
        taken.append(request.run_id)
        return Approved()

    with pytest.raises(StorageError) as caught:
        vault.run("note", approver=lose_it)
    assert caught.value.code == "run-taken-over"
    assert not (vault.root / "out.txt").exists()
    assert taken
    assert vault.history.runs() == []
