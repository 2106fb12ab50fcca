"""LangChain's adapters as a client: ``stdio COMMAND…`` or ``http URL TOKEN``; prints what it has seen as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient  # type: ignore[import-not-found]  # an environment apart


async def main() -> None:
    """Look around and call."""
    server: dict[str, Any] = {"transport": "stdio", "command": sys.argv[2], "args": sys.argv[3:]}
    if sys.argv[1] == "http":
        headers = {"authorization": f"Bearer {sys.argv[3]}"}
        server = {"transport": "streamable_http", "url": sys.argv[2], "headers": headers}
    client = MultiServerMCPClient({"vault": server})
    tools = {each.name: each for each in await client.get_tools()}
    called = await tools["shout"].ainvoke({"words": "hello"})
    # As an agent calls it: an error goes to the model as a message that says so.
    wrong = await tools["shout"].ainvoke({"type": "tool_call", "id": "1", "name": "shout", "args": {"word": "hello"}})
    notes = await client.get_resources("vault", uris=["note:///shout.md"])
    answer = called if isinstance(called, str) else called[0]["text"]
    seen = {"tools": [*tools], "answer": answer, "refuses": wrong.status == "error", "note": notes[0].as_string()}
    print(json.dumps(seen))


asyncio.run(main())
