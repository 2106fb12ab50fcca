"""Whether a database was used here before: one that came with somebody's folder brings its history, never a yes."""

from __future__ import annotations

import re
import secrets
import sqlite3
from contextlib import suppress
from pathlib import Path

_IDENTITY = re.compile(r"[0-9a-f]{32}")


def forget_foreign_answers(connection: sqlite3.Connection, known: Path) -> None:
    """Where this user has never used the database, forget what it says was agreed on; from now on it is known.

    ``known`` is a folder of the user's with an empty file for each database. Questions stay, and are asked.
    """
    if _is_known(_identity(connection), known):
        return
    with suppress(OSError):  # nothing can be remembered without a home; others may be using the database meanwhile
        known.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection.execute("BEGIN IMMEDIATE")
        try:
            _adopt(connection, known)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def _adopt(connection: sqlite3.Connection, known: Path) -> None:
    identity = _identity(connection)
    if _is_known(identity, known):
        return  # another process was first
    if identity is None:
        identity = secrets.token_hex(16)
        connection.execute("DELETE FROM identity")
        connection.execute("INSERT INTO identity VALUES (?)", (identity,))
    connection.execute("DELETE FROM answers")
    connection.execute("DELETE FROM intents")
    (known / identity).touch(mode=0o600)


def _identity(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT id FROM identity").fetchone()
    return row[0] if row is not None and isinstance(row[0], str) and _IDENTITY.fullmatch(row[0]) else None


def _is_known(identity: str | None, known: Path) -> bool:
    return identity is not None and (known / identity).exists()
