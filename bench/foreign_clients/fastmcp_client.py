"""FastMCP as a client: ``stdio COMMAND…`` or ``http URL TOKEN``; prints what it has seen as JSON."""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client  # type: ignore[import-not-found]  # an environment apart
from fastmcp.client.transports import StdioTransport  # type: ignore[import-not-found]  # see above


async def main() -> None:
    """Look around and call."""
    if sys.argv[1] == "http":
        client = Client(sys.argv[2], auth=sys.argv[3])
    else:
        client = Client(StdioTransport(command=sys.argv[2], args=sys.argv[3:]))
    async with client:
        called = await client.call_tool("shout", {"words": "hello"})
        wrong = await client.call_tool("shout", {"word": "hello"}, raise_on_error=False)
        note = await client.read_resource("note:///shout.md")
        seen = {
            "tools": [each.name for each in await client.list_tools()],
            "answer": called.content[0].text,
            "refuses": wrong.is_error,
            "note": note[0].text,
        }
    print(json.dumps(seen))


asyncio.run(main())
