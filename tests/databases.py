"""Both databases, each with the same tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.storage.database import Database
from paperagents.storage.postgres import PostgresDatabase
from paperagents.storage.sqlite import SqliteDatabase
from postgres_server import PostgresServer


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    started = PostgresServer(safe=False)
    yield started
    started.stop()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    made: Database
    if request.param == "sqlite":
        made = SqliteDatabase(tmp_path / ".paper" / "paper.db")
    else:
        made = PostgresDatabase(request.getfixturevalue("server").new_database())
    yield made
    made.close()


@pytest.fixture
def second(database: Database) -> Iterator[Database]:
    """The same database, as another process would open it."""
    made: Database
    if isinstance(database, SqliteDatabase):
        made = SqliteDatabase(database.file)
    else:
        assert isinstance(database, PostgresDatabase)
        made = PostgresDatabase(database.url)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def each_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vaults that are opened keep what they keep in one database, then in the other."""
    if request.param == "postgres":
        monkeypatch.setenv("PAPER_DATABASE_URL", request.getfixturevalue("server").new_database())
