"""``paper approvals allow``: rules in the user's own words, and those that sleep."""

from __future__ import annotations

import shlex
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

REFUSED = """
write_file
write_file --path ''
write_file --path /
write_file --path ../x
write_file --path a --mode delete
write_file --path a --mode read
write_file --path a --by nobody
write_file --path a --until 2020-01-01
write_file --path a --until soon
write_file --path a --host x.example --method POST
write_file --host x.example --method POST
rest_request
rest_request --path a
rest_request --host x.example
rest_request --method POST
rest_request --host '' --method POST
rest_request --host x.example/path --method POST
rest_request --host a@x.example --method POST
rest_request --host '\u00a0x.example' --method POST
rest_request --host https://x.example --method POST
rest_request --host '*' --method POST
rest_request --host x.example --method 'PO ST'
diary --path a
diary
install_packages
js_execute --path a
nothing
12345678
"""
DIARY = """---
tool: true
id: diary
name: Diary
description: Writes.
parameters:
  - {name: file, type: string, description: d}
  - {name: append, type: boolean, description: d, default: true}
steps:
  - {tool: write_file, parameters: {filePath: "{{file}}", content: "x", append: "{{append}}", overwrite: true}}
---
"""


@pytest.fixture(autouse=True)
def diary(write: Any) -> None:
    write("diary.md", DIARY)
    write("other.md", DIARY.replace("diary", "other").replace("Diary", "Other"))


def run(paper: Any, file: str, *more: str, tool: str = "diary") -> int:
    code: int = paper("run", tool, "-p", f"file={file}", *more).code
    return code


def test_a_rule_covers_its_tool_mode_and_place_and_nothing_beyond(paper: Any, vault: Path) -> None:
    told = paper("approvals", "allow", "write_file", "--by", "diary", "--mode", "append", "--path", "Daily/**")
    assert told.code == 0
    assert "diary may append to Daily/**, until" in " ".join(told.err.split())
    for name in ("Daily/a.md", "Daily/2026/b.md", "c.md"):
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text("old", "utf-8")
    assert run(paper, "Daily/a.md") == run(paper, "Daily/2026/b.md") == 0
    assert run(paper, "Daily/new.md") == 3, "to append to a missing file is to create it"
    assert run(paper, "c.md") == 3
    assert run(paper, "Daily/a.md", "-p", "append=false") == 3
    assert run(paper, "Daily/a.md", tool="other") == 3
    assert paper("run", "write_file", "-p", "filePath=Daily/a.md", "-p", "content=x", "-p", "append=true").code == 3
    assert (vault / "Daily/a.md").read_text("utf-8") == "oldx"


def test_a_rule_for_anyone_and_every_mode(paper: Any) -> None:
    rule = paper("approvals", "allow", "write_file", "--path", "/out/*", "--until", "2999-12-31", "--json").document
    assert [rule[key] for key in ("by", "mode", "path", "state")] == ["", "", "out/*", "active"]
    assert datetime.fromisoformat(rule["until"]).year in (2999, 3000)
    assert run(paper, "out/a.md") == run(paper, "out/a.md", "-p", "append=false", tool="other") == 0


def test_a_changed_tool_puts_its_rule_to_sleep_until_it_is_confirmed(paper: Any, write: Any) -> None:
    rule = paper("approvals", "allow", "write_file", "--by", "diary", "--path", "*", "--json").document
    assert run(paper, "a.md") == 0
    write("diary.md", DIARY.replace('content: "x"', 'content: "evil"'))
    assert run(paper, "a.md") == 3
    assert paper("approvals", "rules", "--json").document[0]["state"] == "sleeping"
    assert f"paper approvals allow {rule['id']}" in paper("approvals", "rules").out
    (thing,) = paper("trust", "show", "--json").document
    assert (thing["kind"], thing["state"], thing["where"]) == ("rule", "changed", "diary.md")
    assert "diary may" in thing["what"]
    assert paper("approvals", "allow", rule["id"][:6]).code == 0
    assert paper("trust", "show", "--json").document == []
    assert run(paper, "a.md") == 0


