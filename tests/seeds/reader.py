"""Takes example texts out of the five documents, by heading and fence, so that nothing can be added to them unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOCUMENTS = Path(__file__).parent / "documents"
_HEADING = re.compile(r"#{1,6} +(?P<words>.+)")
_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>\w*) *")


@dataclass(frozen=True, kw_only=True)
class Fence:
    """A fenced block, without the blanks that only indent it."""

    heading: str
    language: str
    text: str


@cache
def read_document(number: str) -> str:
    """The text of a document, such as ``000``."""
    (file,) = DOCUMENTS.glob(f"{number}-*.md")
    return file.read_text(encoding="utf-8")


def take_fence(number: str, heading: str, language: str = "", at: int = 0) -> str:
    """The text of a fence below the heading that has these words."""
    found = [
        each for each in _fences(read_document(number)) if heading in each.heading and language in ("", each.language)
    ]
    assert found, f"there is no fence of {language or 'any language'} below '{heading}' in {number}"
    return found[at].text


def take_table(number: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head; words in bold are plain."""
    section = read_document(number).split(heading, 1)[1]
    rows = re.search(r"(?:^ *\|.*\n)+", section, re.MULTILINE)
    assert rows is not None, f"there is no table below '{heading}' in {number}"
    split = [re.split(r"(?<!\\)\|", row.strip())[1:-1] for row in rows[0].splitlines()]
    return [[cell.replace("**", "").strip() for cell in row] for row in split[2:]]


def _fences(text: str) -> Iterator[Fence]:
    heading, opened, lines = "", None, list[str]()
    for line in text.split("\n"):
        fence = _FENCE.fullmatch(line)
        if opened is None:
            if fence is not None:
                opened, lines = fence, []
            elif found := _HEADING.fullmatch(line):
                heading = found["words"].replace("*", "")
        elif fence is not None and fence["ticks"] == opened["ticks"] and not fence["language"]:
            indent = len(opened["indent"])
            inside = "".join(f"{each[indent:]}\n" for each in lines)
            yield Fence(heading=heading, language=opened["language"], text=inside)
            opened = None
        else:
            lines.append(line)
