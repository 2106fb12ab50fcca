"""The session that the README shows is a picture that every browser can draw, whatever was printed."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as some

from .loading import ROOT, script

DEMO = script("demo")


def test_the_picture_is_well_formed_and_fetches_nothing() -> None:
    text = (ROOT / "docs" / "demo.svg").read_text(encoding="utf-8")
    ET.fromstring(text)
    assert "wants to do this" in text
    assert text.count("://") == text.count('xmlns="http://')


def test_colours_become_colours() -> None:
    assert "".join(DEMO._pieces("\x1b[32m✓\x1b[0m <done>")) == '<tspan fill="#57ab5a">✓</tspan> &lt;done&gt;'


@given(
    text=some.text(
        some.characters(min_codepoint=32, exclude_categories=("Cs", "Cn"), exclude_characters="\ufffe\uffff")
    )
)
def test_any_line_can_be_drawn(text: str) -> None:
    picture = DEMO.drawing([DEMO.Line(text=text, seconds=0.0)])
    assert "".join(ET.fromstring(picture).itertext()).strip().endswith(text.strip())
