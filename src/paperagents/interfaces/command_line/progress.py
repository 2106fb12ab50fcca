"""What a person sees of a run while it goes on: a line for each step, and one that counts for a ``for_each``."""

from __future__ import annotations

import sys
import time
from dataclasses import field
from typing import Any

from paperagents.interfaces.command_line.output import (
    error_columns,
    format_duration,
    one_line,
    paint,
    say,
    say_allowed,
    say_warning,
    say_wrapped,
    visible,
    width,
)
from paperagents.messages import text
from paperagents.values import dataclass

MARKS = {"success": ("✓", "green"), "error": ("✗", "red"), "denied": ("✗", "red"), "skipped": ("–", None),
         "waiting": ("…", "yellow")}  # fmt: skip
"""How each status of a step is drawn."""


@dataclass(kw_only=True)
class Loop:
    """A ``for_each`` that goes on: which of its rounds have ended, and how."""

    step: int
    name: str
    rounds: int
    started: float = field(default_factory=time.monotonic)
    ended: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def describe(self) -> str:
        """How far it is."""
        count = text("cli.run.rounds", done=len(self.ended), rounds=self.rounds)
        failed = text("cli.run.rounds-failed", count=len(self.failed)) if self.failed else ""
        return f"{self.step:2}  {one_line(self.name)}  {count}{failed}"


class Progress:
    """Writes one line per step to standard error; where that is no terminal, only what a ``for_each`` came to.

    What a step failed with is told when the run goes on after it: where it ends the run, the end tells it.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.tools: dict[str, str] = {}
        """By run: the tool that somebody started it with."""
        self._quiet = quiet
        self._shown = not quiet and sys.stderr.isatty()
        self._open = False
        self._failure = ""
        self._loops: dict[str, Loop] = {}

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def on_event(self, event: Any) -> None:
        """Show a step of the run itself; those of nested runs are left out."""
        if "." in event.get("run_id", "") and event["type"] != "rule-made":
            return
        if event["type"] == "run-warned":
            self.clear()
            say_warning(event["message"])
        if event["type"] == "rule-made":
            self.clear()
            say_allowed(event["words"], event["rule"]["id"])
        if self._quiet:
            return
        match event["type"]:
            case "run-started":
                self.tools[event["run_id"]] = event["tool"]
            case "step-started":
                self._tell_failure()
                loop = self._find_loop(event)
                self._write_unfinished(f"  {event['step']:2}  {one_line(event['name'])}" if loop is None else loop)
            case "step-finished":
                self._end_step(event)
            case "run-finished":
                self._end_loops(complete=False)
                if event["status"] == "succeeded":
                    self._tell_failure()

    def clear(self) -> None:
        """Erase an unfinished line, for example before a question."""
        if self._open:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._open = False

    def _write_unfinished(self, shown: str | Loop) -> None:
        if self._shown:
            self.clear()
            sys.stderr.write(cut_to_row(f"{f'  {shown.describe()}' if isinstance(shown, Loop) else shown} …"))
            sys.stderr.flush()
            self._open = True

    def _end_step(self, event: Any) -> None:
        entry = event["entry"]
        is_good = entry["status"] in ("success", "skipped")
        loop = self._find_loop(event)
        self._tell_failure()
        if loop is None:
            self._print_step(entry)
        else:
            ended = str(event["path"]).rpartition("[")[2].partition("]")[0]
            loop.ended.add(ended)
            if not is_good:
                loop.failed.add(ended)
            self._print_notes(entry)
            self._write_unfinished(loop)
        self._failure = "" if is_good else entry["message"]

    def _find_loop(self, event: Any) -> Loop | None:
        """The ``for_each`` that this is a round of. Those that are complete are over when anything else begins."""
        rounds = event.get("rounds")
        if rounds is None:
            self._end_loops(complete=True)
            return None
        beginning = str(event["path"]).rpartition("[")[0]
        about = event.get("entry", event)
        if beginning not in self._loops:
            self._end_loops(complete=True)
            self._loops[beginning] = Loop(step=about["step"], name=about["name"], rounds=rounds)
        return self._loops[beginning]

    def _end_loops(self, *, complete: bool) -> None:
        """Print what became of each ``for_each``, or of those that are complete."""
        for path, loop in list(self._loops.items()):
            if complete and len(loop.ended) < loop.rounds:
                continue
            del self._loops[path]
            mark, colour = MARKS["error" if loop.failed else "success"]
            took = paint(format_duration((time.monotonic() - loop.started) * 1000), "bright_black", err=True)
            self.clear()
            say_wrapped(f"{paint(mark, colour, err=True)} {loop.describe()}  {took}")

    def _tell_failure(self) -> None:
        """Tell what a step failed with, now that the run goes on all the same."""
        if self._failure and self._shown:
            self.clear()
            say_wrapped(f"       {visible(self._failure)}")
        self._failure = ""

    def _print_step(self, entry: dict[str, Any]) -> None:
        if not self._shown:
            return
        self.clear()
        mark, colour = MARKS[entry["status"]]
        note = f"  {visible(entry['message'])}" if entry["status"] == "skipped" else ""
        took = paint(f"{format_duration(entry['duration_ms']):>10}", "bright_black", err=True)
        block = "" if entry["block"] == "tool" else f" ({entry['block']})"
        say_wrapped(f"{paint(mark, colour, err=True)} {entry['step']:2}  {visible(entry['name'])}{block} {took}{note}")
        self._print_notes(entry)

    def _print_notes(self, entry: dict[str, Any]) -> None:
        """What the step wrote to the console."""
        if self._shown and entry["console"]:
            self.clear()
            for line in entry["console"]:
                say(paint(f"       {visible(line['text'])}", "bright_black", err=True))


def cut_to_row(shown: str) -> str:
    """As much as fits into one row: what wraps into the next could not be erased."""
    columns = error_columns()
    if columns is None or width(shown) < columns:
        return shown
    while width(shown) > columns - 2:
        shown = shown[:-1]
    return f"{shown}…"
