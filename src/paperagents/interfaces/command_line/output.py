"""Printing: data on standard output, everything else on standard error."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import sys
import unicodedata
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

import click

from paperagents.approval.invisible import escape_invisible
from paperagents.definitions.source import Problem
from paperagents.errors import PaperError
from paperagents.messages import text

_NARROW = 30
"""Columns that the last cell of a row needs; with less room it goes below."""
_WORD = r"[\u3040-\u9fff][\u3001-\u301f\uff00-\uff65]*\s*|[^\s\u3040-\u9fff]+\s*"
"""What is not broken: a word, or a Chinese character with the punctuation behind it. Compiled on first use."""
_USUAL = 80
"""Columns of a terminal that does not report its width."""
_MINUTE = 60
_THOUSAND = 1000
_named_vault: Path | None = None
_COLOURS = {"error": "red", "warning": "yellow"}


def print_json(value: Any) -> None:
    """One document on standard output; what a terminal could obey is escaped as JSON allows."""

    def escape(found: re.Match[str]) -> str:
        return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]

    if (context := click.get_current_context(silent=True)) is not None and context.obj is not None:
        context.obj.has_document = True
    click.echo(re.sub(r"[^\x00-\x7e]", escape, json.dumps(value, ensure_ascii=False, indent=2)))


def say(message: str) -> None:
    """Print a message on standard error."""
    click.echo(message, err=True)


def say_wrapped(sentence: str) -> None:
    """The same for a sentence, wrapped at the width of the terminal."""
    columns = error_columns()
    say(sentence if columns is None else "\n".join(wrap_words(line, columns) for line in sentence.split("\n")))


def say_warning(message: str) -> None:
    """The same for something a person should know, though all went well."""
    say_wrapped(f"{paint(text('cli.severity.warning'), 'yellow', err=True)}: {one_line(message)}")


def wrap_words(line: str, columns: int) -> str:
    """A line in rows of so many columns. A longer word stays whole: it may be an address to copy."""
    indent = " " * (len(line) - len(line.lstrip(" ")))
    rows = [indent]
    for word in re.findall(_WORD, line):
        if rows[-1].strip() and width(click.unstyle(rows[-1] + word.rstrip())) > columns:
            rows.append(indent)
        rows[-1] += word
    return "\n".join(row.rstrip() for row in rows)


def print_error(error: PaperError) -> None:
    """What went wrong and what to do next."""
    say_wrapped(paint(f"{text('cli.error')}: ", "red", bold=True, err=True) + one_line(error.message))
    if error.hint:
        say_wrapped(f"  {one_line(name_command(error.hint))}")


def say_next(sentence: str) -> None:
    """A sentence that names commands, as they can be typed here."""
    say_wrapped(name_command(sentence))


def say_allowed(words: str, rule: str) -> None:
    """What is allowed from now on, and how to take it back."""
    say_wrapped(text("ask.allowed", rule=words))
    say_next(text("ask.allowed.undo", id=rule))


def read_secret(question: str) -> str:
    """A line that nobody sees: not on the screen, not in the shell's history, not in the list of processes."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    answer: str = click.prompt(question, default="", show_default=False, hide_input=True, err=True)
    return answer


def paint(shown: str, colour: str | None = None, *, bold: bool = False, err: bool = False) -> str:
    """Coloured on a terminal, plain anywhere else."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return shown
    return click.style(shown, fg=colour, bold=bold)


def paint_diff_line(line: str, *, err: bool = False) -> str:
    """A line of a diff in its usual colour."""
    colours = {"+": "green", "-": "red", "@": "cyan"}
    return paint(visible(line), colours.get(line[:1]), err=err)


def visible(shown: str) -> str:
    """Everything invisible as an escape: a file must not be able to move the cursor or change the title."""
    return escape_invisible(shown)


def one_line(shown: str) -> str:
    """The same for a name or a sentence: it must not be able to forge a line of its own either."""
    return visible(shown.replace("\n", "\\n").replace("\t", "\\t"))


def width(shown: str) -> int:
    """How many columns a text takes: Chinese characters take two."""
    return (
        len(shown) if shown.isascii() else sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in shown)
    )


def local_time(moment: object, zone: tzinfo | None = None) -> str:
    """A recorded moment in this time zone, else in the system's."""
    return f"{datetime.fromisoformat(str(moment)).astimezone(zone):%Y-%m-%d %H:%M:%S}"


def format_duration(milliseconds: object) -> str:
    """A duration for people: 0.4 ms, 7.0 s, 2 min 5 s."""
    seconds = float(str(milliseconds)) / 1000
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    # Rounded before it is told in minutes: there is no minute of sixty seconds.
    if round(seconds, 1) < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), _MINUTE)
    return f"{minutes} min {rest} s"


