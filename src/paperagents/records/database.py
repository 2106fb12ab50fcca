"""The embedded database in ``.paper/``: opened once, shared by threads, safe against other processes and kills."""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from paperagents.errors import PaperError

MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, parent_run TEXT, tool TEXT NOT NULL, status TEXT NOT NULL, started TEXT NOT NULL,
        duration_ms REAL NOT NULL, arguments TEXT NOT NULL, definition TEXT, clock TEXT NOT NULL, data TEXT, error TEXT
    );
    CREATE INDEX runs_by_start ON runs (parent_run, started DESC);
    CREATE INDEX runs_by_tool ON runs (tool, started DESC);
    CREATE TABLE journal (
        seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, path TEXT NOT NULL, final INTEGER NOT NULL, entry TEXT NOT NULL
    );
    CREATE INDEX journal_by_run ON journal (run_id, seq);
    CREATE TABLE intents (
        run_id TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, before TEXT NOT NULL, after TEXT, answer TEXT,
        PRIMARY KEY (run_id, path)
    );
    CREATE TABLE definitions (digest TEXT PRIMARY KEY, file TEXT NOT NULL, content BLOB NOT NULL);
    CREATE TABLE approvals (
        id TEXT PRIMARY KEY, run_id TEXT NOT NULL, root_run TEXT NOT NULL, step INTEGER NOT NULL, tool TEXT NOT NULL,
        arguments TEXT NOT NULL, preview TEXT NOT NULL, digest TEXT NOT NULL, target TEXT NOT NULL,
        requested TEXT NOT NULL
    );
    CREATE INDEX approvals_by_run ON approvals (run_id);
    CREATE INDEX approvals_by_root ON approvals (root_run);
    """,
    """
    CREATE TABLE entries (
        kind TEXT NOT NULL, identifier TEXT NOT NULL, version INTEGER NOT NULL, created TEXT NOT NULL,
        updated TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (kind, identifier)
    );
    CREATE TABLE entry_versions (
        kind TEXT NOT NULL, identifier TEXT NOT NULL, version INTEGER NOT NULL, changed TEXT NOT NULL, fields TEXT,
        PRIMARY KEY (kind, identifier, version)
    );
    """,
    """
    CREATE TABLE tag_counts (
        tag TEXT PRIMARY KEY, calls INTEGER NOT NULL, valid INTEGER NOT NULL, succeeded INTEGER NOT NULL,
        total_ms REAL NOT NULL
    );
    """,
    "CREATE TABLE tool_storage (tool TEXT PRIMARY KEY, content TEXT NOT NULL)",
)
"""What each version of the program added. Never change one that has been released; add another."""

_BUSY_SECONDS = 30.0


class Database:
    """One connection, used by one thread at a time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    @contextmanager
    def transaction(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """All or nothing. ``durable`` also survives the loss of power once it is done.

        One inside another is part of it: what the inner one did counts when the outer one is done, and is
        taken back alone when only the inner one fails.
        """
        with self._lock:
            connection = self._open()
            if self._is_inside(connection):
                with _savepoint(connection):
                    yield connection
                return
            with _told(self.file):
                if durable:
                    connection.execute("PRAGMA synchronous = FULL")
                try:
                    connection.execute("BEGIN IMMEDIATE")
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                finally:
                    if durable:
                        connection.execute("PRAGMA synchronous = NORMAL")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """What a query gives."""
        with self._lock, _told(self.file):
            return self._open().execute(query, values).fetchall()

    def exists(self) -> bool:
        """Whether there is a database yet; looking does not make one."""
        return self.file.exists()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _is_inside(self, connection: sqlite3.Connection) -> bool:
        return connection.in_transaction

    def _open(self) -> sqlite3.Connection:
        if self._connection is None or self._process != os.getpid():
            # A forked child must not use its parent's connection.
            self._connection = self._connect()
            self._process = os.getpid()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        with _told(self.file, (sqlite3.Error, OSError)):
            self.file.parent.mkdir(exist_ok=True)
            _require_no_links(self.file)
            # Ours alone to read. Only ever opened here when it is new: closing it would give up the locks that
            # another connection of this process holds on it.
            with suppress(FileExistsError):
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(
                self.file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA trusted_schema = OFF")
            _migrate(connection, self.file)
        return connection


@contextmanager
def _savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("SAVEPOINT inner_part")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK TO inner_part")
        raise
    finally:
        connection.execute("RELEASE inner_part")


def _require_no_links(file: Path) -> None:
    """The library would follow a link beside the database and write wherever it leads."""
    for each in (file.parent, file, *(file.with_name(f"{file.name}-{part}") for part in ("wal", "shm", "journal"))):
        if each.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(each))


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Wait for others that open a new database in the same moment; the library itself does not, for this once."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(connection: sqlite3.Connection, file: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise PaperError("database-newer", file=str(file))
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for migration in MIGRATIONS[version:]:
            for statement in migration.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


@contextmanager
def _told(file: Path, kinds: tuple[type[Exception], ...] = (sqlite3.Error,)) -> Iterator[None]:
    """Errors of the database as errors of ours."""
    try:
        yield
    except kinds as error:
        raise PaperError("database-failed", file=str(file), reason=str(error)) from error
