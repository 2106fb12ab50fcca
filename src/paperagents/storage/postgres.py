"""PostgreSQL as the database of a vault that several machines work for.

Who works on a run is known twice. An advisory lock tells whether somebody is alive and has it: the server takes it
back when the connection of a killed process ends. The name of the holder in a row is what every write is checked
against: who lost the connection, and with it the run to somebody else, can write nothing any more.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Conninfo
from psycopg.rows import dict_row

from paperagents.errors import RunBusyError, RunTakenOverError, StorageError
from paperagents.storage.database import Connection, Database, Result
from paperagents.storage.schema import MIGRATIONS, in_postgres, statements

PATIENCE_SECONDS = 10.0
"""How long a database that cannot be reached is waited for."""
Found = TypeVar("Found")
_Server = psycopg.Connection[dict[str, Any]]
_MOST_IDLE = 8
_SESSION = """
    SET synchronous_commit = off;
    SET lock_timeout = '60s';
    SET idle_in_transaction_session_timeout = '300s';
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
"""
"""The keepalives are the server's: they end the session, and with it the locks, of a machine that went silent."""
_CLIENT: dict[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "paper",
}
_NO_FILE = f"{os.devnull}/none"
_CLOSED = {"service": None, "passfile": _NO_FILE, "sslcertmode": "disable", "sslcert": None, "sslkey": None}
"""Ways to a secret of the user's; an empty password file would be the usual one."""
_WITHOUT_EMPTY_VALUE = {"service", "connect_timeout", "min_protocol_version", "max_protocol_version"}
_CODES = {"53100": "database-full", "25006": "database-read-only"}
_TAKE = (
    "INSERT INTO holders (run_id, holder, tool) SELECT ?, ?, ? WHERE pg_try_advisory_lock(?) "
    "ON CONFLICT (run_id) DO UPDATE SET holder = excluded.holder, tool = excluded.tool"
)
_LET_GO = "WITH gone AS (DELETE FROM holders WHERE run_id = ? AND holder = ?) SELECT pg_advisory_unlock(?)"


