"""The documentation can be built, strictly, and no page of it fetches anything from elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .blocks import ROOT

pytestmark = pytest.mark.docs

ELSEWHERE = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="?(?:https?:)?//(?!example\.com)[^>]*>')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built from a copy: the checkout stays as it is."""
    project = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", project / "docs")
    shutil.copy(ROOT / "zensical.toml", project)
    done = build(project)
    assert done.returncode == 0, done.stdout
    return project / "site"


def build(project: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "zensical"), "build", "--strict", "--clean"]
    return subprocess.run(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300
    )


def test_every_page_is_built(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), page


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        found = [tag for tag in ELSEWHERE.findall(page.read_text(encoding="utf-8")) if 'rel="canonical"' not in tag]
        assert found == [], page


def test_a_link_that_leads_nowhere_ends_the_build(site: Path, tmp_path: Path) -> None:
    assert site.is_dir()
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    page = tmp_path / "docs" / "index.md"
    page.write_text(f"{page.read_text(encoding='utf-8')}\n[nowhere](nowhere.md)\n", encoding="utf-8")
    done = build(tmp_path)
    assert done.returncode != 0
    assert "does not exist" in done.stdout
