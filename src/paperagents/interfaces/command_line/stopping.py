"""Ctrl-C ends a run cleanly: it is recorded as cancelled. A second Ctrl-C ends the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from paperagents.sandbox import Cancellation


@contextmanager
def stopping_on_interrupt() -> Iterator[Cancellation]:
    """Inside, an interrupt, a polite request to end or the end of the terminal stops the run."""
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

    # A terminal that is closed says so, unless somebody wanted the run to outlive it (nohup).
    closing = [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM, *closing)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
