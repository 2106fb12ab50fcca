"""The reference says what the program says, and leaves nothing out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .blocks import ROOT

REFERENCE = ROOT / "docs" / "reference"


def reference(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "scripts" / "reference.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_table_is_what_the_program_says_now() -> None:
    done = reference("--check")
    assert done.returncode == 0, f"run scripts/reference.py; out of date:\n{done.stdout}{done.stderr}"


def test_every_table_there_is_stands_on_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    used = set(re.findall(r"<!-- generated: ([\w-]+)", pages)) - {"source"}
    assert used == set(reference("--list").stdout.split("\n"))


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("commands.md", ["paper run", "paper approvals approve", "--dry-run"]),
        ("settings.md", ["allowed_hosts", "sandbox.memory_mb", "npm.NAME.net"]),
        ("tool-files.md", ["custom_function", "for_each", "output_contains", "backoff"]),
        ("agents.md", ["max_iterations", "tokens"]),
        ("error-codes.md", ["unknown-reference", "sandbox-timeout", "waiting-for-approval", "file-exists"]),
        ("tags.md", ["vaultref", "final_output", "raw_content"]),
        ("built-in-tools.md", ["search_files", "overwrite", "js_execute"]),
        ("references.md", ["prev_step.output", "random_id", "env.REGION"]),
    ],
)
def test_a_page_has_what_one_looks_for(page: str, words: list[str]) -> None:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    assert [word for word in words if word not in text] == []


def test_a_field_without_words_is_refused(tmp_path: Path) -> None:
    for part in ("scripts", "docs/reference"):
        (tmp_path / part).mkdir(parents=True)
    for file in ("scripts/reference.py", "docs/reference/settings.md"):
        (tmp_path / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    words = (ROOT / "scripts" / "reference_words.toml").read_text(encoding="utf-8")
    without = re.sub(r"^timezone = .*\n", "", words, flags=re.MULTILINE)
    (tmp_path / "scripts" / "reference_words.toml").write_text(without, encoding="utf-8")
    done = reference("--check", folder=tmp_path)
    assert done.returncode == 1
    assert "without words ['timezone']" in done.stderr
