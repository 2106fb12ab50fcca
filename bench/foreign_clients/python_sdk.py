"""The Python SDK before 2.0 as a client: ``stdio COMMAND…`` or ``http URL TOKEN``; prints what it has seen as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client  # type: ignore[attr-defined]  # gone since 2.0


def connect() -> Any:
    """The streams of the server."""
    if sys.argv[1] == "stdio":
        return stdio_client(StdioServerParameters(command=sys.argv[2], args=sys.argv[3:]))
    return streamablehttp_client(sys.argv[2], headers={"authorization": f"Bearer {sys.argv[3]}"})


async def main() -> None:
    """Look around and call."""
    async with connect() as (reading, writing, *_), ClientSession(reading, writing) as session:
        client: Any = session
        await client.initialize()
        called = await client.call_tool("shout", {"words": "hello"})
        wrong = await client.call_tool("shout", {"word": "hello"})
        note = await client.read_resource("note:///shout.md")
        seen = {
            "tools": [each.name for each in (await client.list_tools()).tools],
            "answer": called.content[0].text,
            "refuses": wrong.isError,
            "note": note.contents[0].text,
        }
    print(json.dumps(seen))


asyncio.run(main())
