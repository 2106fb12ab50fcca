"""Shared by the tests of agents: a vault with an agent in it, and a server that plays the model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.desk import Desk as VaultDesk
from tests.desk import own_home  # noqa: F401  a fixture

import paperagents
from paperagents.agents.scripted_model import Script
from paperagents.runs.record import RunRecord
from paperagents.testing import ScriptedModel, ScriptedServer

Serve = Callable[..., ScriptedServer]
FRONT = "agent: true\nname: helper\ndescription: Helps.\nmodel: some/model\n"


class Desk(VaultDesk):
    """A vault with an agent in it."""

    def agent(self, front: str = "", body: str = "Help.", name: str = "helper") -> None:
        """Write an agent's note."""
        self.note(f"agents/{name}.md", f"---\n{FRONT.replace('helper', name)}{front}\n---\n{body}\n")

    def ask(self, script: Script, query: str = "Hello", **more: Any) -> RunRecord:
        """Ask the agent, with a model that says this."""
        return self.vault.run("helper", {"query": query}, model=ScriptedModel(script), **more)

    def conversation(self) -> str:
        """The newest conversation's note."""
        return max(
            (self.root / ".paper" / "conversations").glob("*.md"), key=lambda f: f.stat().st_mtime_ns
        ).read_text()


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and models of the real user stay unseen."""
    for name in ("PAPER_LLM_API_KEY", "PAPER_LLM_BASE_URL", "PAPER_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    made = Desk(root=root, vault=paperagents.open_vault(root))
    made.agent()
    yield made
    made.vault.close()


@pytest.fixture
def serve(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start a server that plays the model; the settings name it from then on."""
    running: list[ScriptedServer] = []

    def start(script: Script, **options: Any) -> ScriptedServer:
        server = ScriptedServer(script, **options).__enter__()
        running.append(server)
        monkeypatch.setenv("PAPER_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("PAPER_LLM_API_KEY", "sk-very-secret-key")
        desk.vault.read_settings_again()
        return server

    yield start
    for server in running:
        server.__exit__()


def entries(record: RunRecord, name: str) -> list[Mapping[str, Any]]:
    """The entries of one tool in the order of the steps."""
    found = [entry for entry in record.execution_log if entry["name"] == name]
    return sorted(found, key=lambda entry: json.dumps(entry["step"]).zfill(9))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tool": tool, "arguments": arguments}
