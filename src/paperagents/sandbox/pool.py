"""Warm workers, lent to one block at a time, killed at the deadline, replaced when they end.

All workers of a pool are started and buried by one thread, its keeper: the kernel ends a worker when the
thread that started it ends. The keeper starts with the first block, never at import. A pool of size n
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
from types import TracebackType

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.errors import SandboxCrashError, SandboxError
from paperagents.sandbox.block import (
    MAX_DEPTH_OF_BLOCKS,
    Block,
    Conversation,
    HostFunctions,
    JavaScriptResult,
    depth_of_blocks,
    prepare,
)
from paperagents.sandbox.limits import Cancellation, Limits
from paperagents.sandbox.worker_process import (
    MAX_BUSY_SECONDS,
    START_SECONDS,
    ChannelBrokenError,
    WorkerProcess,
    start_worker,
)

BLOCKS_PER_WORKER = 500
IDLE_SECONDS = 60.0
_TRIED_STARTS = 3
_LOOK_FOR_CANCEL_SECONDS = 0.02
_MAX_HELLO_BYTES = 4096

_pools: weakref.WeakSet[Sandbox] = weakref.WeakSet()


class Sandbox:
    """Runs JavaScript in confined workers. Safe to use from many threads; close it when done."""

    _keeper: threading.Thread | None

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
        self._blocks_per_worker = blocks_per_worker
        self._idle_seconds = idle_seconds
        self._start = start or (lambda: start_worker(self.limits, timezone=timezone))
        self._warmest_first = warmest_first
        """For workers that learn: the one that worked last works again, and none is started ahead."""
        self._closed = False
        self._forget_everything()
        _watch_over(self)

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
        block = prepare(script, names or {}, host or {}, (limits or self.limits).within(self.limits), helpers)
        # A block that cannot call the host ends the nesting: a file may still be asked what it is.
        if block.host and depth_of_blocks() >= MAX_DEPTH_OF_BLOCKS:
            raise SandboxError("sandbox-depth", depth=MAX_DEPTH_OF_BLOCKS)
        worker = self._borrow(cancellation)
        return self._converse(worker, block, cancellation)

    def close(self) -> None:
        """End all workers. Blocks that are running fail; later ones are refused."""
        with self._change:
            keeper, self._closed = self._keeper, True
            for worker in self._workers:
                worker.kill()
            self._orders.put(None)
            self._change.notify_all()
        if keeper is not None:
            keeper.join()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def pids(self) -> tuple[int, ...]:
        """The workers that are alive now."""
        with self._change:
            return tuple(worker.pid for worker in self._workers)

    # One block on a worker that was borrowed for it.

    def _converse(self, worker: WorkerProcess, block: Block, cancellation: Cancellation | None) -> JavaScriptResult:
        started = time.monotonic()
        conversation = Conversation(worker, block, self._lend_place)
        try:
            with cancellation.stopping(worker.hang_up) if cancellation else nullcontext():
                return conversation.result()
        except SandboxError as error:
            if cancellation and cancellation.cancelled:
                raise SandboxError("sandbox-cancelled") from None
            if isinstance(error, SandboxCrashError) and self._closed:
                raise _closed_error() from None
            raise
        finally:
            worker.blocks += 1
            worker.busy_seconds += time.monotonic() - started
            sound = conversation.worker_is_sound and not (cancellation and cancellation.cancelled)
            self._give_back(worker, sound=sound)

    @contextmanager
    def _lend_place(self) -> Iterator[None]:
        """While the host works for a block, its place is free for another."""
        with self._change:
            self._running -= 1
            self._change.notify()
        try:
            yield
        finally:
            with self._change:
                self._running += 1

    # Borrowing and giving back.

    def _borrow(self, cancellation: Cancellation | None) -> WorkerProcess:
        with self._change:
            self._wait_for_place(cancellation)
            self._running += 1
        try:
            return self._find_worker(cancellation)
        except BaseException:
            self._leave_place()
            raise

    def _wait_for_place(self, cancellation: Cancellation | None) -> None:
        while True:
            if self._closed:
                raise _closed_error()
            if cancellation and cancellation.cancelled:
                raise SandboxError("sandbox-cancelled")
            if self._running < self.size:
                return
            self._change.wait(_LOOK_FOR_CANCEL_SECONDS if cancellation else None)

    def _find_worker(self, cancellation: Cancellation | None) -> WorkerProcess:
        failed_starts = 0
        while failed_starts < _TRIED_STARTS:
            worker = self._idle_worker() or self._new_worker()
            if (worker.greeted or self._hear_hello(worker, cancellation)) and worker.is_silent_and_alive():
                return worker
            failed_starts += not worker.greeted
            self._dismiss(worker)
        raise SandboxError("sandbox-unavailable")

    def _idle_worker(self) -> WorkerProcess | None:
        """The worker that rested longest: its next context is surely ready."""
        with self._change:
            take = self._idle.pop if self._warmest_first else self._idle.popleft
            worker = take() if self._idle else None
            spare_wanted = not self._idle and len(self._workers) < self.size and self._served > 0
            spare_wanted = spare_wanted and not self._warmest_first
        if worker is not None and spare_wanted:
            self._order(self._add_spare)
        return worker

    def _new_worker(self) -> WorkerProcess:
        ready: SimpleQueue[WorkerProcess | Exception] = SimpleQueue()
        if not self._order(lambda: ready.put(self._start_one())):
            raise SandboxError("sandbox-closed")
        started = ready.get()
        if isinstance(started, Exception):
            raise SandboxError("sandbox-unavailable", details={"reason": str(started)}) from started
        return started

    def _hear_hello(self, worker: WorkerProcess, cancellation: Cancellation | None) -> bool:
        try:
            with cancellation.stopping(worker.hang_up) if cancellation else nullcontext():
                hello = worker.receive(most=_MAX_HELLO_BYTES, until=time.monotonic() + START_SECONDS)
        except (ChannelBrokenError, TimeoutError):
            if cancellation and cancellation.cancelled:
                self._dismiss(worker)
                raise SandboxError("sandbox-cancelled") from None
            return False
        worker.greeted = hello.letter == "H"
        return worker.greeted

    def _give_back(self, worker: WorkerProcess, *, sound: bool) -> None:
        tired = worker.blocks >= self._blocks_per_worker or worker.busy_seconds > MAX_BUSY_SECONDS
        worker.idle_since = time.monotonic()
        with self._change:
            kept = sound and not tired and not self._closed
            if kept:
                self._idle.append(worker)
            self._served += 1
        if not kept:
            self._dismiss(worker)
        self._leave_place()

    def _leave_place(self) -> None:
        with self._change:
            self._running -= 1
            self._change.notify()

    def _dismiss(self, worker: WorkerProcess) -> None:
        worker.kill()
        if not self._order(lambda: self._bury(worker)):
            self._bury(worker)

    # The keeper: the one thread that starts and buries workers.

    def _order(self, work: Callable[[], object]) -> bool:
        """Have the keeper do this; False when the pool is closed and has no keeper any more."""
        with self._change:
            if self._closed:
                return False
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name="sandbox-keeper", daemon=True)
                self._keeper.start()
            self._orders.put(work)
        return True

    def _keep(self) -> None:
        orders = self._orders
        while True:
            try:
                work = orders.get(timeout=self._idle_seconds)
            except Empty:
                work = self._retire_idle
            if work is None:
                break
            work()
        while self._idle:
            self._bury(self._idle.popleft())

    def _start_one(self) -> WorkerProcess | Exception:
        try:
            worker = self._start()
        except OSError as error:
            return error
        with self._change:
            self._workers.add(worker)
            if self._closed:
                worker.kill()
        return worker

    def _add_spare(self) -> None:
        with self._change:
            if len(self._workers) >= self.size or self._closed:
                return
        worker = self._start_one()
        if isinstance(worker, WorkerProcess):
            with self._change:
                self._idle.append(worker)

    def _retire_idle(self) -> None:
        now = time.monotonic()
        with self._change:
            tired = [worker for worker in self._idle if now - worker.idle_since > self._idle_seconds]
            for worker in tired:
                self._idle.remove(worker)
        for worker in tired:
            worker.kill()
            self._bury(worker)

    def _bury(self, worker: WorkerProcess) -> None:
        with self._change:
            self._workers.discard(worker)
        worker.reap()

    # Life with fork and the end of the program.

    def _forget_everything(self) -> None:
        """The state of a pool that has no worker and no keeper yet."""
        self._change = threading.Condition()
        self._orders: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._keeper = None
        self._workers: set[WorkerProcess] = set()
        self._idle: deque[WorkerProcess] = deque()
        self._running = 0
        self._served = 0

    def _start_over_after_fork(self) -> None:
        """In a forked child the workers belong to the parent and the keeper is gone."""
        for worker in self._workers:
            worker.abandon()
        self._forget_everything()


def _watch_over(pool: Sandbox) -> None:
    if not _pools:
        _arrange_for_fork_and_exit()
    _pools.add(pool)


_arranged = threading.Event()
_program_ends = threading.Event()


def _arrange_for_fork_and_exit() -> None:
    if _arranged.is_set():
        return
    _arranged.set()
    atexit.register(_close_all)
    os.register_at_fork(after_in_child=_start_over_in_child)


def _closed_error() -> SandboxError:
    if _program_ends.is_set() and threading.current_thread().daemon:
        # Nobody waits for this thread any more. An error in it would only write into a program that is being
        # taken down, which can crash it; so it stands still until it is gone.
        threading.Event().wait()
    return SandboxError("sandbox-closed")


def _close_all() -> None:
    _program_ends.set()
    for pool in list(_pools):
        pool.close()


def _start_over_in_child() -> None:
    for pool in list(_pools):
        pool._start_over_after_fork()  # noqa: SLF001  the pools' own module


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
    return _shared().run(code, names=names, limits=limits or Limits(), host=host).value


@cache
def _shared() -> Sandbox:
    return Sandbox(limits=_CEILING)
