"""At a release, the fragments become lines of the changelog."""

from __future__ import annotations

from pathlib import Path

import pytest

from paperagents.version import __version__

from .loading import ROOT, script

RELEASE = script("release")
OLD = "# Changes\n\nWritten for people.\n\n## 0.1.0 (2026-11-17)\n\n- A first thing.\n"


def test_a_new_version_stands_on_top() -> None:
    assert RELEASE.fold(OLD, "0.2.0", "2027-01-02", ["One.", "Two."]) == (
        "# Changes\n\nWritten for people.\n\n## 0.2.0 (2027-01-02)\n\n- One.\n- Two.\n\n"
        "## 0.1.0 (2026-11-17)\n\n- A first thing.\n"
    )


@pytest.mark.parametrize("older", ["", "\n## 0.0.9 (2026-01-01)\n\n- Old.\n"])
def test_a_version_that_was_begun_is_finished(older: str) -> None:
    begun = f"# Changes\n\n## 0.1.0 (not released yet)\n\n### Runs\n\n- Thing.\n{older}"
    finished = f"# Changes\n\n## 0.1.0 (2027-01-02)\n\n### Runs\n\n- Thing.\n\n### Also\n\n- One.\n{older}"
    assert RELEASE.fold(begun, "0.1.0", "2027-01-02", ["One."]) == finished


def test_fragments_are_sorted_by_area_and_the_readme_is_none(tmp_path: Path) -> None:
    for name, text in {"tags-b.md": "B\nhas two lines.\n", "gate-a.md": "A.\n", "README.md": "How.\n"}.items():
        (tmp_path / name).write_text(text)
    assert list(RELEASE.read_fragments(tmp_path).values()) == ["A.", "B has two lines."]


def test_every_fragment_is_named_after_its_area_and_holds_one_line_for_users() -> None:
    for file, text in RELEASE.read_fragments(ROOT / "changes").items():
        assert "-" in file.stem, file
        assert text, file
        assert not text.startswith(("-", "#")), file


def test_the_program_and_its_editors_have_one_version(tmp_path: Path) -> None:
    for file in RELEASE.VERSIONS:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())
    RELEASE.set_version(tmp_path, "9.8.7")
    for file in RELEASE.VERSIONS:
        before, after = ((root / file).read_text("utf-8").splitlines() for root in (ROOT, tmp_path))
        [(old, new)] = [(one, other) for one, other in zip(before, after, strict=True) if one != other]
        assert old.replace(__version__, "9.8.7") == new


def test_a_version_is_written_in_three_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert RELEASE.main("next") == 2
    assert "0.2.0" in capsys.readouterr().err
