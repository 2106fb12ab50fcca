"""What runs change is written down with the texts before and after, also when the program is killed in between."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from paperagents.approval.question import Approved, Denied, Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.runs.changes import forget_run

if TYPE_CHECKING:
    from tests.desk import Desk

YES = Approved(by="Ann", via="page")


class Killed(BaseException):
    """The program ends here, and nothing more is written down."""


def write(desk: Desk, path: str, content: str, **more: Any) -> str:
    arguments: JsonObject = {"filePath": path, "content": content, "overwrite": True, **more}
    return desk.run("write_file", arguments, YES).run_id


def listed(desk: Desk, **wanted: Any) -> list[tuple[Any, ...]]:
    keys = ("path", "change", "added", "removed")
    return [tuple(each[key] for key in keys) for each in desk.vault.changes(**wanted)]


@pytest.fixture
def kill(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """A program that ends right before or after it writes a note; gives the run that it leaves behind."""

    def dying(arguments: JsonObject, *, done: bool) -> str:
        prepare = desk.vault.services.built_in["write_file"]

        def die(effect: Effect) -> JsonValue:
            if done:
                effect.perform()
            raise Killed

        def prepared(wanted: JsonObject) -> Effect:
            effect = prepare(wanted)
            return replace(effect, perform=lambda: die(effect))

        with monkeypatch.context() as patched:
            patched.setitem(desk.vault.services.built_in, "write_file", prepared)
            with pytest.raises(Killed):
                desk.run("write_file", arguments, YES)
        desk.reopened()
        return str(desk.vault.history.runs()[0]["run_id"])

    return dying


def test_a_list_of_changes_names_run_note_kind_lines_and_who_agreed(desk: Desk) -> None:
    first, second = write(desk, "a.md", "one\ntwo\n"), write(desk, "a.md", "one\n2\nthree\n")
    newest, oldest = desk.vault.changes()
    assert oldest == {
        "run_id": first, "tool": "write_file", "step": 1, "path": "a.md", "change": "created", "added": 2, "removed": 0,
        "when": oldest["when"], "approved_by": "Ann", "undone": False,
    }  # fmt: skip
    assert (newest["run_id"], newest["change"], newest["added"], newest["removed"]) == (second, "changed", 2, 1)


def test_entries_are_listed_like_notes_and_nobody_agreed_to_what_is_not_asked(desk: Desk) -> None:
    desk.run("memory", {"identifier": "tea", "content": "green\n"})
    desk.run("memory", {"identifier": "tea", "delete": True}, YES)
    assert listed(desk) == [("memory/tea", "deleted", 0, 1), ("memory/tea", "created", 1, 0)]
    assert [each["approved_by"] for each in desk.vault.changes(file="memory/tea")] == ["Ann", None]


def test_what_steps_and_tools_below_change_belongs_to_the_run_that_somebody_started(desk: Desk) -> None:
    inner = "  - {tool: write_file, parameters: {filePath: a.md, content: x, append: true}}"
    desk.chain("inner", inner)
    desk.chain("outer", f"{inner}\n  - {{tool: inner}}\n  - {{tool: task, parameters: {{identifier: t, heading: T}}}}")
    run = desk.run("outer", {}, YES).run_id
    assert {(each["run_id"], each["tool"]) for each in desk.vault.changes()} == {(run, "outer")}
    # One for each note: what the steps of a run make of it together.
    assert listed(desk, run=run) == [("task/t", "created", 4, 0), ("a.md", "created", 1, 0)]
    assert [line["step"] for line in desk.vault.blame("a.md")] == [2]


def test_changes_can_be_asked_for_by_file_and_by_run(desk: Desk) -> None:
    first = write(desk, "a.md", "1\n")
    write(desk, "b.md", "2\n")
    assert listed(desk, file="/a.md") == listed(desk, run=first[:8]) == [("a.md", "created", 1, 0)]
    assert listed(desk, run="last") == [("b.md", "created", 1, 0)]


def test_a_refused_or_failed_change_is_none(desk: Desk) -> None:
    desk.run("write_file", {"filePath": "a.md", "content": "x"}, Denied())
    write(desk, "a.md", "x")
    desk.run("write_file", {"filePath": "a.md", "content": "y"}, YES)
    assert len(desk.vault.changes()) == 1


def test_a_write_that_fails_once_the_file_has_its_new_text_is_a_change_and_can_be_undone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.note("a.md", "before\n")

    def refuse(_: int) -> None:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as broken:
        broken.setattr("paperagents.files.writing.flush_folder", refuse)
        record = desk.run("write_file", {"filePath": "a.md", "content": "after\n", "overwrite": True}, Approved())
    assert (record.status, desk.text("a.md")) == ("failed", "after\n")
    (change,) = desk.vault.changes()
    assert (change["run_id"], change["path"], change["change"]) == (record.run_id, "a.md", "changed")
    assert desk.vault.undo(record.run_id, approver=lambda _: Approved()).success
    assert desk.text("a.md") == "before\n"


def test_what_a_run_takes_back_itself_is_no_change(desk: Desk) -> None:
    desk.note("a.md", "old\n")
    step = "  - {{tool: write_file, parameters: {{filePath: a.md, content: {}, overwrite: true}}}}"
    desk.chain("there_and_back", "\n".join(step.format(text) for text in ('"new\\n"', '"old\\n"')))
    assert desk.run("there_and_back", {}, YES).success
    assert desk.vault.changes() == []


def test_the_diff_of_a_run_comes_with_its_hunks(desk: Desk) -> None:
    lines = [f"{number}\n" for number in range(30)]
    desk.note("a.md", "".join(lines))
    run = write(desk, "a.md", "".join(["first\n", *lines[1:-1], "last\n"]))
    (shown,) = desk.vault.show_changes(run)
    assert (shown["path"], shown["change"]) == ("a.md", "changed")
    assert "--- a/a.md\n+++ b/a.md" in str(shown["diff"])
    hunks = shown["hunks"]
    assert isinstance(hunks, list)
    assert [hunk["header"] for hunk in hunks if isinstance(hunk, dict)] == ["@@ -1,4 +1,4 @@", "@@ -27,4 +27,4 @@"]


def test_a_secret_is_kept_in_the_text_and_not_shown(desk: Desk) -> None:
    desk.vault.services.redaction.learn(["hunter2-hunter2"])
    run = write(desk, "a.md", "password: hunter2-hunter2\n")
    assert "hunter2" not in str(desk.vault.show_changes(run)) + str(desk.vault.blame("a.md"))
    (change,) = desk.vault.change_history.of_run(run)
    assert desk.vault.change_history.texts(change.rows) == (None, "password: hunter2-hunter2\n")


def test_the_log_in_a_note_is_a_change_of_the_run_that_wrote_it(desk: Desk) -> None:
    desk.tool("logged", "log: log.md\ncustom_function: return 1")
    run = desk.run("logged", {}, YES).run_id
    assert [(each["run_id"], each["path"]) for each in desk.vault.changes()] == [(run, "log.md")]
    assert {line["run_id"] for line in desk.vault.blame("log.md")} == {run}


# --- killed in between


@pytest.mark.parametrize("done", [True, False])
def test_after_a_kill_the_note_tells_whether_the_change_was_made(
    desk: Desk, kill: Callable[..., str], *, done: bool
) -> None:
    desk.note("a.md", "one\ntwo\n")
    run = kill({"filePath": "a.md", "content": "three\n", "append": True}, done=done)
    assert listed(desk, run=run) == ([("a.md", "changed", 1, 0)] if done else [])
    assert [line["run_id"] for line in desk.vault.blame("a.md")] == [None, None, *([run] if done else [])]


@pytest.mark.parametrize("done", [True, False])
def test_an_edit_after_the_kill_does_not_hide_what_happened(
    desk: Desk, kill: Callable[..., str], *, done: bool
) -> None:
    desk.note("a.md", "one\ntwo\n")
    kill({"filePath": "a.md", "content": "three\nfour\n", "append": True}, done=done)
    desk.note("a.md", f"zero\n{desk.text('a.md')}")
    assert bool(desk.vault.changes()) == done


@pytest.mark.parametrize("done", [True, False])
def test_a_run_that_is_resumed_has_made_its_change_once(desk: Desk, kill: Callable[..., str], *, done: bool) -> None:
    desk.note("a.md", "one\n")
    run = kill({"filePath": "a.md", "content": "two\n", "append": True}, done=done)
    assert desk.vault.resume(run, approver=lambda _: YES).success
    assert desk.text("a.md") == "one\ntwo\n"
    assert listed(desk) == [("a.md", "changed", 1, 0)]
    assert desk.vault.database.rows("SELECT made FROM changes")[0]["made"] == 1


@pytest.mark.parametrize("done", [True, False])
def test_a_change_is_made_once_although_another_run_came_in_between(
    desk: Desk, kill: Callable[..., str], *, done: bool
) -> None:
    desk.note("a.md", "one\n")
    run = kill({"filePath": "a.md", "content": "two\n", "append": True}, done=done)
    desk.run("write_file", {"filePath": "a.md", "content": "other\n", "append": True}, YES)
    assert desk.vault.resume(run, approver=lambda _: YES).success
    assert desk.text("a.md") == ("one\ntwo\nother\n" if done else "one\nother\ntwo\n")


# --- what is not needed any more


def test_what_no_run_needs_is_swept_and_the_rest_can_be_read(desk: Desk) -> None:
    runs = [write(desk, "a.md", "".join(f"{line} {number}\n" for line in range(200))) for number in range(4)]
    vault = desk.vault
    with vault.database.transaction() as connection:
        # Later texts rest on theirs.
        assert [forget_run(vault.database, connection, run) for run in runs[:2]] == [0, 0]
    desk.reopened()
    assert [each["run_id"] for each in desk.vault.changes()] == [runs[3], runs[2]]
    assert all(each["diff"] for run in runs[2:] for each in desk.vault.show_changes(run))
    with desk.vault.database.transaction() as connection:
        assert sum(forget_run(desk.vault.database, connection, run) for run in runs[2:]) > 0
    assert desk.vault.database.rows("SELECT count(*) AS images FROM images")[0]["images"] == 0
    assert {line["run_id"] for line in desk.vault.blame("a.md")} == {None}
