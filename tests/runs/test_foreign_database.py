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
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UsageError
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


def test_a_yes_that_came_with_the_folder_does_not_count(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    assert vault.resume(run_id).status == "waiting"
    assert not (desk.root / "out.txt").exists()
    assert [each.tool for each in vault.history.questions()] == ["write_file"]


def test_ones_own_yes_counts_after_a_restart(desk: Desk) -> None:
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"
    assert desk.text("out.txt") == "x"


def test_a_folder_that_was_opened_once_is_ones_own(desk: Desk, opened: Opened) -> None:
    desk.vault.run("search_files", {"query": "x"})
    opened("somebody else")
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"


def test_a_look_by_somebody_else_takes_no_yes_away(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    opened("somebody else").history.runs()
    assert opened("config").resume(run_id).status == "succeeded"
    assert desk.text("out.txt") == "x"


def test_somebody_else_can_answer_what_has_been_answered_already(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    vault.continuation.answer(vault.history.questions()[0].id, Approved(), announce=True)
    assert desk.reopened().resume(run_id).status == "succeeded"


def test_an_answer_of_ones_own_counts_in_a_run_that_came_with_the_folder(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    assert vault.resume(run_id).status == "waiting"
    vault.continuation.answer(vault.history.questions()[0].id, Approved(), announce=True)
    assert desk.reopened().resume(run_id).status == "succeeded"


def test_a_run_that_is_carried_out_keeps_what_was_agreed_on(desk: Desk, opened: Opened) -> None:
    run_id = leave_a_yes(desk)
    vault = opened("somebody else")
    with vault.journal.lock_run(run_id), pytest.raises(UsageError, match=run_id):
        vault.resume(run_id)
    assert opened("config").resume(run_id).status == "succeeded"


@pytest.mark.parametrize("home", ["config", "somebody else"])
def test_a_request_that_was_cut_off_is_not_sent_again_after_a_look_by_somebody_else(
    opened: Opened, web: Web, sent: str, home: str
) -> None:
    opened("somebody else").history.runs()
    record = opened(home).resume(sent, approver=lambda _: Approved())
    assert record.error is not None
    assert (record.error["code"], len(web.requests)) == ("outcome-unknown", 1)


@pytest.mark.parametrize(("home", "status"), [("config", "succeeded"), ("somebody else", "waiting")])
def test_a_change_that_was_about_to_be_made_is_asked_for_again_only_by_somebody_else(
    desk: Desk, opened: Opened, home: str, status: str
) -> None:
    arguments: JsonObject = {"filePath": "out.txt", "content": "x", "overwrite": False, "append": False}
    run_id = desk.vault.run("write_file", arguments).run_id
    change = desk.vault.services.built_in["write_file"](arguments)
    with desk.vault.database.transaction() as connection:
        connection.execute(
            "INSERT INTO intents (run_id, path, digest, before, after, answer, arguments, agreed) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, 1)",
            (run_id, "1", change.digest, change.before, change.after, "null", "{}"),
        )
        connection.execute("UPDATE runs SET status = 'running'")
    assert opened(home).resume(run_id).status == status
    assert (desk.root / "out.txt").exists() == (status == "succeeded")


def test_a_database_cannot_name_another_file_as_its_mark(desk: Desk, own_home: Path) -> None:
    run_id = leave_a_yes(desk)
    with desk.vault.database.transaction() as connection:
        connection.execute("UPDATE identity SET id = ?", (f"../{own_home.name}",))
    assert desk.reopened().resume(run_id).status == "waiting"


def test_where_nothing_can_be_remembered_the_vault_works(desk: Desk, own_home: Path) -> None:
    (own_home / "paperagents").mkdir(parents=True)
    (own_home / "paperagents" / "databases").write_text("no folder")
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"
