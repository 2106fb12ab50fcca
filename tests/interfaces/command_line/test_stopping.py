"""A run is stopped cleanly by whatever asks the program to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.interfaces.command_line.conftest import Paper
from tests.waiting import wait_until

from paperagents.interfaces.command_line import notes_commands
from paperagents.interfaces.command_line.output import print_json
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


INTERRUPTED = """
import os, signal, sys
from paperagents.__main__ import main

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "paperagents.interfaces.command_line." + os.environ["MODULE"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
main()
"""
"""The program, interrupted when it loads a module."""


def interrupt(module: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "list", "--json"],
        env={**os.environ, "MODULE": module}, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_an_interruption_while_the_program_loads_ends_it_without_a_word(tmp_path: Path) -> None:
    done = interrupt("app", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_an_interruption_before_anything_ran_is_a_document_too(tmp_path: Path) -> None:
    done = interrupt("notes_commands", tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
    assert json.loads(done.stdout)["error"]["code"] == "cancelled"


def test_an_interruption_behind_a_document_adds_no_second_one(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    def be_interrupted(value: object) -> None:
        print_json(value)
        raise KeyboardInterrupt

    monkeypatch.setattr(notes_commands, "print_json", be_interrupted)
    answer = paper("list", "--json")
    assert answer.code == 130
    assert isinstance(answer.document, list)
