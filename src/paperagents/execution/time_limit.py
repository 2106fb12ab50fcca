"""A limit on the time a step takes. The time a person needs to answer does not count."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from paperagents.errors import ToolError
from paperagents.sandbox import Cancellation


class TimeLimit(Cancellation):
    """Cancels by itself when the time is over."""

    def __init__(self, seconds: float, outer: TimeLimit | None = None, *, code: str = "step-timeout") -> None:
        super().__init__()
        self._seconds = self._left = seconds
        self._code = code
        self._outer = outer
        self._pauses = 0
        self._changing = threading.Lock()
        self._timer: threading.Timer | None = None
        self._since = 0.0

    def exceeded(self) -> ToolError:
        """Why the work ended: because of the outermost limit that was reached."""
        if self._outer is not None and self._outer.cancelled:
            return self._outer.exceeded()
        return ToolError(self._code, seconds=f"{self._seconds:g}", retryable=True)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Inside, the time passes."""
        with self._changing:
            self._start()
        try:
            yield
        finally:
            with self._changing:
                self._halt()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, no time passes, also not that of the limits around this one."""
        with self._outer.paused() if self._outer is not None else nullcontext():
            with self._changing:
                self._pauses += 1
                if self._pauses == 1:
                    self._halt()
            try:
                yield
            finally:
                with self._changing:
                    self._pauses -= 1
                    if self._pauses == 0:
                        self._start()

    def _start(self) -> None:
        self._since = time.monotonic()
        self._timer = threading.Timer(max(self._left, 0.0), self.cancel)
        self._timer.daemon = True
        self._timer.start()

    def _halt(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= time.monotonic() - self._since
