"""Warm workers, lent to one block at a time, killed at the deadline, replaced when they end.

All workers of a pool are started and reaped by one thread, its supervisor: the kernel ends a worker when the
thread that started it ends. The supervisor starts with the first block, never at import. A pool of size n
computes at most n blocks at once; a block that waits for the host does not count, so JavaScript may
call the host and the host may run JavaScript again without ever waiting for itself.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache
from queue import Empty, SimpleQueue
from typing import Self

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.errors import SandboxCrashError, SandboxError
from paperagents.sandbox.block import (
    MAX_DEPTH_OF_BLOCKS,
    BlockRun,
    HostFunctions,
    JavaScriptResult,
    depth_of_blocks,
    prepare_block,
)
from paperagents.sandbox.limits import Cancellation, Limits
from paperagents.sandbox.worker_process import (
    MAX_BUSY_SECONDS,
    MAX_HELLO_BYTES,
    START_SECONDS,
    ChannelBrokenError,
    WorkerProcess,
    start_worker,
)
from paperagents.shortages import find_shortage

BLOCKS_PER_WORKER = 500
IDLE_SECONDS = 60.0
_MAX_STARTS = 3
_CANCEL_POLL_SECONDS = 0.02

_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


class WorkerPool:
    """Workers that are lent, taken back, started and reaped. Safe to use from many threads; close it when done."""

    _supervisor: threading.Thread | None

    def __init__(  # noqa: PLR0913  each is a setting with a good default
        self,
        *,
        limits: Limits | None = None,
        size: int | None = None,
        timezone: str | None = None,
        blocks_per_worker: int = BLOCKS_PER_WORKER,
        idle_seconds: float = IDLE_SECONDS,
        start: Callable[[], WorkerProcess] | None = None,
        warmest_first: bool = False,
    ) -> None:
        self.limits = limits or Limits()
        self.size = size or max(2, min(8, os.cpu_count() or 2))
        self.is_closed = False
        self._start = start or (lambda: start_worker(self.limits, timezone=timezone))
        self._blocks_per_worker = blocks_per_worker
        self._idle_seconds = idle_seconds
        self._warmest_first = warmest_first
        """For workers that learn: the one that worked last works again, and none is started ahead."""
        self.reset()
        _register_hooks()
        _pools.add(self)

    def reset(self) -> None:
        """The state of a pool that has no worker and no supervisor yet."""
        self._change = threading.Condition()
        self._orders: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._supervisor = None
        self._workers: set[WorkerProcess] = set()
        self._idle: deque[WorkerProcess] = deque()
        self._running = 0
        self._served = 0

    def reset_after_fork(self) -> None:
        """In a forked child the workers belong to the parent and the supervisor is gone."""
        for worker in self._workers:
            worker.abandon()
        self.reset()

    def close(self) -> None:
        """End all workers and the supervisor. Blocks that are running fail; later ones are refused."""
        with self._change:
            supervisor, self.is_closed = self._supervisor, True
            for worker in self._workers:
                worker.kill()
            self._orders.put(None)
            self._change.notify_all()
        if supervisor is not None:
            supervisor.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pids(self) -> tuple[int, ...]:
        """The workers that are alive now."""
        with self._change:
            return tuple(worker.pid for worker in self._workers)

    # Lending. A slot is the right to compute; there are as many as the pool's size says.

    def borrow(self, cancellation: Cancellation | None) -> WorkerProcess:
        """A worker that is alive and silent, once there is a free slot."""
        with self._change:
            self.wait_for_slot(cancellation)
            self._running += 1
        try:
            return self.find_worker(cancellation)
        except BaseException:
            self.release_slot()
            raise

    def wait_for_slot(self, cancellation: Cancellation | None) -> None:
        """Wait, with the lock held, until fewer blocks compute than may."""
        while True:
            if self.is_closed:
                raise closed_error()
            if cancellation and cancellation.cancelled:
                raise SandboxError("sandbox-cancelled")
            if self._running < self.size:
                return
            self._change.wait(_CANCEL_POLL_SECONDS if cancellation else None)

    def release_slot(self) -> None:
        """Let another block compute."""
        with self._change:
            self._running -= 1
            self._change.notify()

    @contextmanager
    def free_slot(self) -> Iterator[None]:
        """While the host works for a block, its slot is free for another."""
        self.release_slot()
        try:
            yield
        finally:
            # Taken back without waiting: blocks that wait for each other's hosts would stand still for ever.
            with self._change:
                self._running += 1

    def find_worker(self, cancellation: Cancellation | None) -> WorkerProcess:
        """An idle worker, else a new one; those that do not say hello or died while idle are discarded."""
        failed_starts = 0
        while failed_starts < _MAX_STARTS:
            worker = self.take_idle() or self.order_worker()
            if (worker.greeted or self.receive_hello(worker, cancellation)) and worker.is_silent_and_alive():
                return worker
            failed_starts += not worker.greeted
            self.discard(worker)
        raise SandboxError("sandbox-unavailable")

    def take_idle(self) -> WorkerProcess | None:
        """The worker that rested longest: its next context is surely ready."""
        with self._change:
            if not self._idle:
                return None
            worker = self._idle.pop() if self._warmest_first else self._idle.popleft()
            has_spare = bool(self._idle) or len(self._workers) >= self.size
        # Not for the first block: a program that runs only one needs no second worker.
        if not has_spare and self._served > 0 and not self._warmest_first:
            self.delegate(self.add_spare)
        return worker

    def order_worker(self) -> WorkerProcess:
        """A new worker, started by the supervisor; by then, the one that was being prepared may be there."""
        ready: SimpleQueue[WorkerProcess | Exception] = SimpleQueue()
        if not self.delegate(lambda: ready.put(self.take_idle() or self.start_one())):
            raise SandboxError("sandbox-closed")
        started = ready.get()
        if isinstance(started, Exception):
            raise SandboxError(
                find_shortage(started) or "sandbox-unavailable", details={"reason": str(started)}
            ) from started
        return started

    def receive_hello(self, worker: WorkerProcess, cancellation: Cancellation | None) -> bool:
        """Wait until a new worker has given up its powers; False where it does not say so."""
        try:
            with cancellation.stopping(worker.hang_up) if cancellation else nullcontext():
                hello = worker.receive(most=MAX_HELLO_BYTES, until=time.monotonic() + START_SECONDS)
        except (ChannelBrokenError, TimeoutError):
            if cancellation and cancellation.cancelled:
                self.discard(worker)
                raise SandboxError("sandbox-cancelled") from None
            return False
        worker.greeted = hello.letter == "H"
        return worker.greeted

    def give_back(self, worker: WorkerProcess, *, is_sound: bool) -> None:
        """Keep a sound worker for the next block; discard one that broke a limit or has served long enough."""
        is_worn = worker.blocks >= self._blocks_per_worker or worker.busy_seconds > MAX_BUSY_SECONDS
        worker.idle_since = time.monotonic()
        with self._change:
            is_kept = is_sound and not is_worn and not self.is_closed
            if is_kept:
                self._idle.append(worker)
            self._served += 1
        if not is_kept:
            self.discard(worker)
        self.release_slot()

    def discard(self, worker: WorkerProcess) -> None:
        """Kill a worker now, and have it reaped."""
        worker.kill()
        if not self.delegate(lambda: self.reap(worker)):
            self.reap(worker)

    # The supervisor: the one thread that starts and reaps workers.

    def delegate(self, order: Callable[[], object]) -> bool:
        """Have the supervisor do this; False when the pool is closed and has no supervisor any more."""
        with self._change:
            if self.is_closed:
                return False
            if self._supervisor is None:
                supervisor = threading.Thread(target=self.supervise, name="sandbox-supervisor", daemon=True)
                supervisor.start()
                # Only now: with too little memory it does not start, and nobody can wait for its end.
                self._supervisor = supervisor
            self._orders.put(order)
        return True

    def supervise(self) -> None:
        """Carry out orders until the pool is closed; retire idle workers in between."""
        orders = self._orders
        while True:
            try:
                order = orders.get(timeout=self._idle_seconds)
            except Empty:
                order = self.retire_idle
            if order is None:
                break
            order()
        while self._idle:
            self.reap(self._idle.popleft())

    def start_one(self) -> WorkerProcess | Exception:
        """A new worker, or why there is none."""
        try:
            worker = self._start()
        except Exception as error:
            return error
        with self._change:
            self._workers.add(worker)
            # Closed meanwhile: close() could not see this one.
            if self.is_closed:
                worker.kill()
        return worker

    def add_spare(self) -> None:
        """Start a worker before anybody waits for it."""
        with self._change:
            if len(self._workers) >= self.size or self.is_closed:
                return
        worker = self.start_one()
        if isinstance(worker, WorkerProcess):
            with self._change:
                self._idle.append(worker)

    def prepare(self) -> None:
        """Start the first worker now, beside what its user has to do before the first block."""
        if not self.pids():
            self.delegate(self.add_spare)

    def retire_idle(self) -> None:
        """End the workers that nobody has needed for long."""
        now = time.monotonic()
        with self._change:
            retired = [worker for worker in self._idle if now - worker.idle_since > self._idle_seconds]
            for worker in retired:
                self._idle.remove(worker)
        for worker in retired:
            worker.kill()
            self.reap(worker)

    def reap(self, worker: WorkerProcess) -> None:
        """Release what is left of a killed worker."""
        with self._change:
            self._workers.discard(worker)
        worker.reap()


class Sandbox(WorkerPool):
    """Runs JavaScript in confined workers."""

    def run(  # noqa: PLR0913  everything a piece of JavaScript stands on
        self,
        code: Excerpt | str,
        *,
        names: Mapping[str, JsonValue] | None = None,
        limits: Limits | None = None,
        host: HostFunctions | None = None,
        cancellation: Cancellation | None = None,
        helpers: Mapping[str, int] | None = None,
    ) -> JavaScriptResult:
        """Run a function body; gives its value and console, or raises SandboxError."""
        script = Excerpt(text=code) if isinstance(code, str) else code
        block = prepare_block(script, names or {}, host or {}, (limits or self.limits).within(self.limits), helpers)
        # A block that cannot call the host ends the nesting: a file may still be asked what it is.
        if block.host and depth_of_blocks() >= MAX_DEPTH_OF_BLOCKS:
            raise SandboxError("sandbox-depth", depth=MAX_DEPTH_OF_BLOCKS)
        worker = self.borrow(cancellation)
        started, run = time.monotonic(), BlockRun(worker, block, self.free_slot)
        try:
            with cancellation.stopping(worker.hang_up) if cancellation else nullcontext():
                return run.finish()
        except SandboxError as error:
            if cancellation and cancellation.cancelled:
                raise SandboxError("sandbox-cancelled") from None
            if isinstance(error, SandboxCrashError) and self.is_closed:
                raise closed_error() from None
            raise
        finally:
            worker.blocks += 1
            worker.busy_seconds += time.monotonic() - started
            # A worker that was hung up on may still compute, whatever the run came to.
            is_sound = run.worker_is_sound and not (cancellation and cancellation.cancelled)
            self.give_back(worker, is_sound=is_sound)


# --- forks and the end of the program


_program_ends = threading.Event()


@cache
def _register_hooks() -> None:
    atexit.register(_close_pools)
    os.register_at_fork(after_in_child=_reset_pools)


def _close_pools() -> None:
    _program_ends.set()
    for pool in list(_pools):
        pool.close()


def _reset_pools() -> None:
    for pool in list(_pools):
        pool.reset_after_fork()


def closed_error() -> SandboxError:
    """The error of a block that meets a closed pool."""
    if _program_ends.is_set() and threading.current_thread().daemon:
        # Nobody waits for this thread any more. An error in it would only write into a program that is being
        # taken down, which can crash it; so it stands still until it is gone.
        threading.Event().wait()
    return SandboxError("sandbox-closed")


# --- one sandbox for the whole process, started with the first block it runs


# Callers of the shared sandbox bring their own limits; these bound what any of them may ask for.
_CEILING = Limits(seconds=600.0, memory_mb=1024, output_mb=64, host_calls=10_000)


def run_javascript(
    code: Excerpt | str,
    *,
    names: Mapping[str, JsonValue] | None = None,
    limits: Limits | None = None,
    host: HostFunctions | None = None,
) -> JsonValue:
    """Run a function body with these names in sight and give the value it returns."""
    return shared_sandbox().run(code, names=names, limits=limits or Limits(), host=host).value


@cache
def shared_sandbox() -> Sandbox:
    """The sandbox of the process."""
    return Sandbox(limits=_CEILING)
