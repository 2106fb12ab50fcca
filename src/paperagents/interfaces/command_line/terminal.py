"""Asks the person at the terminal: shows exactly what will happen, and takes no silence for a yes."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from paperagents.approval.question import ApprovalRequest, Approved, Approver, Decision, Denied, Pending
from paperagents.calls.conversion import read_arguments
from paperagents.errors import CancelledError, PaperError, UsageError
from paperagents.interfaces.command_line.output import error_columns, one_line, paint, say, tell, visible, width
from paperagents.messages import text
from paperagents.sandbox import Cancellation

_LOOK_EVERY = 0.05
"""Seconds between two looks at whether the run was stopped while the person thinks."""


def somebody_is_there() -> bool:
    """Whether a question would reach a person."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class TerminalApprover(Approver):
    """A person at a terminal."""

    takes_time = True

    def __init__(self, progress: Progress | None = None, stop: Cancellation | None = None) -> None:
        self._progress = progress
        self._stop = stop or Cancellation()

    def decide(self, request: ApprovalRequest) -> Decision:
        """Show the change and ask until there is an answer; the end of the input leaves it open."""
        self._show(request)
        while True:
            try:
                answer = self._ask(text("ask.question"))
            except EOFError:
                return Pending()
            decision = self._understood(answer.lower(), request)
            if decision is not None:
                return decision
            tell(text("ask.help"))

    def try_again(self, error: PaperError) -> bool:
        """After a refused request: once more, or not."""
        say(paint(visible(error.message), "red", err=True))
        try:
            return self._ask(text("ask.try-again")).lower() in ("r", "retry")
        except EOFError:
            return False

    def _understood(self, answer: str, request: ApprovalRequest) -> Decision | None:
        match answer:
            case "y" | "yes" | "j" | "ja" | "是":
                return Approved()
            case "n" | "no" | "nein" | "否":
                return Denied(reason=self._reason())
            case "r" | "run":
                return Approved(for_run=True)
            case "a" | "always":
                return Approved(always=True)
            case "e" | "edit":
                return self._edited(request)
        return None

    def _reason(self) -> str:
        try:
            return self._ask(text("ask.reason"))
        except EOFError:
            # The no stands, also without a reason.
            return ""

    def _edited(self, request: ApprovalRequest) -> Decision | None:
        """The arguments in the person's own editor; unchanged or broken text is no answer."""
        before = json.dumps(request.arguments, ensure_ascii=False, indent=2)
        try:
            changed = click.edit(before, extension=".json")
        except click.ClickException as error:
            # There is no such editor, or it was left with a failure: nothing was decided.
            say(one_line(error.message))
            return None
        if changed is None:
            return None
        try:
            return Approved(arguments=read_arguments(changed))
        except UsageError as error:
            say(one_line(error.message))
            return None

    def _show(self, request: ApprovalRequest) -> None:
        if self._progress is not None:
            self._progress.clear()
        tell(paint(text("ask.title", tool=request.tool, step=request.step, run=request.run_id), bold=True, err=True))
        for line in request.preview.split("\n"):
            say("  " + coloured_diff_line(line, err=True))

    def _ask(self, question: str) -> str:
        """One line; a stop meanwhile ends the run. Nothing of this goes to standard output."""
        tell(question)
        sys.stderr.write("> ")
        sys.stderr.flush()
        line = b""
        while not line.endswith(b"\n"):
            while not select.select([sys.stdin], [], [], _LOOK_EVERY)[0]:
                if self._stop.cancelled:
                    say("")
                    raise CancelledError
            read = os.read(sys.stdin.fileno(), 65536)
            if not read:
                raise EOFError
            line += read
        return line.decode("utf-8", "replace").strip()


def coloured_diff_line(line: str, *, err: bool = False) -> str:
    """A line of a diff in its usual colour."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return paint(visible(line), colours.get(line[:1]), err=err)


# --- progress on a terminal: each step as it happens. Without a terminal: silence


_MARKS = {"success": ("✓", "green"), "error": ("✗", "red"), "denied": ("✗", "red"), "skipped": ("–", None),
          "waiting": ("…", "yellow")}  # fmt: skip


class Progress:
    """Listens to a run and writes one line per step to standard error."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._open = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def on_event(self, event: Any) -> None:
        """One thing that happened."""
        if not self._shown:
            return
        if event["type"] == "step-started" and "." not in event["run_id"]:
            self.clear()
            sys.stderr.write(_one_row(f"  {event['step']:2}  {one_line(event['name'])} …"))
            sys.stderr.flush()
            self._open = True
        elif event["type"] == "step-finished" and "." not in event["run_id"]:
            self.clear()
            self._line(event["entry"])

    def clear(self) -> None:
        """Take back an unfinished line, for example before a question."""
        if self._open:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._open = False

    def _line(self, entry: dict[str, Any]) -> None:
        mark, colour = _MARKS[entry["status"]]
        note = "" if entry["status"] == "success" else f"  {visible(entry['message'])}"
        took = paint(f"{entry['duration_ms']:8.1f} ms", "bright_black", err=True)
        block = "" if entry["block"] == "tool" else f" ({entry['block']})"
        tell(f"{paint(mark, colour, err=True)} {entry['step']:2}  {visible(entry['name'])}{block} {took}{note}")
        for line in entry["console"]:
            say(paint(f"       {visible(line['text'])}", "bright_black", err=True))


def _one_row(shown: str) -> str:
    """As much as fits into one row: what goes over into the next could not be taken back."""
    columns = error_columns()
    if columns is None or width(shown) < columns:
        return shown
    while width(shown) > columns - 2:
        shown = shown[:-1]
    return f"{shown}…"


# --- ctrl-C ends a run cleanly: it is recorded as cancelled. A second Ctrl-C ends the program


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
