"""The official conformance suite of MCP against ``paper serve``, and against our client.

    python -I bench/conformance.py

The suite cannot send a token, so a small proxy adds it; where a scenario reads a fixed address, the proxy writes ours
in its place, which is told beside the figure. What does not pass has its reason in REASONS.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import node_peer, python_peer, versions  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from serving import paper_serve  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  see above

FIXTURES = HERE / "conformance_vault"
CLIENT = HERE / "conformance_client.py"
ADDRESSES = {
    "resources-read-text": (b"test://static-text", b"note:///static.txt"),
    "resources-read-binary": (b"test://static-binary", b"note:///static-b.png"),
    "resources-templates-read": (b"test://template/123/data", b"note:///template/123.txt"),
}
"""What these read, and what is read instead: of the same length, so that the length of the request stays true."""
REASONS = {
    "tools-call-sampling": "no tool file asks the client's language model (deprecated since 2026-07-28)",
    "prompts-get-embedded-resource": "the prompt of an agent is text and pictures",
    "server-sse-polling": "its request is of 2025-03-26, when there was no priming event; no check passes or fails",
}
_MACHINES = "an extension; a login is a person's, at the browser"
CLIENT_REASONS = {
    "auth/2025-03-26-oauth-metadata-backcompat": "the metadata name another issuer than their address (RFC 8414, 3.3)",
    "auth/client-credentials-jwt": _MACHINES,
    "auth/client-credentials-basic": _MACHINES,
    "auth/cross-app-access-complete-flow": _MACHINES,
}
_LINE = re.compile(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)


def measure() -> list[Row]:
    """A row for the server and one for the client; none where the suite cannot be installed."""
    suite = find_suite()
    if suite is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(FIXTURES, vault)
        (vault / ".paper").mkdir()
        with paper_serve(vault) as served:
            token = make_token(vault)
            with proxy(served["url"], token) as url:
                told = run_suite([*suite, "server", "--suite", "all", "--url", f"{url}/mcp"], Path(folder))
    # The suite ticks a scenario that has only warnings; one without a passed check has not passed.
    server = {name: int(good) > 0 and int(bad) == 0 for name, good, bad in _LINE.findall(told)}
    client = {}
    for name in client_scenarios(suite):
        command = [*suite, "client", "--command", f"{sys.executable} {CLIENT}", "--scenario", name]
        with tempfile.TemporaryDirectory() as folder:
            client[name] = "OVERALL: PASSED" in run_suite(command, Path(folder))
    return [make_row("server", server, REASONS, ADDRESSES), make_row("client", client, CLIENT_REASONS)]


def client_scenarios(suite: list[str]) -> list[str]:
    """Those that the suite has for clients."""
    with tempfile.TemporaryDirectory() as folder:
        told = run_suite([*suite, "list"], Path(folder))
    return re.findall(r"^ +- (\S+)", told.partition("Client scenarios")[2], re.MULTILINE)


def make_row(side: str, passed: dict[str, bool], reasons: dict[str, str], changed: Collection[str] = ()) -> Row:
    """Those that pass, and those that have a reason not to."""
    failed = [name for name, good in passed.items() if not good]
    unexplained = [name for name in failed if name not in reasons]
    ours = f"{len(passed) - len(failed)} of {len(passed)}"
    if adapted := [name for name in changed if passed.get(name)]:
        ours += f", {len(adapted)} of them with our addresses"
    if unexplained:
        ours += f" (without a reason: {', '.join(unexplained)})"
    met = bool(passed) and not unexplained
    return Row(bench="conformance", measure=f"scenarios, {side}", ours=ours, bar="all, or a reason", met=met)


def peers() -> dict[str, str]:
    """The versions of the suite and its Node."""
    return versions("conformance", "inspector/node-venv")


def find_suite() -> list[str] | None:
    """How it is started."""
    python = python_peer("inspector/node-venv")
    modules = node_peer("conformance", str(python.with_name("npm"))) if python is not None else None
    if python is None or modules is None:
        return None
    return [str(python.with_name("node")), str(modules / "@modelcontextprotocol/conformance/dist/index.js")]


def run_suite(command: list[str], folder: Path) -> str:
    """What it says."""
    environment = {**os.environ, "PATH": f"{Path(command[0]).parent}:{os.environ['PATH']}", "HOME": str(folder)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=900, env=environment, cwd=folder
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def make_token(vault: Path) -> str:
    """A token that may also answer: in the place of a person, the suite does."""
    arguments = ["-m", "paperagents", "--vault", str(vault), "serve", "token", "new", "suite", "--may", "call,answer"]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(vault.parent / "config")}
    done = subprocess.run(
        [sys.executable, *arguments, "--json"], capture_output=True, text=True, check=True, env=environment
    )
    return str(json.loads(done.stdout)["token"])


@contextmanager
def proxy(target: str, token: str) -> Iterator[str]:
    """An address that hands on every request with the token in it, and nothing else changed."""
    host, _, port = target.removeprefix("http://").partition(":")
    loop = asyncio.new_event_loop()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                for theirs, ours in ADDRESSES.values():
                    data = data.replace(theirs, ours)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            # Opened to see whether somebody is there.
            writer.close()
            return
        lines = [each for each in head.split(b"\r\n")[:-2] if not each.lower().startswith(b"connection:")]
        own = f":{listener.sockets[0].getsockname()[1]}".encode()
        lines = [each.replace(own, f":{port}".encode()) for each in lines]
        # One request for each connection: the next one needs the token, too.
        lines += [f"authorization: Bearer {token}".encode(), b"connection: close", b"", b""]
        there, back = await asyncio.open_connection(host, int(port))
        back.write(b"\r\n".join(lines))
        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)

    async def start() -> asyncio.Server:
        return await asyncio.start_server(hand_on, "127.0.0.1", 0)

    listener = loop.run_until_complete(start())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


if __name__ == "__main__":
    record("conformance", measure, peers)
