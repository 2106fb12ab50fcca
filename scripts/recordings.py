"""Replays the recordings of a terminal in docs/terminal/, and renews them.

    .venv/bin/python scripts/recordings.py

A recording is what was typed and what was on the screen:

========  ======================================================================================
line      meaning
========  ======================================================================================
``# …``   a remark
``$ …``   a command, typed to the shell
``> …``   directly below a command: its next line
``⌨ …``   a line typed to the program, when its prompt (``> ``) is at the end of the screen
others    the screen: times, dates and ids are masked, an erased line is gone
========  ======================================================================================

The commands are really carried out, one after the other, each on a pseudo terminal, in an empty folder.
"""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "terminal"
COLUMNS = 100
PATIENCE = 60.0
"""Seconds without a sign of life after which a program is taken for stuck."""
_PROMPT = re.compile(r"(?:^|\n)[^\n]{0,20}> $")
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>()][0-9A-Z]?)")
_MASKS = (
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T -][0-9]{2}[:-]?[0-9]{2}(?:[:-]?[0-9]{2})?)?"), "<date>"),
    (re.compile(r"(?<=<date>-)[0-9a-f]{6}\b"), "<id>"),
    (re.compile(r" +[0-9]+(?:\.[0-9]+)? (?:ms|s|min)\b(?: [0-9]+ s)?( ?) *"), r"  <time>\1"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?:[0-9a-f]{16}|[0-9a-f]{8})\b"), "<id>"),
    (re.compile(r"\b[0-9]{8}\b|\b[0-9]{16}\b"), "<id>"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A command, and the lines that are typed while it goes on."""

    text: str
    keys: tuple[str, ...]


def read_commands(recording: str) -> Iterator[Command | str]:
    """The remarks, and the commands with their keys, in order."""
    command: list[str] = []
    keys: list[str] = []
    in_command = False
    for line in [*recording.splitlines(), "# end"]:
        if line.startswith(("$ ", "# ")) and command:
            yield Command(text="\n".join(command), keys=tuple(keys))
            command, keys = [], []
        if line.startswith("# "):
            yield line
        elif line.startswith("$ "):
            command = [line[2:]]
            in_command = True
        elif line.startswith(">") and command and in_command:
            command.append(line[2:])
        else:
            in_command = False
            if line.startswith("⌨"):
                keys.append(line[2:])


def replay(recording: str, folder: Path) -> str:
    """What the recording is when it is made again in this empty folder."""
    programs = folder / ".bin"
    programs.mkdir()
    (programs / "paper").symlink_to(ROOT / "paper")
    environment = {
        "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder / ".home"), "LANG": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1",
    }  # fmt: skip
    vault, told = folder / "vault", []
    for each in list(read_commands(recording))[:-1]:
        if isinstance(each, str):
            told.append(each)
        else:
            at = vault if vault.is_dir() else folder
            shown = mask(render(carry_out(each, at, environment)))
            told += [f"$ {each.text}".replace("\n", "\n> "), *filter(None, [shown])]
    return "\n".join(told) + "\n"


def carry_out(command: Command, at: Path, environment: dict[str, str]) -> str:
    """Everything a command writes to its terminal; the keys stand where they were typed."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(at)
        os.execvpe("sh", ["sh", "-c", command.text], environment)
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    written, typed, waiting = "", "", list(command.keys)
    try:
        while (piece := _read(terminal)) is not None:
            typed += piece
            while waiting and _PROMPT.search(_ESCAPE.sub("", typed.replace("\r", ""))):
                keys = waiting.pop(0)
                os.write(terminal, f"{keys}\n".encode())
                written += f"{typed}\n⌨ {keys}".rstrip() + "\n"
                typed = _without_echo(terminal, keys)
    finally:
        os.close(terminal)
        os.kill(process, signal.SIGHUP)
        os.waitpid(process, 0)
    return written + typed


def _read(terminal: int) -> str | None:
    """The next piece; None at the end, and where a program is stuck."""
    if not select.select([terminal], [], [], PATIENCE)[0]:
        return None
    try:
        piece = os.read(terminal, 65536)
        while piece and _is_cut(piece):
            piece += os.read(terminal, 1)
    except OSError:
        return None
    return piece.decode() or None


def _is_cut(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return True
    return False


def _without_echo(terminal: int, keys: str) -> str:
    """What follows the keys on the screen; they themselves are told already."""
    seen = ""
    while "\n" not in seen:
        if (piece := _read(terminal)) is None:
            break
        seen += piece
    echo, _, rest = seen.partition("\n")
    return rest if keys in _ESCAPE.sub("", echo) else seen


def render(written: str) -> str:
    """What stays on the screen: without colours, and without lines that were erased."""
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in written.split("\n")]
    return "\n".join(_ESCAPE.sub("", line).rstrip() for line in lines).strip("\n")


def mask(screen: str) -> str:
    """The screen without what is different each time."""
    for pattern, word in _MASKS:
        screen = pattern.sub(word, screen)
    return screen


if __name__ == "__main__":
    for file in sorted(FOLDER.glob("*.txt")):
        before = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as empty:
            file.write_text(replay(before, Path(empty)), encoding="utf-8")
        print(file.relative_to(ROOT))
