"""The process that runs JavaScript: it gives up every power first, then answers one request after another.

Started by ``worker_process.py`` with nothing of the package loaded but this module and what it imports.
Frames on the channel are a length of four bytes, a letter, and a body. From the worker: H hello, C calls to
the host, D done, E the block failed, X a limit ended it; d and e say that this worker will not serve again.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.machinery import ExtensionFileLoader, ModuleSpec

from paperagents.sandbox.confinement import confine
from paperagents.sandbox.engine import Breach, Deadline, Engine

TYPE_CHECKING = False  # the typing module alone would cost a fifth of the start-up
if TYPE_CHECKING:
    from typing import NoReturn

CHANNEL = 3
PARTS = (
    "url.js",
    "text.js",
    "clone.js",
    "console.js",
    "errors.js",
    "host.js",
    "border.js",
    "tool_api.js",
    "tool_failure.js",
)


def main() -> None:
    """Prepare, give up all powers, say hello, serve until the channel closes."""
    _, folder, library, parent, memory, seconds, timezone = sys.argv
    if timezone:
        os.environ["TZ"] = timezone
    # The C library reads the rules of local time while files can still be read.
    time.tzset()
    time.localtime()
    engines = EngineMaker(library=library, folder=folder)
    engine = engines.make()
    walls = confine(channel=CHANNEL, parent=int(parent), memory=int(memory), seconds=int(seconds))
    channel = Channel()
    channel.send("H", "\n".join(f"{name} {missing}" for name, missing in walls))
    serve(channel, engine, engines)


def serve(channel: Channel, engine: Engine, engines: EngineMaker) -> NoReturn:
    """Answer requests for ever, each with a context that was made while nobody waited."""
    while True:
        serve_block(channel, engine, channel.receive())
        engine = engines.make()


def serve_block(channel: Channel, engine: Engine, request: bytes) -> None:
    """Run one block and send how it ended; a process that may be spoiled ends with it."""
    milliseconds, memory = int.from_bytes(request[1:9], "big"), int.from_bytes(request[9:17], "big")
    try:
        state = engine.start(request[17:].decode("ascii"), seconds=milliseconds / 1000, memory=memory)
        while state[0] not in "DEP":
            if state[0] == "C":
                channel.send("C", state[1:])
                state = engine.carry_on()
            else:
                state = engine.answer(channel.receive()[1:].decode("ascii"))
    except Breach as breach:
        report_breach(channel, engine, breach)
    # Where memory ends, promises are lost without a word, and what is thrown is a bare null.
    if (state[0] == "P" or state.startswith('E{"kind":"null"')) and engine.ran_out_of_memory():
        report_breach(channel, engine, Breach("memory"))
    elif state[0] == "P":
        channel.send("X", "never\n\0" + engine.console())
    elif engine.used_much():
        channel.send(state[0].lower(), state[1:])
        os._exit(0)
    else:
        channel.send(state[0], state[1:])


def report_breach(channel: Channel, engine: Engine, breach: Breach) -> NoReturn:
    """Tell how the block ended, and end this process too: what broke a limit is not used again."""
    channel.send("X", f"{breach.kind}\n{breach.stack[:8000]}\0{engine.console()}")
    os._exit(0)


class EngineMaker:
    """Makes fresh engines from what was read from disk while that was still possible."""

    def __init__(self, *, library: str, folder: str) -> None:
        loader = ExtensionFileLoader("_quickjs", library)
        self._quickjs = loader.create_module(ModuleSpec("_quickjs", loader, origin=library))
        loader.exec_module(self._quickjs)
        self._deadline = Deadline(library)
        texts = []
        for name in ("prelude.js", *PARTS):
            with open(f"{folder}/{name}", encoding="utf-8") as file:  # noqa: PTH123  pathlib would double the start-up
                texts.append(file.read())
        self._prelude, *self._parts = texts

    def make(self) -> Engine:
        """A fresh engine."""
        return Engine(self._quickjs, self._deadline, self._prelude, self._parts)


class Channel:
    """Frames to and from the parent, over the one descriptor that is left."""

    def __init__(self) -> None:
        self._unread = b""

    def send(self, letter: str, body: str) -> None:
        """Send one frame."""
        encoded = letter.encode() + body.encode("utf-8", "backslashreplace")
        unsent = memoryview(len(encoded).to_bytes(4, "big") + encoded)
        while unsent:
            unsent = unsent[os.write(CHANNEL, unsent) :]

    def receive(self) -> bytes:
        """The next frame; the process ends when the parent has closed the channel."""
        return self.take(int.from_bytes(self.take(4), "big"))

    def take(self, size: int) -> bytes:
        """So many bytes; what came beyond them waits for the next time."""
        chunks = [self._unread]
        missing = size - len(self._unread)
        while missing > 0:
            chunk = os.read(CHANNEL, max(65536, min(missing, 1 << 20)))
            if not chunk:
                os._exit(0)
            chunks.append(chunk)
            missing -= len(chunk)
        joined = b"".join(chunks)
        self._unread = joined[size:]
        return joined[:size]
