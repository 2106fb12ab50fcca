"""The pages are spelt as dictionaries have it; words of the trade stand in vocabulary.txt."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from spellchecker import SpellChecker

from .blocks import ROOT

PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY"))]
ENGLISH = [page for page in PAGES if not page.stem.endswith((".de", ".zh"))]
GERMAN = [page for page in PAGES if page.stem.endswith(".de")]
CHINESE = [page for page in PAGES if page.stem.endswith(".zh")]
VOCABULARY = frozenset(
    line.lower() for line in (ROOT / "tests" / "docs" / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
)
NOT_PROSE = re.compile(
    r"^(`{3,}).*?^\1$"  # blocks
    r"|<!-- generated:.*?<!-- end -->"  # what the program says is tested with the program
    r"|<!--.*?-->|`[^`\n]*`|\]\([^)]*\)|https?://\S+|&#?\w+;|<[^>]+>",
    re.MULTILINE | re.DOTALL,
)


def words(page: Path) -> set[str]:
    prose = NOT_PROSE.sub(" ", page.read_text(encoding="utf-8"))
    found = set(re.findall(r"[A-Za-zÄÖÜäöüß]{3,}", prose))
    return {word.lower() for word in found if not word.isupper()} - VOCABULARY


@pytest.mark.parametrize(("language", "pages"), [("en", ENGLISH), ("de", GERMAN)])
def test_every_word_is_in_the_dictionary(language: str, pages: list[Path]) -> None:
    dictionary = SpellChecker(language)
    unknown = {page.name: sorted(words(page) - dictionary.known(words(page))) for page in pages}
    assert {page: found for page, found in unknown.items() if found} == {}


def test_a_slip_is_noticed() -> None:
    assert SpellChecker("en").unknown(["documentaton"]) == {"documentaton"}
    assert SpellChecker("de").unknown(["Änderug"]) == {"änderug"}


@pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.name)
def test_chinese_is_written_with_chinese_signs(page: Path) -> None:
    prose = NOT_PROSE.sub(" ", page.read_text(encoding="utf-8"))
    assert len(re.findall(r"[\u4e00-\u9fff]", prose)) > 200
    assert re.findall(r"[\u4e00-\u9fff][,;:!?.]", prose) == []
    assert uncommon(prose) == []


def test_a_traditional_sign_is_noticed() -> None:
    assert uncommon("这裡有筆記") == ["裡", "筆", "記"]


def uncommon(prose: str) -> list[str]:
    """Signs outside of the national standard, which has the simplified ones in common use and no others."""
    return [sign for sign in re.findall(r"[\u3400-\u9fff]", prose) if not sign.encode("gb2312", "ignore")]
