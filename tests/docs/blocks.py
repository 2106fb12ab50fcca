"""Carries out the code blocks of a page, in order, in one empty folder: what a page shows is what happens.

==============================  =========================================================================
block                           what is done with it
==============================  =========================================================================
any, with ``title="PATH"``      written to that file
``sh``                          run; must succeed
``console``                     each ``$ command`` is run; what it prints must be what follows (``…`` is any text)
``python``                      run; must succeed
``javascript``                  run in the sandbox as the body of a function
``json``, ``toml``, ``yaml``    must be readable
``py``                          nothing: source of the program, which ``scripts/reference.py`` keeps true
``text``                        nothing: pictures made of letters
==============================  =========================================================================

A block that cannot be run here has a comment before it that says why: ``<!-- not run: … -->``. What a page needs
but does not show stands in ``<!-- setup … -->`` and is run like ``sh``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from paperagents.definitions.source import Excerpt
from paperagents.sandbox import run_javascript

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<content>.*?)^(?P=fence)$"
    r"|^<!-- (?P<what>not run|setup)\b:?(?P<said>.*?)-->$",
    re.MULTILINE | re.DOTALL,
)
_READERS: dict[str, Callable[[str], object]] = {"json": json.loads, "toml": tomllib.loads, "yaml": yaml.safe_load}


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    title: str | None
    content: str
    not_run: str | None = None
    """Why it is only shown."""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    """Every block, the hidden ones too."""
    text = page.read_text(encoding="utf-8")
    not_run = None
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        name = page.relative_to(ROOT).as_posix()
        if match["what"] == "not run":
            not_run = match["said"].strip()
        elif match["what"] == "setup":
            yield Block(page=name, line=line, language="sh", title=None, content=match["said"])
        else:
            title = re.search(r'title="([^"]+)"', match["rest"])
            yield Block(
                page=name,
                line=line,
                language=match["language"],
                title=title[1] if title else None,
                content=match["content"],
                not_run=not_run,
            )
            not_run = None


class Reader:
    """Somebody who does what a page says, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.at = folder
        programs = folder / ".bin"
        programs.mkdir()
        (programs / "paper").symlink_to(ROOT / "paper")
        (folder / "paper").symlink_to(ROOT / "paper")
        self.environment = {
            "PATH": os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(folder / ".home"),
            "LANG": "C.UTF-8",
            "DATA": str(ROOT / "tests" / "data"),
        }

    def follow(self, page: Path) -> int:
        """Carry out every block; the answer is how many were."""
        done = 0
        for block in blocks_of(page):
            if block.not_run is None:
                self.carry_out(block)
                done += 1
        return done

    def carry_out(self, block: Block) -> None:
        """Do what one block says."""
        if block.title is not None:
            self._write(block)
        elif block.language == "sh":
            self._shell(block.content, block.place)
        elif block.language == "console":
            self._console(block)
        elif block.language == "python":
            done = self._run([sys.executable, "-c", block.content])
            assert done.returncode == 0, f"{block.place}\n{done.stdout}"
        elif block.language == "javascript":
            run_javascript(Excerpt(text=block.content))
        elif block.language in _READERS:
            _READERS[block.language](block.content)
        else:
            assert block.language in ("py", "text"), f"{block.place}: a block of {block.language} needs a title"

    def _write(self, block: Block) -> None:
        file = self.folder / str(block.title)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.content, encoding="utf-8")

    def _shell(self, script: str, place: str) -> None:
        """Run a script; where it changes the folder, the next one begins there."""
        done = self._run(["sh", "-e", "-c", f'{script}\npwd >"{self.folder}/.at"'])
        assert done.returncode == 0, f"{place}\n{script}\n{done.stdout}"
        self.at = Path((self.folder / ".at").read_text(encoding="utf-8").strip())

    def _console(self, block: Block) -> None:
        exchanges = re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block.content, re.MULTILINE)
        assert exchanges, f"{block.place}: there is no command"
        for command, expected in exchanges:
            printed = self._run(["sh", "-c", command]).stdout.rstrip("\n")
            pattern = re.escape(expected.rstrip("\n")).replace("…", ".*")
            assert re.fullmatch(pattern, printed, re.DOTALL), (
                f"{block.place}\n$ {command}\n{printed}\ninstead of\n{expected}"
            )

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Run a command, and end what it left running: a script that fails never comes to its last line."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
            running = subprocess.Popen(
                command,
                cwd=self.at,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code = running.wait(300)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
            printed.seek(0)
            return subprocess.CompletedProcess(command, code, printed.read())
