"""The person at the terminal: asked for approval, shown the progress, able to stop a run with Ctrl-C."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from shutil import get_terminal_size
from typing import Any, TypedDict

import click

from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    ApproveEverything,
    Approver,
    Decision,
    Denied,
    Pending,
)  # fmt: skip
from paperagents.approval.rule_words import describe_proposal
from paperagents.approval.rules import matches_path
from paperagents.calls.conversion import read_arguments
from paperagents.errors import CancelledError, PaperError, UsageError
from paperagents.interfaces.command_line.editor import edit_text
from paperagents.interfaces.command_line.hunk_review import review_hunks
from paperagents.interfaces.command_line.output import (
    one_line,
    paint,
    paint_diff_line,
    say,
    say_wrapped,
    visible,
)  # fmt: skip
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.questions import describe_question, tool_name
from paperagents.messages import text
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

_ALWAYS = ("a", "always", "i", "immer")
_POLL_SECONDS = 0.05
"""How often a waiting question looks whether the run was stopped."""


class Attendance(TypedDict):
    """The arguments of a run that a person at the terminal attends."""

    approver: Approver
    on_event: Callable[[Any], None]
    stop: Cancellation


@contextmanager
def attend_run(vault: Vault, *, yes: bool, quiet: bool) -> Iterator[Attendance]:
    """Inside, steps are shown, questions are asked and Ctrl-C stops the run that gets these arguments."""
    with stopping_on_interrupt() as stop, Progress(quiet=quiet) as progress:
        yield {
            "approver": choose_approver(yes=yes, progress=progress, stop=stop, name_of=partial(tool_name, vault)),
            "on_event": progress.on_event,
            "stop": stop,
        }


def choose_approver(
    *,
    yes: bool,
    progress: Progress | None = None,
    stop: Cancellation | None = None,
    name_of: Callable[[str], str] = str,
) -> Approver:
    """Nobody is asked with ``--yes``, else the person at the terminal; without a terminal a question waits.

    ``name_of`` is what people call the tool of this id.
    """
    if yes:
        return ApproveEverything()
    return TerminalApprover(progress, stop, name_of) if is_interactive() else Approver()


def is_interactive() -> bool:
    """Whether a question would reach a person."""
    return sys.stdin.isatty() and sys.stderr.isatty()


class TerminalApprover(Approver):
    """A person at a terminal."""

    takes_time = True

    def __init__(
        self,
        progress: Progress | None = None,
        stop: Cancellation | None = None,
        name_of: Callable[[str], str] = str,
    ) -> None:
        self._progress = progress
        self._stop = stop or Cancellation()
        self._name_of = name_of

    def decide(self, request: ApprovalRequest) -> Decision:
        """Show the change and ask until there is an answer; the end of the input leaves it open."""
        tool = request.tool
        if self._progress is not None:
            self._progress.clear()
            tool = self._progress.tools.get(request.run_id, tool)
        say_wrapped(paint(describe_question(request, self._name_of(tool)), bold=True, err=True))
        place = text("ask.place", tool=request.tool, step=request.step, run=request.run_id)
        say_wrapped(paint(one_line(place), "bright_black", err=True))
        show_diff(request)
        always = describe_proposal(request)
        if always:
            say_wrapped(one_line(text("ask.rule", rule=always)))
        discard_pending_input()
        while True:
            try:
                words = "ask.question-together" if request.files else "ask.question"
                answer = self.read_line(one_line(text(words, always=text("ask.always") if always else "")))
                decision = self._parse_answer(answer, request)
            except EOFError:
                return Pending()
            if decision is not None:
                return decision

    def confirm_environment(self, changed: PaperError) -> bool:
        """Before secrets go to a file that has changed."""
        if self._progress is not None:
            self._progress.clear()
        say(paint(visible(changed.message), "yellow", err=True))
        try:
            return self.ask_anew(text("ask.environment-changed")).lower() in ("y", "yes", "j", "ja", "是")
        except EOFError:
            return False

    def try_again(self, error: PaperError) -> bool:
        """After a refused request: once more, or not."""
        say(paint(visible(error.message), "red", err=True))
        try:
            # No letter that answers a question about a change: a finger that is late must not send anything.
            return self.ask_anew(text("ask.try-again")).lower() in ("t", "try", "retry", "w", "wiederholen", "重试")
        except EOFError:
            return False

    def _parse_answer(self, answer: str, request: ApprovalRequest) -> Decision | None:
        decision: Decision | None = None
        word, _, rest = answer.partition(" ")
        match word.lower() if request.scope is not None and word.lower() in _ALWAYS else answer.lower():
            case "y" | "yes" | "j" | "ja" | "是":
                decision = Approved(via="terminal")
            case "n" | "no" | "nein" | "否":
                decision = Denied(via="terminal")
                # At the end of the input the no stands, also without a reason.
                with suppress(EOFError):
                    decision = Denied(reason=self.read_line(text("ask.reason")), via="terminal")
            case "p" | "pick" | "a" | "auswählen" if request.files:
                # At the end of the input nothing is decided.
                decision = review_hunks(request, self.ask_anew)
            case "c" | "collect" | "s" | "sammeln" if not request.files:
                decision = Approved(via="terminal", together=True)
            case "r" | "run" | "rest" if not request.files:
                decision = Approved(via="terminal", for_run=True)
            case "a" | "always" | "i" | "immer" if request.scope is not None:
                decision = self.choose_rule(request, rest.strip())
            case "e" | "edit" if not request.files:
                decision = self.edit_arguments(request)
            case _:
                # Silence and unknown words are no yes.
                say_wrapped(text("ask.help-together" if request.files else "ask.help"))
                if always := describe_proposal(request):
                    say_wrapped(text("ask.help.always", rule=one_line(always)))
                if request.scope is not None and request.scope.path:
                    folder = request.scope.path.rpartition("/")[0]
                    say_wrapped(text("ask.help.wider", path=one_line(f"{folder}/*".lstrip("/"))))
        return decision

    def choose_rule(self, request: ApprovalRequest, path: str) -> Decision | None:
        """Yes from now on: to exactly this, or to what fits a pattern that covers it."""
        assert request.scope is not None
        if path and not matches_path(path, request.scope.path):
            say_wrapped(one_line(text("rule-covers-nothing", path=path, target=request.target)))
            return None
        return Approved(via="terminal", always=True, path=path)

    def edit_arguments(self, request: ApprovalRequest) -> Decision | None:
        """The arguments in the person's own editor; unchanged or broken text is no answer."""
        before = json.dumps(request.arguments, ensure_ascii=False, indent=2)
        try:
            changed = edit_text(before, extension=".json")
            if changed is not None and changed.strip() != before:
                return Approved(via="terminal", arguments=read_arguments(changed))
            say_wrapped(text("ask.unchanged"))
        except UsageError as error:
            # No editor, one that failed, or no JSON: nothing was decided.
            say_wrapped(one_line(str(error)))
        return None

    def ask_anew(self, question: str) -> str:
        """Ask for one line that is typed from now on."""
        discard_pending_input()
        return self.read_line(question)

    def read_line(self, question: str) -> str:
        """Ask for one line on standard error. Raises CancelledError where the run is stopped meanwhile."""
        say_wrapped(question)
        sys.stderr.write("> ")
        sys.stderr.flush()
        line = b""
        while not line.endswith(b"\n"):
            while not select.select([sys.stdin], [], [], _POLL_SECONDS)[0]:
                if self._stop.cancelled:
                    say("")
                    raise CancelledError
            # Past Python's own buffer: select does not see what is already in it.
            read = os.read(sys.stdin.fileno(), 65536)
            if not read:
                raise EOFError
            line += read
        return line.decode("utf-8", "replace").strip()


def show_diff(request: ApprovalRequest) -> None:
    """Exactly what would happen; several changes that do not fit on the screen in the person's pager."""
    lines = request.preview.split("\n")
    if request.files and len(lines) > get_terminal_size().lines and sys.stdout.isatty():
        click.echo_via_pager("".join(f"{paint_diff_line(line)}\n" for line in lines))
        return
    for line in lines:
        say("  " + paint_diff_line(line, err=True))


def discard_pending_input() -> None:
    """Throw away what was typed before a question was on the screen: it is no answer to it."""
    with suppress(termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


@contextmanager
def stopping_on_interrupt() -> Iterator[Cancellation]:
    """Inside, SIGINT, SIGTERM and SIGHUP cancel the run, which is recorded; a second one ends the program."""
    stop = Cancellation()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_signal(number: int, _frame: object) -> None:
        if stop.cancelled:
            raise KeyboardInterrupt
        # In a thread: the signal may interrupt whoever holds the lock that cancelling needs.
        threading.Thread(target=stop.cancel, daemon=True).start()
        if number == signal.SIGINT:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    # Closing the terminal stops the run, unless it was started to outlive it (nohup).
    closing = [signal.SIGHUP] if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN else []
    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM, *closing)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
