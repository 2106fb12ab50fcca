"""One small tool over MCP and REST beside FastMCP, and runs that wait for an approval.

    python -I bench/serving.py                  the table
    python -I bench/serving.py --calls 2000     more calls

The peer is FastMCP with a Python function of the same effect.
Ours runs the tool's JavaScript in the sandbox, checks the arguments, and writes a record of every call. The same client
calls both in turn in one run; figures are medians of one call after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import python_peer, versions  # noqa: E402  its folder is known only now
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

PEER_PROGRAM = HERE / "serving_peer" / "server.py"
BAR = 1.1
FIRST, WAITING = 100, 200
SHOUT = """---
tool: true
name: shout
description: Say it loudly.
parameters:
  - {name: words, type: string, description: What to say}
custom_function: |
  return input.words.toUpperCase();
---
"""
Call = Callable[[], Awaitable[Any]]


def measure(calls: int = 400) -> list[Row]:
    """All rows; without the peer only what needs none."""
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder))
        peer = python_peer("fastmcp-venv")
        rows = asyncio.run(_beside_the_peer(vault, str(peer), calls)) if peer is not None else []
        return [*rows, *asyncio.run(_waiting(vault))]


def peers() -> dict[str, str]:
    """The version of the one beside us."""
    return versions("fastmcp-venv")


async def _beside_the_peer(vault: Path, peer: str, calls: int) -> list[Row]:
    # One after the other: a server that nobody calls would still hear of every file that the others write.
    return [*await _stdio_rows(vault, peer, calls), *await _http_rows(vault, peer, calls)]


async def _stdio_rows(vault: Path, peer: str, calls: int) -> list[Row]:
    ours = _over_stdio(sys.executable, paper_arguments(vault, "mcp"), vault)
    theirs = _over_stdio(peer, [str(PEER_PROGRAM), "stdio"], vault)
    async with ours as our_client, theirs as their_client:
        times = await _interleaved(calls, _tool(our_client), _tool(their_client))
    return [_row("MCP over stdio", *times)]


async def _http_rows(vault: Path, peer: str, calls: int) -> list[Row]:
    async with AsyncExitStack() as stack:
        served = stack.enter_context(paper_serve(vault))
        our_url, peer_url = f"{served['url']}/mcp", f"http://127.0.0.1:{stack.enter_context(_peer_http(peer))}/mcp"
        ours = await stack.enter_async_context(_over_http(our_url, served["token"]))
        ours_new = await stack.enter_async_context(_over_http(our_url, served["token"], "2026-07-28"))
        theirs = await stack.enter_async_context(_over_http(peer_url))
        theirs_new = await stack.enter_async_context(_over_http(peer_url, era="2026-07-28"))
        rest = await stack.enter_async_context(_rest(served))
        times = await _interleaved(calls, _tool(ours), _tool(theirs), _tool(ours_new), _tool(theirs_new), rest)
    return [
        _row("MCP over HTTP, 2025-11-25", times[0], times[1]),
        _row("MCP over HTTP, 2026-07-28", times[2], times[3]),
        _row("REST, beside MCP over HTTP, 2025-11-25", times[4], times[1]),
    ]


async def _interleaved(calls: int, *each: Call) -> list[float]:
    """The median of every kind of call, in milliseconds, made in turn."""
    times: list[list[float]] = [[] for _ in each]
    for number in range(calls + 20):
        for kind, call in enumerate(each):
            started = time.perf_counter()
            await call()
            if number >= 20:
                times[kind].append((time.perf_counter() - started) * 1000)
    return [statistics.median(kind) for kind in times]


def _row(measure: str, ours: float, theirs: float) -> Row:
    ratio = ours / theirs
    return Row(
        bench="serving",
        measure=f"{measure}: one call",
        ours=f"{ours:.2f} ms, {1000 / ours:.0f}/s",
        theirs=f"FastMCP {theirs:.2f} ms, {1000 / theirs:.0f}/s",
        ratio=ratio,
        bar=f"≤ {BAR}",
        met=ratio <= BAR,
    )


def _tool(client: Client) -> Call:
    async def call() -> None:
        result = await client.call_tool("shout", {"words": "hello"})
        assert not result.is_error

    return call


# --- runs that wait


async def _waiting(vault: Path) -> list[Row]:
    """Memory and threads of the server, with some runs that wait for a person and with many more."""
    with paper_serve(vault) as served:
        async with httpx2.AsyncClient(headers=_bearer(served["token"]), timeout=60) as client:
            # All begin at once: that is when the pools take the threads they will ever have.
            await _begin(client, served["url"], range(FIRST))
            few = _figures(served["process"])
            await _begin(client, served["url"], range(FIRST, FIRST + WAITING))
            many = _figures(served["process"])
            questions = len((await client.get(f"{served['url']}/api/approvals")).json())
    grown = many["memory"] / few["memory"]
    threads = many["threads"] - few["threads"]
    return [
        Row(bench="serving", measure=f"{WAITING} more runs that wait for an approval: memory of the server",
            ours=f"{many['memory'] / 1024:.1f} MB", theirs=f"{few['memory'] / 1024:.1f} MB before", ratio=grown,
            bar="≤ 1.05", met=grown <= 1.05 and questions == FIRST + WAITING),
        Row(bench="serving", measure=f"{WAITING} more runs that wait for an approval: threads",
            ours=f"{threads} more, {many['threads']} in all", ratio=threads / WAITING,
            bar="none each: ≤ 0.1 a run", met=threads / WAITING <= 0.1),
    ]  # fmt: skip


async def _begin(client: httpx2.AsyncClient, url: str, numbers: range) -> None:
    async def begin(number: int) -> None:
        call = {"tool": "write_file", "arguments": {"filePath": f"{number}.md", "content": "x"}}
        answer = await client.post(f"{url}/api/runs", json=call)
        assert answer.json()["status"] == "waiting"

    await asyncio.gather(*(begin(number) for number in numbers))


def _figures(process: int) -> dict[str, int]:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return {"memory": int(fields["VmRSS"].split()[0]), "threads": int(fields["Threads"])}


# --- servers and clients


def make_vault(folder: Path) -> Path:
    """A vault with the one tool."""
    vault = folder / "vault"
    (vault / ".paper").mkdir(parents=True)
    (vault / "shout.md").write_text(SHOUT, encoding="utf-8")
    return vault


def paper_arguments(vault: Path, *command: str) -> list[str]:
    """The command line of a command on that vault."""
    return ["-m", "paperagents", "--vault", str(vault), *command]


@contextmanager
def paper_serve(vault: Path) -> Iterator[dict[str, Any]]:
    """The vault, served by a process of its own."""
    command = [sys.executable, *paper_arguments(vault, "serve", "--port", "0", "--no-open", "--json")]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(vault.parent / "config")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "}\n":
            lines.append(process.stdout.readline())
        try:
            yield {**json.loads("".join(lines)), "process": process.pid}
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def _peer_http(python: str) -> Iterator[int]:
    import socket  # noqa: PLC0415  for a free port alone

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen([python, PEER_PROGRAM, "http", str(port)]) as process:
        try:
            _wait_for(port)
            yield port
        finally:
            process.terminate()
            process.wait(30)


def _wait_for(port: int) -> None:
    import socket  # noqa: PLC0415  see above

    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


@asynccontextmanager
async def _over_http(url: str, token: str = "", era: str = "legacy") -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=_bearer(token), timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=era) as client:
            await client.list_tools()
            yield client


@asynccontextmanager
async def _over_stdio(program: str, arguments: list[str], vault: Path) -> AsyncIterator[Client]:
    environment = {"XDG_CONFIG_HOME": str(vault.parent / "config")}
    server = StdioServerParameters(command=program, args=arguments, env=environment)
    async with Client(server, mode="legacy") as client:
        yield client


@asynccontextmanager
async def _rest(served: dict[str, Any]) -> AsyncIterator[Call]:
    async with httpx2.AsyncClient(headers=_bearer(served["token"]), timeout=60) as client:

        async def call() -> None:
            body = {"tool": "shout", "arguments": {"words": "hello"}}
            answer = await client.post(f"{served['url']}/api/runs", json=body)
            assert answer.json()["data"] == "HELLO"

        yield call


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=400)
    calls = parser.parse_args().calls
    record("serving", lambda: measure(calls), peers)


if __name__ == "__main__":
    main()
