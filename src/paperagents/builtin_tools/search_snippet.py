"""The line of a note that shows why it was found, and where in it the hits are."""

from __future__ import annotations

import re

from paperagents.builtin_tools.notes import Note, folded
from paperagents.builtin_tools.search_matching import asked_for
from paperagents.builtin_tools.search_query import InFileName, Pattern, Query, Tag, Text

_SNIPPET = 200
_BLANKS = re.compile(r"\s+")


def snippet(query: Query, note: Note) -> str:
    """The first line in which something the query asks for stands, cut to a readable length."""
    wanted = [term for term in asked_for(query) if isinstance(term, Text | Pattern | Tag)]
    if not wanted or not note.text:
        return ""
    sought = [_sought(term) for term in wanted]
    for line in note.text.splitlines():
        folded_line = folded(line)
        for each in sought:
            if (position := _position(each, line, folded_line)) is not None:
                return _cut(line, position)
    return _beginning_of_a_phrase(wanted, note.text)


def hits(query: Query, line: str) -> list[tuple[int, int]]:
    """Where in a line the words stand that a query asks for: beginnings and ends, in order, none overlapping."""
    words = {folded(term.text) for term in asked_for(query) if isinstance(term, Text | InFileName)}
    words |= {folded(f"#{term.name}") for term in asked_for(query) if isinstance(term, Tag)}
    alternatives = "|".join(map(re.escape, sorted(filter(str.strip, words), key=len, reverse=True)))
    text, origin = _folded_with_origin(line)
    if not alternatives or text is None:
        return []
    return [(origin[found.start()], origin[found.end() - 1] + 1) for found in re.finditer(alternatives, text)]


def _sought(term: Text | Pattern | Tag) -> str | Pattern:
    """What is looked for in a line."""
    match term:
        case Text(text=text):
            return folded(text)
        case Tag(name=name):
            return folded(f"#{name}")
        case Pattern():
            return term


def _position(sought: str | Pattern, line: str, folded_line: str) -> int | None:
    """Where in a line something stands; None where it does not."""
    if isinstance(sought, Pattern):
        return 0 if sought.pattern.is_found_in(line) else None
    position = folded_line.find(sought)
    return position if sought and position >= 0 else None


def _beginning_of_a_phrase(wanted: list[Text | Pattern | Tag], text: str) -> str:
    """The line in which a phrase begins that goes on in the next one."""
    lines = text.splitlines()
    for term in wanted:
        if isinstance(term, Text) and _BLANKS.search(phrase := folded(term.text).strip()):
            phrase = _BLANKS.sub(" ", phrase)
            for line, following in zip(lines, [*lines[1:], ""], strict=True):
                place = _BLANKS.sub(" ", folded(f"{line} {following}")).find(phrase)
                if 0 <= place < len(line):
                    return _cut(line, place)
    return ""


def _cut(line: str, position: int) -> str:
    """About two hundred characters of a line around a position."""
    if len(line.strip()) <= _SNIPPET:
        return line.strip()
    start = max(0, min(position - _SNIPPET // 2, len(line) - _SNIPPET))
    end = start + _SNIPPET
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def _folded_with_origin(line: str) -> tuple[str | None, list[int]]:
    """A folded line with the place each character comes from; None where characters were put together."""
    pieces = [folded(character) for character in line]
    text = "".join(pieces)
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    return (text if text == folded(line) else None), origin
