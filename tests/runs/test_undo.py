"""Undoing a run takes back what it changed, and only that; where the same lines were changed since, nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runs.killed_commit import KILLED_COMMIT

from paperagents.approval.question import Approved, ApproveEverything, Denied
from paperagents.errors import UnknownRunError, UsageError
from paperagents.runs.merge import Conflict
from paperagents.runs.undo import After, take_back

if TYPE_CHECKING:
    from tests.desk import Desk

    from paperagents.runs.record import RunRecord

pytestmark = pytest.mark.usefixtures("each_database")

YES = Approved(by="Ann", via="page")


def write(desk: Desk, path: str, content: str, **more: Any) -> str:
    return desk.run("write_file", {"filePath": path, "content": content, "overwrite": True, **more}, YES).run_id


def undo(desk: Desk, run: str = "last", *files: str) -> RunRecord:
    return desk.vault.undo(run, files=files, approver=lambda _: YES)


def conflicts(record: RunRecord) -> list[Any]:
    assert record.error is not None
    assert (record.status, record.exit_code, record.error["code"]) == ("failed", 1, "undo-conflict")
    details = record.error["details"]
    assert isinstance(details, dict)
    found = details["conflicts"]
    assert isinstance(found, list)
    return found


def test_a_change_is_taken_back_and_a_later_edit_elsewhere_stays(desk: Desk) -> None:
    desk.note("a.md", "one\ntwo\nthree\n")
    run = write(desk, "a.md", "one\n2\nthree\n")
    desk.note("a.md", "one\n2\nthree\nfour\n")
    record = undo(desk, run)
    assert (record.tool, record.status, record.data) == ("undo", "succeeded", {"run": run, "files": ["a.md"]})
    assert desk.text("a.md") == "one\ntwo\nthree\nfour\n"
    assert [(each["run_id"], each["undone"]) for each in desk.vault.changes()] == [(record.run_id, False), (run, True)]


def test_it_is_asked_with_the_diff_and_a_no_changes_nothing(desk: Desk, person: Any) -> None:
    write(desk, "a.md", "new\n")
    nobody = person(Denied())
    assert desk.vault.undo(approver=nobody).status == "denied"
    assert "--- a/a.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-new" in nobody.asked[0].preview
    assert desk.text("a.md") == "new\n"
    assert not desk.vault.changes()[0]["undone"]


def test_the_same_lines_changed_since_are_named_and_nothing_of_the_run_is_changed(desk: Desk) -> None:
    desk.note("a.md", "one\ntwo\nthree\n")
    desk.note("b.md", "one\n")
    step = '  - {{tool: write_file, parameters: {{filePath: {}, content: "{}", overwrite: true}}}}'
    desk.chain("both", "\n".join([step.format("a.md", "one\\n2\\nthree\\n"), step.format("b.md", "1\\n")]))
    run = desk.run("both", {}, YES, YES).run_id
    desk.note("a.md", "zero\none\nTWO\nthree\n")
    record = undo(desk, run)
    assert conflicts(record) == [{"path": "a.md", "lines": [[3, 3]]}]
    assert record.error is not None
    assert "a.md:3" in str(record.error["message"])
    assert (desk.text("a.md"), desk.text("b.md")) == ("zero\none\nTWO\nthree\n", "1\n")
    # The other file can be taken back alone.
    assert undo(desk, run, "/b.md").success
    assert desk.text("b.md") == "one\n"
    assert {each["path"]: each["undone"] for each in desk.vault.changes(run=run)} == {"a.md": False, "b.md": True}


def test_undoing_the_undo_is_redoing_and_last_is_the_newest_that_is_not_undone(desk: Desk) -> None:
    desk.note("a.md", "old\n")
    first, second = write(desk, "a.md", "new\n"), write(desk, "b.md", "b\n")
    assert undo(desk).success
    assert not (desk.root / "b.md").exists()
    assert undo(desk).success
    assert desk.text("b.md") == "b\n"
    assert undo(desk, second).success
    assert undo(desk, first[:8]).success
    assert desk.text("a.md") == "old\n"
    assert {each["run_id"] for each in desk.vault.changes() if each["undone"]} >= {first, second}


def test_a_created_file_is_deleted_only_where_it_is_unchanged(desk: Desk) -> None:
    run = write(desk, "deep/a.md", "one\n")
    desk.note("deep/a.md", "one\ntwo\n")
    assert conflicts(undo(desk, run)) == [{"path": "deep/a.md", "lines": [[2, 2]]}]
    desk.note("deep/a.md", "one\n")
    assert undo(desk, run).success
    assert not (desk.root / "deep/a.md").exists()


def test_a_file_that_is_gone_is_a_conflict_and_one_that_is_as_before_is_nothing_to_undo(desk: Desk) -> None:
    desk.note("a.md", "old\n")
    run = write(desk, "a.md", "new\n")
    (desk.root / "a.md").unlink()
    gone = undo(desk, run)
    assert conflicts(gone) == [{"path": "a.md", "lines": []}]
    assert "a.md (not there any more)" in str(gone.error)
    desk.note("a.md", "old\n")
    record = undo(desk, run)
    assert (record.exit_code, (record.error or {})["code"]) == (1, "nothing-to-undo")


def test_what_was_taken_back_by_hand_is_undone_with_the_rest(desk: Desk) -> None:
    step = '  - {{tool: write_file, parameters: {{filePath: {}, content: "new\\n"}}}}'
    desk.chain("both", "\n".join([step.format("a.md"), step.format("b.md")]))
    run = desk.run("both", {}, YES, YES).run_id
    (desk.root / "a.md").unlink()
    assert undo(desk, run).data == {"run": run, "files": ["b.md"]}
    assert [each["undone"] for each in desk.vault.changes(run=run)] == [True, True]


def test_an_undo_that_was_killed_when_it_was_made_is_known_as_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: object) -> None:
        raise KilledError

    desk.note("a.md", "one\n")
    run = write(desk, "a.md", "two\n")
    with monkeypatch.context() as patched:
        patched.setattr("paperagents.runs.changes.ChangeLog.mark_made", die)
        with pytest.raises(KilledError):
            undo(desk, run)
    assert desk.text("a.md") == "one\n"
    desk.reopened()
    killed = str(desk.vault.history.runs()[0]["run_id"])
    assert desk.vault.changes(run=run)[0]["undone"]
    record = desk.vault.resume(killed, approver=lambda _: Denied())
    assert (record.status, desk.text("a.md")) == ("succeeded", "one\n")
    assert desk.vault.changes(run=run)[0]["undone"]


KILLED = f"""{KILLED_COMMIT}paperagents.open_vault(sys.argv[1]).undo(approver=lambda request: Approved())
"""


@pytest.mark.parametrize("made", [0, 2])
def test_an_undo_that_was_killed_in_between_is_completed_at_the_next_start_and_known_whole(
    desk: Desk, made: int
) -> None:
    names = [f"{each}.md" for each in "abcd"]
    for name in names:
        desk.note(name, "old\n")
    step = '  - {{tool: write_file, parameters: {{filePath: {}, content: "new\\n", overwrite: true}}}}'
    desk.chain("all", "\n".join(map(step.format, names)))
    run = desk.run("all", {}, YES).run_id
    desk.vault.close()
    assert subprocess.run([sys.executable, "-c", KILLED, str(desk.root), str(made)], check=False).returncode == 9
    assert [desk.text(name) for name in names].count("old\n") == made
    vault = desk.reopened()
    vault.run("read_file", {"filePath": "a.md"})
    assert [desk.text(name) for name in names] == ["old\n"] * 4
    assert list(desk.root.glob(".paper-*-*")) == []
    record = vault.resume(str(vault.history.runs(tool="undo")[0]["run_id"]), approver=lambda _: Denied())
    assert (record.status, record.data) == ("succeeded", {"run": run, "files": names})
    assert [each["path"] for each in vault.changes(run=record.run_id)] == names[::-1]
    assert all(each["undone"] for each in vault.changes(run=run))


def test_entries_come_back_whole_and_keep_what_was_changed_since(desk: Desk) -> None:
    desk.run("memory", {"identifier": "tea", "heading": "Tea", "content": "green\nhot\n"})
    run = desk.run("memory", {"identifier": "tea", "content": "black\nhot\n"}).run_id
    desk.run("memory", {"identifier": "tea", "heading": "Drinks"})
    assert undo(desk, run).success
    entry = desk.vault.entries.get("memory", "tea")
    assert entry is not None
    assert (entry.heading, entry.content) == ("Drinks", "green\nhot\n")
    deletion = desk.run("memory", {"identifier": "tea", "delete": True}, YES).run_id
    assert undo(desk, deletion).success
    restored = desk.vault.entries.get("memory", "tea")
    assert restored is not None
    assert (restored.heading, restored.content) == ("Drinks", "green\nhot\n")


def test_all_of_a_run_is_taken_back_also_what_tools_below_it_did_between_edits(desk: Desk) -> None:
    desk.note("a.md", "start\n")
    step = '  - {tool: write_file, parameters: {filePath: a.md, content: "more\\n", append: true}}'
    desk.chain("inner", step)
    desk.chain("outer", f"{step}\n  - {{tool: inner}}\n  - {{tool: memory, parameters: {{identifier: m, content: x}}}}")
    run = desk.run("outer", {}, YES).run_id
    assert desk.text("a.md") == "start\nmore\nmore\n"
    assert undo(desk, run).success
    assert desk.text("a.md") == "start\n"
    assert desk.vault.entries.get("memory", "m") is None


def test_a_dry_run_shows_it_and_changes_nothing(desk: Desk) -> None:
    run = write(desk, "a.md", "new\n")
    before = desk.text("a.md")
    record = desk.vault.undo(run, dry_run=True)
    assert record.status == "planned"
    assert record.planned is not None
    assert "-new" in str(record.planned[0]["preview"])
    assert desk.text("a.md") == before
    assert len(desk.vault.changes()) == 1


def test_what_there_is_not_cannot_be_undone(desk: Desk) -> None:
    assert (undo(desk).error or {})["code"] == "nothing-to-undo"
    with pytest.raises(UnknownRunError):
        undo(desk, "ffffffff")
    run = write(desk, "a.md", "x\n")
    with pytest.raises(UsageError) as caught:
        undo(desk, run, "b.md")
    assert caught.value.code == "undo-unknown-file"
    reading = desk.run("read_file", {"filePath": "a.md"}).run_id
    assert (undo(desk, reading).error or {})["code"] == "nothing-to-undo"
    assert (undo(desk, reading, "a.md").error or {})["code"] == "nothing-to-undo"


def test_an_undo_that_waits_undoes_what_was_shown_whatever_is_last_by_then(desk: Desk) -> None:
    write(desk, "a.md", "a\n")
    waiting = desk.vault.undo()
    assert waiting.status == "waiting"
    write(desk, "b.md", "b\n")
    (question,) = desk.vault.history.questions()
    assert desk.vault.answer(question.id, YES).success
    assert not (desk.root / "a.md").exists()
    assert desk.text("b.md") == "b\n"


def test_a_file_edited_between_question_and_answer_is_asked_about_again(desk: Desk) -> None:
    desk.note("a.md", "one\ntwo\nthree\n")
    run = write(desk, "a.md", "one\n2\nthree\n")
    previews = []

    def decide(request: Any) -> Approved:
        previews.append(request.preview)
        if len(previews) == 1:
            desk.note("a.md", "one\n2\nthree\nfour\n")
        return YES

    assert desk.vault.undo(run, approver=decide).success
    assert len(previews) == 2
    assert desk.text("a.md") == "one\ntwo\nthree\nfour\n"


def test_byte_order_mark_and_line_ends_stay_as_they_were(desk: Desk) -> None:
    file = desk.root / "a.md"
    file.write_bytes("\ufeffone\r\ntwo".encode())
    run = write(desk, "a.md", "\r\nthree", append=True)
    assert undo(desk, run).success
    assert file.read_bytes() == "\ufeffone\r\ntwo".encode()


def test_what_came_with_a_strangers_database_is_not_undone_by_a_yes_to_everything(desk: Desk) -> None:
    run = write(desk, "a.md", "mine\n")
    with desk.vault.database.transaction() as connection:
        connection.execute("UPDATE changes SET signature = 'x:y'")
    record = desk.vault.undo(run, approver=ApproveEverything())
    assert record.status == "waiting"
    desk.chain("tidy", f"  - {{tool: undo, parameters: {{run: {run}}}}}", "approval: together")
    assert desk.vault.run("tidy", approver=ApproveEverything()).status == "waiting"
    assert desk.text("a.md") == "mine\n"
    assert desk.vault.undo(run, approver=lambda _: YES).success


# --- properties


@st.composite
def histories(draw: st.DrawFn) -> dict[frozenset[str], str]:
    """A text by who has changed it so far: a run, somebody since, somebody after its undo; no line by two of them."""
    size = draw(st.integers(1, 14))
    end = draw(st.sampled_from(["", "\n"]))
    everybody = ["run", "since", "later"]
    whose = draw(st.lists(st.sampled_from(["nobody", *everybody]), min_size=size, max_size=size))
    new = [
        draw(st.sampled_from([[], [f"changed {number}"], [f"changed {number}", f"more {number}"]]))
        for number in range(size)
    ]
    texts = {}
    for present in map(frozenset, powerset(everybody)):
        lines = []
        for number, who in enumerate(whose):
            # After each, a line that nobody has touched.
            lines += [*(new[number] if who in present else [f"line {number}"]), f"between {number}"]
        texts[present] = "\n".join(lines) + end
    return texts


def powerset(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))


@given(texts=histories())
def test_undo_after_edits_elsewhere_gives_the_text_without_the_change_and_undo_of_undo_gives_it_back(
    texts: dict[frozenset[str], str],
) -> None:
    def text_of(*who: str) -> str:
        return texts[frozenset(who)]

    assert take_back(text_of("run", "since"), text_of(), text_of("run")) == After(text=text_of("since"))
    # The undo has made the one text of the other; others have gone on writing elsewhere before it is undone itself.
    undoing = (text_of("run", "since"), text_of("since"))
    assert take_back(text_of("since"), *undoing) == After(text=text_of("run", "since"))
    assert take_back(text_of("since", "later"), *undoing) == After(text=text_of("run", "since", "later"))


LINES = st.lists(st.integers(0, 3).map(str), max_size=6).map("\n".join)


@given(before=LINES, after=LINES, now=LINES)
def test_undo_gives_a_text_or_a_conflict_whatever_the_texts_are(before: str, after: str, now: str) -> None:
    assert isinstance(take_back(now, before, after), After | Conflict)
    assert take_back(after, before, after) == After(text=before)


def test_an_undo_takes_back_only_the_files_and_places_that_were_agreed_to(desk: Desk) -> None:
    desk.note("a.md", "".join(f"{number}\n" for number in range(20)))
    changed = "".join(f"{number}\\n" for number in ["first", *range(1, 19), "last"])
    desk.chain(
        "both",
        f"""
  - {{name: a, tool: write_file, parameters: {{filePath: a.md, overwrite: true, content: "{changed}"}}}}
  - {{name: b, tool: write_file, parameters: {{filePath: b.md, content: "b\\n"}}}}""",
    )
    run = desk.run("both", {}, YES, YES).run_id
    record = desk.vault.undo(run, approver=lambda _: replace(YES, files={"a.md": {"hunks": [2]}, "b.md": False}))
    assert (record.status, record.data) == ("succeeded", {"run": run, "files": ["a.md"]})
    assert desk.text("a.md") == "".join(f"{number}\n" for number in ["first", *range(1, 20)])
    assert desk.text("b.md") == "b\n"
    assert [("a.md" in each, "b.md" in each) for each in record.warnings] == [(True, False), (False, True)]
    nothing = desk.vault.undo(run, approver=lambda _: replace(YES, files={"a.md": False, "b.md": False}))
    assert nothing.status == "denied"


def test_an_undo_that_was_killed_between_two_files_is_completed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    class KilledError(BaseException):
        pass

    def die(*_: object) -> None:
        raise KilledError

    desk.chain(
        "both",
        """
  - {name: a, tool: write_file, parameters: {filePath: a.md, content: "new\\n"}}
  - {name: b, tool: write_file, parameters: {filePath: b.md, content: "new\\n"}}""",
    )
    run = desk.run("both", {}, YES, YES).run_id
    with monkeypatch.context() as patched:
        patched.setattr("paperagents.runs.changes.ChangeLog.mark_made", die)
        with pytest.raises(KilledError):
            undo(desk, run)
    # As though only one of them had been made.
    desk.note("b.md", "new\n")
    desk.reopened()
    killed = str(desk.vault.history.runs()[0]["run_id"])
    assert desk.vault.resume(killed, approver=lambda _: Denied()).status == "succeeded"
    assert not (desk.root / "a.md").exists()
    assert not (desk.root / "b.md").exists()


def test_an_undo_that_is_collected_with_other_changes_is_one_like_any_other(desk: Desk) -> None:
    run = write(desk, "a.md", "one\n")
    other = write(desk, "b.md", "one\n")
    desk.chain("tidy", f"""
  - {{tool: undo, parameters: {{run: {run}}}}}
  - {{tool: undo, parameters: {{run: {other}}}}}
  - {{tool: write_file, parameters: {{filePath: b.md, content: "two\\n"}}}}
  - {{tool: write_file, parameters: {{filePath: c.md, content: "c\\n"}}}}
""", "approval: together")  # fmt: skip
    record = desk.run("tidy", {}, YES)
    assert record.status == "succeeded", record.error
    undone = {each["path"]: each["undone"] for each in desk.vault.changes() if each["run_id"] != record.run_id}
    # What became of b.md afterwards is not what it was before the run.
    assert undone == {"a.md": True, "b.md": False}
    assert undo(desk, record.run_id).status == "succeeded"
    assert (desk.text("a.md"), desk.text("b.md"), (desk.root / "c.md").exists()) == ("one\n", "one\n", False)
    assert [line["run_id"] for line in desk.vault.blame("a.md")] == [run]
