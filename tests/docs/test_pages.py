"""Every code block of the README and of the documentation does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from .blocks import ROOT, Reader, blocks_of

pytestmark = pytest.mark.docs

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
REASONS = ("the index", "a key", "a program", "a terminal", "another machine", "the tests themselves")
"""What a block may need that is not here."""


def names() -> list[str]:
    return [page.relative_to(ROOT).as_posix() for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=names())
def test_the_blocks_of_a_page_run_in_order(page: Path, tmp_path: Path) -> None:
    Reader(tmp_path).follow(page)


def test_the_tool_of_the_readme_succeeds_again_and_renews_its_note(tmp_path: Path) -> None:
    """Whoever tries it twice, or shares the folder with somebody who has, must not be met with a failure."""
    reader = Reader(tmp_path)
    reader.follow(ROOT / "README.md")
    note = tmp_path / "my-vault" / "summaries" / "garden.md"
    first = note.read_text(encoding="utf-8")
    assert first.startswith("# About garden, as of ")
    with (tmp_path / "my-vault" / "notes" / "more.md").open("w", encoding="utf-8") as more:
        more.write("# More\n\nThe garden again.\n")
    blocks = [block for block in blocks_of(ROOT / "README.md") if " run summary " in block.content]
    assert len(blocks) == 2
    for block in blocks:
        reader.carry_out(block)
    assert note.read_text(encoding="utf-8") != first
    assert "|More]]" in note.read_text(encoding="utf-8")


def test_a_block_that_is_not_run_says_why() -> None:
    left_out = [block for page in PAGES for block in blocks_of(page) if block.not_run is not None]
    assert [block.place for block in left_out if not any(reason in str(block.not_run) for reason in REASONS)] == []


def test_a_page_that_promises_too_much_is_noticed(tmp_path: Path) -> None:
    page = ROOT / "tests" / "data" / "promises.md"
    with pytest.raises(AssertionError, match="instead of"):
        Reader(tmp_path).follow(page)
