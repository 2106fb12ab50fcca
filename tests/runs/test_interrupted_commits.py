"""A commit that was killed between two files is completed when the vault is next opened, whoever opens it."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import ANY

import pytest
from tests.runs.killed_commit import KILLED_COMMIT

import paperagents
from paperagents.approval.question import Approved
from paperagents.errors import StorageError
from paperagents.runs.changes import ChangeLog

if TYPE_CHECKING:
    from pathlib import Path

    from tests.desk import Desk

KILLED = f"""{KILLED_COMMIT}vault = paperagents.open_vault(sys.argv[1])
if sys.argv[3] == "undo":
    vault.undo("last", approver=lambda request: Approved())
else:
    vault.run("many", together=True, approver=lambda request: Approved())
"""
NAMES = "abcd"


def write_chain(desk: Desk) -> None:
    for each in NAMES:
        desk.note(f"{each}.md", "before\n")
    steps = [
        f"  - {{tool: write_file, parameters: {{filePath: {each}.md, content: after, overwrite: true}}}}"
        for each in NAMES
    ]
    desk.chain("many", "\n".join([*steps, "  - {tool: memory, parameters: {identifier: tea, content: green}}"]))


def kill(desk: Desk, made: int, what: str) -> None:
    desk.vault.close()
    command = [sys.executable, "-c", KILLED, str(desk.root), str(made), what]
    assert subprocess.run(command, check=False).returncode == 9


def texts(root: Path) -> list[str]:
    return [(root / f"{each}.md").read_text() for each in NAMES]


@pytest.mark.usefixtures("each_database")
@pytest.mark.parametrize("made", [0, 2])
def test_opening_the_vault_completes_it(desk: Desk, made: int) -> None:
    write_chain(desk)
    kill(desk, made, "run")
    assert texts(desk.root) == ["after"] * made + ["before\n"] * (4 - made)
    desk.vault = paperagents.open_vault(desk.root)
    assert texts(desk.root) == ["after"] * 4
    assert desk.vault.entries.get("memory", "tea") is not None
    assert not [*desk.root.glob(".paper-*")]
    assert not desk.vault.has_commit_markers()
    (run,) = desk.vault.history.runs(tool="many")
    assert desk.vault.resume(str(run["run_id"])).status == "succeeded"
    assert [(line["run_id"], line["step"]) for line in desk.vault.blame("c.md")] == [(run["run_id"], 3)]


@pytest.mark.usefixtures("each_database")
@pytest.mark.parametrize("made", [0, 1, 3])
def test_an_undo_is_completed_like_any_other(desk: Desk, made: int) -> None:
    write_chain(desk)
    done = desk.vault.run("many", together=True, approver=lambda _: Approved())
    assert done.status == "succeeded"
    kill(desk, made, "undo")
    assert texts(desk.root) == ["before\n"] * made + ["after"] * (4 - made)
    desk.vault = paperagents.open_vault(desk.root)
    assert texts(desk.root) == ["before\n"] * 4
    assert desk.vault.entries.get("memory", "tea") is None
    assert {each["undone"] for each in desk.vault.changes(run=done.run_id)} == {True}
    (run,) = desk.vault.history.runs(tool="undo")
    assert desk.vault.resume(str(run["run_id"])).status == "succeeded"
    assert texts(desk.root) == ["before\n"] * 4
    # Nothing is lost of it: it can be taken back itself.
    assert desk.vault.undo("last", approver=lambda _: Approved()).status == "succeeded"
    assert texts(desk.root) == ["after"] * 4


@pytest.mark.parametrize("command", [["list"], ["runs", "list"], ["check"], ["search", "after"], ["changes", "list"]])
def test_a_command_that_only_looks_completes_it_too(desk: Desk, command: list[str]) -> None:
    write_chain(desk)
    kill(desk, 2, "run")
    subprocess.run([sys.executable, "-m", "paperagents", *command, "--json"], cwd=desk.root, check=False)
    assert texts(desk.root) == ["after"] * 4


def test_nothing_of_a_strangers_commit_happens(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_chain(desk)
    kill(desk, 2, "run")
    half = ["after"] * 2 + ["before\n"] * 2
    # The same folder at another place, and the same place for another user: neither was agreed on there.
    copy = tmp_path / "copy"
    shutil.copytree(desk.root, copy)
    paperagents.open_vault(copy).close()
    assert texts(copy) == half
    with monkeypatch.context() as other:
        other.setenv("XDG_CONFIG_HOME", str(tmp_path / "other"))
        with paperagents.open_vault(desk.root) as vault:
            assert "database" not in vault.__dict__
        assert texts(desk.root) == half
    paperagents.open_vault(desk.root).close()
    assert texts(desk.root) == ["after"] * 4


@pytest.mark.parametrize(
    "written", ["", "[]", "{}", '{"run_id": 1}', '{"run_id": "x", "path": "1", "signature": "a:b"}']
)
def test_a_marker_that_means_nothing_harms_nobody(desk: Desk, written: str) -> None:
    write_chain(desk)
    (desk.root / ".paper" / "commits").mkdir()
    (desk.root / ".paper" / "commits" / "x").write_text(written)
    assert desk.reopened().run("read_file", {"filePath": "a.md"}).status == "succeeded"
    assert texts(desk.root) == ["before\n"] * 4


def test_a_link_in_place_of_the_markers_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    write_chain(desk)
    (tmp_path / "outside").mkdir()
    (desk.root / ".paper" / "commits").symlink_to(tmp_path / "outside")
    record = desk.vault.run("many", together=True, approver=lambda _: Approved())
    assert record.status == "waiting"
    assert not [*(tmp_path / "outside").iterdir()]
    assert texts(desk.root) == ["before\n"] * 4


@pytest.mark.parametrize("at", ["intend", "mark_made"])
def test_where_the_database_is_full_nothing_is_changed_and_the_question_is_open(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    write_chain(desk)
    assert desk.vault.run("many", together=True).status == "waiting"
    (question,) = desk.vault.history.questions()
    database, real = desk.vault.database, getattr(ChangeLog, at)
    is_full = True

    def fill(self: ChangeLog, *given: Any, **named: Any) -> None:
        real(self, *given, **named)
        if is_full:
            pages = database.rows("PRAGMA page_count")[0][0]
            database.rows(f"PRAGMA max_page_count = {pages}")
            statement = "UPDATE runs SET warnings = ? WHERE run_id = ?"
            desk.vault.journal.buffer(question.run_id, statement, (json.dumps(["x" * 1_000_000]), question.run_id))
            desk.vault.journal.flush(question.run_id)

    monkeypatch.setattr(ChangeLog, at, fill)
    with pytest.raises(StorageError):
        desk.vault.answer(question.id, Approved())
    assert texts(desk.root) == ["before\n"] * 4
    assert desk.vault.history.questions() == [replace(question, requested=ANY)]
    is_full = False
    database.rows("PRAGMA max_page_count = 100000")
    vault = desk.reopened()
    assert texts(desk.root) == ["before\n"] * 4
    assert vault.answer(question.id, Approved()).status == "succeeded"
    assert texts(desk.root) == ["after"] * 4


@pytest.mark.usefixtures("each_database")
def test_what_can_neither_be_made_nor_taken_back_now_is_completed_at_the_next_start(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_chain(desk)
    assert desk.vault.run("many", together=True).status == "waiting"
    (question,) = desk.vault.history.questions()

    def refuse(_: int) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        for module in ("commit", "writing"):
            broken.setattr(f"paperagents.files.{module}.flush_folder", refuse)
        with pytest.raises(StorageError) as raised:
            desk.vault.answer(question.id, Approved(by="ada"))
    assert raised.value.code == "changes-unfinished"
    vault = desk.reopened()
    assert texts(desk.root) == ["after"] * 4
    assert vault.entries.get("memory", "tea") is not None
    assert {(each["run_id"], each["approved_by"]) for each in vault.changes()} == {(question.run_id, "ada")}
    assert vault.resume(question.run_id).status == "succeeded"