class PostgresDatabase(Database):
    """As many connections as threads use it at the same moment."""

    def __init__(self, url: str, *, uses_defaults: bool = True) -> None:
        self.url = url
        self._uses_defaults = uses_defaults
        self._idle: list[_Server] = []
        self._mutex = threading.Lock()
        self._inside = threading.local()
        self._process = os.getpid()
        self._is_migrated = False
        self._held: dict[str, str] = {}
        self._locking = threading.Lock()
        self._lock_connection: _Server | None = None

    @property
    def place(self) -> str:
        """The server and the name of the database, without user and password."""
        try:
            parts = conninfo_to_dict(self.url)
        except psycopg.Error:
            return "postgresql"
        return f"postgresql://{parts.get('host') or ''}/{parts.get('dbname') or ''}"

    @property
    def conninfo(self) -> str:
        """What the library connects with; its defaults may be taken away, as an address of a stranger's must be."""
        return self.url if self._uses_defaults else _without_defaults(self.url)

    # --- statements

    @contextmanager
    def transaction(self, *, durable: bool = False, alone: str = "") -> Iterator[Connection]:
        """All or nothing."""
        with self._told():
            outer: _Statements | None = getattr(self._inside, "statements", None)
            if outer is not None:
                with outer.server.transaction():
                    yield outer
                return
            with self._begun(durable=durable, alone=alone) as inner:
                yield inner

    @contextmanager
    def _begun(self, *, durable: bool, alone: str) -> Iterator[_Statements]:
        begin = "BEGIN; SET LOCAL synchronous_commit = on" if durable else "BEGIN"
        server, _ = self._first(lambda server: server.execute(cast("Any", begin)))
        self._inside.statements = inside = _Statements(server)
        try:
            if alone:
                server.execute("SELECT pg_advisory_xact_lock(%s)", (_number(alone),))
            yield inside
            server.execute("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                server.execute("ROLLBACK")
            raise
        finally:
            self._inside.statements = None
            self._put_back(server)
            for each in inside.afterwards:
                each()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """What a query gives."""
        with self._told():
            outer: _Statements | None = getattr(self._inside, "statements", None)
            if outer is not None:
                return outer.fetched(query, values)
            server, found = self._first(lambda server: _Statements(server).fetched(query, values))
            self._put_back(server)
            return found

    def exists(self) -> bool:
        """A server is there; its tables are made when they are first used."""
        return True

    def shared_name(self) -> str | None:
        """A name that the database was given once, whatever address each machine has for it."""
        query = "SELECT id FROM identity LIMIT 1"
        if not (rows := self.rows(query)):
            with self.transaction(durable=True, alone="identity") as connection:
                if not (rows := self.rows(query)):
                    connection.execute("INSERT INTO identity VALUES (?)", (secrets.token_hex(16),))
                    rows = self.rows(query)
        return f"postgresql#{rows[0]['id']}"

    def check(self) -> list[str]:
        """Whether every table can be read; the server looks after its own files."""
        tables = self.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        for table in sorted(row["tablename"] for row in tables):
            self.rows(f'SELECT count(*) FROM "{table}"')  # noqa: S608  names from the catalogue of our own schema
        return []

    # --- who works on a run

    @contextmanager
    def held(self, run_id: str, *, tool: str | None = None) -> Iterator[None]:
        """The run is ours until the end, or until the connection is lost and somebody else takes it."""
        holder = secrets.token_hex(8)
        with self._told(), self._locking:
            if run_id in self._held or not self._take(run_id, holder, tool):
                raise RunBusyError(run_id)
            self._held[run_id] = holder
        try:
            yield
        finally:
            inside: _Statements | None = getattr(self._inside, "statements", None)
            if inside is None:
                self._let_go(run_id, holder)
            else:
                # The transaction around it has locked the holder's row: to delete it now would wait for ourselves.
                inside.afterwards.append(lambda: self._let_go(run_id, holder))

    def _let_go(self, run_id: str, holder: str) -> None:
        with self._locking:
            del self._held[run_id]
            # A connection that is gone has let go already.
            with suppress(psycopg.Error, StorageError):
                self._on_lock_connection(_LET_GO, (run_id, holder, _number(run_id)))

    def is_held(self, run_id: str) -> bool:
        """Whether somebody who is alive works on the run."""
        number = _number(run_id) % 2**64
        query = (
            "SELECT 1 AS held FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
            "AND classid::bigint = ? AND objid::bigint = ? "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return bool(self.rows(query, (number >> 32, number % 2**32)))

    def require_held(self, connection: Connection, run_id: str) -> None:
        """Compare the name of the holder, and keep it from changing until the transaction is done."""
        holder = self._held.get(run_id)
        query = "SELECT 1 FROM holders WHERE run_id = ? AND holder = ? FOR UPDATE"
        if holder is not None and connection.execute(query, (run_id, holder)).rowcount != 1:
            raise RunTakenOverError(run_id)

    def _take(self, run_id: str, holder: str, tool: str | None) -> bool:
        return self._on_lock_connection(_TAKE, (run_id, holder, tool, _number(run_id))) == 1

    def _on_lock_connection(self, statement: str, values: Sequence[Any]) -> int:
        """Locks belong to the one connection that took them."""
        for attempt in (1, 2):
            if self._lock_connection is None or self._lock_connection.closed or self._process != os.getpid():
                self._lock_connection = self._connected()
            try:
                return _Statements(self._lock_connection).execute(statement, values).rowcount
            except psycopg.OperationalError:
                self._lock_connection.close()
                if attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def announce(self, connection: Connection, run_id: str) -> None:
        """A job in the workers' queue, there when the transaction is done."""
        enqueue_job(cast("_Statements", connection).server, run_id)

    # --- connections

    def close(self) -> None:
        """Let go of every connection."""
        with self._mutex:
            idle, self._idle = self._idle, []
        for each in [*idle, *([self._lock_connection] if self._lock_connection is not None else [])]:
            if self._process == os.getpid():
                each.close()
        self._lock_connection = None

    def _first(self, do: Callable[[_Server], Found]) -> tuple[_Server, Found]:
        """Do the first thing on a connection; one that the server has ended meanwhile is exchanged for another."""
        while (server := self._taken()) is not None:
            try:
                return server, do(server)
            except psycopg.OperationalError:
                server.close()
            except BaseException:
                self._put_back(server)
                raise
        server = self._connected()
        try:
            return server, do(server)
        except BaseException:
            server.close()
            raise

    def _taken(self) -> _Server | None:
        with self._mutex:
            if self._process != os.getpid():
                # A forked child must not use its parent's connections.
                self._idle, self._process = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _put_back(self, server: _Server) -> None:
        with self._mutex:
            if not server.closed and len(self._idle) < _MOST_IDLE:
                self._idle.append(server)
                return
        server.close()

    def _connected(self) -> _Server:
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                server = psycopg.connect(self.conninfo, autocommit=True, row_factory=dict_row, **_CLIENT)
                server.execute(_SESSION)
                if not self._is_migrated:
                    _migrate(server, self.place)
                    self._is_migrated = True
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
            else:
                return server

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of the database as errors of ours."""
        try:
            yield
        except psycopg.Error as error:
            lost = isinstance(error, psycopg.OperationalError) and error.sqlstate is None
            code = _CODES.get(error.sqlstate or "", "database-unreachable" if lost else "database-failed")
            raise StorageError(code, file=self.place, reason=_first_line(error)) from error


class _Statements:
    """Statements with question marks, on one connection."""

    def __init__(self, server: _Server) -> None:
        self.server = server
        self.afterwards: list[Callable[[], None]] = []
        """What is done when the transaction has ended, well or not."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Result:
        """Carry out one statement. The server's texts cannot hold a zero character: its picture stands for it."""
        kept = [each.replace("\0", "\u2400") if isinstance(each, str) else each for each in values]
        return self.server.execute(cast("Any", _with_percents(statement)), kept or None)

    def fetched(self, query: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        """What a query gives; nothing is stored under a name with a zero character."""
        if any(isinstance(each, str) and "\0" in each for each in values):
            return []
        return self.server.execute(cast("Any", _with_percents(query)), values or None).fetchall()


@lru_cache(maxsize=500)
def _with_percents(statement: str) -> str:
    """The other library's sign for a value. No statement of ours has either sign in a text."""
    return statement.replace("?", "%s")


def _number(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)


def _first_line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _without_defaults(url: str) -> str:
    """The address with every value said: no variable, password file, service or certificate of the user adds one."""
    empty = {
        option.keyword.decode(): (option.compiled or b"").decode()
        for option in Conninfo.get_defaults()
        if option.envvar and option.keyword.decode() not in _WITHOUT_EMPTY_VALUE
    }
    said: dict[str, Any] = {**empty, **conninfo_to_dict(url), **_CLOSED}
    return make_conninfo("", **said)


def _migrate(server: _Server, place: str) -> None:
    """Bring the tables up to date; processes that start in the same moment do it one after the other."""
    with server.transaction():
        server.execute("SELECT pg_advisory_xact_lock(%s)", (_number("paper migrations"),))
        server.execute("CREATE TABLE IF NOT EXISTS paper_schema (version BIGINT NOT NULL)")
        row = server.execute("SELECT max(version) AS version FROM paper_schema").fetchone()
        version = (row["version"] if row is not None else None) or 0
        if version > len(MIGRATIONS):
            raise StorageError("database-newer", file=place)
        for number, migration in enumerate(MIGRATIONS[version:], version + 1):
            _each(lambda each: server.execute(cast("Any", in_postgres(each))), statements(migration))
            server.execute("INSERT INTO paper_schema VALUES (%s)", (number,))
        prepare_queue(server)


def _each(do: Callable[[str], object], texts: Iterator[str]) -> None:
    for text in texts:
        do(text)


if TYPE_CHECKING:
    import procrastinate

TASK = "paper.continue_run"
QUEUE = "paper"


@cache
def _deferring() -> procrastinate.App:
    """Enough of the library to put jobs into the queue on a connection of ours."""
    import procrastinate  # noqa: PLC0415  only a vault with a cluster needs it

    return procrastinate.App(connector=procrastinate.SyncPsycopgConnector())


def enqueue_job(server: Any, run_id: str) -> None:
    """Add a job in the transaction that is going on; jobs of one run are never done side by side."""
    task = _deferring().configure_task(TASK, queue=QUEUE, lock=run_id, connection=server, allow_unknown=True)
    task.defer(run_id=run_id)


def prepare_queue(server: Any) -> None:
    """The library's own tables, where they are missing."""
    found = server.execute("SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS found").fetchone()
    if not found["found"]:
        from procrastinate.schema import SchemaManager  # noqa: PLC0415  needed once in the life of a database

        server.execute(SchemaManager.get_schema())
