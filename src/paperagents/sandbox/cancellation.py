"""A person's wish to stop, carried to whatever is waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


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
