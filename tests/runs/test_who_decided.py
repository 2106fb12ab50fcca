"""Everyone who decides has a name: the log says who, when and by which way."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from paperagents.approval.question import Approved, ApproveEverything, system_user

if TYPE_CHECKING:
    from tests.desk import Desk

    from paperagents.definitions.json_value import JsonObject

TWO = "".join(f"\n  - {{tool: write_file, parameters: {{filePath: {name}.md, content: x}}}}" for name in "ab")


def who(entry: JsonObject) -> tuple[object, object]:
    assert datetime.fromisoformat(str(entry["approved_at"])) <= datetime.now(UTC)
    return entry["approved_by"], entry["approved_via"]


def test_a_yes_is_logged_with_who_when_and_how(desk: Desk) -> None:
    entry = desk.run("write_file", {"filePath": "a.md", "content": "x"}, Approved(by="Ann", via="page")).execution_log[
        0
    ]
    assert who(entry) == ("Ann", "page")
    assert "Ann (page)" in str(entry["message"])


def test_without_a_name_it_is_the_systems_user(desk: Desk) -> None:
    record = desk.vault.run("write_file", {"filePath": "a.md", "content": "x"}, approver=ApproveEverything())
    assert who(record.execution_log[0]) == (system_user(), "--yes")


def test_what_nobody_was_asked_about_or_said_no_to_names_nobody(desk: Desk) -> None:
    desk.note("a.md", "x")
    for record in (
        desk.run("read_file", {"filePath": "a.md"}),
        desk.run("write_file", {"filePath": "b.md", "content": ""}),
    ):
        entry = record.execution_log[0]
        assert [entry[f"approved_{word}"] for word in ("by", "at", "via")] == [None, None, None]


def test_a_yes_for_the_rest_of_the_run_keeps_its_name(desk: Desk) -> None:
    desk.chain("two", TWO)
    record = desk.run("two", {}, Approved(by="Ann", via="terminal", for_run=True))
    first, second = record.execution_log
    assert who(first) == who(second) == ("Ann", "terminal")
    assert first["approved_at"] == second["approved_at"]


def test_an_answer_that_was_kept_is_logged_with_the_time_it_was_given(desk: Desk) -> None:
    desk.chain("two", TWO)
    run = desk.run("two")
    yes = Approved(by="Ann", via="page", for_run=True, at="2026-01-02T03:04:05.000+00:00")
    desk.vault.continuation.answer(desk.vault.history.questions()[0].id, yes)
    record = desk.reopened().resume(run.run_id)
    assert [who(entry) for entry in record.execution_log] == [("Ann", "page")] * 2
    assert {entry["approved_at"] for entry in record.execution_log} == {yes.at}
