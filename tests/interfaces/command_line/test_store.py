"""``paper store``: entries looked at, set, deleted and brought back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Paper = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("vault")
KEYS = ["identifier", "heading", "content", "notes", "status", "type", "description", "created", "updated", "version"]
KINDS = ("memory", "task", "goal", "datavault")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_set_can_be_got_listed_and_deleted(kind: str, paper: Paper) -> None:
    made = paper("store", kind, "set", "a", "--content", "it's", "--json")
    assert (made.code, list(made.document), made.err) == (0, KEYS, "")
    assert paper("store", kind, "get", "a", "--json").document == made.document
    assert paper("store", kind, "list", "--json").document == [made.document]
    deleted = paper("store", kind, "delete", "a", "--yes", "--json")
    assert (deleted.code, deleted.document) == (0, made.document)
    assert paper("store", kind, "list", "--json").document == []


def test_every_option_reaches_its_field(paper: Paper) -> None:
    paper("store", "task", "set", "t", "--content", "c", "--heading", "h", "--notes", "n", "--status", "PAUSED")
    paper("store", "datavault", "set", "d", "--content", "c", "--type", "code", "--description", "x")
    task = paper("store", "task", "get", "t", "--json").document
    data = paper("store", "datavault", "get", "d", "--json").document
    assert (task["content"], task["heading"], task["notes"], task["status"]) == ("c", "h", "n", "paused")
    assert (data["type"], data["description"]) == ("code", "x")


def test_setting_again_changes_just_what_is_named(paper: Paper) -> None:
    paper("store", "task", "set", "t", "--content", "c", "--heading", "h")
    again = paper("store", "task", "set", "t", "--content", "", "--json").document
    assert (again["content"], again["heading"], again["version"]) == ("", "h", 2)


@pytest.mark.parametrize("arguments", [("get", "none"), ("delete", "none", "--yes"), ("history", "none")])
def test_what_is_not_there_is_exit_code_1(arguments: tuple[str, ...], paper: Paper) -> None:
    answer = paper("store", "memory", *arguments, "--json")
    assert (answer.code, answer.document["success"]) == (1, False)
    assert answer.document["error"]["code"] == "entry-not-found"
    plain = paper("store", "memory", *arguments)
    assert (plain.code, plain.out) == (1, "")
    assert "none" in plain.err


def test_a_delete_waits_for_a_yes(paper: Paper) -> None:
    paper("store", "goal", "set", "a", "--content", "x")
    answer = paper("store", "goal", "delete", "a", "--json")
    assert (answer.code, answer.document["success"]) == (3, False)
    assert answer.document["error"]["code"] == "waiting-for-approval"
    (question,) = paper("approvals", "list", "--json").document
    assert (question["tool"], question["arguments"]["identifier"]) == ("goal", "a")
    assert paper("approvals", "deny", question["id"], "--reason", "keep", "--json").code == 3
    assert paper("store", "goal", "get", "a", "--json").document["content"] == "x"
    paper("store", "goal", "delete", "a")
    (question,) = paper("approvals", "list", "--json").document
    assert paper("approvals", "approve", question["id"], "--json").code == 0
    assert paper("store", "goal", "get", "a").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("memory", "set", "a b", "--content", "x"),
        ("memory", "set", "../a", "--content", "x"),
        ("memory", "set", "a", "--type", "code"),
        ("datavault", "set", "\udcff", "--content", "x"),
        ("memory", "set", "x" * 201),
        ("memory", "set"),
        ("memory", "frobnicate", "a"),
        ("nothing", "list"),
        ("memory", "restore", "a", "one"),
    ],
)
def test_what_cannot_be_meant_is_exit_code_2(arguments: tuple[str, ...], paper: Paper) -> None:
    answer = paper("store", *arguments, "--json")
    assert (answer.code, answer.document["success"]) == (2, False)
    assert paper("store", "memory", "list", "--json").document == []


def test_too_long_a_content_is_refused(paper: Paper) -> None:
    answer = paper("store", "memory", "set", "a", "--content", "x" * 1_000_001, "--json")
    assert answer.code == 2
    assert paper("store", "memory", "get", "a").code == 1


def test_the_list_can_be_searched(paper: Paper) -> None:
    paper("store", "memory", "set", "a", "--content", "Käse")
    paper("store", "memory", "set", "b", "--content", "Brot")
    assert [each["identifier"] for each in paper("store", "memory", "list", "--search", "KÄ", "--json").document] == [
        "a"
    ]
    assert "Brot" in paper("store", "memory", "list").out


def test_every_version_is_told_and_can_be_brought_back(paper: Paper) -> None:
    paper("store", "memory", "set", "a", "--content", "one")
    paper("store", "memory", "set", "a", "--content", "two", "--heading", "later")
    paper("store", "memory", "delete", "a", "--yes")
    versions = paper("store", "memory", "history", "a", "--json").document
    assert [(each["version"], each["fields"] and each["fields"]["content"]) for each in versions] == [
        (1, "one"),
        (2, "two"),
        (3, None),
    ]
    restored = paper("store", "memory", "restore", "a", "1", "--yes", "--json").document
    assert (restored["content"], restored["heading"], restored["version"]) == ("one", None, 4)
    missing = paper("store", "memory", "restore", "a", "3", "--yes", "--json")
    assert (missing.code, missing.document["error"]["code"]) == (1, "entry-version-not-found")


def test_bringing_a_version_back_is_asked_recorded_and_can_be_undone(paper: Paper) -> None:
    for content in ("one", "two"):
        paper("store", "memory", "set", "a", "--content", content, "--heading", f"heading of {content}")
    waiting = paper("store", "memory", "restore", "a", "1", "--json")
    assert (waiting.code, waiting.document["error"]["code"]) == (3, "waiting-for-approval")
    assert paper("store", "memory", "get", "a", "--json").document["content"] == "two"
    (asked,) = paper("approvals", "list", "--json").document
    assert "-two" in asked["files"][0]["diff"]
    assert "+one" in asked["files"][0]["diff"]
    done = paper("approvals", "approve", asked["id"], "--json").document
    assert done["data"] == {"kind": "memory", "identifier": "a", "version": 1}
    entry = paper("store", "memory", "get", "a", "--json").document
    assert (entry["content"], entry["heading"], entry["version"]) == ("one", "heading of one", 3)
    (change,) = paper("changes", "list", "--run", done["run_id"], "--json").document
    assert (change["tool"], change["path"], change["change"]) == ("restore_entry", "memory/a", "changed")
    assert paper("undo", done["run_id"], "--yes").code == 0
    assert paper("store", "memory", "get", "a", "--json").document["content"] == "two"
    # What is so already needs no yes.
    assert paper("store", "memory", "restore", "a", "2", "--json").code == 0


def test_a_refused_part_of_a_version_stays_as_it_is(paper: Paper) -> None:
    for content in ("one", "two"):
        paper("store", "memory", "set", "a", "--content", content)
    assert paper("store", "memory", "restore", "a", "1").code == 3
    refused = paper("approvals", "approve", "last", "--files", '{"memory/a": false}', "--json")
    assert (refused.code, refused.document["status"]) == (3, "denied")
    assert paper("store", "memory", "get", "a", "--json").document["content"] == "two"


def test_content_reaches_another_program_as_it_is(paper: Paper) -> None:
    content = "a\r\nb\x1b[31m\u200b'/>}}"
    paper("store", "datavault", "set", "a", "--content", content)
    assert paper("store", "datavault", "get", "a").out == f"{content}\n"


def test_the_json_of_odd_characters_reads_as_the_same(started: Paper, vault: Path) -> None:
    content = "\x1b[31m \u2028 ä 𝄞 \udcff"
    assert started("store", "memory", "set", "a", "--content", content, cwd=vault).code == 0
    assert json.loads(started("store", "memory", "get", "a", "--json", cwd=vault).out)["content"] == content


def test_looking_makes_no_database(paper: Paper, vault: Path) -> None:
    assert paper("store", "memory", "list", "--json").document == []
    assert not (vault / ".paper" / "paper.db").exists()


def test_without_a_further_word_the_entries_of_a_kind_are_listed(paper: Paper) -> None:
    made = paper("store", "goal", "set", "g", "--content", "c", "--json").document
    assert paper("store", "goal", "--json").document == [made]
    assert "g" in paper("store", "goal").out
    assert paper("store", "goal", "--search", "nothing", "--json").document == []
    assert "restore" in paper("store", "goal", "--help").out


def test_json_may_also_be_asked_for_before_the_further_word(paper: Paper) -> None:
    assert paper("runs", "--json", "list").document == []
    assert paper("config", "--json", "get", "language").document["name"] == "language"


@pytest.mark.parametrize("arguments", [("store",), ("import",)])
def test_a_word_that_is_missing_is_told_in_one_line(arguments: tuple[str, ...], paper: Paper) -> None:
    answer = paper(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert "missing" in answer.err
    assert "\\n" not in answer.err


@pytest.mark.parametrize(
    ("kind", "option", "taken"), [("task", "--status", "pending"), ("datavault", "--type", "text")]
)
def test_a_value_that_cannot_be_is_replaced_and_that_is_told(kind: str, option: str, taken: str, paper: Paper) -> None:
    answer = paper("store", kind, "set", "a", option, "bogus", "--json")
    assert (answer.code, answer.document[option[2:]]) == (0, taken)
    assert f"cannot be 'bogus'; '{taken}' is taken instead" in answer.err
    assert paper("store", kind, "set", "a", option, taken.upper()).err == ""


MY_TOOL = """---
tag: true
id: my_tool
name: My tool
description: Keeps a value.
storage: my_tool
schema: {attributes: {id: {validate: identifier}, value: {}, count: {type: integer}}}
---
"""


def test_a_kind_of_ones_own_is_listed_shown_set_and_deleted_like_any_other(vault: Path, paper: Paper) -> None:
    (vault / "my_tool.md").write_text(MY_TOOL)
    answer = paper("store", "my_tool", "set", "x", "-p", "value=a=b", "-p", "count=3", "--json")
    assert (answer.code, answer.document["value"], answer.document["count"]) == (0, "a=b", 3)
    (listed,) = paper("store", "my_tool", "list", "--json").document
    assert (listed["identifier"], listed["value"]) == ("x", "a=b")
    assert "x" in paper("store", "my_tool").out
    assert "a=b" in paper("store", "my_tool").out
    assert paper("store", "my_tool", "get", "x", "--json").document["count"] == 3
    assert "a=b" in paper("store", "my_tool", "get", "x").out
    assert paper("store", "my_tool", "delete", "x", "--yes").code == 0
    assert paper("store", "my_tool", "get", "x").code == 1
    assert len(paper("store", "my_tool", "history", "x", "--json").document) == 2


def test_a_kind_that_there_is_not_is_exit_code_2_and_says_what_there_is(paper: Paper) -> None:
    answer = paper("store", "my_tol", "list", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "unknown-kind")
    assert "memory, task, goal, datavault" in answer.document["error"]["hint"]
    assert paper("store", "task", "set", "t", "-p", "status").code == 2


def test_an_entry_without_content_is_told_by_its_heading(paper: Paper) -> None:
    paper("store", "task", "set", "t", "--heading", "Buy peas", "--status", "paused")
    assert paper("store", "task", "get", "t").out == "Buy peas  paused\n"
    paper("store", "memory", "set", "m", "--content", "")
    assert paper("store", "memory", "get", "m").out.strip()
