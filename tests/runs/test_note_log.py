"""Logs of runs in notes: where they stand, and how."""

from __future__ import annotations

import json

import pytest
import yaml
from tests.desk import Desk, Person

from paperagents.approval.question import Approved, Denied
from paperagents.reading.execution_log import digest_without_log
from paperagents.registry.tool_registry import ToolRegistry


@pytest.fixture(autouse=True)
def agreeable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is there who agrees to everything; where the question matters, a test brings its own person."""
    monkeypatch.setattr(Desk, "run", lambda desk, tool: desk.vault.run(tool, approver=Person([Approved()])))


@pytest.mark.parametrize(("log", "path"), [("file", "tools/t.md"), ("notes/diary.md", "notes/diary.md")])
def test_a_log_is_asked_once_for_a_file_and_path_and_the_yes_is_in_the_record(desk: Desk, log: str, path: str) -> None:
    desk.note("notes/diary.md", "Dear diary.\n")
    desk.tool("t", f"log: {log}\ncustom_function: return 1;")
    before = desk.text(path)
    somebody = Person([Approved(by="Ann")])
    first, second = (desk.vault.run("t", approver=somebody) for _ in range(2))
    (question,) = somebody.asked
    assert path in question.preview
    asked, ran = first.execution_log
    assert (asked["hitl_required"], asked["hitl_confirmed"], asked["parameters"]) == (True, True, {"log": path})
    assert ran["block"] == "custom_function"
    assert len(second.execution_log) == 1
    assert desk.text(path).startswith(before)
    assert desk.text(path).count("execution_log:") == 2
    (rule,) = desk.vault.rules.rules()
    assert (rule.tool, rule.by, rule.mode, rule.path) == ("log", "t", "append", path)
    # Another path of the same tool, and the same path of another tool, are other questions.
    desk.tool("t", "log: notes/other.md\ncustom_function: return 1;")
    desk.tool("u", f"log: {log}\ncustom_function: return 1;")
    assert [desk.vault.run(tool).status for tool in ("t", "u")] == ["waiting", "waiting"]


def test_where_nobody_is_there_a_run_waits_before_it_logs_anything(desk: Desk) -> None:
    desk.note("notes/diary.md", "Dear diary.\n")
    desk.tool("t", "log: notes/diary.md\ncustom_function: return 1;")
    assert desk.vault.run("t").status == "waiting"
    assert desk.text("notes/diary.md") == "Dear diary.\n"
    record = desk.vault.answer(desk.vault.history.questions()[0].id, Approved())
    assert (record.status, record.data) == ("succeeded", 1)
    assert desk.text("notes/diary.md").count("execution_log:") == 1


def test_after_a_no_the_tool_runs_and_nothing_is_logged(desk: Desk) -> None:
    desk.note("notes/diary.md", "Dear diary.\n")
    desk.tool("t", "log: notes/diary.md\ncustom_function: return 1;")
    record = desk.vault.run("t", approver=Person([Denied(reason="mine")]))
    assert (record.status, record.data) == ("succeeded", 1)
    assert [each["status"] for each in record.execution_log] == ["denied", "success"]
    assert desk.text("notes/diary.md") == "Dear diary.\n"


def test_a_dry_run_says_that_it_would_ask_for_the_log(desk: Desk) -> None:
    desk.tool("t", "log: diary.md\ncustom_function: return 1;")
    planned = desk.vault.run("t", mode="dryrun").planned
    assert planned is not None
    assert [(each["arguments"], each["would_ask"]) for each in planned] == [({"log": "diary.md"}, True)]
    assert not (desk.root / "diary.md").exists()


def test_a_log_stands_under_its_heading_whatever_comes_after_it(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: return 1;")
    file = desk.root / "tools/own.md"
    written = file.read_text() + "\n## Execution log\n\nOld.\n\n```sh\n# not a heading\n```\n"
    file.write_text(written)
    desk.run("own")
    assert file.read_text().count("## Execution log") == 1
    file.write_text(written + "\n# More\n\nWords.\n")
    desk.run("own")
    desk.run("own")
    before, _, after = file.read_text().rpartition("## Execution log\n")
    assert before == written + "\n# More\n\nWords.\n\n"
    assert after.count("execution_log:") == 2


def test_a_log_keeps_the_line_ends_of_its_note(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: return 1;")
    file = desk.root / "tools/own.md"
    text = file.read_text() + "\n## Execution log\n"
    file.write_bytes(text.replace("\n", "\r\n").encode())
    desk.run("own")
    desk.run("own")
    content = file.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n")
    assert (content.count(b"## Execution log"), content.count(b"execution_log:")) == (1, 2)


@pytest.mark.parametrize("opening", ["```js", "~~~~ js", "  ```js"])
def test_a_log_never_becomes_part_of_a_block_that_was_not_closed(desk: Desk, opening: str) -> None:
    desk.tool("own", "log: file", f"{opening}\n// @postprocess\nreturn 5;")
    for _ in range(3):
        desk.run("own")
    assert desk.text("tools/own.md").count("execution_log:") == 3
    script = ToolRegistry(desk.root).tool("own").postprocess
    assert script is not None
    assert script.text.split() == ["//", "@postprocess", "return", "5;"]


def test_a_heading_that_is_only_shown_in_a_block_is_no_heading(desk: Desk) -> None:
    desk.tool("own", "log: file\ncustom_function: return 1;", "\n```md\n## Execution log\n```\n")
    desk.run("own")
    desk.run("own")
    assert desk.text("tools/own.md").split("\n").count("## Execution log") == 2
    assert "```\n\n## Execution log\n" in desk.text("tools/own.md")


def test_a_note_that_begins_with_a_line_gets_its_heading_once(desk: Desk) -> None:
    desk.note("all.md", "---\nMine.\n")
    desk.tool("t", "log: all.md\ncustom_function: return 1;")
    desk.run("t")
    desk.run("t")
    assert desk.text("all.md").count("## Execution log") == 1


@pytest.mark.parametrize("path", ["logs/t.yaml", "t.yml"])
def test_a_yaml_file_gets_a_document_for_each_run(desk: Desk, path: str) -> None:
    desk.tool("t", f"log: {path}\ncustom_function: |\n  throw new Error('--- ```'); return 1;")
    runs = [desk.run("t").run_id, desk.run("t").run_id]
    documents = list(yaml.safe_load_all(desk.text(path)))
    assert [each["run_id"] for each in documents] == runs
    [entry] = documents[1]["execution_log"]
    assert (entry["step"], entry["block"], entry["status"]) == (1, "custom_function", "error")


@pytest.mark.parametrize("path", ["logs/t.json", "t.jsonl"])
def test_a_json_file_gets_a_line_for_each_run(desk: Desk, path: str) -> None:
    desk.tool("t", f"log: {path}\ncustom_function: return 1;")
    desk.run("t")
    file = desk.root / path
    file.write_text(file.read_text().removesuffix("\n"))
    desk.run("t")
    lines = [json.loads(line) for line in desk.text(path).splitlines()]
    assert [each["status"] for each in lines] == ["succeeded", "succeeded"]
    assert lines[1]["execution_log"][0]["message"] == "Done."


@pytest.mark.parametrize("path", ["other.md", "binary.log", "link.log"])
def test_a_log_that_cannot_be_written_is_told_and_the_run_is_as_it_was(
    desk: Desk, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    desk.note("other.md", "---\ntool: true\nname: other\ndescription: d\ncustom_function: return 1;\n---\n")
    (desk.root / "binary.log").write_bytes(b"\xff")
    (desk.root / "link.log").symlink_to(desk.root.parent / "outside.log")
    before = (desk.root / path).read_bytes() if path != "link.log" else b""
    desk.tool("t", f"log: {path}\ncustom_function: return 1;")
    assert desk.run("t").success
    assert not (desk.root.parent / "outside.log").exists()
    assert before == ((desk.root / path).read_bytes() if path != "link.log" else b"")
    [told] = [each for each in caplog.records if each.name == "paper"]
    assert told.levelname == "WARNING"
    assert "'t'" in told.getMessage()
    assert f"'{path}'" in told.getMessage()


def test_the_logs_of_real_runs_change_nothing(desk: Desk) -> None:
    file = desk.tool("t", "log: file\ncustom_function: return 1;", "\nWords.\n")
    digests = [digest_without_log(file.read_bytes())]
    for _ in range(3):
        desk.vault.run("t", approver=lambda _: Approved())
        digests.append(digest_without_log(file.read_bytes()))
    assert file.read_text("utf-8").count("execution_log:") == 3
    assert len(set(digests)) == 1
    assert desk.vault.registry.tool("t").text_digest == digests[0]
