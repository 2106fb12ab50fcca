"""A command may be started with standard streams closed: they are empty, and no other file takes their place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.interfaces.command_line.conftest import Write

from paperagents.interfaces.command_line.app import COMMANDS

AGENT = "---\nagent: true\nname: poet\ndescription: d\nmodel: script:script.json\n---\nPoems.\n"
ASKS = (
    "---\ntool: true\nname: asks\ndescription: d\nsteps:\n"
    "  - tool: write_file\n    parameters: {filePath: new.md, content: x}\n---\n"
)
CALLS = [
    ["--version"],
    ["--help"],
    ["nonsense"],
    ["init", "elsewhere"],
    ["list"],
    ["list", "--json"],
    ["show", "good"],
    ["trust", "show"],
    ["new", "tool", "fresh"],
    ["check"],
    ["run", "good"],
    ["run", "good", "--json"],
    ["run", "good", "--params", "-"],
    ["run", "asks"],
    ["run", "asks", "--json"],
    ["run", "asks", "--dry-run"],
    ["changes", "list"],
    ["blame", "good.md"],
    ["undo", "--dry-run"],
    ["eval", "poet"],
    ["lsp"],
    ["obsidian", "install"],
    ["test"],
    ["search", "word"],
    ["search", "word", "--json"],
    ["runs", "list"],
    ["approvals", "list"],
    ["extract", "-"],
    ["extract", "-", "--apply", "--json"],
    ["resolve", "-"],
    ["store", "memory", "list"],
    ["store", "memory", "put", "x", "-"],
    ["env", "good"],
    ["env", "good", "KEY"],
    ["install", "good"],
    ["chat", "poet"],
    ["chat", "poet", "--json"],
    ["ask", "poet"],
    ["ask", "poet", "hello"],
    ["ask", "poet", "-", "--json"],
    ["stats"],
    ["config"],
    ["doctor"],
    ["serve", "--port", "70000"],
    ["worker", "--once"],
    ["backup", "copy.tar"],
    ["mcp"],
    ["mcp", "servers"],
    ["import", "openapi", "-"],
    ["completion", "bash"],
]


def test_every_command_is_tried() -> None:
    assert {call[0] for call in CALLS} >= set(COMMANDS)


@pytest.fixture(autouse=True)
def notes(write: Write) -> None:
    write("good.md")
    write("asks.md", ASKS)
    write("poet.md", AGENT)
    write("script.json", '[{"text": "A poem."}]')


@pytest.mark.process
@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_a_closed_stream_is_an_empty_one(call: list[str]) -> None:
    usual = start(call, "</dev/null")
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = start(call, f"</dev/null {closed}")
        assert "Traceback" not in done.stderr
        assert "internal-error" not in done.stdout + done.stderr, closed
        assert done.returncode == usual.returncode or call[0] in ("init", "new", "backup"), (closed, done.stderr)


def test_nothing_is_written_into_a_file_that_took_the_place_of_a_stream(vault: Path) -> None:
    before = (vault / "good.md").read_bytes()
    start(["run", "good", "--json"], "<&- >&- 2>&-")
    assert (vault / "good.md").read_bytes() == before
    assert start(["runs", "list"], "<&- 2>&-").stdout.count("good") == 1


def start(call: list[str], streams: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-I", "-m", "paperagents", *call]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
