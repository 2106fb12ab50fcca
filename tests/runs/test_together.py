"""A run collects its changes and asks once: what it sees meanwhile, what is asked, and what an answer does."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.runs.killed_commit import KILLED_COMMIT

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.errors import StorageError, ToolError, UsageError
from paperagents.files.folder import VaultFolder
from paperagents.files.overlay import OverlayFolder
from paperagents.search.search import search_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.desk import Desk

    from paperagents.runs.record import RunRecord

pytestmark = pytest.mark.usefixtures("each_database")

STEPS = """
  - {tool: write_file, parameters: {filePath: new.md, content: "# New\\n#fresh\\n"}}
  - {tool: write_file, parameters: {filePath: old.md, content: "changed\\n", overwrite: true}}
  - {tool: memory, parameters: {identifier: tea, content: "green"}}
  - {tool: search_files, parameters: {query: "#fresh"}}
"""


@pytest.fixture
def chain(desk: Desk) -> str:
    (desk.root / "old.md").write_text("old\n")
    desk.chain("tidy", STEPS)
    return "tidy"


def waiting(desk: Desk, tool: str) -> tuple[RunRecord, ApprovalRequest]:
    record = desk.vault.run(tool, {}, together=True)
    assert record.status == "waiting"
    (question,) = desk.vault.history.questions()
    return record, question


def answer(desk: Desk, question: ApprovalRequest, decision: Decision) -> RunRecord:
    return desk.vault.answer(question.id, decision)


def test_one_question_holds_every_change_and_nothing_is_changed_before_the_answer(desk: Desk, chain: str) -> None:
    record, question = waiting(desk, chain)
    assert not (desk.root / "new.md").exists()
    assert desk.vault.entries.get("memory", "tea") is None
    shown = question.as_json()["files"]
    assert isinstance(shown, list)
    assert [(file["path"], file["change"]) for file in shown if isinstance(file, dict)] == [
        ("memory/tea", "created"),
        ("new.md", "created"),
        ("old.md", "changed"),
    ]
    # Its own search has seen what it had written.
    found = next(entry for entry in record.execution_log if entry["name"] == "search_files")
    assert isinstance(found["output"], dict)
    assert found["output"]["count"] == 1

    done = answer(desk, question, Approved())
    assert (done.status, done.warnings) == ("succeeded", ())
    assert (desk.root / "new.md").read_text() == "# New\n#fresh\n"
    assert (desk.root / "old.md").read_text() == "changed\n"
    entry = desk.vault.entries.get("memory", "tea")
    assert entry is not None
    assert entry.content == "green"
    assert desk.vault.history.questions() == []
    writes = [each for each in done.execution_log if each["name"] in ("write_file", "memory")]
    assert [(each["hitl_required"], each["hitl_confirmed"]) for each in writes] == [(True, True)] * 3
    assert all(each["approved_by"] and each["approved_at"] and each["approved_via"] == "function" for each in writes)
    assert desk.vault.history.record(done.run_id).as_json()["execution_log"] == done.as_json()["execution_log"]


def test_what_is_refused_stays_and_each_no_is_a_warning(desk: Desk, chain: str) -> None:
    _, question = waiting(desk, chain)
    done = answer(desk, question, Approved(files={"new.md": True, "old.md": False, "memory/tea": {"reason": "coffee"}}))
    assert done.status == "succeeded"
    assert len(done.warnings) == 2
    assert (desk.root / "old.md").read_text() == "old\n"
    assert (desk.root / "new.md").exists()
    assert desk.vault.entries.get("memory", "tea") is None


@pytest.mark.parametrize(
    "no", [Denied(reason="later"), Approved(files={"new.md": False, "old.md": False, "memory/tea": False})]
)
def test_where_all_is_refused_the_run_is_denied(desk: Desk, chain: str, no: Decision) -> None:
    _, question = waiting(desk, chain)
    done = answer(desk, question, no)
    assert (done.status, done.exit_code) == ("denied", 3)
    # Each no is told, and nothing else: the run did finish.
    assert [each.split(" ")[0] for each in done.warnings] == ["memory/tea", "new.md", "old.md"]
    refused = [{"path": path, "hunk": None, "reason": ""} for path in ("memory/tea", "new.md", "old.md")]
    assert done.execution_log[-1]["output"] == {"agreed": [], "refused": refused}
    assert (desk.root / "old.md").read_text() == "old\n"
    assert not (desk.root / "new.md").exists()


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"new.md": True}, "files-missing"),
        ({"new.md": True, "old.md": True, "memory/tea": True, "x.md": True}, "files-unknown"),
        ({"new.md": True, "old.md": {"hunks": [2]}, "memory/tea": True}, "files-unknown-hunk"),
        ({"new.md": True, "old.md": {"hunks": [0]}, "memory/tea": True}, "files-unknown-hunk"),
        ({"new.md": True, "old.md": "yes", "memory/tea": True}, "files-answer"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays_open(
    desk: Desk, chain: str, files: Any, code: str
) -> None:
    _, question = waiting(desk, chain)
    with pytest.raises(UsageError) as raised:
        answer(desk, question, Approved(files=files))
    assert raised.value.code == code
    assert desk.vault.history.questions() == [question]
    assert answer(desk, question, Approved()).status == "succeeded"


def test_an_answer_that_turns_out_not_to_fit_leaves_the_question_open(desk: Desk) -> None:
    """Only the run itself knows the secrets behind the masks of a text."""
    desk.chain("keys", '  - {tool: write_file, parameters: {filePath: a.md, content: "key: hunter2-hunter2"}}')
    desk.vault.services.redaction.learn(["hunter2-hunter2"])
    _, question = waiting(desk, "keys")
    record = answer(desk, question, Approved(files={"a.md": {"content": "*** and ***"}}))
    assert (record.status, len(record.warnings)) == ("waiting", 1)
    (open_still,) = desk.vault.history.questions()
    assert answer(desk, open_still, Approved(files={"a.md": {"content": "mine: ***"}})).status == "succeeded"
    assert desk.text("a.md") == "mine: hunter2-hunter2"


def test_hunks_and_new_texts_are_what_is_written(desk: Desk) -> None:
    lines = [f"line {number}" for number in range(30)]
    (desk.root / "long.md").write_text("\n".join(lines) + "\n")
    changed = [line.upper() if number in (2, 15, 28) else line for number, line in enumerate(lines)]
    new = json.dumps("\n".join(changed))
    desk.chain("shout", f"""
  - {{tool: write_file, parameters: {{filePath: long.md, overwrite: true, content: {new}}}}}
  - {{tool: write_file, parameters: {{filePath: b.md, content: b}}}}
