"""A small MCP server for the tests: it tells what it was given, and asks back."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.elicitation import ElicitationResult
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import (
    CreateMessageResult,
    ImageContent,
    ListRootsResult,
    SamplingMessage,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel, Field

server = MCPServer("asking")
READS = ToolAnnotations(read_only_hint=True)


class Size(BaseModel):
    size: str = Field(default="M", description="Your size")
    count: int = 1


@server.tool(annotations=READS)
def variable(name: str) -> str:
    """What a variable of the server's is."""
    return os.environ.get(name, "(not set)")


@server.tool(annotations=READS)
def trace(context: Context) -> str:
    """Which trace the call belongs to."""
    return str((context.request_context.meta or {}).get("traceparent"))


@server.tool(annotations=READS)
def picture() -> list[Any]:
    """A text and a picture."""
    data = base64.b64encode(b"\x89PNG\r\n").decode()
    return [TextContent(type="text", text="Look:"), ImageContent(type="image", data=data, mime_type="image/png")]


@server.tool(annotations=READS)
async def never() -> str:
    """Answer never."""
    await asyncio.Event().wait()
    return "never"


def ask_for_size() -> Elicit[Size]:
    return Elicit("Which size?", Size)


def ask_model() -> Sample:
    message = SamplingMessage(role="user", content=TextContent(type="text", text="What is two and two?"))
    return Sample([message], max_tokens=50)


def ask_for_roots() -> ListRoots:
    return ListRoots()


@server.tool(annotations=READS)
def measure(answer: Annotated[ElicitationResult[Size], Resolve(ask_for_size)]) -> str:
    """Ask for a size."""
    return f"{answer.action} {answer.data.size} {answer.data.count}" if answer.action == "accept" else answer.action


@server.tool(annotations=READS)
def think(answer: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    """Ask the client's language model."""
    return str(getattr(answer.content, "text", "?"))


@server.tool(annotations=READS)
def roots(answer: Annotated[ListRootsResult, Resolve(ask_for_roots)]) -> list[str]:
    """Where the client works."""
    return [str(each.uri) for each in answer.roots]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stderr.write("no config: token s3cret-t0ken is wrong\n")
        sys.exit(4)
    server.run()
