"""Broken files, each with exactly the problems a person must be told, at their places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from paperagents.messages.catalogue.checks import TEXTS

FOLDER = Path(__file__).parent / "corpus"
NOT_IN_THE_FILE_ITSELF = {
    "file-not-understood",
    "file-unreadable",
    "file-outside-vault",
    "file-too-large",
    "javascript-too-long",
}
"""Told by the folder scan, or of files too big to keep here."""
OF_JAVASCRIPT_FILES = {
    "tool-not-evaluated", "missing-method", "method-failed", "method-wrong-answer", "undeclared-dependency",
}  # fmt: skip
"""See test_tool_javascript.py."""


def _expected() -> dict[str, list[str]]:
    expected: dict[str, list[str]] = defaultdict(list)
    for line in (FOLDER / "expected.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, problem = line.split(": ", 1)
            expected[name].append(problem)
    return expected


EXPECTED = _expected()


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_broken_file_has_exactly_the_problems_that_are_expected(name: str, check: Callable[..., list[str]]) -> None:
    assert check((FOLDER / name).read_bytes(), name) == sorted(EXPECTED[name])


def test_every_file_of_the_corpus_has_an_expectation() -> None:
    assert {file.name for file in FOLDER.glob("*.md")} == set(EXPECTED)


def test_the_corpus_is_large_enough_to_mean_something() -> None:
    assert len(EXPECTED) >= 130


def test_the_corpus_has_every_code_that_a_file_can_have() -> None:
    codes = {key.split(".")[0] for key in TEXTS} - NOT_IN_THE_FILE_ITSELF - OF_JAVASCRIPT_FILES
    assert {line.split()[-1] for lines in EXPECTED.values() for line in lines} >= codes