def test_trust_confirms_or_takes_back_a_sleeping_rule(paper: Any, write: Any) -> None:
    paper("approvals", "allow", "write_file", "--by", "diary", "--path", "*")
    write("diary.md", DIARY + "\nChanged.\n")
    (thing,) = paper("trust", "show", "--json").document
    assert paper("trust", "give", thing["digest"], "--json").document[0]["state"] == "trusted"
    assert run(paper, "a.md") == 0
    write("diary.md", DIARY + "\nChanged again.\n")
    assert paper("trust", "take", "--kind", "rule").code == 0
    assert paper("approvals", "rules", "--json").document == []


def test_the_log_of_a_tool_in_its_own_file_does_not_put_its_rule_to_sleep(paper: Any, write: Any, vault: Path) -> None:
    write("diary.md", DIARY.replace("tool: true", "tool: true\nlog: file"))
    assert run(paper, "a.md", "--yes") == 0
    paper("approvals", "allow", "write_file", "--by", "diary", "--path", "*")
    assert run(paper, "a.md") == run(paper, "a.md") == run(paper, "a.md") == 0
    assert (vault / "diary.md").read_text("utf-8").count("execution_log:") == 4


@pytest.mark.parametrize("options", REFUSED.strip().split("\n"))
def test_a_rule_that_says_too_little_or_what_cannot_be_is_refused(paper: Any, options: str) -> None:
    assert paper("approvals", "allow", *shlex.split(options)).code == 2
    assert paper("approvals", "rules", "--json").document == []


def test_a_host_is_kept_as_requests_name_it(paper: Any) -> None:
    options = ["--host", "Bücher.Example:8443", "--method", "post", "--json"]
    rule = paper("approvals", "allow", "rest_request", *options).document
    assert (rule["host"], rule["method"]) == ("xn--bcher-kva.example:8443", "POST")
    for host in ("x.example", "x.example:443", "x.example:80"):
        options = ["--host", host, "--method", "POST", "--json"]
        assert paper("approvals", "allow", "rest_request", *options).document["host"] == host


def test_a_wider_place_can_be_chosen_with_an_answer(paper: Any) -> None:
    assert run(paper, "Daily/a.md") == 3
    assert paper("approvals", "approve", "last", "--path", "Daily/*").code == 0
    assert run(paper, "Daily/b.md") == 0
    assert run(paper, "Daily/b.md") == 3, "to append is not to create"


def test_an_always_that_can_make_no_rule_is_refused_and_the_question_stays_open(paper: Any, write: Any) -> None:
    write("asks.md", "---\ntool: true\nname: asks\ndescription: d\napproval: always\ncustom_function: return 1;\n---\n")
    for start, options, code in [
        (["diary", "-p", "file=Daily/a.md"], ["--path", "Notes/*"], "rule-covers-nothing"),
        (["asks"], ["--always"], "rule-of-own-tool"),
    ]:
        assert paper("run", *start).code == 3
        told = paper("approvals", "approve", "last", *options, "--json")
        assert (told.code, told.document["error"]["code"]) == (2, code)
        assert paper("approvals", "rules", "--json").document == []
        assert paper("approvals", "approve", "last").code == 0


def test_an_always_to_all_leaves_the_question_that_can_have_no_rule(paper: Any, write: Any) -> None:
    write("asks.md", "---\ntool: true\nname: asks\ndescription: d\napproval: always\ncustom_function: return 1;\n---\n")
    paper("run", "asks")
    run(paper, "a.md")
    assert "No rule can be about 'asks'" in paper("approvals", "approve", "--all", "--always").err
    assert [each["tool"] for each in paper("approvals", "list", "--json").document] == ["asks"]
    assert len(paper("approvals", "rules", "--json").document) == 1


def test_an_always_is_told_before_and_after_also_beside_json(paper: Any) -> None:
    run(paper, "a.md")
    for command in ("list", "show"):
        shown = paper("approvals", command, *(["last"] if command == "show" else [])).out
        assert "Always would mean: diary may create a.md, until" in shown
    assert "diary may create a.md, until" in paper("approvals", "approve", "last", "--always", "--json").err


def test_the_whole_vault_can_be_searched_by_a_rule_but_not_written(paper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_APPROVAL_READS", "true")
    assert paper("run", "search_files", "-p", "query=x").code == 3
    assert paper("approvals", "allow", "search_files", "--path", "/").code == 0
    assert paper("run", "search_files", "-p", "query=x").code == 0
    assert paper("approvals", "allow", "write_file", "--path", "/").code == 2
