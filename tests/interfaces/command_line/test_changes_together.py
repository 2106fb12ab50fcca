"""Changes that are collected and asked about once, as a person at the command line meets them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paperagents.testing import ScriptedServer

Paper = Callable[..., Any]
Write = Callable[..., Path]
TIDY = """---
tool: true
name: tidy
description: d
type: chain
---
```yaml
steps:
  - {tool: write_file, parameters: {filePath: a.md, content: "A\\n", overwrite: true}}
  - {tool: write_file, parameters: {filePath: b.md, content: "b\\n"}}
  - {tool: memory, parameters: {identifier: tea, content: green}}
  - {tool: write_file, parameters: {filePath: a.md, content: "AA\\n", overwrite: true}}
  - {tool: read_file, parameters: {filePath: a.md}}
```
"""


def chain(name: str, steps: str, front: str = "") -> str:
    """The text of a chain."""
    return f"---\ntool: true\nname: {name}\ndescription: d\ntype: chain\n{front}\n---\n```yaml\nsteps:\n{steps}\n```\n"


@pytest.fixture
def question(vault: Path, write: Write, paper: Paper) -> Any:
    """The open question of a run that has collected two notes and an entry."""
    write("tidy.md", TIDY)
    (vault / "a.md").write_text("a\n")
    answer = paper("run", "tidy", "--together", "--json")
    assert (answer.code, answer.document["status"]) == (3, "waiting")
    (asked,) = paper("approvals", "list", "--json").document
    return asked


def test_the_question_holds_each_file_once_with_its_diff_and_hunks(question: Any, vault: Path, paper: Paper) -> None:
    assert [(each["path"], each["change"]) for each in question["files"]] == [
        ("a.md", "changed"), ("b.md", "created"), ("memory/tea", "created"),
    ]  # fmt: skip
    first = question["files"][0]
    assert "-a\n+AA" in first["diff"]
    assert [each["number"] for each in first["hunks"]] == [1]
    # Nobody else sees any of it.
    assert (vault / "a.md").read_text() == "a\n"
    assert paper("run", "read_file", "-p", "filePath=a.md", "--json").document["data"]["content"] == "a\n"
    assert not (vault / "b.md").exists()


def test_a_yes_makes_all_of_it_and_each_change_is_that_of_the_step_that_made_it(
    question: Any, vault: Path, paper: Paper
) -> None:
    record = paper("approvals", "approve", question["id"], "--json").document
    assert (record["status"], record["warnings"], record["data"]["content"]) == ("succeeded", [], "AA\n")
    assert ((vault / "a.md").read_text(), (vault / "b.md").read_text()) == ("AA\n", "b\n")
    assert [line["step"] for line in paper("blame", "a.md", "--json").document] == [4]
    assert [line["step"] for line in paper("blame", "b.md", "--json").document] == [2]
    listed = paper("changes", "list", "--run", record["run_id"], "--json").document
    assert {(each["path"], each["change"], each["tool"], each["undone"]) for each in listed} == {
        ("a.md", "changed", "tidy", False),
        ("b.md", "created", "tidy", False),
        ("memory/tea", "created", "tidy", False),
    }
    assert all(each["approved_by"] for each in listed)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"a.md": True}, "files-missing"),
        ({"a.md": True, "b.md": True, "memory/tea": True, "c.md": True}, "files-unknown"),
        ({"a.md": {"hunks": [1, 2]}, "b.md": True, "memory/tea": True}, "files-unknown-hunk"),
        ({"a.md": {"hunks": ["1"]}, "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": {"hunks": [True]}, "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": "yes", "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": None, "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": {"content": 1}, "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": {"hunks": [1], "content": "x"}, "b.md": True, "memory/tea": True}, "files-answer"),
        ({"a.md": {"content": "\ud800"}, "b.md": True, "memory/tea": True}, "text-not-unicode"),
        ({"a.md": True, "b.md": True, "memory/tea": {"content": "---\nno end"}}, "files-no-entry"),
        ({"a.md": True, "b.md": True, "memory/tea": {"content": "---\nheading: 5\n---\n"}}, "files-no-entry"),
    ],
)
def test_an_answer_that_does_not_fit_is_exit_2_and_the_question_stays_open(
    question: Any, vault: Path, paper: Paper, files: Any, code: str
) -> None:
    answer = paper("approvals", "approve", question["id"], "--files", json.dumps(files), "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, code)
    assert [each["id"] for each in paper("approvals", "list", "--json").document] == [question["id"]]
    assert (vault / "a.md").read_text() == "a\n"
    assert paper("approvals", "approve", question["id"]).code == 0


@pytest.mark.parametrize("files", ["[]", "nothing", "true"])
def test_an_answer_that_is_no_object_is_exit_2(question: Any, paper: Paper, files: str) -> None:
    assert paper("approvals", "approve", question["id"], "--files", files, "--json").code == 2
    assert len(paper("approvals", "list", "--json").document) == 1


def test_each_file_has_its_own_answer_and_each_no_is_a_warning(question: Any, vault: Path, paper: Paper) -> None:
    files = {"a.md": {"content": "mine\n"}, "b.md": False, "memory/tea": True}
    record = paper("approvals", "approve", question["id"], "--files", json.dumps(files), "--json").document
    assert (record["status"], len(record["warnings"]), "b.md" in record["warnings"][0]) == ("succeeded", 1, True)
    assert ((vault / "a.md").read_text(), (vault / "b.md").exists()) == ("mine\n", False)


@pytest.mark.parametrize("how", ["deny", "files", "hunks"])
def test_where_all_is_refused_the_run_is_denied(question: Any, vault: Path, paper: Paper, how: str) -> None:
    no: Any = {"hunks": []} if how == "hunks" else False
    files = json.dumps({"a.md": no, "b.md": no, "memory/tea": no})
    options = ("deny", question["id"]) if how == "deny" else ("approve", question["id"], "--files", files)
    answer = paper("approvals", *options, "--json")
    assert (answer.code, answer.document["status"]) == (3, "denied")
    assert ((vault / "a.md").read_text(), (vault / "b.md").exists()) == ("a\n", False)
    assert paper("changes", "list", "--json").document == []


def test_a_note_with_the_name_of_an_entry_is_answered_with_all_the_others_or_not_at_all(
    vault: Path, write: Write, paper: Paper
) -> None:
    steps = """
  - {tool: write_file, parameters: {filePath: memory/tea, content: note}}
  - {tool: memory, parameters: {identifier: tea, content: entry}}"""
    write("twins.md", chain("twins", steps, "approval: together"))
    assert paper("run", "twins", "--json").code == 3
    answer = paper("approvals", "approve", "last", "--files", '{"memory/tea": true}', "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "files-same-name")
    assert paper("approvals", "approve", "last").code == 0
    assert (vault / "memory/tea").read_text() == "note"
    assert paper("store", "memory", "get", "tea", "--json").document["content"] == "entry"


def test_files_for_a_question_about_one_call_are_exit_2(vault: Path, paper: Paper) -> None:
    assert paper("run", "write_file", "-p", "filePath=a.md", "-p", "content=x", "--json").code == 3
    answer = paper("approvals", "approve", "last", "--files", '{"a.md": true}', "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "files-not-asked")
    assert paper("approvals", "approve", "last").code == 0
    assert (vault / "a.md").read_text() == "x"


def test_a_file_that_changed_meanwhile_is_asked_again_against_the_present_one(
    question: Any, vault: Path, paper: Paper
) -> None:
    (vault / "a.md").write_text("edited\n")
    answer = paper("approvals", "approve", question["id"], "--json")
    assert (answer.code, answer.document["status"], (vault / "b.md").exists()) == (3, "waiting", False)
    (again,) = paper("approvals", "list", "--json").document
    assert "-edited\n+AA" in again["files"][0]["diff"]
    assert paper("approvals", "approve", again["id"]).code == 0
    assert (vault / "a.md").read_text() == "AA\n"


def test_the_rest_is_collected_as_the_answer_to_a_question(vault: Path, write: Write, paper: Paper) -> None:
    write("tidy.md", TIDY)
    (vault / "a.md").write_text("a\n")
    assert paper("run", "tidy", "--json").code == 3
    assert paper("approvals", "approve", "last", "--together", "--json").document["status"] == "waiting"
    assert (vault / "a.md").read_text() == "A\n"
    (rest,) = paper("approvals", "list", "--json").document
    assert [each["path"] for each in rest["files"]] == ["a.md", "b.md", "memory/tea"]
    record = paper("approvals", "approve", rest["id"], "--json").document
    assert (record["status"], (vault / "a.md").read_text()) == ("succeeded", "AA\n")
    assert paper("undo", record["run_id"], "--yes").code == 0
    assert (vault / "a.md").read_text() == "a\n"


def test_a_run_that_fails_drops_its_changes_and_says_so(vault: Path, write: Write, paper: Paper) -> None:
    steps = (
        "  - {tool: write_file, parameters: {filePath: a.md, content: a}}\n"
        "  - {tool: read_file, parameters: {filePath: none.md}}"
    )
    write("fails.md", chain("fails", steps, "approval: together"))
    answer = paper("run", "fails", "--json")
    assert (answer.code, answer.document["status"]) == (1, "failed")
    assert any("a.md" in each for each in answer.document["warnings"])
    assert not (vault / "a.md").exists()
    shown = paper("runs", "show", answer.document["run_id"], "--json").document
    assert shown["warnings"] == answer.document["warnings"]
    assert paper("approvals", "list", "--json").document == []


def test_a_change_taken_back_is_no_question(vault: Path, write: Write, paper: Paper) -> None:
    (vault / "a.md").write_text("a")
    steps = (
        "  - {tool: write_file, parameters: {filePath: a.md, content: b, overwrite: true}}\n"
        "  - {tool: write_file, parameters: {filePath: a.md, content: a, overwrite: true}}"
    )
    write("back.md", chain("back", steps))
    answer = paper("run", "back", "--together", "--json")
    assert (answer.code, answer.document["status"]) == (0, "succeeded")
    assert paper("changes", "list", "--json").document == []


def test_a_rule_that_allows_each_call_allows_the_set(vault: Path, write: Write, paper: Paper) -> None:
    write("tidy.md", chain("tidy", "  - {tool: write_file, parameters: {filePath: in/a.md, content: a}}"))
    assert paper("approvals", "allow", "write_file", "--path", "in/*").code == 0
    assert paper("run", "tidy", "--together", "--json").document["status"] == "succeeded"
    assert (vault / "in" / "a.md").read_text() == "a"
    two = (
        "  - {tool: write_file, parameters: {filePath: in/b.md, content: b}}\n"
        "  - {tool: write_file, parameters: {filePath: c.md, content: c}}"
    )
    write("two.md", chain("two", two))
    # One of them is asked about: so is the whole.
    assert paper("run", "two", "--together", "--json").document["status"] == "waiting"
    (asked,) = paper("approvals", "list", "--json").document
    assert ([each["path"] for each in asked["files"]], (vault / "in" / "b.md").exists()) == (["c.md", "in/b.md"], False)


def test_what_leaves_the_vault_is_asked_at_its_time_with_the_pending_changes_beside_it(
    vault: Path, write: Write, paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")
    with ScriptedServer(["x"]) as server:
        steps = (
            "  - {tool: write_file, parameters: {filePath: a.md, content: a}}\n"
            f"  - {{tool: rest_request, parameters: {{url: '{server.base_url}', method: POST, body: x}}}}\n"
            "  - {tool: write_file, parameters: {filePath: b.md, content: b}}"
        )
        write("send.md", chain("send", steps))
        assert paper("run", "send", "--together", "--json").document["status"] == "waiting"
        (asked,) = paper("approvals", "list", "--json").document
    assert (asked["tool"], asked.get("files", [])) == ("rest_request", [])
    assert [(each["path"], each["change"]) for each in asked["pending"]] == [("a.md", "created")]
    assert not (vault / "a.md").exists()


def test_loops_nested_tools_and_javascript_are_collected(vault: Path, write: Write, paper: Paper) -> None:
    write("inner.md", chain("inner", "  - {tool: write_file, parameters: {filePath: inner.md.txt, content: i}}"))
    write(
        "script.tool.js",
        "module.exports = {\n"
        "  getMetadata() { return { id: 'script', name: 'script', description: 'd' }; },\n"
        "  getSchema() { return { parameters: { type: 'object', properties: {} } }; },\n"
        "  async execute() {\n"
        "    await this.api.callTool('write_file', { filePath: 'js.md', content: 'js' });\n"
        "    return (await this.api.callTool('read_file', { filePath: 'js.md' })).content;\n  }\n};\n",
    )
    steps = (
        '  - {tool: write_file, for_each: ["x", "y"], parameters: {filePath: "{{item}}.md", content: "x"}}\n'
        "  - parallel:\n    - {tool: inner}\n    - {tool: read_file, parameters: {filePath: x.md}}\n"
        "  - {tool: script}"
    )
    write("outer.md", chain("outer", steps))
    answer = paper("run", "outer", "--together", "--json")
    assert answer.document["status"] == "waiting", answer.out
    (asked,) = paper("approvals", "list", "--json").document
    assert [each["path"] for each in asked["files"]] == ["inner.md.txt", "js.md", "x.md", "y.md"]
    record = paper("approvals", "approve", asked["id"], "--json").document
    assert (record["status"], record["data"]) == ("succeeded", "js")
    steps_of = {name: paper("blame", name, "--json").document[0]["step"] for name in ("x.md", "inner.md.txt", "js.md")}
    assert steps_of == {"x.md": 1, "inner.md.txt": 2, "js.md": 3}
    assert paper("undo", "--yes", "--file", "x.md", "--file", "js.md").code == 0
    assert ((vault / "x.md").exists(), (vault / "js.md").exists(), (vault / "y.md").exists()) == (False, False, True)


AGENT = "---\nagent: true\nname: helper\ndescription: d\nmodel: m\ntools: [write_file]\n---\nHelp.\n"


def test_ask_collects_and_the_agent_is_asked_once_more(vault: Path, write: Write, paper: Paper, tmp_path: Path) -> None:
    write("helper.md", AGENT)
    calls = [{"tool": "write_file", "arguments": {"filePath": f"{each}.md", "content": each}} for each in "ab"]
    file = tmp_path / "script.json"
    file.write_text(json.dumps([{"text": "", "calls": calls}, "Both.", "Only one."]))
    answer = paper("ask", "helper", "go", "--together", "--json", "--model", f"scripted:{file}")
    assert (answer.code, answer.document["status"]) == (3, "waiting")
    (asked,) = paper("approvals", "list", "--json").document
    files = json.dumps({"a.md": True, "b.md": {"reason": "keep it"}})
    record = paper("approvals", "approve", asked["id"], "--files", files, "--json").document
    assert (record["status"], record["data"], len(record["warnings"])) == ("succeeded", "Only one.", 1)
    assert ((vault / "a.md").exists(), (vault / "b.md").exists()) == (True, False)


# --- undo


def test_undo_has_its_exit_codes(question: Any, vault: Path, paper: Paper) -> None:
    run = paper("approvals", "approve", question["id"], "--json").document["run_id"]
    assert paper("undo", run, "--file", "other.md", "--json").code == 2
    assert paper("undo", run, "--json").code == 3
    denied = paper("approvals", "deny", "last", "--json")
    assert (denied.code, denied.document["status"]) == (3, "denied")
    planned = paper("undo", run, "--dry-run", "--json").document
    assert (planned["status"], (vault / "a.md").read_text()) == ("planned", "AA\n")
    (vault / "b.md").write_text("b\nmore\n")
    conflict = paper("undo", run, "--yes", "--json")
    assert (conflict.code, conflict.document["status"], conflict.document["error"]["code"]) == (
        1,
        "failed",
        "undo-conflict",
    )
    # Nothing of that run is changed, also where nothing was in the way.
    assert (vault / "a.md").read_text() == "AA\n"
    assert paper("undo", run, "--file", "a.md", "--file", "memory/tea", "--yes", "--json").code == 0
    flags = {each["path"]: each["undone"] for each in paper("changes", "list", "--run", run, "--json").document}
    assert flags == {"a.md": True, "memory/tea": True, "b.md": False}
    assert paper("undo", "last", "--yes", "--json").document["status"] == "succeeded"
    flags = {each["path"]: each["undone"] for each in paper("changes", "list", "--run", run, "--json").document}
    assert flags == {"a.md": False, "memory/tea": False, "b.md": False}


def test_a_run_that_changed_nothing_has_nothing_to_undo(vault: Path, paper: Paper) -> None:
    (vault / "a.md").write_text("a")
    run = paper("run", "read_file", "-p", "filePath=a.md", "--json").document["run_id"]
    answer = paper("undo", run, "--yes", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (1, "nothing-to-undo")
