"""A folder that comes from somebody else may hold a database; nothing in it is a yes of the person who opens it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.desk import Desk
from tests.servers import Web

from paperagents.approval.question import Approved
from paperagents.approval.signatures import UserKey, identify_vault
from paperagents.cluster.worker import continue_run, continue_runs
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UntrustedRunError, UsageError
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.vault import Vault

Opened = Callable[[str], Vault]


@pytest.fixture
def opened(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The vault as the user with this home finds it."""

    def opened(home: str) -> Vault:
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / home))
        return desk.reopened()

    return opened


def leave_a_yes(desk: Desk) -> str:
    """A run that waits, with the answer already there."""
    run = desk.vault.run("write_file", {"filePath": "out.txt", "content": "x"})
    desk.vault.continuation.answer(desk.vault.history.questions()[0].id, Approved(), announce=True)
    return run.run_id


@pytest.fixture
def sent(desk: Desk, web: Web) -> str:
    """A run as a kill leaves it while the server works on what it was sent."""
    kept, database = desk.root.parent / "kept.db", desk.vault.database
    assert isinstance(database, SqliteDatabase)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        database.copy_to(kept)
        handler.send_response(204)
        handler.end_headers()

    web.answers["/x"] = answer
    run = desk.run("rest_request", {"url": web.url("/x"), "method": "POST"}, Approved())
    desk.vault.close()
    shutil.move(kept, desk.root / ".paper" / "paper.db")
    return run.run_id


def trust(vault: Vault, run_id: str) -> None:
    run = vault.history.run(run_id)
    assert run is not None
    vault.trust.give([run.as_brought()])


def test_a_run_that_came_with_the_folder_does_not_go_on(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    assert list(vault.continuation.find_continuable()) == []
    assert continue_run(vault, run_id) is None
    with pytest.raises(UntrustedRunError, match=run_id):
        vault.resume(run_id)
    with pytest.raises(UntrustedRunError, match=run_id):
        vault.answer(vault.history.questions()[0].id, Approved())
    assert not (desk.root / "out.txt").exists()


def test_a_queued_run_that_came_with_the_folder_is_no_workers(desk: Desk, opened: Opened) -> None:
    run_id = desk.vault.enqueue("write_file", {"filePath": "out.txt", "content": "x"}, yes=True).run_id
    vault = opened("somebody else")
    assert continue_runs(vault) == []
    trust(vault, run_id)
    assert continue_runs(vault) == [], "trust lets a person go on with it by hand, never a worker"
    assert vault.resume(run_id).status == "waiting", "and the yes in it is still a stranger's"
    assert not (desk.root / "out.txt").exists()


def test_a_yes_in_a_run_that_is_trusted_does_not_count(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    trust(vault, run_id)
    assert vault.resume(run_id).status == "waiting"
    assert not (desk.root / "out.txt").exists()
    assert vault.answer(vault.history.questions()[0].id, Approved()).status == "succeeded"


def test_ones_own_yes_counts_after_a_restart(desk: Desk) -> None:
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"
    assert desk.text("out.txt") == "x"


def test_a_look_by_somebody_else_takes_no_yes_away(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    opened("somebody else").history.runs()
    assert opened("config").resume(run_id).status == "succeeded"
    assert desk.text("out.txt") == "x"


def test_a_question_with_a_strangers_answer_is_open(desk: Desk, opened: Opened) -> None:
    leave_a_yes(desk)
    vault = opened("somebody else")
    assert [each.tool for each in vault.history.questions()] == ["write_file"]
    assert vault.history.count_questions() == 1


def test_a_run_that_is_carried_out_is_not_adopted(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    trust(vault, run_id)
    with vault.journal.lock_run(run_id), pytest.raises(UsageError, match=run_id):
        vault.resume(run_id)
    assert opened("config").resume(run_id).status == "succeeded"


@pytest.mark.parametrize("home", ["config", "somebody else"])
def test_a_request_that_was_cut_off_is_not_sent_again_by_anybody(
    opened: Opened, web: Web, sent: str, home: str
) -> None:
    vault = opened(home)
    trust(vault, sent)
    record = vault.resume(sent, approver=lambda _: Approved())
    assert record.error is not None
    assert (record.error["code"], len(web.requests)) == ("outcome-unknown", 1)


def test_a_change_that_somebody_only_says_was_agreed_on_is_asked(desk: Desk) -> None:
    arguments: JsonObject = {"filePath": "out.txt", "content": "x", "overwrite": False, "append": False}
    run_id = desk.vault.run("write_file", arguments).run_id
    change = desk.vault.services.built_in["write_file"](arguments)
    with desk.vault.database.transaction() as connection:
        connection.execute(
            "INSERT INTO intents (run_id, path, digest, before, after, answer, arguments, approved, signature) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')",
            (run_id, "1", change.digest, change.before, change.after, "null", "{}", "{}"),
        )
        connection.execute("UPDATE runs SET status = 'running'")
    assert desk.reopened().resume(run_id).status == "waiting"
    assert not (desk.root / "out.txt").exists()


@pytest.mark.parametrize("column", ["tool", "definition", "arguments", "signature"])
def test_a_run_of_ones_own_that_was_changed_behind_ones_back_is_a_strangers(desk: Desk, column: str) -> None:
    run_id = leave_a_yes(desk)
    value = {"arguments": '{"filePath":"evil.txt","content":"x"}'}.get(column, "x")
    with desk.vault.database.transaction() as connection:
        connection.execute(f"UPDATE runs SET {column} = ?", (value,))
    with pytest.raises(UntrustedRunError):
        desk.reopened().resume(run_id)


@pytest.mark.parametrize("column", ["digest", "decision", "signature"])
def test_an_answer_that_was_changed_is_none(desk: Desk, column: str) -> None:
    run_id = leave_a_yes(desk)
    value = {"decision": '{"approved":true,"by":"x","for_run":true,"always":true}'}.get(column, "0")
    with desk.vault.database.transaction() as connection:
        connection.execute(f"UPDATE answers SET {column} = ?", (value,))
    vault = desk.reopened()
    assert vault.resume(run_id).status == "waiting"
    assert not (desk.root / "out.txt").exists()


def test_the_folder_at_another_place_is_another_vault(desk: Desk, tmp_path: Path) -> None:
    run_id = leave_a_yes(desk)
    desk.vault.close()
    elsewhere = shutil.copytree(desk.root, tmp_path / "elsewhere")
    with Vault(elsewhere) as vault, pytest.raises(UntrustedRunError):
        vault.resume(run_id)


def test_another_folder_at_the_same_place_is_another_vault(desk: Desk, own_home: Path) -> None:
    key = UserKey(own_home / "paperagents")
    keeping = desk.root / ".paper"
    first = identify_vault(desk.root, keeping, key)
    assert identify_vault(desk.root, keeping, key) == first
    (keeping / "identity.json").unlink()
    assert identify_vault(desk.root, keeping, key) != first


def test_where_the_key_cannot_be_kept_the_vault_works(desk: Desk, own_home: Path) -> None:
    (own_home / "paperagents" / "signing.key").mkdir(parents=True)
    assert desk.run("write_file", {"filePath": "out.txt", "content": "x"}, Approved()).status == "succeeded"


def test_the_key_is_the_users_alone_to_read(desk: Desk, own_home: Path) -> None:
    leave_a_yes(desk)
    assert (own_home / "paperagents" / "signing.key").stat().st_mode & 0o777 == 0o600
