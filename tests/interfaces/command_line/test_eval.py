"""``paper eval``: a table or a document, and the exit code of a pass rate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Paper, Write

EVALS = "evals:\n  - {question: A, output: One.}\n  - {question: B, output: Two.}\n"


def agent(write: Write, front: str) -> None:
    write("helper.md", f"---\nagent: true\nname: helper\ndescription: Helps.\nmodel: m\n{front}---\nHelp.\n")


@pytest.mark.parametrize(("wanted", "code"), [("", 1), ("pass: 0.5\n", 0)])
def test_it_fails_below_the_pass_rate_of_the_note(
    paper: Paper, write: Write, tmp_path: Path, wanted: str, code: int
) -> None:
    agent(write, f"{wanted}{EVALS}")
    script = tmp_path / "script.json"
    script.write_text(json.dumps(["One.", "Wrong."]))
    shown = paper("eval", "helper", "--model", f"scripted:{script}")
    assert (shown.code, "1/2 (50%)" in shown.out, "B (1)" in shown.out) == (code, True, True)
    as_json = paper("eval", "helper", "--model", f"scripted:{script}", "--repeat", "2", "--json")
    assert as_json.code == code
    report = as_json.document[0]
    assert (report["model"], report["passed"], report["total"]) == (f"scripted:{script}", 2, 4)


def test_an_agent_without_evals_says_how_to_add_some(paper: Paper, write: Write) -> None:
    agent(write, "")
    shown = paper("eval", "helper")
    assert (shown.code, "evals:" in shown.err) == (0, True)
    assert paper("eval", "helper", "--json").document == []


def test_an_unknown_agent_is_a_wrong_call(paper: Paper, vault: Path) -> None:
    assert vault.is_dir()
    assert paper("eval", "nobody").code == 2
