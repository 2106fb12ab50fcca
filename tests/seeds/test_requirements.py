"""The table of requirements leaves nothing out, and names tests that exist."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
COUNTS = {"000": 90, "001": 47, "002": 119, "003": 118, "004": 74}
LINES = (TESTS / "seeds" / "requirements.txt").read_text(encoding="utf-8").splitlines()
ROWS = [[cell.strip() for cell in line.split("¦")] for line in LINES if not line.startswith("#")]


def test_every_requirement_has_its_row() -> None:
    numbers = [f"{document}.{number}" for document, count in COUNTS.items() for number in range(1, count + 1)]
    assert [row[0] for row in ROWS] == numbers
    assert all(len(row) == 5 and all(row) for row in ROWS)


def test_nothing_is_open() -> None:
    assert {row[3] for row in ROWS} == {"met", "differs"}


def test_what_is_met_is_shown_by_a_test_that_exists() -> None:
    shown = {row[4] for row in ROWS if row[3] == "met"}
    assert [each for each in sorted(shown) if not exists(each)] == []


def test_what_differs_has_a_reason_in_words() -> None:
    assert [row for row in ROWS if row[3] == "differs" and ("::" in row[4] or " " not in row[4])] == []


def exists(shown: str) -> bool:
    if shown.startswith("import-linter: "):
        settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
        return shown.partition(": ")[2] in {each["name"] for each in settings["tool"]["importlinter"]["contracts"]}
    file, _, name = shown.partition("::")
    return name in names_in(TESTS / file)


@cache
def names_in(file: Path) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("shown", ["seeds/test_000_syntax.py::test_nothing", "import-linter: Nothing"])
def test_a_test_that_does_not_exist_is_noticed(shown: str) -> None:
    assert not exists(shown)
