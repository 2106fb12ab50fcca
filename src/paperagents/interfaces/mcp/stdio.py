"""Standard input and output as the line to an MCP client.

The library hands every message to a thread, to read it, to write it, and to flush it. Over a pipe none is needed:
the loop is told when something has come, and nearly all answers are so short that they can simply be written.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from paperagents.definitions.text import utf8, without_surrogates
from paperagents.messages import text

_LONGEST_MESSAGE = 2**31


class MessageOutput:
    """What the library writes its messages to: with ``write``, then ``flush``."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._is_pipe = _is_pipe(descriptor)
        self._room = select.poll()
        self._room.register(descriptor, select.POLLOUT)
        self._message = b""

    async def write(self, text: str) -> int:
        """Take a message, or a part of one."""
        self._message += utf8(text)
        return len(text)

    async def flush(self) -> None:
        """Send it. A client that does not read holds nobody up but itself."""
        message, self._message = self._message, b""
        # A pipe that can be written to takes so much at once.
        if self._is_pipe and len(message) <= select.PIPE_BUF and self._has_room():
            os.write(self._descriptor, message)
        else:
            await asyncio.to_thread(self._send, message)

    def _has_room(self) -> bool:
        return any(event & select.POLLOUT for _, event in self._room.poll(0))

    def _send(self, message: bytes) -> None:
        rest = memoryview(message)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]


@contextmanager
def message_output() -> Iterator[MessageOutput]:
    """Inside, standard output belongs to the messages; whatever else is printed goes where errors go."""
    with _kept_apart(1, os.dup(2)) as own:
        yield MessageOutput(own)


@asynccontextmanager
async def message_input() -> AsyncIterator[asyncio.StreamReader | None]:
    """Inside, standard input belongs to the messages; None where the loop cannot wait for it: the library reads it."""
    if os.isatty(0):
        # Opened anew: not to wait for it is then nobody else's business, and an interrupt needs no further line.
        with os.fdopen(os.open(os.ttyname(0), os.O_RDONLY | os.O_NOCTTY), "rb") as terminal:
            async with _read_by_the_loop(terminal) as reader:
                yield reader
    elif _is_pipe(0):
        with _kept_apart(0, os.open(os.devnull, os.O_RDONLY)) as own, os.fdopen(own, "rb", closefd=False) as pipe:
            async with _read_by_the_loop(pipe) as reader:
                yield reader
    else:
        yield None


@asynccontextmanager
async def _read_by_the_loop(source: BinaryIO) -> AsyncIterator[asyncio.StreamReader]:
    reader = asyncio.StreamReader(limit=_LONGEST_MESSAGE)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    try:
        yield reader
    finally:
        transport.close()


@contextmanager
def _kept_apart(descriptor: int, instead: int) -> Iterator[int]:
    """A descriptor for ourselves alone; meanwhile everybody else who uses the old one gets another."""
    own = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    try:
        yield own
    finally:
        os.dup2(own, descriptor)
        os.close(own)


def _is_pipe(descriptor: int) -> bool:
    return stat.S_ISFIFO(os.fstat(descriptor).st_mode)


# --- lines that are no messages. The library drops them, and whoever sent one would wait for its answer for ever


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
