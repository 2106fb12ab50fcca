"""Clients and servers of others beside ours: each lists, calls, is refused, and reads a note, over both ways in.

    python -I bench/foreign.py

They stay out of the tests: each wants another version of the library under it, and Node.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import paperagents  # noqa: E402  see above
from installed_peers import node_peer, python_peer, versions  # noqa: E402  see above
from paperagents.approval.question import Approved  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from serving import PEER_PROGRAM, make_vault, paper_arguments, paper_serve  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  see above

PROGRAMS = HERE / "foreign_clients"
CLIENTS = {
    "Python SDK 1": ("foreign/old-venv", "python_sdk.py"),
    "LangChain adapters": ("foreign/old-venv", "langchain.py"),
    "FastMCP": ("fastmcp-venv", "fastmcp_client.py"),
    "Pydantic AI": ("foreign/pydantic-venv", "pydantic_client.py"),
}
NODE = "inspector/node-venv"
CHECKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "tools": lambda told: "shout" in told["tools"],
    "answer": lambda told: bool(told["answer"] == "HELLO"),
    "refusal": lambda told: bool(told["refuses"]),
    "note": lambda told: "tool: true" in told["note"],
}


def measure() -> list[Row]:
    """A row for each client and server that could be installed."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
        vault = make_vault(Path(folder))
        with paper_serve(vault) as served:
            ways = {
                "stdio": [sys.executable, *paper_arguments(vault, "mcp")],
                "http": [f"{served['url']}/mcp", served["token"]],
            }
            rows = [client_row(name, command, ways, Path(folder)) for name, command in find_clients().items()]
        return [*rows, *(server_row(name, vault, command) for name, command in find_servers().items())]


def peers() -> dict[str, str]:
    """The versions of all of them."""
    return versions("foreign/old-venv", "fastmcp-venv", "foreign/pydantic-venv", "foreign", NODE)


def find_clients() -> dict[str, list[str]]:
    """How each client is started."""
    pythons = {name: python_peer(environment) for name, (environment, _) in CLIENTS.items()}
    found = {name: [str(python), str(PROGRAMS / CLIENTS[name][1])] for name, python in pythons.items() if python}
    node = find_node()
    return {**found, **({"TypeScript SDK": [node[0], str(PROGRAMS / "typescript.mjs")]} if node else {})}


def find_servers() -> dict[str, tuple[list[str], str, dict[str, Any], Any]]:
    """How each server is started, and a call with its answer."""
    found: dict[str, tuple[list[str], str, dict[str, Any], Any]] = {}
    if (python := python_peer("fastmcp-venv")) is not None:
        found["FastMCP"] = [str(python), str(PEER_PROGRAM), "stdio"], "shout", {"words": "hello"}, {"result": "HELLO"}
    if (node := find_node()) is not None:
        program = node[1] / "@modelcontextprotocol/server-everything/dist/index.js"
        found["server-everything"] = [node[0], str(program), "stdio"], "echo", {"message": "hello"}, "Echo: hello"
    return found


def find_node() -> tuple[str, Path] | None:
    """Node, and what is installed for it."""
    python = python_peer(NODE)
    modules = node_peer("foreign", str(python.with_name("npm"))) if python is not None else None
    return (str(python.with_name("node")), modules) if python is not None and modules is not None else None


def client_row(name: str, command: list[str], ways: dict[str, list[str]], home: Path) -> Row:
    """What a client of others has seen of the vault."""
    failed = [
        f"{check} over {way}"
        for way, target in ways.items()
        for told in [look_around([*command, way, *target], home)]
        for check, holds in CHECKS.items()
        if told is None or not holds(told)
    ]
    whole = len(ways) * len(CHECKS)
    ours = f"{whole - len(failed)} of {whole}" + (f" (not {', '.join(failed)})" if failed else "")
    return Row(bench="foreign", measure=f"{name} as a client", ours=ours, bar="all", met=not failed)


def look_around(command: list[str], home: Path) -> dict[str, Any] | None:
    """What the client prints; None where it fails."""
    modules = HERE / "peers" / "foreign" / "node_modules"
    environment = {**os.environ, "HOME": str(home), "MODULES": str(modules)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    try:
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        print(f"{command[:2]}: {done.stdout[-500:]}{done.stderr[-1500:]}", file=sys.stderr)
        return None
    return told


def server_row(name: str, vault: Path, how: tuple[list[str], str, dict[str, Any], Any]) -> Row:
    """A tool of a server of others, called as a tool of the vault."""
    command, tool, arguments, expected = how
    (vault / ".paper" / "settings.toml").write_text(f"[mcp_servers.other]\ncommand = {json.dumps(command)}\n")
    with paperagents.open_vault(vault) as opened:
        server = opened.remote_servers.servers["other"]
        opened.remote_servers.agree(server)
        offered = len(opened.remote_effects.connect(server))
        run = opened.run(f"mcp:other/{tool}", arguments, approver=lambda _: Approved())
    met = run.data == expected
    ours = f"{offered} tools, {tool} answers" if met else f"{offered} tools, {tool}: {run.data or run.error}"
    return Row(bench="foreign", measure=f"{name} as a server", ours=ours, bar="answers", met=met)


if __name__ == "__main__":
    record("foreign", measure, peers)
