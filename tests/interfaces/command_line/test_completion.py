"""What a shell offers while somebody types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Paper = Callable[..., Any]
Write = Callable[..., Path]
Offer = Callable[[str], set[str]]

TOOL = """---
tool: true
id: good
name: Good
description: A good tool.
category: words
tags: [one, two]
parameters:
  - { name: text, type: string, description: What to say }
  - { name: loud, type: boolean, description: How loud, default: false }
  - { name: tone, type: string, description: How, enum: [high, low] }
environment:
  - { name: API_TOKEN, type: string, description: Who asks, default: "" }
custom_function: return 1;
---
"""


@pytest.fixture
def offer(paper: Paper, write: Write, monkeypatch: pytest.MonkeyPatch) -> Offer:
    """The words that are offered for the last one of a line."""
    write("good.md", TOOL)

    def complete(line: str) -> set[str]:
        words = line.split(" ")
        with monkeypatch.context() as patch:
            patch.setenv("_PAPER_COMPLETE", "bash_complete")
            patch.setenv("COMP_WORDS", line)
            patch.setenv("COMP_CWORD", str(len(words) - 1))
            offered = paper().out.split()
        return {each.partition(",")[2] for each in offered}

    return complete


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("paper run good -p ", {"text=", "loud=", "tone="}),
        ("paper run good -p lo", {"loud="}),
        ("paper run good -p tone=", {"tone=high", "tone=low"}),
        ("paper run good -p loud=t", {"loud=true"}),
        ("paper run nothing -p ", set()),
        ("paper env good ", {"API_TOKEN"}),
        ("paper env goo", {"good"}),
        ("paper config get sandbox.", {"sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb"}),
        ("paper config unset lang", {"language"}),
        ("paper list --category wo", {"words"}),
        ("paper list --tag ", {"one", "two"}),
    ],
)
def test_names_and_values_are_offered(line: str, offered: set[str], offer: Offer) -> None:
    assert offer(line) == offered


@pytest.mark.usefixtures("vault")
def test_runs_and_questions_are_offered_by_their_ids(paper: Paper, offer: Offer) -> None:
    run = paper("run", "good", "-p", "text=x", "-p", "tone=low", "--json").document["run_id"]
    paper("run", "write_file", "-p", "filePath=a.md", "-p", "content=x")
    (question,) = paper("approvals", "list", "--json").document
    assert {"last", run} <= offer("paper runs show ")
    assert offer(f"paper runs show {run[:6]}") == {run}
    assert offer("paper approvals approve ") == {"last", question["id"]}
    assert offer(f"paper approvals deny {question['id'][:4]}") == {question["id"]}


def test_completion_leaves_nothing_in_a_folder_that_is_no_vault(
    paper: Paper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("_PAPER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "paper runs show ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert paper().out.strip() == ""
    assert list((tmp_path / "here").iterdir()) == []
