"""Links between the pages lead somewhere, and nothing on them is fetched from elsewhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from .blocks import ROOT

PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
FENCES = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    return re.sub(r"`[^`\n]*`", "", FENCES.sub("", page.read_text(encoding="utf-8")))


def links(page: Path) -> Iterator[str]:
    return (match[2] for match in LINK.finditer(prose(page)))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCES.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    slugs = {re.sub(r"[^\w\s-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'id="([^"]+)"', page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        if "://" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_page_can_be_found() -> None:
    navigation = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    tomllib.loads(navigation)
    listed = set(re.findall(r'= "([^"]+\.md)"', navigation))
    written = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert listed == written


def test_pictures_come_from_here() -> None:
    for page in PAGES:
        pictures = [match[2] for match in LINK.finditer(prose(page)) if match[1]]
        assert [each for each in pictures if "://" in each] == []
