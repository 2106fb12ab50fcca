"""An agent reorganises forty notes at a terminal: the person decides hunk by hunk, and takes two back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import forty_notes
from tests.forty_notes import BY_HUNK, EDITED, REFUSED, WHOLE

from paperagents.testing import ScriptedServer

from .test_run_terminal import Terminal

Paper = Callable[..., Any]


def test_a_person_at_a_terminal_decides_on_forty_notes_and_takes_two_back(
    vault: Path, paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forty_notes.write_notes(vault)
    (vault / "tidy.md").write_text(forty_notes.AGENT.format(more=""))
    editor = tmp_path / "edit"
    editor.write_text(f"#!/bin/sh\nprintf '{forty_notes.MINE}' > \"$1\"\n")
    editor.chmod(0o755)
    with ScriptedServer(forty_notes.SCRIPT) as server:
        monkeypatch.setenv("PAPER_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("PAPER_LLM_API_KEY", "sk-very-secret-key")
        terminal = Terminal("ask", "tidy", "go", "--together", "--json", vault=vault, editor=str(editor))
        terminal.wait_for("40 files, +80 −80")
        terminal.answer("p\n")
        for place, path in enumerate(WHOLE, 1):
            terminal.wait_for(f"{place}/40 {path} 1/2")
            terminal.answer("a\n")
        for _ in BY_HUNK:
            terminal.answer("n\n")
            terminal.answer("y\n")
        terminal.wait_for(f"34/40 {EDITED} 1/2")
        terminal.answer("e\n")
        terminal.answer("d\n")
        terminal.answer("q\n")
        code, out, _ = terminal.ended()
        assert code == 0
        told = str(server.requests[-1])
    record = json.loads(out)
    assert (record["status"], record["data"]) == ("succeeded", forty_notes.ANSWER)
    assert all(path in told for path in REFUSED)
    assert len([each for each in record["warnings"] if any(path in each for path in REFUSED)]) == 6
    assert forty_notes.texts(vault) == forty_notes.decided()

    forty_notes.go_on_writing(vault)
    files = [option for path in forty_notes.UNDONE for option in ("--file", path)]
    terminal = Terminal("undo", "last", *files, vault=vault)
    terminal.wait_for("2 files, ")
    terminal.answer("y\n")
    assert terminal.ended()[0] == 0
    assert forty_notes.texts(vault) == forty_notes.undone()
    listed = paper("changes", "list", "--run", record["run_id"], "--json").document
    assert {each["path"] for each in listed} == {*WHOLE, *BY_HUNK, EDITED}
    assert {each["path"] for each in listed if each["undone"]} == {*forty_notes.UNDONE}