""")  # fmt: skip
    _, question = waiting(desk, "shout")
    file = question.files[1]
    assert isinstance(file["hunks"], list)
    assert [hunk["number"] for hunk in file["hunks"] if isinstance(hunk, dict)] == [1, 2, 3]
    done = answer(desk, question, Approved(files={"long.md": {"hunks": [1, 3]}, "b.md": {"content": "mine"}}))
    assert (done.status, len(done.warnings)) == ("succeeded", 1)
    expected = [line.upper() if number in (2, 28) else line for number, line in enumerate(lines)]
    assert (desk.root / "long.md").read_text() == "\n".join(expected)
    assert (desk.root / "b.md").read_text() == "mine"


def test_a_new_text_for_an_entry_is_its_content_where_it_has_no_fields(desk: Desk) -> None:
    desk.chain("two", """
  - {tool: task, parameters: {identifier: a, heading: A, content: a, status: ongoing}}
  - {tool: task, parameters: {identifier: b, heading: B, content: b, status: ongoing}}
""")  # fmt: skip
    _, question = waiting(desk, "two")
    answer(desk, question, Approved(files={"task/a": {"content": "mine"}, "task/b": {"content": "---\n---\nmine"}}))
    found = [desk.vault.entries.get("task", each) for each in "ab"]
    assert [(each.heading, each.status, each.content) for each in found if each] == [
        ("A", "ongoing", "mine"),
        (None, None, "mine"),
    ]


def test_a_file_that_changed_meanwhile_is_asked_about_again_and_nothing_is_changed_before(
    desk: Desk, chain: str
) -> None:
    _, question = waiting(desk, chain)
    (desk.root / "old.md").write_text("edited\n")
    again = answer(desk, question, Approved())
    assert again.status == "waiting"
    assert "has changed since" in str(again.error)
    assert not (desk.root / "new.md").exists()
    (asked,) = desk.vault.history.questions()
    assert "-edited" in asked.preview
    assert answer(desk, asked, Approved()).status == "succeeded"
    assert (desk.root / "old.md").read_text() == "changed\n"


def test_a_change_that_is_taken_back_is_no_question(desk: Desk) -> None:
    (desk.root / "a.md").write_text("a")
    desk.chain("nothing", """
  - {tool: write_file, parameters: {filePath: a.md, content: b, overwrite: true}}
  - {tool: write_file, parameters: {filePath: a.md, content: a, overwrite: true}}
