"""Asks the person at the terminal: shows exactly what will happen, and takes no silence for a yes."""

from __future__ import annotations

import json
import os
import select
import sys

import click

from paperagents.approval.decision import ApprovalRequest, Approved, Approver, Decision, Denied, Pending
from paperagents.calls.json_arguments import read_arguments
from paperagents.errors import CancelledError, PaperError, UsageError
from paperagents.interfaces.command_line.output import one_line, paint, say, tell, visible
from paperagents.interfaces.command_line.progress import Progress
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
