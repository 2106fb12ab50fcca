"""Runs that came with somebody's database: noted with the user, and read again with care."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from paperagents.storage.provenance import is_foreign, note_as_own, note_foreign_runs


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        for table in ("identity (id)", "answers (root_run)", "intents (run_id)"):
            opened.execute(f"CREATE TABLE {table}")
        opened.execute("INSERT INTO answers VALUES ('r1'), ('r2')")
        yield opened


@pytest.fixture
def noted(connection: sqlite3.Connection, tmp_path: Path) -> Path:
    """The file in which the runs of this database are noted."""
    note_foreign_runs(connection, tmp_path)
    (file,) = tmp_path.iterdir()
    return file


def test_the_runs_that_were_found_are_foreign_until_the_user_goes_on_with_them(
    connection: sqlite3.Connection, noted: Path
) -> None:
    assert json.loads(noted.read_text()) == ["r1", "r2"]
    assert is_foreign(connection, noted.parent, "r2.1")
    assert not is_foreign(connection, noted.parent, "r3")
    note_as_own(connection, noted.parent, "r2.1")
    assert not is_foreign(connection, noted.parent, "r2")
    assert is_foreign(connection, noted.parent, "r1")


def test_what_a_newer_version_notes_beside_the_runs_is_ignored_and_kept(
    connection: sqlite3.Connection, noted: Path
) -> None:
    noted.write_text(json.dumps(["r1", {"run": "r3"}, "r2"]))
    assert not is_foreign(connection, noted.parent, "r3")
    note_as_own(connection, noted.parent, "r1")
    assert json.loads(noted.read_text()) == [{"run": "r3"}, "r2"]


@pytest.mark.parametrize("content", ["{", '{"runs": ["r1"]}', "5", "[" * 100000])
def test_where_the_note_is_not_understood_every_run_is_foreign_and_the_note_stays(
    connection: sqlite3.Connection, noted: Path, content: str
) -> None:
    noted.write_text(content)
    note_as_own(connection, noted.parent, "r1")
    assert noted.read_text() == content
    assert is_foreign(connection, noted.parent, "r1")
    assert is_foreign(connection, noted.parent, "r3")