""")  # fmt: skip
    record = desk.vault.run("nothing", {}, together=True)
    assert record.status == "succeeded"
    # Nobody was asked, so nobody has agreed.
    assert {(each["hitl_required"], each["hitl_confirmed"]) for each in record.execution_log} == {(False, None)}
    assert desk.vault.history.record(record.run_id) == record


def test_what_was_taken_back_is_not_said_to_be_agreed_to_with_the_rest(desk: Desk) -> None:
    desk.chain("mixed", """
  - {tool: memory, parameters: {identifier: tea, content: green}}
  - {tool: memory, parameters: {identifier: tea, delete: true}}
  - {tool: write_file, parameters: {filePath: a.md, content: a}}
""")  # fmt: skip
    _, question = waiting(desk, "mixed")
    done = answer(desk, question, Approved())
    assert [each["hitl_confirmed"] for each in done.execution_log] == [None, None, True, True]


def test_a_run_that_fails_drops_its_changes_and_says_so(desk: Desk) -> None:
    desk.chain("fails", """
  - {tool: write_file, parameters: {filePath: a.md, content: a}}
  - {tool: read_file, parameters: {filePath: missing.md}}
""")  # fmt: skip
    record = desk.vault.run("fails", {}, together=True)
    assert record.status == "failed"
    assert any("a.md" in warning for warning in record.warnings)
    assert not (desk.root / "a.md").exists()
    with pytest.raises(UsageError) as raised:
        desk.vault.resume(record.run_id)
    assert raised.value.code == "changes-dropped"


def test_the_rest_can_be_collected_as_the_answer_to_a_question(desk: Desk) -> None:
    desk.chain("three", """
  - {tool: write_file, parameters: {filePath: one.md, content: "1"}}
  - {tool: write_file, parameters: {filePath: two.md, content: "2"}}
  - {tool: write_file, parameters: {filePath: three.md, content: "3"}}
""")  # fmt: skip
    assert desk.vault.run("three", {}).status == "waiting"
    (question,) = desk.vault.history.questions()
    assert answer(desk, question, Approved(together=True)).status == "waiting"
    assert (desk.root / "one.md").exists()
    assert not (desk.root / "two.md").exists()
    (rest,) = desk.vault.history.questions()
    assert [file["path"] for file in rest.files] == ["three.md", "two.md"]
    assert answer(desk, rest, Approved()).status == "succeeded"
    assert (desk.root / "three.md").exists()


def test_a_tool_file_can_ask_for_it_also_below_another(desk: Desk) -> None:
    desk.chain("inner", STEPS.replace("old.md", "also.md").replace(", overwrite: true", ""), "approval: together")
    desk.chain("outer", """
  - {tool: inner}
  - {tool: read_file, parameters: {filePath: new.md}}
