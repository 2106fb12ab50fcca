"""Standard input and output as the line to an MCP client.

The library hands every message to a thread, to read it, to write it, and to flush it. Over a pipe none is needed:
the loop is told when something has come, and nearly all answers are so short that they can simply be written.
"""

from __future__ import annotations

import asyncio
import os
import select
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import BinaryIO

from paperagents.definitions.surrogates import utf8

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
