"""A folder that comes from somebody else may hold a database; nothing in it is a yes of the person who opens it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.execution.conftest import Desk

from paperagents.approval.decision import Approved


def leave_a_yes(desk: Desk) -> str:
    """A run that waits, with the answer already there."""
    run = desk.vault.run("write_file", {"filePath": "out.txt", "content": "x"})
    desk.vault.leave_answer(desk.vault.store.approvals()[0].id, Approved())
    return run.run_id


def test_a_yes_that_came_with_the_folder_does_not_count(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = leave_a_yes(desk)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody else"))
    vault = desk.reopened()
    assert vault.resume(run_id).status == "waiting"
    assert not (desk.root / "out.txt").exists()
    assert [each.tool for each in vault.store.approvals()] == ["write_file"]


def test_ones_own_yes_counts_after_a_restart(desk: Desk) -> None:
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"
    assert desk.text("out.txt") == "x"


def test_a_folder_that_was_opened_once_is_ones_own(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.vault.run("search_files", {"query": "x"})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "somebody else"))
    desk.reopened()
    run_id = leave_a_yes(desk)
    assert desk.reopened().resume(run_id).status == "succeeded"


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