""")  # fmt: skip
    assert desk.vault.run("outer", {}).status == "waiting"
    (question,) = desk.vault.history.questions()
    assert len(question.files) == 3
    assert desk.vault.proposed_text(question.id, "new.md") == "# New\n#fresh\n"
    done = answer(desk, question, Approved())
    assert done.status == "succeeded"
    assert isinstance(done.data, dict)
    assert done.data["content"] == "# New\n#fresh\n"


def test_yes_agrees_to_all(desk: Desk, chain: str, yes: Approved, person: Callable[..., Any]) -> None:
    asked = person(yes)
    assert desk.vault.run(chain, {}, together=True, approver=asked).status == "succeeded"
    assert (desk.root / "new.md").exists()


KILLED = f"""{KILLED_COMMIT}vault = paperagents.open_vault(sys.argv[1])
vault.run("many", together=True, approver=lambda request: Approved())
"""


@pytest.mark.parametrize("made", [0, 1, 3])
def test_what_was_killed_in_between_is_completed_at_the_next_start(desk: Desk, made: int) -> None:
    steps = [f"  - {{tool: write_file, parameters: {{filePath: {each}.md, content: {each}}}}}" for each in "abcd"]
    desk.chain("many", "\n".join([*steps, "  - {tool: memory, parameters: {identifier: tea, content: green}}"]))
    desk.vault.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(desk.root), str(made)], check=False)
    assert killed.returncode == 9
    assert len([*desk.root.glob("?.md")]) == made
    vault = desk.reopened()
    vault.run("read_file", {"filePath": "a.md"})
    assert sorted(each.name for each in desk.root.glob("?.md")) == ["a.md", "b.md", "c.md", "d.md"]
    assert vault.entries.get("memory", "tea") is not None
    (run,) = vault.history.runs(tool="many")
    done = vault.resume(str(run["run_id"]))
    assert done.status == "succeeded"
    assert all(each["approved_via"] == "function" and each["approved_by"] for each in done.execution_log)
    entry = vault.entries.get("memory", "tea")
    assert entry is not None
    assert entry.version == 1


def test_what_cannot_be_completed_now_stops_no_other_run_and_is_tried_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = [f"  - {{tool: write_file, parameters: {{filePath: {each}.md, content: {each}}}}}" for each in "ab"]
    desk.chain("many", "\n".join(steps))
    desk.vault.close()
    subprocess.run([sys.executable, "-c", KILLED, str(desk.root), "1"], check=False)

    def refuse(*_: Any, **__: Any) -> None:
        raise ToolError("disk-full", path="b.md")

    with monkeypatch.context() as full:
        full.setattr("paperagents.runs.together.complete_changes", refuse)
        vault = desk.reopened()
        (run,) = vault.history.runs(tool="many")
        assert vault.run("read_file", {"filePath": "a.md"}).success
        with pytest.raises(StorageError) as raised:
            vault.resume(str(run["run_id"]))
        assert raised.value.code == "changes-unfinished"
    assert vault.run("read_file", {"filePath": "b.md"}).success
    assert vault.resume(str(run["run_id"])).status == "succeeded"


def test_where_the_disk_is_full_nothing_is_changed_and_the_question_stays_open(
    desk: Desk, chain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, question = waiting(desk, chain)

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as full:
        full.setattr("paperagents.files.commit.fill_draft", refuse)
        assert answer(desk, question, Approved()).status == "waiting"
    assert not (desk.root / "new.md").exists()
    (open_still,) = desk.vault.history.questions()
    assert answer(desk, open_still, Approved()).status == "succeeded"
    assert (desk.root / "new.md").exists()


def test_the_questions_of_a_loop_are_open_at_once_and_a_no_to_one_leaves_the_others(desk: Desk) -> None:
    desk.chain("loop", """
  - tool: write_file
    for_each: ["a", "b", "c"]
    continue_on_error: true
    parameters: {filePath: "{{item}}.md", content: x}
""")  # fmt: skip
    assert desk.vault.run("loop", {}).status == "waiting"
    first, second, third = desk.vault.history.questions()
    assert answer(desk, second, Denied()).status == "waiting"
    assert answer(desk, third, Approved()).status == "waiting"
    assert answer(desk, first, Approved()).status == "succeeded"
    assert sorted(each.name for each in desk.root.glob("?.md")) == ["a.md", "c.md"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_search_over_pending_changes_is_a_search_after_writing(data: st.DataObject, tmp_path: Path) -> None:
    root = Path(tempfile.mkdtemp(dir=tmp_path))
    paths = st.sampled_from(["a.md", "b/c.md", "b/d.txt", ".hidden/e.md", "f.md"])
    texts = st.sampled_from(["tree", "#tag tree", "---\ntags: [tag]\n---\nleaf", "", "Tree leaf"])
    for path, text in data.draw(st.dictionaries(paths, texts)).items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    changes = data.draw(st.dictionaries(paths, st.one_of(st.none(), texts)))
    query = data.draw(st.sampled_from(["tree", "#tag", "leaf -tree", "path:b", "file:a", "tree OR leaf"]))
    with VaultFolder(root) as folder, pytest.MonkeyPatch.context() as patched:
        if data.draw(st.booleans(), label="with an index"):
            # As in a vault of many notes: they come from the index, and only what is pending is read.
            (root / ".paper").mkdir()
            patched.setattr("paperagents.search.index.MOST_PENDING", 0)
            search_files(folder, query)
        overlay = OverlayFolder(folder)
        for path, new in changes.items():
            overlay.set_pending(path, new)
        seen = search_files(overlay, query, sort="path")
        for path, new in changes.items():
            (root / path).parent.mkdir(exist_ok=True)
            if new is None:
                (root / path).unlink(missing_ok=True)
            else:
                (root / path).write_text(new)
        after = search_files(folder, query, sort="path")

    def without_times(answer: Any) -> Any:
        return [{**each, "modified": ""} for each in answer["results"]]

    assert without_times(seen) == without_times(after)
