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


def test_a_block_that_is_not_run_says_why() -> None:
    left_out = [block for page in PAGES for block in blocks_of(page) if block.not_run is not None]
    assert [block.place for block in left_out if not any(reason in str(block.not_run) for reason in REASONS)] == []


def test_a_page_that_promises_too_much_is_noticed(tmp_path: Path) -> None:
    page = ROOT / "tests" / "data" / "promises.md"
    with pytest.raises(AssertionError, match="instead of"):
        Reader(tmp_path).follow(page)
