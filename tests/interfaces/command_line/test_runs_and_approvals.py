"""``paper runs`` and ``paper approvals``: looking back, going on, answering later."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from paperagents import open_vault
from paperagents.approval.question import ApprovalRequest
from paperagents.interfaces.command_line.app import run
from paperagents.runs.history import History

from .conftest import GOOD

WRITER = """---
tool: true
name: writer
description: Writes.
parameters:
  - {name: text, type: string, description: d}
type: chain
steps:
  - {tool: write_file, parameters: {filePath: a.md, content: "{{text}}", overwrite: true}}
---
"""


@pytest.fixture(autouse=True)
def waiting(write: Callable[..., Path], paper: Any) -> str:
    """The id of a run that waits."""
    write("writer.md", WRITER)
    run_id: str = paper("run", "writer", "-p", "text=one", "--json").document["run_id"]
    return run_id


def test_open_questions_are_listed_with_everything_a_person_needs(paper: Any, waiting: str) -> None:
    (question,) = paper("approvals", "list", "--json").document
    assert list(question) == ["id", "run_id", "step", "tool", "arguments", "preview", "digest", "requested"]
    assert (question["run_id"], question["tool"]) == (waiting, "write_file")
    assert "+one" in paper("approvals").out
    assert paper("approvals", "--json").document == [question]


def test_the_way_to_answer_can_be_typed_where_the_program_is_not_on_the_path(
    paper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_COMMAND", "./paper")
    told = paper("run", "writer", "-p", "text=two").err
    assert "See it: ./paper approvals list. Say yes: ./paper approvals approve " in told
    assert "All runs: ./paper runs list" in paper("runs", "show", "zzzz").err
    monkeypatch.delenv("PAPER_COMMAND")
    assert "See it: paper approvals list." in paper("run", "writer", "-p", "text=two").err


def test_another_process_answers_and_the_run_goes_on(paper: Any, started: Any, vault: Path, waiting: str) -> None:
    (question,) = paper("approvals", "list", "--json").document
    answer = started("approvals", "approve", question["id"], "--json", "--vault", vault)
    assert (answer.code, answer.document["status"], answer.document["run_id"]) == (0, "succeeded", waiting)
    assert (vault / "a.md").read_text("utf-8") == "one"
    assert started("approvals", "approve", question["id"], "--json", "--vault", vault).code == 2


def test_a_no_with_a_reason_ends_the_run(paper: Any, vault: Path) -> None:
    (question,) = paper("approvals", "list", "--json").document
    answer = paper("approvals", "deny", question["id"], "--reason", "because", "--json")
    assert (answer.code, answer.document["status"]) == (3, "denied")
    assert answer.document["error"]["details"] == {"reason": "because"}
    assert not (vault / "a.md").exists()


def test_a_beginning_and_last_name_a_run(paper: Any, waiting: str) -> None:
    for given in (waiting[:4], waiting, "last"):
        assert paper("runs", "show", given, "--json").document["run_id"] == waiting
    assert paper("runs", "rerun", "last", "--json").document["run_id"] != waiting
    assert paper("runs", "show", waiting[:6] + "zz", "--json").document["error"]["code"] == "unknown-run"


def test_last_of_nothing_is_told(paper: Any, tmp_path: Path) -> None:
    (tmp_path / "new" / ".paper").mkdir(parents=True)
    answer = paper("runs", "show", "last", "--vault", tmp_path / "new")
    assert (answer.code, "There is no run yet." in answer.err) == (2, True)
    answer = paper("approvals", "approve", "last", "--vault", tmp_path / "new")
    assert (answer.code, "No question is open." in answer.err) == (2, True)


def test_the_beginning_of_several_runs_is_told_with_each_of_them(paper: Any, vault: Path, waiting: str) -> None:
    with open_vault(vault) as opened:
        opened.run("read_file", {"filePath": "writer.md"}, run_id=f"{waiting[:5]}-a")
        opened.run("read_file", {"filePath": "writer.md"}, run_id=f"{waiting[:5]}-b")
    answer = paper("runs", "show", waiting[:5], "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "ambiguous-id")
    assert answer.document["error"]["details"]["ids"] == [f"{waiting[:5]}-a", f"{waiting[:5]}-b", waiting]


def test_the_message_of_a_waiting_run_names_its_question(paper: Any, vault: Path) -> None:
    (question,) = paper("approvals", "list", "--json").document
    told = paper("run", "writer", "-p", "text=two")
    last = paper("approvals", "list", "--json").document[-1]
    assert last["id"] != question["id"]
    assert f"See it: paper approvals list. Say yes: paper approvals approve {last['id'][:8]}" in told.err
    assert paper("approvals", "approve", last["id"][:8], "--json").code == 0
    assert (vault / "a.md").read_text("utf-8") == "two"
    assert paper("approvals", "show", "last", "--json").document == question
    assert paper("approvals", "deny", "last", "--json").document["run_id"] == question["run_id"]


def test_one_yes_answers_all_open_questions(paper: Any, vault: Path) -> None:
    paper("run", "write_file", "-p", "filePath=b.md", "-p", "content=b")
    answer = paper("approvals", "approve", "--all", "--json")
    assert (answer.code, [each["status"] for each in answer.document]) == (0, ["succeeded", "succeeded"])
    assert ((vault / "a.md").read_text("utf-8"), (vault / "b.md").read_text("utf-8")) == ("one", "b")
    assert paper("approvals", "approve", "--all", "--json").document == []


def test_one_yes_to_all_goes_on_where_somebody_else_was_quicker(
    paper: Any, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper("run", "write_file", "-p", "filePath=b.md", "-p", "content=b")
    look = History.questions

    def look_and_be_late(history: History, run_id: str | None = None) -> list[ApprovalRequest]:
        found = look(history, run_id)
        monkeypatch.setattr(History, "questions", look)
        assert run(["approvals", "deny", found[0].id]) == 3
        return found

    monkeypatch.setattr(History, "questions", look_and_be_late)
    assert paper("approvals", "approve", "--all").code == 0
    assert [(vault / name).exists() for name in ("a.md", "b.md")] == [False, True]
    assert paper("approvals", "list", "--json").document == []


def test_one_yes_answers_all_questions_of_a_run(paper: Any, write: Any, vault: Path) -> None:
    each = "{for_each: [x, y], tool: write_file, max_parallel: 2, parameters: {filePath: '{{item}}.md', content: c}}"
    write("many.md", f"---\ntool: true\nname: many\ndescription: d\nsteps:\n  - {each}\n---\n")
    many = paper("run", "many", "--json").document["run_id"]
    assert len(paper("approvals", "list", "--json").document) == 3
    answer = paper("approvals", "approve", "--run", many[:8], "--json")
    assert (answer.code, answer.document["status"]) == (0, "succeeded")
    assert (vault / "x.md").exists()
    assert not (vault / "a.md").exists()
    again = paper("approvals", "approve", "--run", many, "--json")
    assert (again.code, again.document["error"]["code"]) == (2, "nothing-to-answer")


@pytest.mark.parametrize("given", [[], ["last", "--all"], ["--all", "--run", "last"], ["--all", "--edit", "{}"]])
def test_it_must_be_clear_what_a_yes_is_for(paper: Any, vault: Path, given: list[str]) -> None:
    assert paper("approvals", "approve", *given, "--json").code == 2
    assert not (vault / "a.md").exists()


def test_a_question_says_in_words_who_wants_what(paper: Any, write: Any) -> None:
    write("writer.md", WRITER.replace("name: writer", "id: writer\nname: Schnellnotiz"))
    assert "Schnellnotiz wants to create a.md:" in paper("approvals", "list").out


def test_a_rule_is_told_when_it_is_made_and_taken_back(paper: Any) -> None:
    told = paper("approvals", "approve", "last", "--always").err
    (rule,) = paper("approvals", "rules", "--json").document
    assert f"without a question: writer may create a.md, until {rule['until'][:10]}" in " ".join(told.split())
    assert f"Undo: paper approvals revoke {rule['id']}" in told
    assert paper("approvals", "revoke", rule["id"][:5]).code == 0
    assert paper("approvals", "rules", "--json").document == []


@pytest.mark.parametrize(("since", "found"), [("2d", 1), ("3h", 1), ("30m", 1), ("1w", 1), ("0m", 0)])
def test_runs_are_found_by_how_long_ago_they_were(paper: Any, since: str, found: int) -> None:
    assert len(paper("runs", "list", "--since", since, "--json").document) == found


@pytest.mark.parametrize("since", ["2x", "-1d", "999999w", "d", "1.5h"])
def test_what_is_no_time_is_wrong_usage(paper: Any, since: str) -> None:
    answer = paper("runs", "list", "--since", since, "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "invalid-date")


def test_a_list_that_is_cut_says_so(paper: Any) -> None:
    paper("run", "writer", "-p", "text=two")
    answer = paper("runs", "list", "--limit", "1")
    assert (len(answer.out.splitlines()), "--limit 10" in answer.err) == (1, True)
    assert paper("runs", "list", "--limit", "2").err == ""


def test_states_are_told_in_the_readers_language(paper: Any, monkeypatch: pytest.MonkeyPatch, waiting: str) -> None:
    monkeypatch.setenv("PAPER_LANGUAGE", "de")
    assert "wartet" in paper("runs", "list").out
    assert "wartet" in paper("runs", "show", "last").out
    paper("approvals", "approve", "last")
    assert "gelungen" in paper("runs", "list").out
    assert f"Der Lauf {waiting} ist beendet (gelungen)." in paper("runs", "resume", "last").err


def test_an_edited_yes_writes_what_the_edit_says(paper: Any, vault: Path) -> None:
    (question,) = paper("approvals", "list", "--json").document
    for wrong in ("{", "[]", '{"content": NaN}', '{"content": ' + "[" * 100_000):
        assert paper("approvals", "approve", question["id"], "--edit", wrong, "--json").code == 2
    edit = json.dumps({"filePath": "b.md", "content": "edited"})
    assert paper("approvals", "approve", question["id"], "--edit", edit, "--json").code == 0
    assert (vault / "b.md").read_text("utf-8") == "edited"
    assert not (vault / "a.md").exists()


def test_an_always_is_listed_and_revoked(paper: Any) -> None:
    paper("approvals", "approve", "last")
    paper("run", "writer", "-p", "text=one")
    paper("approvals", "approve", "last", "--always")
    (rule,) = paper("approvals", "rules", "--json").document
    assert [rule[key] for key in ("tool", "by", "mode", "path", "host", "method", "state")] == [
        "write_file", "writer", "overwrite", "a.md", "", "", "active"
    ]  # fmt: skip
    assert rule["id"] in paper("approvals", "rules").out
    assert paper("run", "writer", "-p", "text=two").code == 0
    assert paper("approvals", "revoke", rule["id"], "--json").document == rule
    assert paper("approvals", "revoke", rule["id"]).code == 2
    assert paper("run", "writer", "-p", "text=three").code == 3


def test_an_unknown_question_is_wrong_usage(paper: Any) -> None:
    answer = paper("approvals", "approve", "nothing", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, "unknown-approval")


def test_history_is_filtered_and_shown(paper: Any, waiting: str) -> None:
    paper("run", "read_file", "-p", "filePath=writer.md")
    runs = paper("runs", "list", "--json").document
    assert [run["tool"] for run in runs] == ["read_file", "writer"]
    assert list(runs[0]) == ["run_id", "tool", "status", "started", "duration_ms"]
    assert paper("runs", "--json").document == runs
    assert len(paper("runs", "list", "--tool", "writer", "--json").document) == 1
    assert paper("runs", "list", "--tool", "deleted", "--json").document == []
    assert len(paper("runs", "list", "--status", "waiting", "--json").document) == 1
    assert len(paper("runs", "list", "--limit", "1", "--json").document) == 1
    assert paper("runs", "list", "--since", "9999-01-01", "--json").document == []
    assert paper("runs", "list", "--since", "tomorrow", "--json").code == 2
    assert paper("runs", "list", "--status", "planned", "--json").document == []
    assert paper("runs", "show", waiting, "--json").document["status"] == "waiting"
    assert waiting in paper("runs", "show", waiting[:8]).out
    assert paper("runs", "show", "nothing").code == 2


def test_runs_are_found_by_the_name_of_their_tool(paper: Any, vault: Path) -> None:
    (vault / "named.md").write_text(
        "---\ntool: true\nid: short\nname: A long name\ndescription: d\ncustom_function: return 1;\n---\n"
    )
    paper("run", "A long name")
    assert [run["tool"] for run in paper("runs", "list", "--tool", "A long name", "--json").document] == ["short"]


def test_a_run_is_done_again_and_compared(paper: Any, waiting: str, vault: Path) -> None:
    again = paper("runs", "rerun", waiting, "--yes", "--json").document
    assert again["status"] == "succeeded"
    assert again["run_id"] != waiting
    assert (vault / "a.md").read_text("utf-8") == "one"
    other = paper("run", "writer", "-p", "text=two", "--yes", "--json").document["run_id"]
    compared = paper("runs", "compare", again["run_id"], other, "--json").document
    assert "parameters" in compared["steps"][0]["different"]
    assert "≠" in paper("runs", "compare", again["run_id"], other).out


def test_a_waiting_run_is_resumed_with_a_yes(paper: Any, waiting: str, vault: Path) -> None:
    assert paper("runs", "resume", waiting, "--json").code == 3
    assert paper("runs", "resume", waiting, "--yes", "--json").document["status"] == "succeeded"
    assert (vault / "a.md").exists()
    assert paper("runs", "resume", waiting, "--yes", "--json").code == 2


def test_a_queued_run_that_was_agreed_to_asks_nothing_when_somebody_goes_on_with_it(paper: Any, vault: Path) -> None:
    queued = paper("run", "writer", "-p", "text=two", "--detach", "--yes", "--json").document["run_id"]
    assert paper("runs", "resume", queued, "--json").document["status"] == "succeeded"
    assert (vault / "a.md").read_text("utf-8") == "two"


def test_going_on_with_all_leaves_the_runs_that_somebody_else_has(paper: Any, write: Any, vault: Path) -> None:
    write("good.md", GOOD)
    first, second = (paper("run", "good", "--detach", "--json").document["run_id"] for _ in range(2))
    with open_vault(vault) as other, other.journal.lock_run(first):
        answer = paper("runs", "resume", "--json")
    assert (answer.code, [each["run_id"] for each in answer.document]) == (0, [second])
    assert [each["run_id"] for each in paper("runs", "resume", "--json").document] == [first]


def test_going_on_with_all_leaves_the_runs_whose_tool_has_to_wait(paper: Any, write: Any) -> None:
    write("good.md", GOOD)
    write(".paper/settings.toml", "[limits.good]\nper_minute = 1\n")
    runs = [paper("run", "good", "--detach", "--json").document["run_id"] for _ in range(2)]
    answer = paper("runs", "resume", "--json")
    assert (answer.code, [each["run_id"] for each in answer.document]) == (0, runs[:1])


def test_a_limit_beyond_every_number_of_the_database_lists_all(paper: Any) -> None:
    answer = paper("runs", "list", "--limit", str(10**20), "--json")
    assert (answer.code, len(answer.document)) == (0, 1)


def test_the_list_tells_moments_in_the_time_zone_of_the_vault(paper: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_TIMEZONE", "Pacific/Kiritimati")
    started = datetime.fromisoformat(paper("runs", "list", "--json").document[0]["started"])
    assert f"{started.astimezone(ZoneInfo('Pacific/Kiritimati')):%Y-%m-%d %H:%M:%S}" in paper("runs", "list").out


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["run"], "unknown-tool"),
        (["runs", "show"], "unknown-run"),
        (["runs", "rerun"], "unknown-run"),
        (["runs", "resume"], "unknown-run"),
        (["approvals", "approve"], "unknown-approval"),
        (["approvals", "deny"], "unknown-approval"),
    ],
)
def test_a_name_that_is_no_text_is_unknown(paper: Any, command: list[str], code: str) -> None:
    answer = paper(*command, "\udcff", "--json")
    assert (answer.code, answer.document["error"]["code"]) == (2, code)


def test_no_run_is_of_a_tool_that_is_no_text(paper: Any) -> None:
    answer = paper("runs", "list", "--tool", "\udcff", "--json")
    assert (answer.code, answer.document) == (0, [])
