"""Warm Deno processes, a few for each tool that needs them: a process never serves a second tool."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.errors import ToolError
from paperagents.messages import text
from paperagents.npm.packages import write_loader
from paperagents.npm.process import DenoSetup, deno_program, start_deno
from paperagents.sandbox import landlock
from paperagents.sandbox.block import HostFunctions, JavaScriptResult
from paperagents.sandbox.limits import Cancellation, Limits
from paperagents.sandbox.pool import Sandbox
from paperagents.sandbox.walls import Wall
from paperagents.sandbox.worker_process import START_SECONDS, ChannelBrokenError

PROCESSES_PER_TOOL = 2
MOST_TOOLS = 6
CALLS_PER_PROCESS = 200
IDLE_SECONDS = 60.0


class DenoPools:
    """Runs tools with npm packages. Safe to use from many threads; close it when done."""

    def __init__(self, *, limits: Limits, idle_seconds: float = IDLE_SECONDS) -> None:
        self.limits = limits
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._pools: OrderedDict[DenoSetup, Sandbox] = OrderedDict()
        self._used: dict[DenoSetup, int] = {}

    def run(  # noqa: PLR0913  everything a piece of JavaScript stands on
        self,
        setup: DenoSetup,
        code: Excerpt,
        *,
        names: Mapping[str, JsonValue],
        limits: Limits,
        host: HostFunctions | None = None,
        cancellation: Cancellation | None = None,
        helpers: Mapping[str, int] | None = None,
    ) -> JavaScriptResult:
        """Run a function body in a process of this setup; gives its value and console, or raises SandboxError."""
        deno_program()
        with self._lent(setup) as pool:
            return pool.run(code, names=names, limits=limits, host=host, cancellation=cancellation, helpers=helpers)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            pools, self._pools = list(self._pools.values()), OrderedDict()
        for pool in pools:
            pool.close()

    def pids(self) -> tuple[int, ...]:
        """The processes that are alive now."""
        with self._lock:
            return tuple(pid for pool in self._pools.values() for pid in pool.pids())

    @contextmanager
    def _lent(self, setup: DenoSetup) -> Iterator[Sandbox]:
        with self._lock:
            pool = self._pools.pop(setup, None) or self._new_pool(setup)
            self._pools[setup] = pool
            self._used[setup] = self._used.get(setup, 0) + 1
            forgotten = self._unused_for_longest()
        for old in forgotten:
            old.close()
        try:
            yield pool
        finally:
            with self._lock:
                self._used[setup] -= 1

    def _new_pool(self, setup: DenoSetup) -> Sandbox:
        return Sandbox(
            limits=self.limits,
            size=PROCESSES_PER_TOOL,
            blocks_per_worker=CALLS_PER_PROCESS,
            idle_seconds=self._idle_seconds,
            start=partial(start_deno, setup, self.limits),
            warmest_first=True,
        )

    def _unused_for_longest(self) -> list[Sandbox]:
        """Pools beyond the most there may be, the oldest first, none that works just now."""
        resting = [setup for setup in self._pools if not self._used.get(setup)]
        return [self._pools.pop(setup) for setup in resting[: max(len(self._pools) - MOST_TOOLS, 0)]]


# --- which walls stand around npm packages on this system, found out by starting Deno


def deno_walls() -> tuple[Wall, Wall]:
    """Whether Deno is there and starts, and whether the kernel holds it: where it could, it would not start without."""
    missing = _missing()
    deno = Wall(name="deno", stands=not missing, reason=missing or text("sandbox.wall.deno"))
    if not missing and not landlock.version():
        missing = text("sandbox.wall-kernel")
    held = Wall(name="deno-landlock", stands=not missing, reason=missing or text("sandbox.wall.deno-landlock"))
    return deno, held


def _missing() -> str:
    """Why tools with packages cannot run; empty where they can."""
    with TemporaryDirectory(prefix="paper-") as folder:
        packages = Path(folder).resolve()
        write_loader(packages)
        try:
            process = start_deno(DenoSetup(packages=packages, declared=()), Limits())
        except ToolError as error:
            return f"{error.message} {error.hint or ''}".strip()
        except OSError as error:
            return str(error)
        try:
            hello = process.receive(most=4096, until=time.monotonic() + START_SECONDS)
        except (ChannelBrokenError, TimeoutError):
            return text("sandbox-unavailable")
        finally:
            process.kill()
            process.bury()
    return "" if hello.letter == "H" else text("sandbox-unavailable")