def format_size(size: object) -> str:
    """A number of bytes for people: 0 KB, 34 KB, 1.2 MB, 3.4 GB."""
    kilobytes = float(str(size)) / 1000
    for unit in ("KB", "MB"):
        if round(kilobytes, 1) < _THOUSAND:
            return f"{kilobytes:.0f} {unit}" if unit == "KB" else f"{kilobytes:.1f} {unit}"
        kilobytes /= 1000
    return f"{kilobytes:.1f} GB"


def pad(shown: str, columns: int) -> str:
    """Fill a text up with blanks to so many columns."""
    return shown + " " * max(columns - width(shown), 0)


def terminal_columns() -> int | None:
    """The width of the terminal; None where standard output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def error_columns() -> int | None:
    """The width of the terminal behind standard error; None where it goes elsewhere."""
    if not sys.stderr.isatty():
        return None
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL
    except OSError:
        return _USUAL


def hang_note(before: str, note: str, *, indent: int, colour: str | None = None) -> str:
    """A row of a table whose last cell is wrapped below itself on a terminal; one line anywhere else."""
    columns = terminal_columns()
    if columns is None:
        return before + note
    if columns - indent < _NARROW:
        indent, before = 4, f"{before.rstrip()}\n    "
    elif width(click.unstyle(before)) > indent:
        before = f"{before.rstrip()}\n{' ' * indent}"
    lines = [paint(line, colour) for line in fold(note, max(columns - indent, 1))]
    return before + f"\n{' ' * indent}".join(lines)


def fold(shown: str, room: int) -> list[str]:
    """A text in lines of so many columns, broken between words where possible."""
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
    """A problem for a person: where, what, the line with the place marked, and the hint."""
    span = problem.span
    where = paint(one_line(f"{problem.file}:{span.line}:{span.column}"), bold=True)
    severity = paint(text(f"cli.severity.{problem.severity}"), _COLOURS[problem.severity])
    lines = [f"{where}: {severity} {problem.code}: {one_line(problem.message)}"]
    if 0 < span.line <= len(source):
        lines += mark_line(problem, source[span.line - 1].removesuffix("\r"))
    if problem.hint:
        lines.append(f"       {one_line(problem.hint)}")
    return lines


def mark_line(problem: Problem, line: str) -> list[str]:
    """A source line, and below it a caret at every marked character."""
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


def name_vault(folder: Path | None) -> None:
    """Remember the value of ``--vault``: a command that is proposed later needs it, too."""
    global _named_vault  # noqa: PLW0603  an error is printed when the contexts of click are gone
    _named_vault = folder


def own_command() -> str:
    """How this program is called from where the person stands, for the vault that was named."""
    return f"{own_program()} {_vault_option()}".rstrip()


def own_program() -> str:
    """``paper`` where the shell finds it, else its path."""
    # The script of a checkout says how it was called.
    called, found = os.environ.get("PAPER_COMMAND") or sys.argv[0], shutil.which("paper")
    if Path(called).name == "__main__.py":
        is_beside = found is not None and Path(found).parent == Path(sys.executable).parent
        return "paper" if is_beside else f"{shlex.quote(sys.executable)} -m paperagents"
    is_elsewhere = Path(called).name == "paper" and (
        found is None or os.path.realpath(found) != os.path.realpath(called)
    )
    return shlex.quote(called) if is_elsewhere else "paper"


def name_command(words: str) -> str:
    """A sentence with commands as they can be typed here.

    The script of a checkout is not on the path, and the vault that was named is not found by itself.
    """
    program = own_program() if "PAPER_COMMAND" in os.environ else "paper"

    def spell_out(found: re.Match[str]) -> str:
        named = "" if found[1] == "init" or found[1].startswith("-") else _vault_option()
        return f"{program} {named}{found[1]}"

    return re.sub(r"(?<![\w./-])paper ((?:--)?[a-z]+)", spell_out, words)


def _vault_option() -> str:
    return "" if _named_vault is None else f"--vault {shlex.quote(str(_named_vault))} "


def prepare_streams() -> None:
    """Make all three standard streams usable, in UTF-8 whatever the locale says.

    One that was closed (``<&-``) becomes the null device.
    """
    # Descriptors first: the next file to be opened gets the lowest free one, and would be written to as the stream.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Those below are open, so this is the lowest free number. Child processes inherit it, too.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003  the library's signature
    for name, mode in {"stdin": "r", "stdout": "w", "stderr": "w"}.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123  open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
