"""Our client as the conformance suite starts it: with the address of its server as the last argument."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx2
import keyring
from keyring.backend import KeyringBackend

import paperagents
from paperagents.approval.question import Approved

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "tools_call": ("add_numbers", {"a": 5, "b": 3}),
    "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {}),
    "sse-retry": ("test_reconnection", {}),
}
LOGIN = "auth/"
DESCRIBED = {"auth/basic-cimd": {"client_id": "https://conformance-test.local/client-metadata.json"}}
"""The clients that are described at an address."""


class Memory(KeyringBackend):
    """A keyring for this one process."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        """What was kept."""
        return self._kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it."""
        self._kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Forget it."""
        del self._kept[service, username]


async def follow(address: str) -> None:
    """In the place of a person with a browser: open the page, which sends us back with a code."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        await browser.get(address)


def main() -> int:
    """Connect, log in where the scenario is about that, and make the call that it waits for."""
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    keyring.set_keyring(Memory())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        settings = Path(folder) / "paperagents" / "settings.toml"
        settings.parent.mkdir()
        known = {"url": sys.argv[-1], **DESCRIBED.get(scenario, {}), **find_client()}
        lines = [f"{name} = {json.dumps(value)}" for name, value in known.items()]
        settings.write_text("\n".join(["[mcp_servers.suite]", *lines]), encoding="utf-8")
        vault = Path(folder) / "vault"
        (vault / ".paper").mkdir(parents=True)
        with paperagents.open_vault(vault) as opened:
            server = opened.remote_servers.servers["suite"]
            if scenario.startswith(LOGIN):
                tools = opened.remote_effects.log_in(server, follow)
            else:
                tools = opened.remote_effects.connect(server)
            call = CALLS.get(scenario)
            if scenario.startswith(LOGIN) and tools:
                call = str(tools[0]["name"]), {}
            if call is None:
                return 0
            record = opened.run(f"mcp:suite/{call[0]}", call[1], approver=lambda _: Approved())
            if record.error is not None and record.error["code"] == "remote-unauthorized":
                # What the error says to do.
                opened.remote_effects.log_in(server, follow)
                record = opened.run(f"mcp:suite/{call[0]}", call[1], approver=lambda _: Approved())
            return record.exit_code


def find_client() -> dict[str, str]:
    """Who we are, where the suite has registered us."""
    told = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    return {name: told[name] for name in ("client_id", "client_secret") if name in told}


if __name__ == "__main__":
    sys.exit(main())
