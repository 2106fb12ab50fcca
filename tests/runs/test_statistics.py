"""Totals of runs: kept as runs end, the same on both databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.signing import journal_of

from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.record import RunRecord, RunStatus, new_run
from paperagents.runs.statistics import run_totals, tool_statistics
from paperagents.storage.database import Database
from paperagents.storage.schema import MIGRATIONS
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.storage.totals import fold_totals, kept_bytes


@pytest.fixture
def journal(database: Database) -> Iterator[Journal]:
    with closing(journal_of(database)) as made:
        yield made


def end(journal: Journal, status: RunStatus, *, duration: float = 2.0, parent: str | None = None) -> str:
    run = new_run("t", {}, {"date": "d"}, parent_run=parent)
    journal.start(run, file=None, content=None)
    finish(journal, run.run_id, status, duration=duration)
    return run.run_id


def finish(journal: Journal, run_id: str, status: RunStatus, *, duration: float = 2.0) -> None:
    journal.finish(RunRecord(run_id=run_id, tool="t", status=status, started="s", duration_ms=duration), {})


def test_every_ending_is_counted_once_and_folding_changes_no_figure(journal: Journal) -> None:
    for status in ("succeeded", "succeeded", "failed", "denied", "cancelled"):
        end(journal, status)
    end(journal, "succeeded", parent="a", duration=9.0)
    end(journal, "waiting")
    before, size = tool_statistics(journal), kept_bytes(journal.database)
    assert before == [
        {"tool": "t", "runs": 7, "succeeded": 3, "failed": 1, "denied": 1, "waiting": 1, "success_rate": 3 / 7,
         "median_ms": 2.0, "p95_ms": 9.0, "max_ms": 9.0, "usage": None}
    ]  # fmt: skip
    fold_totals(journal.database)
    assert journal.database.rows("SELECT * FROM total_changes") == []
    assert (tool_statistics(journal), kept_bytes(journal.database)) == (before, size)
    end(journal, "failed")
    assert tool_statistics(journal)[0]["failed"] == 2
    assert sum(each.runs for each in run_totals(journal) if each.is_nested) == 1


def test_a_run_that_goes_on_had_not_ended(journal: Journal) -> None:
    run_id = end(journal, "failed")
    fold_totals(journal.database)
    journal.reopen(run_id)
    assert (tool_statistics(journal), kept_bytes(journal.database)) == ([], 0)
    finish(journal, run_id, "succeeded")
    (figures,) = tool_statistics(journal)
    assert (figures["runs"], figures["succeeded"], figures["failed"]) == (1, 1, 0)


def test_a_run_that_is_given_up_is_counted_as_failed_and_only_once(journal: Journal) -> None:
    run = new_run("t", {}, {})
    journal.start(run, file=None, content=None)
    for _ in range(2):
        journal.abandon(run.run_id, {"code": "x", "message": "y"})
    assert tool_statistics(journal)[0]["failed"] == 1


def test_a_change_that_cannot_be_read_stops_nothing(tmp_path: Path) -> None:
    with closing(SqliteDatabase(tmp_path / "paper.db")) as database, closing(journal_of(database)) as journal:
        end(journal, "succeeded")
        with database.transaction() as connection:
            connection.execute("INSERT INTO total_changes VALUES (NULL, x'ff', 's', 0, 'many', 'long', 1, 2)")
        for _ in range(2):
            assert [each["tool"] for each in tool_statistics(journal)] == ["t"]
            fold_totals(database)


def test_a_database_without_totals_gets_them(tmp_path: Path) -> None:
    file = tmp_path / "paper.db"
    with closing(sqlite3.connect(file)) as older, older:
        older.executescript(MIGRATIONS[0])
        for number, status in enumerate(("succeeded", "succeeded", "failed", "waiting", "running")):
            older.execute("INSERT INTO runs (run_id, tool, status, started, duration_ms, arguments, clock, redacted) "
                          "VALUES (?, 't', ?, 'x', ?, '{}', '{}', 0)", (str(number), status, number))  # fmt: skip
        older.execute("INSERT INTO journal VALUES (1, '0', '1', 'final', 0, '{}')")
        older.execute("PRAGMA user_version = 1")
    with closing(SqliteDatabase(file)) as database, closing(journal_of(database)) as journal:
        (figures,) = tool_statistics(journal)
        assert (figures["runs"], figures["succeeded"], figures["failed"], figures["waiting"]) == (4, 2, 1, 1)
        assert (figures["max_ms"], figures["median_ms"]) == (2.0, 1.0)
        assert kept_bytes(database) > 3 * 500
        assert History(journal).count("running") == 1


def test_the_latest_runs_make_the_median(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.runs.statistics.LATEST", 3)
    for day, duration in enumerate((100.0, 1.0, 2.0, 3.0), 1):
        run = replace(new_run("t", {}, {}), started=f"2026-01-0{day}")
        journal.start(run, file=None, content=None)
        finish(journal, run.run_id, "succeeded", duration=duration)
    (figures,) = tool_statistics(journal)
    assert (figures["median_ms"], figures["p95_ms"], figures["max_ms"]) == (2.0, 3.0, 100.0)
