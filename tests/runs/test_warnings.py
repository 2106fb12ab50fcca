"""Warnings of a run: in its record, in the history, and from the runs below it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.desk import Desk

from paperagents.approval.question import Approved

SLIP = "There is no parameter 'sterne'. Did you mean 'stern'?"
CUT = "search_files gave 2 of 3 found files. For all: limit: 3."
RATED = (
    "parameters:\n  - {name: stern, type: number, description: d, required: false}\ncustom_function: return input;\n"
)


def write_many(desk: Desk, count: int = 3) -> None:
    for number in range(count):
        desk.note(f"notes/{number}.md", "An apple.")


def test_a_run_that_nothing_is_to_be_said_of_has_no_warnings(desk: Desk) -> None:
    desk.tool("rated", RATED)
    record = desk.run("rated", {"stern": 5})
    assert record.as_json()["warnings"] == []
    assert desk.vault.history.record(record.run_id).warnings == ()


def test_a_misspelt_optional_argument_is_a_warning_in_the_record_and_in_the_history(desk: Desk) -> None:
    desk.tool("rated", RATED)
    record = desk.run("rated", {"sterne": 5})
    assert (record.status, record.data) == ("succeeded", {"sterne": 5})
    assert record.as_json()["warnings"] == [SLIP]
    assert desk.reopened().history.record(record.run_id).as_json()["warnings"] == [SLIP]


def test_an_argument_like_none_is_no_slip(desk: Desk) -> None:
    desk.tool("rated", RATED)
    assert desk.run("rated", {"other": 1}).warnings == ()


@pytest.mark.parametrize("required", ["true", "false"])
def test_a_slip_beside_the_right_one_is_a_warning_too(desk: Desk, required: str) -> None:
    desk.tool("rated", RATED.replace("required: false", f"required: {required}"))
    record = desk.run("rated", {"stern": 1, "sterne": 2})
    assert (record.data, record.warnings) == ({"stern": 1, "sterne": 2}, (SLIP,))


def test_of_two_that_a_slip_looks_like_the_one_that_was_not_given_is_meant(desk: Desk) -> None:
    another = "  - {name: sterns, type: number, description: d, default: 1}\n"
    desk.tool("rated", RATED.replace("custom", f"{another}custom"))
    assert desk.run("rated", {"stern": 1, "sterne": 2}).warnings == (SLIP.replace("'stern'", "'sterns'"),)


def test_a_call_that_is_refused_for_the_slip_is_not_warned_of_it_too(desk: Desk) -> None:
    desk.tool("rated", f"strict: true\n{RATED}")
    record = desk.run("rated", {"sterne": 5})
    assert (record.status, record.warnings) == ("failed", ())


def test_a_dry_run_and_a_queued_one_are_warned_of(desk: Desk) -> None:
    desk.tool("rated", RATED)
    assert desk.vault.plan("rated", {"sterne": 5}).warnings == (SLIP,)
    queued = desk.vault.enqueue("rated", {"sterne": 5})
    assert queued.warnings == (SLIP,)
    assert desk.reopened().history.record(queued.run_id).warnings == (SLIP,)
    assert desk.vault.resume(queued.run_id).warnings == (SLIP,)


def test_cut_results_of_a_step_are_told_once_however_often_it_is_repeated(desk: Desk) -> None:
    write_many(desk)
    search = "{tool: search_files, for_each: [1, 2], parameters: {query: apple, path: notes, limit: 2}}"
    desk.chain("find", f"  - {search}")
    record = desk.run("find")
    assert record.status == "succeeded", record.error
    assert record.warnings == (CUT,)


def test_what_the_runs_below_are_warned_of_is_in_the_record_above(desk: Desk) -> None:
    write_many(desk)
    desk.tool("rated", RATED)
    desk.chain("find", "  - {tool: search_files, parameters: {query: apple, path: notes, limit: 2}}")
    desk.chain("all", "  - {tool: find}\n  - {tool: rated, parameters: {sterne: 1}}")
    record = desk.run("all")
    assert record.status == "succeeded", record.error
    assert record.warnings == (CUT, SLIP)


def test_a_run_that_waited_keeps_the_warnings_from_before(desk: Desk) -> None:
    write_many(desk)
    steps = (
        "  - {tool: search_files, parameters: {query: apple, path: notes, limit: 2}}\n"
        "  - {tool: write_file, parameters: {filePath: a.md, content: x}}"
    )
    desk.chain("find", steps)
    waiting = desk.run("find")
    assert (waiting.status, len(waiting.warnings)) == ("waiting", 1)
    vault = desk.reopened()
    (question,) = vault.history.questions()
    record = vault.answer(question.id, Approved())
    assert (record.status, record.warnings) == ("succeeded", waiting.warnings)


def test_whoever_listens_hears_of_each_warning(desk: Desk) -> None:
    desk.tool("rated", RATED)
    events: list[Any] = []
    desk.vault.run("rated", {"sterne": 5}, on_event=events.append)
    assert [event["message"] for event in events if event["type"] == "run-warned"] == [SLIP]


def test_a_run_has_no_more_warnings_than_a_person_can_read(desk: Desk) -> None:
    desk.tool("rated", RATED)
    calls = "\n".join(
        f"  - {{tool: rated, name: s{number}, parameters: {{stern{chr(0x4E00 + number)}: 1}}}}" for number in range(110)
    )
    desk.chain("many", calls)
    assert len(desk.run("many").warnings) == 100
