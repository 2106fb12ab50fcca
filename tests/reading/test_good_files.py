"""Good files: nothing must be flagged but the warnings that are listed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from paperagents.reading.files import read_markdown
from paperagents.registry.entry import Entry, make_entry

FOLDER = Path(__file__).parent / "good"
FILES = sorted(file.name for file in FOLDER.glob("*.md"))
NOTES = [name for name in FILES if name.startswith("ordinary-note-")]


def _warnings() -> dict[str, list[str]]:
    warnings: dict[str, list[str]] = defaultdict(list)
    for line in (FOLDER / "expected.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, warning = line.split(": ", 1)
            warnings[name].append(warning)
    return warnings


@pytest.fixture(scope="module")
def neighbours() -> list[Entry]:
    entries = [make_entry(read_markdown((FOLDER / name).read_bytes(), name)) for name in FILES]
    return [entry for entry in entries if entry is not None]


@pytest.mark.parametrize("name", FILES)
def test_a_good_file_has_no_problem_but_the_listed_warnings(
    name: str, check: Callable[..., list[str]], neighbours: list[Entry]
) -> None:
    assert check((FOLDER / name).read_bytes(), name, neighbours) == sorted(_warnings()[name])


@pytest.mark.parametrize("name", sorted(set(FILES) - set(NOTES)))
def test_a_good_file_can_be_used(name: str) -> None:
    assert read_markdown((FOLDER / name).read_bytes(), name).valid


@pytest.mark.parametrize("name", NOTES)
def test_an_ordinary_note_is_left_alone(name: str) -> None:
    assert not read_markdown((FOLDER / name).read_bytes(), name).concerns_us


def test_there_are_enough_good_files_to_mean_something() -> None:
    assert len(FILES) >= 40
    assert all("warning" in line for lines in _warnings().values() for line in lines)
