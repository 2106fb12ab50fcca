"""Pydantic AI as a client: ``stdio COMMAND…`` or ``http URL TOKEN``; prints what its model was given as JSON.

The model is its own stand-in, which calls the tool and says what came back.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from fastmcp.client.transports import StdioTransport  # type: ignore[import-not-found]  # an environment apart
from pydantic_ai import Agent  # type: ignore[import-not-found]  # see above
from pydantic_ai.mcp import MCPToolset  # type: ignore[import-not-found]  # see above
from pydantic_ai.messages import (  # type: ignore[import-not-found]  # see above
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel  # type: ignore[import-not-found]  # see above

CALLS = [{"words": "hello"}, {"word": "hello"}]


async def main() -> None:
    """Let an agent look around and call."""
    if sys.argv[1] == "http":
        server = MCPToolset(sys.argv[2], headers={"authorization": f"Bearer {sys.argv[3]}"})
    else:
        server = MCPToolset(StdioTransport(command=sys.argv[2], args=sys.argv[3:]), init_timeout=60)
    seen: dict[str, Any] = {"tools": [], "answer": None, "refuses": False}

    def think(messages: Any, info: Any) -> Any:
        seen["tools"] = [each.name for each in info.function_tools]
        parts = [part for message in messages for part in message.parts]
        got = [part for part in parts if isinstance(part, ToolReturnPart)]
        for part in got:
            if seen["answer"] is None:
                seen["answer"] = part.content
            seen["refuses"] = seen["refuses"] or part.outcome == "retried"
        if len(got) < len(CALLS):
            return ModelResponse(parts=[ToolCallPart("shout", CALLS[len(got)])])
        return ModelResponse(parts=[TextPart("done")])

    agent = Agent(FunctionModel(think), toolsets=[server], retries=3)
    async with agent:
        await agent.run("Go.")
        note = await server.read_resource("note:///shout.md")
    print(json.dumps({**seen, "note": note if isinstance(note, str) else str(note)}))


asyncio.run(main())
