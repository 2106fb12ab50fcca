"""Which database a vault has: the file in its folder, or the server its settings name."""

from __future__ import annotations

from pathlib import Path

from paperagents.errors import UsageError
from paperagents.storage.database import Database
from paperagents.storage.sqlite import SqliteDatabase


def chosen_database(url: str | None, file: Path, known: Path) -> Database:
    """The database at this address; without one, the file. ``known`` remembers which files this user has used."""
    if not url:
        return SqliteDatabase(file, known=known)
    try:
        from paperagents.storage.postgres import PostgresDatabase  # noqa: PLC0415  an extra, and large
    except ImportError as error:
        raise UsageError("cluster-not-installed") from error
    return PostgresDatabase(url)
