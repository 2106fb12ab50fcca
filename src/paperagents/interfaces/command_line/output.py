"""What the command line prints: data on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import unicodedata
from datetime import datetime, tzinfo
from typing import Any

import click

from paperagents.definitions.source import Problem
from paperagents.errors import PaperError
from paperagents.messages import text

_NARROW = 30
"""Columns that a sentence needs beside a table; with less room it stands below."""
_WORD = r"[\u3040-\u9fff][\u3001-\u301f\uff00-\uff65]*\s*|[^\s\u3040-\u9fff]+\s*"
"""What stays together on a row: a word, or a Chinese character with the signs behind it. Compiled when it is needed."""
_USUAL = 80
"""Columns of a terminal that does not say how many it has."""
_COLOURS = {"error": "red", "warning": "yellow"}


def print_json(value: Any) -> None:
    """One document on standard output; what a terminal could obey is escaped, which JSON reads as the same."""
    click.echo(re.sub(r"[^\x00-\x7e]", _json_character, json.dumps(value, ensure_ascii=False, indent=2)))


def say(message: str) -> None:
    """A message for the person, on standard error."""
    click.echo(message, err=True)


def tell(sentence: str) -> None:
    """The same for a sentence: where a terminal is too narrow, it goes on below, and no word is cut."""
    columns = error_columns()
    say(sentence if columns is None else "\n".join(_between_words(line, columns) for line in sentence.split("\n")))


def _between_words(line: str, columns: int) -> str:
    """A word that is too long stays whole: it may be an address that somebody copies."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    rows = [indent]
    for word in re.findall(_WORD, line):
        if rows[-1].strip() and width(click.unstyle(rows[-1] + word.rstrip())) > columns:
            rows.append(indent)
        rows[-1] += word
    return "\n".join(row.rstrip() for row in rows)


def print_error(error: PaperError) -> None:
    """What went wrong and what to do next."""
    tell(paint(f"{text('cli.error')}: ", "red", bold=True, err=True) + one_line(error.message))
    if error.hint:
        tell(f"  {one_line(error.hint)}")


def paint(shown: str, colour: str | None = None, *, bold: bool = False, err: bool = False) -> str:
    """Coloured on a terminal, plain anywhere else."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return shown
    return click.style(shown, fg=colour, bold=bold)


def visible(shown: str) -> str:
    """Control characters made visible: a file must not be able to move the cursor or change the title."""
    if shown.isprintable():
        return shown
    return "".join(_visible_character(each) for each in shown)


def one_line(shown: str) -> str:
    """The same for a name or a sentence: it must not be able to make up a line of its own either."""
    return visible(shown.replace("\n", "\\n").replace("\t", "\\t"))


def _visible_character(character: str) -> str:
    if character in "\n\t" or character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return f"\\u{ord(character):04x}"


def _json_character(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def width(shown: str) -> int:
    """Columns on a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in shown)


def local_time(moment: object, zone: tzinfo | None = None) -> str:
    """A recorded moment as the clock on the wall showed it: in this zone, else the system's."""
    return f"{datetime.fromisoformat(str(moment)).astimezone(zone):%Y-%m-%d %H:%M:%S}"


def padded(shown: str, columns: int) -> str:
    """The text filled up with blanks to so many columns."""
    return shown + " " * max(columns - width(shown), 0)


def terminal_columns() -> int | None:
    """How wide the terminal is; None where what is printed goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def error_columns() -> int | None:
    """How wide the terminal is that standard error goes to; None where it goes elsewhere."""
    if not sys.stderr.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL
    except OSError:
        return _USUAL


def hanging(before: str, note: str, *, indent: int, colour: str | None = None) -> str:
    """A row of a table whose last column goes on below itself on a terminal; one line anywhere else."""
    columns = terminal_columns()
    if columns is None:
        return before + note
    if columns - indent < _NARROW:
        indent, before = 4, f"{before.rstrip()}\n    "
    elif width(click.unstyle(before)) > indent:
        before = f"{before.rstrip()}\n{' ' * indent}"
    lines = [paint(line, colour) for line in folded(note, max(columns - indent, 1))]
    return before + f"\n{' ' * indent}".join(lines)


def folded(shown: str, room: int) -> list[str]:
    """The text in lines of so many columns, broken between words where that can be."""
    lines = [""]
    for word in re.findall(r"\S+\s*", shown):
        if lines[-1] and width(lines[-1]) + width(word.rstrip()) > room:
            lines.append("")
        for character in word:
            if not character.isspace() and width(lines[-1]) + width(character) > room:
                lines.append("")
            lines[-1] += character
    return [line.rstrip() for line in lines]


def problem_lines(problem: Problem, source: list[str]) -> list[str]:
    """A problem as a person reads it: where, what, the line itself with a mark below, and the hint."""
    span = problem.span
    where = paint(one_line(f"{problem.file}:{span.line}:{span.column}"), bold=True)
    severity = paint(text(f"cli.severity.{problem.severity}"), _COLOURS[problem.severity])
    lines = [f"{where}: {severity} {problem.code}: {one_line(problem.message)}"]
    if 0 < span.line <= len(source):
        lines += _marked_line(problem, source[span.line - 1].removesuffix("\r"))
    if problem.hint:
        lines.append(f"       {one_line(problem.hint)}")
    return lines


def _marked_line(problem: Problem, line: str) -> list[str]:
    span = problem.span
    end = span.end_column if span.end_line == span.line else len(line) + 1
    before, marked = line[: span.column - 1], line[span.column - 1 : end - 1]
    if len(line) > 160:
        # Keep the marked part in view.
        start = max(0, len(before) - 60)
        line, before, marked = line[start : start + 160], before[start:], marked[:80]
    gutter = f"{span.line:5} | "
    pad = "".join("\t" if each == "\t" else " " * width(visible(each)) for each in before)
    caret = paint("^" * max(width(visible(marked)), 1), _COLOURS[problem.severity])
    return [gutter + visible(line), " " * 5 + " | " + pad + caret]


# --- the standard streams. The one place that knows that they may be closed; everybody else uses them as they are


_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare_streams() -> None:
    """Three open streams, in UTF-8 whatever the locale says; a character that cannot be written ends nothing.

    One that was closed (``<&-``) is empty and takes everything.
    """
    # Numbers first: a file that is opened gets the lowest free one, and would be written to in place of the stream.
    for number in range(len(_MODES)):
        _occupy(number)
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        # Those below are open, so this is the lowest free number. Processes that we start inherit it, too.
        os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  the library's signature
