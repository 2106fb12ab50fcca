"""A worker seen from its parent: started, spoken to within a deadline, killed, reaped."""

from __future__ import annotations

import math
import os
import signal
import socket
import sys
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from paperagents.definitions.text import without_surrogates
from paperagents.messages import text
from paperagents.sandbox.limits import Limits
from paperagents.values import dataclass

CHANNEL = 3
MAX_BUSY_SECONDS = 30.0
START_SECONDS = 10.0
MAX_HELLO_BYTES = 4096
_HERE = Path(__file__).parent
_MARGIN_MB = 64
_MAX_CHUNK = 1 << 20

# The package's own __init__ files are stepped over: a worker loads only what it needs.
BOOTSTRAP = f"""
import sys
for name, path in (("paperagents", {str(_HERE.parent)!r}), ("paperagents.sandbox", {str(_HERE)!r})):
    sys.modules[name] = type(sys)(name)
    sys.modules[name].__path__ = [path]
"""
START = BOOTSTRAP + "from paperagents.sandbox.worker import main\nmain()\n"


class ChannelBrokenError(Exception):
    """The worker closed its end, died, or sent what no honest worker sends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message from a worker."""

    letter: str
    body: bytes


class WorkerProcess:
    """One worker and its channel. Started by the thread that outlives it; used by one thread at a time."""

    stops_itself = True
    """It ends a block itself that takes too long, and tells where it was."""

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self.blocks = 0
        self.busy_seconds = 0.0
        self.greeted = False
        self.idle_since = time.monotonic()
        self._channel = channel
        self._unread = bytearray()

    def send(self, letter: str, body: bytes, *, until: float) -> None:
        """Send one frame before the deadline."""
        frame = (len(body) + 1).to_bytes(4, "big") + letter.encode() + body
        self._channel.settimeout(seconds_left(until))
        try:
            self._channel.sendall(frame)
        except TimeoutError:
            raise
        except OSError as error:
            raise ChannelBrokenError(str(error)) from None

    def receive(self, *, most: int, until: float) -> Message:
        """The next frame of at most so many bytes, before the deadline, however slowly its bytes trickle in."""
        self.fill(4, until)
        size = int.from_bytes(self._unread[:4], "big")
        if not 1 <= size <= most:
            raise ChannelBrokenError("a frame of impossible size")
        self.fill(4 + size, until)
        # Taken only when it is complete: after a deadline there may be another.
        message = Message(letter=chr(self._unread[4]), body=bytes(self._unread[5 : 4 + size]))
        del self._unread[: 4 + size]
        return message

    def is_silent_and_alive(self) -> bool:
        """Whether an idle worker is fit for work: not dead, and with nothing to say unasked."""
        if self._unread:
            return False
        try:
            self._channel.settimeout(0)
            self._channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def hang_up(self) -> None:
        """Wake whoever waits for this worker, from any thread."""
        try:
            self._channel.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def kill(self) -> None:
        """End the process now. It is reaped later, by the thread that started it."""
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def reap(self) -> int | None:
        """Release what is left of a killed worker; gives how it ended where that is known."""
        self._channel.close()
        try:
            return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        except ChildProcessError:
            return None

    def ran_out_of_memory(self) -> bool:
        """Whether a worker that has gone away was ended for lack of memory; most tell it themselves."""
        return False

    def abandon(self) -> None:
        """Forget a worker that belongs to the process this one was forked from."""
        self._channel.close()

    def fill(self, size: int, until: float) -> None:
        """Receive until so many bytes are there."""
        while len(self._unread) < size:
            self._channel.settimeout(seconds_left(until))
            try:
                chunk = self._channel.recv(min(max(size - len(self._unread), 65536), _MAX_CHUNK))
            except TimeoutError:
                raise
            except OSError as error:
                raise ChannelBrokenError(str(error)) from None
            if not chunk:
                raise ChannelBrokenError("closed")
            self._unread += chunk


def start_worker(ceiling: Limits, *, timezone: str | None = None, program: str = START) -> WorkerProcess:
    """Start a worker that may serve blocks up to the ceiling. Call it from a thread that outlives the worker."""
    memory = (ceiling.memory_mb + 8 * ceiling.output_mb + _MARGIN_MB) << 20
    seconds = math.ceil(2 * MAX_BUSY_SECONDS + ceiling.seconds)
    settings = [_HERE / "javascript", engine_library(), os.getpid(), memory, seconds]
    local = timezone or os.environ.get("TZ", "")
    return WorkerProcess(*spawn([sys.executable, "-I", "-S", "-c", program, *map(str, settings), local]))


def spawn(command: list[str]) -> tuple[int, socket.socket]:
    """A Python process with an empty environment, and nothing open but its end of the channel."""
    ours, theirs = socket.socketpair()
    with theirs:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
            (os.POSIX_SPAWN_DUP2, theirs.fileno(), CHANNEL),
        ]
        try:
            pid = os.posix_spawn(sys.executable, command, {}, file_actions=actions, setpgroup=0)
        except BaseException:
            ours.close()
            raise
    return pid, ours


@cache
def engine_library() -> str:
    """Where the engine's library is; it is never loaded into this process."""
    found = find_spec("_quickjs")
    if found is None or found.origin is None:
        raise FileNotFoundError("_quickjs")
    return found.origin


def seconds_left(until: float) -> float:
    """The time until a deadline. Raises TimeoutError where it is over."""
    remaining = until - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


# --- which walls stand around JavaScript on this system, found out by building them


_CONFINEMENT = ("resource-limits", "no-descriptors", "no-new-privileges", "landlock", "seccomp")


@dataclass(frozen=True, kw_only=True, slots=True)
class Wall:
    """One layer between JavaScript and the system, and why it is missing where it is."""

    name: str
    stands: bool
    reason: str


def check_walls() -> tuple[Wall, ...]:
    """Start a worker and ask it what it could give up."""
    try:
        worker = start_worker(Limits())
    except OSError as error:
        return no_walls(str(error))
    try:
        hello = worker.receive(most=MAX_HELLO_BYTES, until=time.monotonic() + START_SECONDS)
    except (ChannelBrokenError, TimeoutError):
        return no_walls(text("sandbox-unavailable"))
    finally:
        worker.kill()
        worker.reap()
    report = dict(line.partition(" ")[::2] for line in hello.body.decode("utf-8", "replace").split("\n"))
    missing = {"engine": "", "parent": "", **{name: report.get(name, "system") for name in _CONFINEMENT}}
    return tuple(make_wall(name, reason) for name, reason in missing.items())


def no_walls(reason: str) -> tuple[Wall, ...]:
    """Where no worker starts, nothing stands."""
    return tuple(Wall(name=name, stands=False, reason=reason) for name in ("engine", "parent", *_CONFINEMENT))


def make_wall(name: str, missing: str) -> Wall:
    """A wall from the worker's report: empty where it stands, else a word for the reason, and details."""
    reason, _, detail = missing.partition(" ")
    if not reason:
        return Wall(name=name, stands=True, reason=text(f"sandbox.wall.{name}"))
    return Wall(name=name, stands=False, reason=text(f"sandbox.wall-{reason}", detail=without_surrogates(detail)))
