"""The address of a PostgreSQL that a vault names: nothing before a yes, and never what the user keeps for others."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trusting import trust_settings

from paperagents.errors import StorageError
from paperagents.storage import postgres
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.vault import Vault
from postgres_server import PostgresServer

SECRET = "the-users-own-password"
_ENCRYPTION_REQUESTS = (80877103, 80877104)


class Listener:
    """A server that asks everybody for a password in plain text, and keeps what it is sent."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.received: list[bytes] = []
        self.connections = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._ask(connection)

    def _ask(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        while (packet := self._read(connection)) and struct.unpack("!I", packet[:4])[0] in _ENCRYPTION_REQUESTS:
            connection.sendall(b"N")
        self.received.append(packet)
        connection.sendall(b"R" + struct.pack("!II", 8, 3))
        if connection.recv(1) == b"p":
            self.received.append(self._read(connection))

    def _read(self, connection: socket.socket) -> bytes:
        head = connection.recv(4)
        return connection.recv(struct.unpack("!I", head)[0] - 4) if head else b""


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    monkeypatch.setattr(postgres, "PATIENCE_SECONDS", 0.0)
    listening = Listener()
    yield listening
    listening.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    return tmp_path / "vault"


def write_address(root: Path, address: str) -> None:
    (root / ".paper" / "settings.toml").write_text(f'database_url = "{address}"\n')


def keep_secret(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the library know a password in one of its ways."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / (".pgpass" if way == "usual file" else "secret file")
    file.write_text(f"[mine]\npassword={SECRET}\n" if way == "service" else f"*:*:*:*:{SECRET}\n")
    file.chmod(0o600)
    variables = {
        "variable": {"PGPASSWORD": SECRET},
        "usual file": {},
        "named file": {"PGPASSFILE": str(file)},
        "service": {"PGSERVICE": "mine", "PGSERVICEFILE": str(file)},
        "options": {"PGOPTIONS": f"-c application_name={SECRET}"},
        "name": {"PGAPPNAME": SECRET, "PGDATABASE": SECRET},
    }
    for name, value in variables[way].items():
        monkeypatch.setenv(name, value)


WAYS = ["variable", "usual file", "named file", "service", "options", "name"]


@pytest.mark.parametrize("way", WAYS)
def test_the_library_s_secrets_do_not_go_to_an_address_of_the_vault(
    way: str, listener: Listener, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_secret(way, tmp_path, monkeypatch)
    write_address(root, f"postgresql://me@127.0.0.1:{listener.port}")
    trust_settings(root)
    with Vault(root) as vault, pytest.raises(StorageError):
        vault.history.runs()
    assert listener.connections
    assert SECRET not in str(listener.received)


@pytest.mark.parametrize("naming", ["passfile={file}", "service=mine", "passfile=", "sslcert={file}&sslkey={file}"])
def test_an_address_of_the_vault_cannot_name_what_the_user_keeps(
    naming: str, listener: Listener, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_secret("service" if "service" in naming else "usual file", tmp_path, monkeypatch)
    monkeypatch.delenv("PGSERVICE", raising=False)
    naming = naming.format(file=tmp_path / ".pgpass")
    write_address(root, f"postgresql://me@127.0.0.1:{listener.port}/x?{naming}")
    trust_settings(root)
    with Vault(root) as vault, pytest.raises(StorageError):
        vault.history.runs()
    assert listener.connections
    assert SECRET not in str(listener.received)


@pytest.mark.parametrize("way", WAYS)
def test_to_an_address_of_the_user_s_own_they_go_as_ever(
    way: str, listener: Listener, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_secret(way, tmp_path, monkeypatch)
    monkeypatch.setenv("PAPER_DATABASE_URL", f"postgresql://me@127.0.0.1:{listener.port}")
    with Vault(root) as vault, pytest.raises(StorageError):
        vault.history.runs()
    assert SECRET in str(listener.received)


def test_an_address_of_the_vault_is_not_called_before_a_yes(listener: Listener, root: Path) -> None:
    write_address(root, f"postgresql://me@127.0.0.1:{listener.port}/x")
    with Vault(root) as vault:
        assert vault.history.runs() == []
        assert isinstance(vault.database, SqliteDatabase)
    assert listener.connections == 0


def test_an_address_that_says_everything_itself_works_from_a_vault(
    server: PostgresServer, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_address(root, server.new_database())
    trust_settings(root)
    for name in ("PGHOST", "PGUSER", "PGDATABASE", "PGPORT", "PGSSLMODE"):
        monkeypatch.setenv(name, "1")
    with Vault(root) as vault:
        vault.enqueue("search_files", {"query": "x"})
        assert [run["status"] for run in vault.history.runs()] == ["queued"]


def test_an_address_that_is_none_is_told(root: Path) -> None:
    write_address(root, "postgresql://me@host/x?nonsense=1")
    trust_settings(root)
    with Vault(root) as vault, pytest.raises(StorageError):
        vault.history.runs()
