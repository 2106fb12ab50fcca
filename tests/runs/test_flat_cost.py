"""What is asked again and again costs the same after a hundred runs and after ten thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.signing import journal_of

from paperagents.inventory import list_brought
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.statistics import run_totals, tool_statistics
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.storage.totals import count_ending, fold_totals, kept_bytes

if TYPE_CHECKING:
    from tests.desk import Desk

FEW, MANY = 100, 10_000
_RUN = (
    "INSERT INTO runs (run_id, parent_run, tool, status, started, duration_ms, arguments, clock, data, redacted) "
    "VALUES (?, ?, ?, ?, ?, ?, '{}', '{}', 'null', 0)"
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    with closing(SqliteDatabase(tmp_path / ".paper" / "paper.db")) as made:
        yield made


def add_runs(database: SqliteDatabase, count: int, status: str = "succeeded") -> None:
    with database.transaction() as connection:
        for number in range(count):
            started = f"2026-01-01T00:00:{number:06}"
            connection.execute(_RUN, (f"{status}{number:016}", None, f"t{number % 3}", status, started, 1.0))
            connection.execute(_RUN, (f"{status}{number:016}.1", f"{number}", "read", status, started, 1.0))
            if status == "succeeded":
                count_ending(connection, f"{status}{number:016}")
    if status == "succeeded":
        while database.rows("SELECT 1 FROM total_changes"):
            fold_totals(database)


def add_questions(database: SqliteDatabase, count: int) -> None:
    add_runs(database, count, "waiting")
    with database.transaction() as connection:
        for number in range(count):
            run_id = f"waiting{number:016}"
            connection.execute(
                "INSERT INTO questions VALUES (?, ?, ?, '1', 1, 't', '{}', '', '{}', '', '', 'now', 0, NULL)",
                (f"q{number}", run_id, run_id),
            )
            connection.execute("INSERT INTO answers VALUES (?, 'tool', '', '', 't', '', '{}', '')", (run_id,))


def count_steps(database: SqliteDatabase, ask: Callable[[], object]) -> int:
    """How many instructions of the database's engine an answer takes, in hundreds: no clock, no other process."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    connection = database._open()
    connection.set_progress_handler(step, 100)
    ask()
    connection.set_progress_handler(None, 0)
    return steps


ASKED: dict[str, Callable[[Journal], object]] = {
    "runs that can go on": lambda journal: History(journal).resumable(),
    "runs that are under way": lambda journal: History(journal).running(),
    "how many are queued": lambda journal: History(journal).count("queued"),
    "a page of history": lambda journal: History(journal).runs(),
    "a page of one tool": lambda journal: History(journal).runs(tool="t1"),
    "the last run": lambda journal: History(journal).record("last"),
    "figures of tools": tool_statistics,
    "figures for monitors": run_totals,
    "how much room is taken": lambda journal: kept_bytes(journal.database),
}


@pytest.mark.parametrize("asked", ASKED)
def test_an_answer_costs_the_same_however_many_runs_there_are(database: SqliteDatabase, asked: str) -> None:
    add_runs(database, FEW)
    with closing(journal_of(database)) as journal:
        few = count_steps(database, lambda: ASKED[asked](journal))
        with database.transaction() as connection:
            connection.execute("DELETE FROM runs")
        add_runs(database, MANY)
        assert count_steps(database, lambda: ASKED[asked](journal)) <= 2 * few + 10


def test_what_came_along_is_found_without_a_look_at_every_run(desk: Desk) -> None:
    database = desk.vault.database
    assert isinstance(database, SqliteDatabase)
    add_runs(database, FEW)
    few = count_steps(database, lambda: list_brought(desk.vault))
    with database.transaction() as connection:
        connection.execute("DELETE FROM runs")
    add_runs(database, MANY)
    assert count_steps(database, lambda: list_brought(desk.vault)) <= 2 * few + 10


@pytest.mark.parametrize("asked", ["runs that can go on", "runs that are under way", "how many are queued"])
def test_looking_for_work_costs_the_same_however_many_runs_wait(database: SqliteDatabase, asked: str) -> None:
    add_questions(database, FEW)
    with closing(journal_of(database)) as journal:
        few = count_steps(database, lambda: ASKED[asked](journal))
        for table in ("runs", "questions", "answers"):
            with database.transaction() as connection:
                connection.execute(f"DELETE FROM {table}")
        add_questions(database, MANY)
        assert count_steps(database, lambda: ASKED[asked](journal)) <= 2 * few + 10
