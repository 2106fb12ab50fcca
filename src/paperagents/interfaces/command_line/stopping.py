"""Ctrl-C ends a run cleanly: it is recorded as cancelled. A second Ctrl-C ends the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from paperagents.sandbox import Cancellation


@contextmanager
def stopping_on_interrupt() -> Iterator[Cancellation]:
    """Inside, an interrupt or a polite request to end stops the run."""
    stop = Cancellation()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_signal(number: int, _frame: object) -> None:
        if stop.cancelled:
            raise KeyboardInterrupt
        # Not here: a signal may come while the very lock is held that a stop needs.
        threading.Thread(target=stop.cancel, daemon=True).start()
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
