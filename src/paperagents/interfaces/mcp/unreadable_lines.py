"""Lines that are no messages. The library drops them, and whoever sent one would wait for its answer for ever."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from paperagents.definitions.surrogates import without_surrogates
from paperagents.messages import text

if TYPE_CHECKING:
    from contextvars import Context

    from mcp.shared._stream_protocols import ReadStream, WriteStream


class AnsweredLines:
    """What a client sends, as the library reads it; what cannot be read is answered here, and left out."""

    def __init__(self, incoming: ReadStream[SessionMessage | Exception], outgoing: WriteStream[SessionMessage]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        """The library runs the answer to a message in the context that it was sent in."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage:
        """The next message."""
        while isinstance(item := await self._incoming.receive(), Exception):
            if (answer := refusal(item)) is not None:
                await self._outgoing.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        """Read no more."""
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def refusal(error: Exception) -> types.JSONRPCError | None:
    """The answer to a line that cannot be read; none to an empty one, and none to what is itself an answer."""
    problems = error.errors() if isinstance(error, ValidationError) else []
    line = next((each["input"] for each in problems if each["type"] == "json_invalid"), None)
    if isinstance(line, str | bytes) and not line.strip():
        return None
    code, message = _read(line) if line is not None else (types.INVALID_REQUEST, _whole(problems))
    if isinstance(message, dict) and "method" not in message and not message.keys().isdisjoint(("result", "error")):
        return None
    told = types.ErrorData(code=code, message=text("mcp.unreadable"))
    return types.JSONRPCError(jsonrpc="2.0", id=_id(message), error=told)


def _read(line: str | bytes) -> tuple[int, Any]:
    """What the library takes for no JSON may be some: it knows no half characters, as JavaScript writes them."""
    try:
        return types.INVALID_REQUEST, json.loads(line)
    except (ValueError, RecursionError):
        return types.PARSE_ERROR, None


def _whole(problems: list[Any]) -> Any:
    """The message that something is missing in; there is always something, in one of the forms it might have had."""
    return next((each["input"] for each in problems if each["type"] == "missing" and len(each["loc"]) == 2), None)


def _id(message: Any) -> types.RequestId | None:
    found = message.get("id") if isinstance(message, dict) else None
    if isinstance(found, str):
        return without_surrogates(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
