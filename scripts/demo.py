"""Records a short session at a terminal and draws it as docs/demo.svg, which plays by itself.

    .venv/bin/python scripts/demo.py

The commands are really carried out, in a vault made for it; what they print is what is drawn.
"""

from __future__ import annotations

import os
import pty
import re
import select
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
GREET = """\
---
tool: true
name: greet
description: Greets somebody.
parameters:
  - name: who
    type: string
    description: Whom to greet
custom_function: return `Hello, ${input.who}!`;
---
"""
SESSION = (
    ("paper init my-vault >/dev/null && cd my-vault", ""),
    ("cat greet.md", ""),
    ("paper run greet -p who=Ada", ""),
    ("paper run greet", ""),
    ("paper run reading_list -p title=Emma", "y\n"),
    ("sed -i 's/input.who/process.env/' greet.md; paper check greet.md", ""),
)
COLOURS = {"31": "#f47067", "32": "#57ab5a", "33": "#c69026", "36": "#39c5cf", "90": "#768390", "1": "bold"}
LINE, WIDTH, MARGIN = 19, 860, 20
STEP, PAUSE = 0.12, 2.2
"""Seconds between two lines, and before a command."""
_PIECE = re.compile(r"\x1b\[([0-9;]*)m([^\x1b]*)|([^\x1b]+)")


@dataclass(frozen=True, kw_only=True)
class Line:
    """What stands in one line, and when it appears."""

    text: str
    seconds: float
    is_command: bool = False


def main() -> int:
    """Record and draw."""
    with tempfile.TemporaryDirectory() as folder:
        lines = list(_recorded(Path(folder)))
    (ROOT / "docs" / "demo.svg").write_text(drawing(lines), encoding="utf-8")
    return 0


def drawing(lines: list[Line]) -> str:
    """The lines as a picture in which they appear one after the other, and then stay."""
    height = LINE * len(lines) + 2 * MARGIN + 24
    body = "\n".join(_row(line, MARGIN + 30 + LINE * number) for number, line in enumerate(lines))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="A session with paper">
<style>
text {{ font: 13.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #adbac7; white-space: pre }}
.c {{ fill: #e6edf3; font-weight: 600 }}
g {{ animation: appear 0.01s both }}
@keyframes appear {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
@media (prefers-reduced-motion: reduce) {{ g {{ animation: none }} }}
</style>
<rect width="{WIDTH}" height="{height}" rx="10" fill="#22272e"/>
<circle cx="22" cy="20" r="6" fill="#444c56"/><circle cx="42" cy="20" r="6" fill="#444c56"/><circle cx="62" cy="20" r="6" fill="#444c56"/>
{body}
</svg>
"""  # noqa: E501  the lines of a picture


def _row(line: Line, top: int) -> str:
    kind = ' class="c"' if line.is_command else ""
    pieces = "".join(_pieces(line.text))
    delay = f"animation-delay:{line.seconds:.2f}s"
    return f'<g style="{delay}"><text x="{MARGIN}" y="{top}" xml:space="preserve"{kind}>{pieces}</text></g>'


def _pieces(text: str) -> Iterator[str]:
    colour = ""
    for match in _PIECE.finditer(text):
        for code in (match[1] or "").split(";"):
            colour = COLOURS.get(code, "" if code == "0" else colour)
        content = escape(match[2] or match[3] or "")
        style = ' font-weight="600"' if colour == "bold" else f' fill="{colour}"'
        yield f"<tspan{style}>{content}</tspan>" if colour and content else content


def _recorded(folder: Path) -> Iterator[Line]:
    seconds = 0.5
    for command, answer in SESSION:
        yield Line(text=f"$ {command}", seconds=seconds, is_command=True)
        for text in _printed(folder, command, answer):
            seconds += PAUSE if text.startswith("> ") else STEP
            yield Line(text=text, seconds=seconds)
        yield Line(text="", seconds=seconds)
        seconds += PAUSE


def _printed(folder: Path, command: str, answer: str) -> list[str]:
    """What a command prints at a terminal, line by line; what it wiped away again is left out."""
    vault = folder / "my-vault"
    place = vault if vault.is_dir() else folder
    output = _at_a_terminal(command.replace("paper ", f"{ROOT / 'paper'} "), place, answer)
    if vault.is_dir() and not (vault / "greet.md").exists():
        (vault / "greet.md").write_text(GREET, encoding="utf-8")
    lines = output.replace("\r\n", "\n").rstrip("\n").split("\n")
    return [line.rpartition("\x1b[2K")[2] for line in lines if line]


def _at_a_terminal(command: str, folder: Path, answer: str) -> str:
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LANG": "C.UTF-8", "HOME": str(folder)}
        os.execvpe("sh", ["sh", "-c", command], environment)
    output = ""
    while select.select([terminal], [], [], 60)[0]:
        try:
            output += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError:
            # The other end is closed: the command is done.
            break
        if answer and output.endswith("> "):
            os.write(terminal, answer.encode())
            answer = ""
    os.waitpid(process, 0)
    os.close(terminal)
    return output


if __name__ == "__main__":
    sys.exit(main())
