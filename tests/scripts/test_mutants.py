"""Lines that are broken on purpose are where the list says, and its rooms have tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from .loading import ROOT, script

MUTANTS = script("mutants")


def test_every_line_is_still_there() -> None:
    assert [(each.file, each.line) for each in MUTANTS.MUTANTS if MUTANTS.count_of(each) != 1] == []


def test_every_mutant_is_broken_and_belongs_to_tests_that_are_there() -> None:
    for each in MUTANTS.MUTANTS:
        assert each.line != each.broken
        assert all((ROOT / tests).exists() for tests in each.tests), each.tests


def test_a_line_that_is_gone_ends_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = MUTANTS.Mutant(file="settings.py", line="this line was never there", broken="", tests=("tests/approval",))
    monkeypatch.setattr(MUTANTS, "MUTANTS", [gone])
    assert MUTANTS.count_of(gone, tmp_path) == 0
    assert MUTANTS.main([]) == 2
