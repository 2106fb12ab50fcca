"""One damaged row is told and does not hide the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.signing import journal_of

from paperagents.approval.question import ApprovalRequest, question_digest
from paperagents.errors import DamagedRowError
from paperagents.runs.history import History
from paperagents.runs.questions import Questions
from paperagents.runs.record import LogEntry, RunRecord, new_run
from paperagents.runs.statistics import count_tag, tag_statistics, tool_statistics
from paperagents.storage.database import StoredRow, readable
from paperagents.storage.entries import EntryStore
from paperagents.storage.sqlite import SqliteDatabase

GOOD, BAD = "a" * 16, "b" * 16
DEEP = "[" * 100_000
Damage = Callable[..., None]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Two runs, each with a step and a question; two memories; two tags."""
    database = SqliteDatabase(tmp_path / ".paper" / "paper.db")
    store, entries = journal_of(database), EntryStore(database)
    for run_id in (GOOD, BAD):
        store.start(new_run(f"tool-{run_id[0]}", {}, {"date": "d"}, run_id=run_id), file=None, content=None)
        step = LogEntry(step=1, block="tool", name="n", status="success", message="m", timestamp="t", duration_ms=1.0)
        store.append(run_id, "1", step, state="final")
        digest = question_digest("effect", "write_file", {}, "preview", run_id=run_id, path="1")
        Questions(store).ask(
            ApprovalRequest(id=run_id[0], run_id=run_id, step=1, tool="write_file", arguments={}, preview="preview",
                            digest=digest, requested="now", asked_in=run_id, path="1", effect="effect"))  # fmt: skip
        store.finish(RunRecord(run_id=run_id, tool="t", status="waiting", started="s", duration_ms=2.0), {})
        count_tag(database, run_id[0], valid=True, succeeded=True, duration_ms=1.0)
        entries.put("memory", run_id[0], {"content": "x"})
    yield database
    database.close()


@pytest.fixture
def damage(database: SqliteDatabase) -> Damage:
    """Write a value where it does not belong, as another program could."""

    def write(table: str, column: str, value: Any, key: str) -> None:
        with closing(sqlite3.connect(database.file)) as connection, connection:
            found = connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key}", (value,))
            assert found.rowcount == 1

    return write


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("status", "done"), ("status", b"waiting"), ("tool", b"\xff"), ("started", b"x"), ("duration_ms", "long"),
        ("duration_ms", float("inf")),
    ],
)  # fmt: skip
def test_a_run_that_cannot_be_read_does_not_hide_the_others(
    database: SqliteDatabase, damage: Damage, column: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    damage("runs", column, value, f"run_id = '{BAD}'")
    assert [each["run_id"] for each in History(journal_of(database)).runs()] == [GOOD]
    assert f"'runs' in the database cannot be read: its '{column}' is damaged" in caplog.text
    with pytest.raises(DamagedRowError, match="is damaged"):
        History(journal_of(database)).record(BAD)
    assert History(journal_of(database)).record(GOOD).run_id == GOOD


def test_words_that_are_no_utf8_do_not_hide_the_others(database: SqliteDatabase) -> None:
    with closing(sqlite3.connect(database.file)) as connection, connection:
        connection.execute(f"UPDATE runs SET tool = CAST(x'ff41' AS TEXT) WHERE run_id = '{BAD}'")
        connection.execute("UPDATE entries SET fields = CAST(x'ff' AS TEXT) WHERE identifier = 'b'")
    assert {str(each["tool"]) for each in History(journal_of(database)).runs()} == {"tool-a", "\ufffdA"}
    assert [each.identifier for each in EntryStore(database).entries("memory")] == ["a"]


@pytest.mark.parametrize("value", ["{", "NaN", DEEP, "[1]", "{}", b"{}", '{"code": 1, "message": "m"}'])
def test_an_error_that_is_none_is_told(database: SqliteDatabase, damage: Damage, value: Any) -> None:
    damage("runs", "error", value, f"run_id = '{BAD}'")
    with pytest.raises(DamagedRowError, match="is damaged"):
        History(journal_of(database)).record(BAD)


@pytest.mark.parametrize("value", ["{", "[]", "{}", "null", DEEP, b"{}", '{"step": "1"}'])
def test_an_entry_of_the_log_that_is_none_is_told(database: SqliteDatabase, damage: Damage, value: Any) -> None:
    damage("journal", "entry", value, f"run_id = '{BAD}'")
    for read in (
        History(journal_of(database)).record,
        journal_of(database).results,
        History(journal_of(database)).steps,
    ):
        with pytest.raises(DamagedRowError, match="is damaged"):
            read(BAD)
        read(GOOD)


@pytest.mark.parametrize(
    ("column", "value"), [("arguments", "{"), ("arguments", "[]"), ("step", "x"), ("preview", b"x"), ("tool", b"x")]
)
def test_a_question_that_cannot_be_read_does_not_hide_the_others(
    database: SqliteDatabase, damage: Damage, column: str, value: Any
) -> None:
    damage("questions", column, value, "id = 'b'")
    assert [each.id for each in History(journal_of(database)).questions()] == ["a"]
    with pytest.raises(DamagedRowError, match="is damaged"):
        History(journal_of(database)).question("b")


@pytest.mark.parametrize("column", ["arguments", "clock"])
def test_a_run_without_readable_arguments_does_not_go_on(database: SqliteDatabase, damage: Damage, column: str) -> None:
    damage("runs", column, "{", f"run_id = '{BAD}'")
    for read in (History(journal_of(database)).run, History(journal_of(database)).arguments):
        with pytest.raises(DamagedRowError, match="is damaged"):
            read(BAD)


@pytest.mark.parametrize("value", ["{", "[]", '{"content": 1}', '{"other": "x"}', '{"content": null}', b"{}", DEEP])
def test_a_memory_that_cannot_be_read_does_not_hide_the_others(
    database: SqliteDatabase, damage: Damage, value: Any
) -> None:
    damage("entries", "fields", value, "identifier = 'b'")
    assert [each.identifier for each in EntryStore(database).entries("memory")] == ["a"]
    with pytest.raises(DamagedRowError, match="is damaged"):
        EntryStore(database).get("memory", "b")


def test_figures_are_made_of_what_can_be_read(database: SqliteDatabase, damage: Damage) -> None:
    damage("runs", "tool", b"\xff", f"run_id = '{BAD}'")
    damage("tag_counts", "calls", 0, "tag = 'b'")
    assert [each["tool"] for each in tool_statistics(journal_of(database))] == ["tool-a"]
    assert [each["tag"] for each in tag_statistics(journal_of(database))] == ["a"]


@given(st.text() | st.binary() | st.none() | st.integers() | st.floats())
def test_any_value_is_read_or_refused(value: Any) -> None:
    for read in (StoredRow.text, StoredRow.text_or_none, StoredRow.number, StoredRow.whole, StoredRow.value):
        readable("t", [{"c": value}], lambda row, read=read: read(row, "c"))  # type: ignore[misc]  # bound now
    readable("t", [{"c": value}], lambda row: row.object("c"))
