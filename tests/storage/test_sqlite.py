"""The embedded database: versions, damage, neighbours."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace

import pytest

from paperagents.errors import PaperError, UsageError
from paperagents.storage.entries import EntryStore
from paperagents.storage.schema import MIGRATIONS
from paperagents.storage.sqlite import RunLocks, SqliteDatabase

TABLES = {"runs", "journal", "intents", "definitions", "questions"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / ".paper" / "paper.db"


def tables(database: SqliteDatabase) -> set[str]:
    return {row["name"] for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_new_database_has_every_table_and_is_the_owners_alone(file: Path) -> None:
    database = SqliteDatabase(file)
    assert tables(database) >= TABLES
    assert file.stat().st_mode & 0o077 == 0
    database.close()


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_database_of_every_older_version_is_brought_up_to_date(file: Path, version: int) -> None:
    file.parent.mkdir()
    older = sqlite3.connect(file)
    for migration in MIGRATIONS[:version]:
        older.executescript(migration)
    older.execute(f"PRAGMA user_version = {version}")
    older.close()
    database = SqliteDatabase(file)
    assert tables(database) >= TABLES
    assert database.rows("PRAGMA user_version")[0][0] == len(MIGRATIONS)
    database.close()


@pytest.mark.parametrize(
    "instruction",
    [
        "CREATE TRIGGER yes AFTER INSERT ON questions BEGIN DELETE FROM answers; END",
        "CREATE VIEW answered AS SELECT * FROM questions",
        "CREATE VIRTUAL TABLE odd USING fts5(text)",
    ],
)
def test_a_database_that_would_answer_by_itself_is_not_used(file: Path, instruction: str) -> None:
    database = SqliteDatabase(file)
    database.rows("SELECT 1")
    database.close()
    foreign = sqlite3.connect(file)
    foreign.execute(instruction)
    foreign.close()
    with pytest.raises(PaperError) as caught:
        SqliteDatabase(file).rows("SELECT 1")
    assert caught.value.code == "database-tampered"


def test_a_database_of_a_newer_program_is_left_alone(file: Path) -> None:
    file.parent.mkdir()
    newer = sqlite3.connect(file)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    with pytest.raises(PaperError) as caught:
        SqliteDatabase(file).rows("SELECT 1")
    assert caught.value.code == "database-newer"


def test_a_migration_that_fails_leaves_the_older_version_whole(file: Path) -> None:
    file.parent.mkdir()
    older = sqlite3.connect(file)
    older.execute("CREATE TABLE questions (x)")
    older.close()
    with pytest.raises(PaperError) as caught:
        SqliteDatabase(file).rows("SELECT 1")
    assert caught.value.code == "database-failed"
    older = sqlite3.connect(file)
    assert [row[0] for row in older.execute("SELECT name FROM sqlite_master")] == ["questions"]
    older.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + bytes(200)])
def test_a_damaged_file_is_told_and_kept(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(PaperError) as caught:
        SqliteDatabase(file).rows("SELECT 1")
    assert caught.value.code == "database-failed"
    assert file.read_bytes() == content


@pytest.mark.parametrize("written_before", [True, False])
def test_what_is_written_after_the_folder_was_deleted_is_kept_in_a_new_one(file: Path, *, written_before: bool) -> None:
    database = SqliteDatabase(file)
    store = EntryStore(database)
    if written_before:
        store.put("memory", "a", {"content": "1"})
    else:
        store.entries("memory")
    rmtree(file.parent, ignore_errors=True)
    assert store.entries("memory") == []
    store.put("memory", "b", {"content": "2"})
    other = SqliteDatabase(file)
    assert [entry.identifier for entry in EntryStore(other).entries("memory")] == ["b"]
    other.close()
    database.close()


def test_another_database_in_the_place_of_the_first_is_used_from_then_on(file: Path, tmp_path: Path) -> None:
    database = SqliteDatabase(file)
    EntryStore(database).put("memory", "a", {"content": "1"})
    database.copy_to(tmp_path / "copy.db")
    EntryStore(database).put("memory", "b", {"content": "2"})
    (tmp_path / "copy.db").replace(file)
    for beside in ("wal", "shm"):
        file.with_name(f"{file.name}-{beside}").unlink(missing_ok=True)
    assert [entry.identifier for entry in EntryStore(database).entries("memory")] == ["a"]
    database.close()


def test_a_disk_without_any_space_left_is_told_as_such(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=0, f_files=9, f_favail=9))
    (file.parent / "paper.db-wal").mkdir()
    with pytest.raises(PaperError) as caught:
        SqliteDatabase(file).rows("SELECT 1")
    assert caught.value.code == "database-full"


def test_processes_that_open_a_new_database_in_the_same_moment_do_not_disturb_each_other(file: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from paperagents.storage.sqlite import SqliteDatabase\n"
        "sys.stdin.read()\n"
        "with SqliteDatabase(pathlib.Path(sys.argv[1])).transaction() as connection:\n"
        "    connection.execute('SELECT 1')\n"
    )
    command = [sys.executable, "-c", code, str(file)]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(6)]
    for each in started:
        assert each.stdin is not None
        each.stdin.close()
    assert [each.wait(60) for each in started] == [0] * 6


def test_what_fails_inside_a_transaction_takes_everything_back(file: Path) -> None:
    database = SqliteDatabase(file)
    with pytest.raises(ZeroDivisionError), database.transaction() as connection:  # noqa: PT012  the two belong together
        connection.execute("INSERT INTO definitions VALUES ('a', 'b', 'c')")
        raise ZeroDivisionError
    assert database.rows("SELECT * FROM definitions") == []
    database.close()


# --- who works on a run


def test_a_run_is_worked_on_once_and_others_are_not_held_up(file: Path) -> None:
    one, other = RunLocks(file.with_name("runs.lock")), RunLocks(file.with_name("runs.lock"))
    with one.held("a"):
        with pytest.raises(UsageError) as caught, other.held("a"):
            pass
        assert caught.value.code == "run-is-running"
        with other.held("b"):
            pass
    with other.held("a"):
        pass


def test_a_killed_process_lets_go_of_its_run(file: Path) -> None:
    code = (
        "import sys, time, pathlib\n"
        "from paperagents.storage.sqlite import RunLocks\n"
        "with RunLocks(pathlib.Path(sys.argv[1])).held('a'):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    lock = file.with_name("runs.lock")
    command = [sys.executable, "-c", code, str(lock)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(UsageError), RunLocks(lock).held("a"):
            pass
        holder.kill()
        holder.wait(30)
    with RunLocks(lock).held("a"):
        assert os.path.getsize(lock) == 0  # noqa: PTH202  the file that is locked holds nothing
