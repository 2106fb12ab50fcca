"""A real Neovim with its own client: diagnostics, completion, and a new name across files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.interfaces.language_server.conftest import COMMAND
from tests.language.conftest import AGENT, FILES, FIND, SCRIPT, SHORTEN

from paperagents.notes_folder import NotesFolder

NVIM = shutil.which("nvim")
SCRIPT_FILE = Path(__file__).parent / "neovim_session.lua"
pytestmark = [pytest.mark.process, pytest.mark.skipif(NVIM is None, reason="there is no Neovim here")]


def test_a_person_in_neovim_sees_slips_completes_and_renames_across_files(tmp_path: Path) -> None:
    root, report = tmp_path / "vault", tmp_path / "seen.json"
    (root / ".paper").mkdir(parents=True)
    for name, content in FILES.items():
        (root / name).write_text(content, encoding="utf-8")
    environment = {**os.environ, "PAPER_LSP": json.dumps(COMMAND), "PAPER_REPORT": str(report), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [str(NVIM), "--headless", "--clean", "-n", "-c", f"luafile {SCRIPT_FILE}"],
        cwd=root, env=environment, capture_output=True, text=True, timeout=240, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert report.exists(), done.stderr
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert seen.get("failure") is None, (seen, done.stderr)
    assert seen["slip"] == [{"code": "unknown-tool", "line": 16, "column": 11}]
    assert {"results", "count"} <= set(seen["completion"])
    assert {file.name: file.read_text(encoding="utf-8") for file in root.glob("*.*") if file.is_file()} == {
        "find.md": FIND.replace("- tool: shorten", "- tool: cut")
        .replace("shorten: ", "cut: ")
        .replace("context.steps.shorten", "context.steps.cut"),
        "shorten.md": SHORTEN.replace("name: shorten\n", "name: shorten\nid: cut\n"),
        "helper.md": AGENT.replace("shorten", "cut"),
        "loud.tool.js": SCRIPT.replace("shorten", "cut"),
    }
    assert NotesFolder(root).check() == []
