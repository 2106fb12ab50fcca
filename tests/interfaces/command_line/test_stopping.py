"""A run is stopped cleanly by whatever asks the program to end."""

from __future__ import annotations

import os
import signal

import pytest
from tests.waiting import wait_until

from paperagents.interfaces.command_line.terminal import stopping_on_interrupt
from paperagents.sandbox import Cancellation


def sent(number: int, stop: Cancellation) -> None:
    os.kill(os.getpid(), number)
    wait_until(lambda: stop.cancelled)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_run_and_no_longer_afterwards(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with stopping_on_interrupt() as stop:
        sent(number, stop)
    assert signal.getsignal(number) == before


def test_a_run_that_shall_outlive_its_terminal_does() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stopping_on_interrupt() as stop:
        os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.signal(signal.SIGHUP, before)
    assert not stop.cancelled
