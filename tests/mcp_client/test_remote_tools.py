"""Tools of servers that work as tasks: they are started, and their result is fetched."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.waiting import wait_until

from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

pytestmark = pytest.mark.process


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """What the server has heard."""
    return tmp_path / "said.txt"


@pytest.fixture
def vault(tmp_path: Path, said: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True)
    command = json.dumps([sys.executable, str(Path(__file__).with_name("task_server.py")), str(said)])
    (folder / ".paper" / "settings.toml").write_text(f"[mcp_servers.slow]\ncommand = {command}\n")
    with Vault(folder) as vault:
        server = vault.remote_servers.servers["slow"]
        vault.remote_servers.agree(server)
        vault.remote_effects.connect(server)
        yield vault


def test_a_tool_that_works_as_a_task_is_called_as_one(vault: Vault, said: Path) -> None:
    record = vault.run("mcp:slow/report")
    assert (record.status, record.data, record.error) == ("succeeded", "all is well", None)
    assert said.read_text().splitlines()[-2:] == ["tools/call", "tasks/result"]


def test_a_task_that_nobody_waits_for_is_cancelled(vault: Vault, said: Path) -> None:
    stop = Cancellation()
    statuses: list[str] = []
    running = threading.Thread(target=lambda: statuses.append(vault.run("mcp:slow/endless", stop=stop).status))
    running.start()
    wait_until(lambda: "tasks/result" in said.read_text())
    stop.cancel()
    running.join(30)
    assert statuses == ["cancelled"]
    wait_until(lambda: "tasks/cancel" in said.read_text())
