"""A copy of what the program keeps, and putting it back. One file for each kind of database, in its own form."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paperagents.errors import StorageError, UsageError
from paperagents.messages import system_text
from paperagents.storage.database import Database
from paperagents.storage.schema import MIGRATIONS
from paperagents.storage.sqlite import SqliteDatabase


def back_up(database: Database, file: Path) -> None:
    """Write a whole and consistent copy, also while others write; a file that is there is not overwritten."""
    source = _embedded(database)
    if file.exists():
        raise UsageError("backup-exists", path=str(file))
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        # Ours alone to read: it holds what runs were given.
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        source.copy_to(beside)
        _require_whole(beside)
        beside.rename(file)
    except OSError as error:
        raise StorageError("cannot-write", path=str(file), reason=system_text(error)) from error
    finally:
        beside.unlink(missing_ok=True)


def restore(database: Database, file: Path) -> None:
    """Put a copy in the place of what is kept now; that is kept beside it, for whoever was too quick."""
    target = _embedded(database).file
    _require_whole(file)
    database.close()
    with _alone(target):
        earlier = target.with_name(f"{target.name}.before-restore")
        if target.exists():
            _copy(target, earlier)
        _copy(file, target)


def _embedded(database: Database) -> SqliteDatabase:
    if not isinstance(database, SqliteDatabase):
        raise UsageError("backup-by-server", place=database.place)
    return database


def _copy(source: Path, target: Path) -> None:
    """By the library, page by page: whoever has the target open sees the one state or the other."""
    try:
        with _opened(source) as reading, _opened(target) as writing:
            reading.backup(writing)
    except sqlite3.Error as error:
        raise StorageError("database-failed", file=str(target), reason=str(error)) from error


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(file, timeout=30)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    file.parent.mkdir(exist_ok=True)
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _require_whole(file: Path) -> None:
    """A copy must be a database of ours, undamaged, and not of a newer program."""
    if not file.is_file():
        raise UsageError("no-such-file", path=str(file))
    try:
        with _opened(file) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise UsageError("backup-damaged", path=str(file), reason=str(error)) from error
    if found != ["ok"] or not 1 <= version <= len(MIGRATIONS):
        raise UsageError("backup-damaged", path=str(file), reason=found[0] if found != ["ok"] else f"version {version}")
