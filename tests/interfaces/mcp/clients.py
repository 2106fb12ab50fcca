"""The SDK's own client, of either era, over either transport, with a scripted person in front of it."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import ElicitationFnT, MessageHandlerFnT
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces

ERAS = ("legacy", "2026-07-28")
Answer = dict[str, Any] | str
"""The content of the form, or ``decline`` or ``cancel``."""


@dataclass
class Person:
    """Answers in order and remembers what was shown."""

    answers: list[Answer] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert context is not None
        self.shown.append(params.message)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            return types.ElicitResult.model_validate({"action": answer})
        return types.ElicitResult(action="accept", content=answer)


@asynccontextmanager
async def over_http(
    served: Served,
    era: str,
    person: ElicitationFnT | None = None,
    on_message: MessageHandlerFnT | None = None,
    *,
    token: str | None = None,
) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token or served.new_token('call', 'answer')}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
        client = Client(transport, mode=era, elicitation_callback=person, message_handler=on_message)
        async with client:
            yield client


@asynccontextmanager
async def over_stdio(
    folder: Path, era: str, person: ElicitationFnT | None = None, on_message: MessageHandlerFnT | None = None
) -> AsyncIterator[Client]:
    environment = {"XDG_CONFIG_HOME": str(folder.parent / "config"), "LC_ALL": "C.UTF-8"}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "paperagents", "--vault", str(folder), "mcp"], env=environment
    )
    async with Client(server, mode=era, elicitation_callback=person, message_handler=on_message) as client:
        yield client


def meta_of(result: types.CallToolResult) -> dict[str, Any]:
    """The run id and status of a result, and its error."""
    return dict(result.meta or {})
