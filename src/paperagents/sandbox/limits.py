"""How much a block of JavaScript may use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields, replace

from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The most one block may take. A tool can lower what its vault allows, never raise it."""

    seconds: float = 5.0
    """Time on the clock, which stands still while the host answers a call."""
    memory_mb: int = 256
    output_mb: int = 16
    """The size of the returned value as JSON, and of the arguments of one call to the host."""
    host_calls: int = 1000

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 < getattr(self, field.name) < float("inf"):
                problem = f"the limit {field.name} must be a positive number"
                raise ValueError(problem)

    def lowered_to(self, **wanted: float) -> Limits:
        """These limits with some of them lowered; a value above the present one changes nothing."""
        return replace(self, **{name: min(getattr(self, name), value) for name, value in wanted.items() if value})

    def within(self, ceiling: Limits) -> Limits:
        """These limits, each at most the ceiling's."""
        return ceiling.lowered_to(**asdict(self))


# --- a person's wish to stop, carried to whatever is waiting


class Cancellation:
    """Pass one to a run; calling cancel() from any thread ends the block at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stops: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop everything that runs under this cancellation, now and from now on."""
        with self._lock:
            self._cancelled = True
            for stop in self._stops:
                stop()

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """While inside, stop() is what a cancel calls; at once when it was called before.

        It is never called once the block is over, so it runs under a lock and must not take another.
        """
        with self._lock:
            self._stops.append(stop)
            if self._cancelled:
                stop()
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)
