"""Shared by the tests of the command line: a vault, and the command inside and outside this process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from paperagents.interfaces.command_line.app import run
from paperagents.messages import use_language

GOOD = "---\ntool: true\nid: good\nname: Good\ndescription: A good tool.\ncustom_function: return 1;\n---\n"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Paper = Callable[..., Answer]
Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No settings and no language but those of the test."""
    for variable in [each for each in os.environ if each.startswith(("PAPER_", "LC_", "_PAPER"))]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield
    use_language(None)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault, the current folder."""
    root = tmp_path / "vault"
    (root / ".paper").mkdir(parents=True)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def write(vault: Path) -> Write:
    """Write a file of the vault."""

    def make(file: str, content: str = GOOD) -> Path:
        place = vault / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        return place

    return make


@pytest.fixture
def paper(capsys: pytest.CaptureFixture[str]) -> Paper:
    """Carry out a command line in this process."""

    def carry_out(*arguments: str | Path) -> Answer:
        capsys.readouterr()
        code = run([str(each) for each in arguments])
        captured = capsys.readouterr()
        return Answer(code=code, out=captured.out, err=captured.err)

    return carry_out


@pytest.fixture
def started() -> Paper:
    """Carry out a command line in a process of its own, as a user does."""

    def carry_out(*arguments: str | Path, **options: Any) -> Answer:
        command = [sys.executable, "-I", "-m", "paperagents", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False, **options)
        return Answer(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())

    return carry_out
