"""Progress on a terminal: each step as it happens. Without a terminal: silence."""

from __future__ import annotations

import sys
from typing import Any

from paperagents.interfaces.command_line.output import error_columns, one_line, paint, say, tell, visible, width

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
