"""Our client as the conformance suite starts it: with the address of its server as the last argument."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import paperagents
from paperagents.approval.question import Approved

CALLS = {
    "tools_call": ("add_numbers", {"a": 5, "b": 3}),
    "elicitation-sep1034-client-defaults": ("test_client_elicitation_defaults", {}),
    "sse-retry": ("test_reconnection", {}),
}


def main() -> int:
    """Connect, and make the call that the scenario waits for."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        settings = Path(folder) / "paperagents" / "settings.toml"
        settings.parent.mkdir()
        settings.write_text(f'[mcp_servers.suite]\nurl = "{sys.argv[-1]}"\n', encoding="utf-8")
        vault = Path(folder) / "vault"
        (vault / ".paper").mkdir(parents=True)
        with paperagents.open_vault(vault) as opened:
            opened.remote_effects.connect(opened.remote_servers.servers["suite"])
            tool, arguments = CALLS.get(os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), (None, {}))
            if tool is None:
                return 0
            return opened.run(f"mcp:suite/{tool}", arguments, approver=lambda _: Approved()).exit_code


if __name__ == "__main__":
    sys.exit(main())
