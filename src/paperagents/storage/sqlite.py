"""The embedded database in ``.paper/``: opened once, shared by threads, safe against other processes and kills."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sqlite3
import struct
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paperagents.errors import RunBusyError, StorageError
from paperagents.files.state_files import require_no_links
from paperagents.messages import system_text
from paperagents.patterns import late_pattern
from paperagents.shortages import find_shortage
from paperagents.storage.database import Database
from paperagents.storage.schema import MIGRATIONS, statements

_BUSY_SECONDS = 30.0
_DESCRIPTORS = 5
"""Database, log, index of the log, their folder and something to spare."""
_INCREMENTAL = 2
"""Of ``auto_vacuum``: room that is free can be given back a few pages at a time."""
_PLAIN = late_pattern(r"CREATE\s+(?:TABLE|(?:UNIQUE\s+)?INDEX)\s", re.IGNORECASE)
_NOT_PERMITTED = dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "database-read-only")
_CODES = {"SQLITE_FULL": "database-full", "SQLITE_READONLY": "database-read-only", "SQLITE_BUSY": "database-busy"}


class SqliteDatabase(Database):
    """One connection, used by one thread at a time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._locks = RunLocks(file.with_name("runs.lock"))
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._opened: tuple[int, int] | None = None

    @property
    def place(self) -> str:
        """The file."""
        return str(self.file)

    @contextmanager
    def transaction(self, *, durable: bool = False, alone: str = "") -> Iterator[sqlite3.Connection]:  # noqa: ARG002  each is alone here
        """All or nothing; every writer is alone."""
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
        """Whether the file is there."""
        return self.file.exists()

    def held(self, run_id: str, *, tool: str | None = None) -> AbstractContextManager[None]:  # noqa: ARG002  one machine
        """By a lock that the operating system takes back from a killed process."""
        return self._locks.held(run_id)

    def is_held(self, run_id: str) -> bool:
        """As the operating system knows it."""
        return self._locks.is_held(run_id)

    def size(self) -> int | None:
        """The file and what the library keeps beside it."""
        return sum(each.stat().st_size for each in (self.file, *_beside(self.file)) if each.exists())

    def give_back(self, pages: int | None = None) -> None:
        """In small steps; a file from before these were possible is written anew, once, where all is wanted."""
        with self._lock, _told(self.file):
            connection = self._open()
            if connection.execute("PRAGMA auto_vacuum").fetchone()[0] == _INCREMENTAL:
                connection.execute(f"PRAGMA incremental_vacuum({pages or 0})").fetchall()
            elif pages is None:
                connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
                connection.execute("VACUUM")

    def check(self) -> list[str]:
        """Read everything and compare it with its indexes."""
        if not self.exists():
            return []
        try:
            found = [str(row[0]) for row in self.rows("PRAGMA integrity_check")]
        except StorageError as error:
            return [error.message]
        return [] if found == ["ok"] else found

    def copy_to(self, file: Path) -> None:
        """A whole and consistent copy, also while others write."""
        with self._lock, _told(self.file), closing(sqlite3.connect(file)) as copy:
            self._open().backup(copy)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _is_inside(self, connection: sqlite3.Connection) -> bool:
        return connection.in_transaction

    def _open(self) -> sqlite3.Connection:
        if self._process == os.getpid() and self._connection is not None and self._is_gone(self._connection):
            # Somebody has deleted the folder or put another in its place: what is written to the old file is lost.
            self.close()
        if self._connection is None or self._process != os.getpid():
            # A forked child must not use its parent's connection.
            self._connection = self._connect()
            self._process = os.getpid()
        return self._connection

    def _is_gone(self, connection: sqlite3.Connection) -> bool:
        return not connection.in_transaction and _identity(self.file) != self._opened

    def _connect(self) -> sqlite3.Connection:
        # Stays so for what is only read, which is opened each time: others may write it, and there may be space again.
        self._opened = None
        with _told(self.file, (sqlite3.Error, OSError)):
            self.file.parent.mkdir(exist_ok=True)
            require_no_links(self.file.parent, self.file, *_beside(self.file))
            if self.file.exists() and not os.access(self.file.parent, os.W_OK):
                return _connect_to_read(self.file)
            # Ours alone to read. Only ever opened here when it is new: closing it would give up the locks that
            # another connection of this process holds on it.
            with suppress(FileExistsError):
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            try:
                connection = _connect_to_write(self.file)
            except sqlite3.Error as error:
                if _code(error, self.file) != "database-full":
                    raise
                return _connect_to_read(self.file)
            self._opened = _identity(self.file)
            return connection


