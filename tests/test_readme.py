"""Every code block of the README does what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^(`{3,})(\w+)([^\n]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder with the command in it, as a person has it after a clone."""
    made = tmp_path_factory.mktemp("readme")
    (made / "paper").symlink_to(ROOT / "paper")
    return made


def test_the_blocks_of_the_readme_run_in_order(folder: Path) -> None:
    for _, language, title, content in FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        if language == "sh":
            run(["sh", "-e", "-c", content], folder)
        elif language == "python":
            run([sys.executable, "-c", content], folder)
        elif named := re.search(r'title="([^"]+)"', title):
            (folder / named[1]).write_text(content, encoding="utf-8")


def test_the_answer_of_check_is_quoted_as_it_is(folder: Path) -> None:
    quoted = next(
        text for _, _, _, text in FENCE.findall((ROOT / "README.md").read_text("utf-8")) if "$ ./paper" in text
    )
    vault = folder / "quoted"
    vault.mkdir()
    shutil.copy(ROOT / "tests" / "data" / "daily.md", vault / "daily.md")
    done = subprocess.run(
        [str(ROOT / "paper"), "check", "daily.md"], cwd=vault, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == quoted.split("\n", 1)[1]


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
