"""A vault on each kind of database, with workers in threads of the test or in processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from paperagents.cluster.worker import Worker, working_beside
from paperagents.vault import Vault
from postgres_server import PostgresServer


@contextmanager
def working(vault: Vault) -> Iterator[Worker]:
    """A worker that works while the context is open."""
    with working_beside(vault) as worker:
        yield worker


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    started = PostgresServer(safe=False)
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    monkeypatch.setenv("PAPER_WORKER_HEARTBEAT", "0.2")
    monkeypatch.setenv("PAPER_ALLOWED_HOSTS", "127.0.0.1")


@pytest.fixture(params=["sqlite", "postgres"])
def vault(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    if request.param == "postgres":
        monkeypatch.setenv("PAPER_DATABASE_URL", request.getfixturevalue("server").new_database())
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    (root / "greet.md").write_text(
        "---\ntool: true\nname: greet\ndescription: d\nparameters:\n  - {name: who, type: string, description: d}\n"
        'custom_function: return "hello " + input.who;\n---\n',
        encoding="utf-8",
    )
    (root / "note.md").write_text(
        "---\ntool: true\nname: note\ndescription: d\ntype: chain\nsteps:\n"
        '  - {tool: write_file, parameters: {filePath: out.txt, content: "x", append: true}}\n---\n',
        encoding="utf-8",
    )
    with Vault(root) as opened:
        yield opened
