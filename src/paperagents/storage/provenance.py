"""Whether a run was begun here: a database that came with somebody's folder brings its history, never a yes.

Nothing is taken from the others who use the database. Each user remembers, in a folder of their own, which runs they
have found there when they first opened it; what was agreed on in one of those loses its force when the user goes on
with it. What was about to be done stays known: without it, a request would be sent twice.
"""

from __future__ import annotations

import json
import re
import secrets
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

from paperagents.files.state_files import replace_file

_IDENTITY = re.compile(r"[0-9a-f]{32}")
_AGREED = "SELECT root_run FROM answers UNION SELECT run_id FROM intents"
_OF_THE_RUN = "(run_id = ? OR (run_id >= ? AND run_id < ?))"


def note_foreign_runs(connection: sqlite3.Connection, known: Path) -> None:
    """Where this user has never used the database, note the runs in which something was agreed on.

    ``known`` is a folder of the user's with a file for each database, in which the runs of others are.
    """
    if _is_known(_identity(connection), known):
        return
    with suppress(OSError):  # nothing can be remembered without a home; others may be using the database meanwhile
        known.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection.execute("BEGIN IMMEDIATE")
        try:
            _note(connection, known)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def is_foreign(connection: sqlite3.Connection, known: Path, run_id: str) -> bool:
    """Whether the run was found in the database, and this user has not gone on with it since."""
    try:
        return _root(run_id) in _noted_runs(_identity(connection), known)
    except ValueError:
        return True  # what is not understood grants nothing


def take_consent(connection: sqlite3.Connection, run_id: str) -> None:
    """Inside a transaction: nothing in the run is agreed on any more. Questions stay, and are asked."""
    root = _root(run_id)
    of_the_run = (root, f"{root}.", f"{root}/")
    connection.execute("DELETE FROM answers WHERE root_run = ?", (root,))
    connection.execute(f"UPDATE intents SET agreed = 0 WHERE {_OF_THE_RUN}", of_the_run)  # noqa: S608  fixed words


def note_as_own(connection: sqlite3.Connection, known: Path, run_id: str) -> None:
    """Inside a transaction, so that nobody notes anything else meanwhile: from now on, answers in the run count."""
    identity = _identity(connection)
    assert identity is not None
    # Where that cannot be remembered, what is asked has to be answered there and then.
    with suppress(OSError, ValueError):
        root = _root(run_id)
        _remember(known / identity, [each for each in _noted_runs(identity, known) if each != root])


def _note(connection: sqlite3.Connection, known: Path) -> None:
    identity = _identity(connection)
    if _is_known(identity, known):
        return  # another process was first
    if identity is None:
        identity = secrets.token_hex(16)
        connection.execute("DELETE FROM identity")
        connection.execute("INSERT INTO identity VALUES (?)", (identity,))
    found = (row[0] for row in connection.execute(_AGREED))
    _remember(known / identity, sorted({_root(run_id) for run_id in found if isinstance(run_id, str)}))


def _remember(file: Path, runs: list[Any]) -> None:
    replace_file(file, json.dumps(runs) if runs else "")


def _noted_runs(identity: str | None, known: Path) -> list[Any]:
    """The runs of others, and whatever a newer version has noted beside them. Raises ValueError for anything else."""
    try:
        noted = (known / identity).read_text("utf-8") if identity is not None else ""
    except OSError:
        return []
    try:
        runs = json.loads(noted or "[]")
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(runs, list):
        raise ValueError("not a list")  # noqa: TRY004  the content is wrong, not the call
    return runs


def _identity(connection: sqlite3.Connection) -> str | None:
    row = connection.execute("SELECT id FROM identity").fetchone()
    return row[0] if row is not None and isinstance(row[0], str) and _IDENTITY.fullmatch(row[0]) else None


def _is_known(identity: str | None, known: Path) -> bool:
    return identity is not None and (known / identity).exists()


def _root(run_id: str) -> str:
    """The run that somebody started; what is below it is agreed on with it."""
    return run_id.partition(".")[0]
