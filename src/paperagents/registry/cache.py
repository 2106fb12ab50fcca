"""What a scan found, kept for the next command: unchanged files are not read again, and a name is found without a walk.

A table with a row for each file, in the vault's own folder. It only ever decides what is listed and where a name is
looked for: a tool's own file is opened before it runs. It can be deleted at any time. A vault may come from a
stranger, so nothing here follows a link, waits for a pipe or believes what it reads; a row counts only for a file
with the very same number and times, which nobody who sends a vault can know.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.files.state_files import require_no_links
from paperagents.registry.cache_records import DAMAGED, format_record, read_record
from paperagents.registry.entry import Entry
from paperagents.registry.folder_scan import Changes, FileRecord, Stamp
from paperagents.registry.names import NEIGHBOURS, backwards, fold
from paperagents.version import __version__

FORMAT = f"11 {__version__}"
LARGEST_RECORD = 32 * 1024 * 1024
_BUSY_SECONDS = 5.0
_TABLES = (
    "CREATE TABLE format (format TEXT)",
    # A stamp that is not known yet is NULL. Names of files need not be UTF-8, so they are bytes. A file defines
    # nothing (0), something (1) or a tag (2).
    "CREATE TABLE files (file BLOB PRIMARY KEY, size INT, modified INT, changed INT, inode INT, defines INT)",
    "CREATE INDEX tag_files ON files (defines) WHERE defines = 2",
    "CREATE TABLE definitions (file BLOB PRIMARY KEY, record TEXT)",
    "CREATE TABLE names (name BLOB, file BLOB, agent INT, folded BLOB, backwards BLOB)",
    "CREATE INDEX names_by_name ON names (name)",
    "CREATE INDEX names_by_file ON names (file)",
    "CREATE INDEX names_by_beginning ON names (agent, folded)",
    "CREATE INDEX names_by_end ON names (agent, backwards)",
    "CREATE TABLE readings (file BLOB PRIMARY KEY, sealed BLOB)",
)
_UNUSABLE = (sqlite3.Error, OSError, *DAMAGED)


class ScanCache:
    """The files of a vault as the last look found them. Whatever is wrong with it, it answers as if it were empty."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def stamps(self) -> dict[str, Stamp | None] | None:
        """Every file; None where there is no cache that can be used."""
        with suppress(*_UNUSABLE), self._open() as database:
            rows = database.execute("SELECT file, size, modified, changed, inode FROM files")
            return {os.fsdecode(row[0]): _stamp(row[1:]) for row in rows}
        return None

    def has_more_than(self, files: int) -> bool:
        """Whether it knows more files than that."""
        with suppress(*_UNUSABLE), self._open() as database:
            return database.execute("SELECT 1 FROM files LIMIT 1 OFFSET ?", (files,)).fetchone() is not None
        return False

    def has_tags(self) -> bool:
        """Whether a file defines a tag."""
        with suppress(*_UNUSABLE), self._open() as database:
            return database.execute("SELECT 1 FROM files WHERE defines = 2 LIMIT 1").fetchone() is not None
        return True

    def files_named(self, names: Iterable[str]) -> set[str]:
        """The files of everything that has one of these ids or names."""
        found: set[str] = set()
        with suppress(*_UNUSABLE), self._open() as database:
            for name in names:
                rows = database.execute("SELECT file FROM names WHERE name = ?", (lossless_bytes(name),))
                found |= {os.fsdecode(row[0]) for row in rows}
        return found

    def names_near(self, name: str, *, agents_only: bool = False) -> list[str]:
        """Names that begin or end like this one, nearest in order; of agents also the form with their prefix."""
        found: list[str] = []
        with suppress(*_UNUSABLE), self._open() as database:
            for agent in (1,) if agents_only else (0, 1):
                for column, key in (("folded", fold(name)), ("backwards", backwards(name))):
                    rows = _neighbours(database, column, agent, lossless_bytes(key))
                    names = [str(row[0], "utf-8", "surrogatepass") for row in rows]
                    found += [*names, *(f"{AGENT_PREFIX}{each}" for each in names if agent)]
        return found

    def load(self, files: Iterable[str] | None = None) -> dict[str, FileRecord | None] | None:
        """What these files define, or all; None for a record that is damaged, and where there is no usable cache."""
        found: dict[str, FileRecord | None] = {}
        with suppress(*_UNUSABLE), self._open() as database:
            for name, size, modified, changed, inode, text in _select_records(database, files):
                file = os.fsdecode(name)
                found[file] = None
                with suppress(*DAMAGED):
                    found[file] = read_record(text, file, _stamp((size, modified, changed, inode)))
            return found
        return None

    def reading(self, file: str) -> bytes | None:
        """What ``keep_reading`` was given for this file, or whatever somebody else has written there."""
        with suppress(*_UNUSABLE), self._open() as database:
            row = database.execute("SELECT sealed FROM readings WHERE file = ?", (os.fsencode(file),)).fetchone()
            return bytes(row[0]) if row is not None and isinstance(row[0], bytes) else None
        return None

    def keep_reading(self, file: str, sealed: bytes) -> None:
        """Keep it for a file that is known, until that file is another."""
        with suppress(*_UNUSABLE), self._open() as database:
            query = "REPLACE INTO readings SELECT file, ? FROM files WHERE file = ?"
            database.execute(query, (sealed, os.fsencode(file)))

    def rebuild(self, found: Changes) -> bool:
        """Begin anew with all that was found; whether it could be written."""
        with suppress(*_UNUSABLE):
            require_no_links(self._file.parent.parent, self._file.parent)
            self._discard()
            self._file.parent.mkdir(exist_ok=True)
            os.close(os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            with closing(self._connect()) as database, _transaction(database):
                for statement in _TABLES:
                    database.execute(statement)
                _write(database, found)
                # Last, and in the same transaction: what has a format has all files.
                database.execute("INSERT INTO format VALUES (?)", (FORMAT,))
            return True
        return False

    def save(self, changes: Changes) -> bool:
        """Replace the rows of what changed; whether it could be written. Others read the old rows or the new ones."""
        with suppress(*_UNUSABLE), self._open() as database, _transaction(database):
            _write(database, changes)
            return True
        return False

    def _discard(self) -> None:
        for each in (self._file, self._file.with_name(f"{self._file.name}-journal")):
            each.unlink(missing_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as database:
            tables = [row[0] for row in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
            # Only what we have made ourselves: no trigger, no view, nothing that is computed.
            if sorted(tables) != sorted(_TABLES):
                raise ValueError(self._file)
            if database.execute("SELECT format FROM format").fetchall() != [(FORMAT,)]:
                raise ValueError(self._file)
            yield database

    def _connect(self) -> sqlite3.Connection:
        require_no_links(
            self._file.parent.parent, self._file.parent, self._file.with_name(f"{self._file.name}-journal")
        )
        if not stat.S_ISREG(self._file.lstat().st_mode):
            raise ValueError(self._file)
        # A folder that cannot be written can still be looked at.
        mode = "rw" if os.access(self._file.parent, os.W_OK) else "ro"
        address = f"file:{quote(os.fsencode(self._file))}?mode={mode}"
        database = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        database.execute("PRAGMA trusted_schema = OFF")
        # Nobody loses anything with it: after a power failure it is made again at worst.
        database.execute("PRAGMA synchronous = OFF")
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_RECORD + 1000)
        return database


def _select_records(database: sqlite3.Connection, files: Iterable[str] | None) -> Iterator[tuple[Any, ...]]:
    columns = "file, size, modified, changed, inode, record"
    query = f"SELECT {columns} FROM files LEFT JOIN definitions USING (file) WHERE defines"  # noqa: S608  words of ours
    if files is None:
        yield from database.execute(query)
        return
    for file in files:
        yield from database.execute(f"{query} AND file = ?", (os.fsencode(file),))


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def _write(database: sqlite3.Connection, changes: Changes) -> None:
    for file, record in changes.items():
        key = os.fsencode(file)
        database.execute("DELETE FROM definitions WHERE file = ?", (key,))
        database.execute("DELETE FROM names WHERE file = ?", (key,))
        database.execute("DELETE FROM readings WHERE file = ?", (key,))
        if record is None:
            database.execute("DELETE FROM files WHERE file = ?", (key,))
            continue
        is_tag = record.entry is not None and record.entry.kind == "tag"
        defines = 2 if is_tag else int(record.entry is not None or bool(record.problems))
        stamp = record.stamp or (None,) * 4
        database.execute("REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)", (key, *stamp, defines))
        # What is too large is told to be missing, and read again each time.
        if defines and len(text := format_record(record)) < LARGEST_RECORD:
            database.execute("INSERT INTO definitions VALUES (?, ?)", (key, text))
        if record.entry is not None:
            database.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", _rows_of_names(record.entry, key))


def _rows_of_names(entry: Entry, file: bytes) -> Iterator[tuple[bytes, bytes, int, bytes, bytes]]:
    # Nobody calls a tag by its name: it is told to nobody who looks for a tool (0) or an agent (1).
    kind = {"agent": 1, "tag": 2}.get(entry.kind, 0)
    for name in {entry.id, entry.name} if entry.kind != "tag" else {entry.id}:
        sides = lossless_bytes(fold(name)), lossless_bytes(backwards(name))
        yield lossless_bytes(name), file, kind, *sides


def _neighbours(database: sqlite3.Connection, column: str, agent: int, key: bytes) -> Iterator[tuple[bytes]]:
    """So many names on both sides of where this one would stand."""
    for sign, order in (("<", "DESC"), (">=", "ASC")):
        query = f"SELECT name FROM names WHERE agent = ? AND {column} {sign} ? ORDER BY {column} {order} LIMIT ?"  # noqa: S608  words of ours
        yield from database.execute(query, (agent, key, NEIGHBOURS))


def _stamp(row: tuple[int | None, ...]) -> Stamp | None:
    size, modified, changed, inode = row
    if size is None or modified is None or changed is None or inode is None:
        return None
    return size, modified, changed, inode