def _identity(file: Path) -> tuple[int, int] | None:
    """Which file it is, whatever its name; None where there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _connect_to_write(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    with _closed_on_failure(connection):
        _read_by_name(connection)
        _require_no_instructions(connection, file)
        if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
            # Of a new file only: for one that is there this would wait for whoever writes.
            connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}")
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        _migrate(connection, file)
    return connection


def _connect_to_read(file: Path) -> sqlite3.Connection:
    """A folder that cannot be written, such as a copy on a medium or a full disk, can still be looked at."""
    is_full = _is_full(file.parent)
    log = file.with_name(f"{file.name}-wal")
    # Only what the log still holds needs the library's locks; alone, it keeps its index of the log in memory.
    has_log = is_full and log.exists() and log.stat().st_size > 0
    address = f"file:{quote(str(file))}?{'mode=rw' if has_log else 'immutable=1'}"
    connection = sqlite3.connect(
        address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    with _closed_on_failure(connection):
        if has_log:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA trusted_schema = OFF")
        _read_by_name(connection)
        _require_no_instructions(connection, file)
        if connection.execute("PRAGMA user_version").fetchone()[0] != len(MIGRATIONS):
            raise StorageError("database-full" if is_full else "database-read-only", file=str(file))
    return connection


def _read_by_name(connection: sqlite3.Connection) -> None:
    """Columns by their names; words that are no UTF-8 must not make the whole query fail."""
    connection.row_factory = sqlite3.Row
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")


@contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextmanager
def _savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("SAVEPOINT inner_part")
    try:
        yield
    except BaseException:
        # A full disk takes everything back at once, savepoints included.
        if connection.in_transaction:
            connection.execute("ROLLBACK TO inner_part")
            connection.execute("RELEASE inner_part")
        raise
    connection.execute("RELEASE inner_part")


def _beside(file: Path) -> list[Path]:
    """Where the library writes besides the database itself; it would follow a link there."""
    return [file.with_name(f"{file.name}-{part}") for part in ("wal", "shm", "journal")]


def _require_no_instructions(connection: sqlite3.Connection, file: Path) -> None:
    """A trigger or a view could answer every question with yes; none is ours, so it came with somebody's folder."""
    made = [row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    if not all(isinstance(each, str) and _PLAIN.match(each) for each in made):
        raise StorageError("database-tampered", file=str(file))


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Wait for others that open a new database in the same moment; the library itself does not, for this once."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if time.monotonic() > end or error.sqlite_errorname != "SQLITE_BUSY":
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(connection: sqlite3.Connection, file: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise StorageError("database-newer", file=str(file))
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first.
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for migration in MIGRATIONS[version:]:
            for statement in statements(migration):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _told(file: Path, kinds: tuple[type[Exception], ...] = (sqlite3.Error,)) -> Iterator[None]:
    """Errors of the database as errors of ours."""
    try:
        yield
    except kinds as error:
        raise StorageError(_code(error, file), file=str(file), reason=system_text(error)) from error


def _code(error: Exception, file: Path) -> str:
    if isinstance(error, OSError):
        by_number = {errno.ENOSPC: "database-full", errno.EDQUOT: "database-full", **_NOT_PERMITTED}
        return by_number.get(error.errno or 0) or find_shortage(error) or "database-failed"
    name = str(getattr(error, "sqlite_errorname", ""))
    # The library does not say why it cannot open or lengthen a file, also of those beside the database.
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")) and _is_full(file.parent):
        return "database-full"
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and (shortage := _find_shortage_of_descriptors()):
        return shortage
    return next((code for prefix, code in _CODES.items() if name.startswith(prefix)), "database-failed")


def _find_shortage_of_descriptors() -> str | None:
    """By trying: as many as the library needs for a database."""
    with ExitStack() as opened:
        try:
            for _ in range(_DESCRIPTORS):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            return find_shortage(error)
    return None


def _is_full(folder: Path) -> bool:
    try:
        left = os.statvfs(folder)
    except OSError:
        return False
    return left.f_bavail == 0 or (left.f_files > 0 and left.f_favail == 0)


_LOCK = "hhqqi"
"""The structure in which Linux is told, and tells, about a lock."""


class RunLocks:
    """One byte of one file for each run; the file itself stays empty."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextmanager
    def held(self, run_id: str) -> Iterator[None]:
        """Inside, the run is ours. Raises UsageError where somebody else has it."""
        descriptor = self._open()
        try:
            if not _locked(descriptor, _byte(run_id)):
                raise RunBusyError(run_id)
            yield
        finally:
            os.close(descriptor)

    def is_held(self, run_id: str) -> bool:
        """Whether somebody has it; whoever wants it in this very moment gets it all the same."""
        descriptor = self._open()
        try:
            return _is_locked(descriptor, _byte(run_id))
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        try:
            try:
                return self._opened()
            except FileNotFoundError:
                self._file.parent.mkdir(exist_ok=True)
                return self._opened()
        except OSError as error:
            raise StorageError(_code(error, self._file), file=str(self._file), reason=system_text(error)) from error

    def _opened(self) -> int:
        require_no_links(self._file.parent)
        return os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)


def _byte(run_id: str) -> int:
    return int.from_bytes(sha256(run_id.encode()).digest()[:7], "big")


def _locked(descriptor: int, byte: int) -> bool:
    try:
        if sys.platform == "linux":
            # Held by the open file and not by the process, so that two threads exclude each other, too.
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _wanted(byte))
        else:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_locked(descriptor: int, byte: int) -> bool:
    if sys.platform == "linux":
        found = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _wanted(byte))
        locked = bool(struct.unpack(_LOCK, found)[0] != fcntl.F_UNLCK)
    else:
        locked = not _locked(descriptor, byte)
    return locked


def _wanted(byte: int) -> bytes:
    return struct.pack(_LOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
