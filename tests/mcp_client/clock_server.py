"""A small MCP server for the tests: it reads, it changes, it fails, it dies."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("clock")
written = Path(sys.argv[1])


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def length(text: str) -> int:
    """How long a text is."""
    return len(text)


@server.tool()
def note(line: str) -> str:
    """Write a line down."""
    with written.open("a") as file:
        file.write(f"{line}\n")
    return f"noted {line}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def fail() -> str:
    """Go wrong."""
    raise ValueError("the clock has stopped")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def die() -> str:
    """End the server in the middle of a call."""
    os._exit(3)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def nap() -> str:
    """Sleep for long."""
    time.sleep(60)
    return "awake"


if __name__ == "__main__":
    server.run("stdio")
