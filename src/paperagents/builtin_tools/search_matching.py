"""What a query means: which notes it asks for, and which of them come first.

Written to be obviously right. The index finds the same notes faster, and is measured by ``matches`` and ``level``.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from paperagents.builtin_tools.notes import Note, folded
from paperagents.builtin_tools.search_query import (
    And,
    Everything,
    InFileName,
    InPath,
    Not,
    Or,
    Pattern,
    Property,
    Query,
    Tag,
    Text,
)
from paperagents.builtin_tools.search_words import DENSE, is_dense
from paperagents.definitions.json_value import JsonValue

_BLANKS = re.compile(r"\s+")


def matches(query: Query, note: Note) -> bool:  # noqa: C901, PLR0911  one answer per kind of term
    """Whether a note is one the query asks for."""
    match query:
        case Everything():
            return True
        case Not(operand=operand):
            return not matches(operand, note)
        case And(operands=operands):
            return all(matches(operand, note) for operand in operands)
        case Or(operands=operands):
            return any(matches(operand, note) for operand in operands)
        case Text(text=text):
            return _mentions(note, folded(text))
        case Pattern(pattern=pattern):
            return pattern.is_found_in(note.text)
        case InPath(text=text):
            return folded(text.lstrip("/")) in note.folded_path
        case InFileName(text=text):
            return folded(text) in folded(note.name)
        case Tag(name=name):
            return any(_is_tag_or_below(folded(tag), folded(name)) for tag in note.tags)
        case Property(name=name, value=value):
            return any(
                folded(key) == folded(name) and (value is None or folded(value).strip() in folded_values(found))
                for key, found in note.properties.items()
            )


def matches_by_path(query: Query, path: str) -> bool | None:
    """The same where the path alone decides; None where the note must be read."""
    match query:
        case Everything() | InPath() | InFileName():
            return matches(query, Note(path=path))
        case Not(operand=operand):
            answer = matches_by_path(operand, path)
            return None if answer is None else not answer
        case And(operands=operands) | Or(operands=operands):
            answers = {matches_by_path(operand, path) for operand in operands}
            decisive = isinstance(query, Or)
            return decisive if decisive in answers else None if None in answers else not decisive
    return None


def level(query: Query, note: Note) -> int:
    """How well a note answers: 0 is best. The name counts most, then the headings, then the rest."""
    wanted = wanted_words(query)
    if not wanted:
        return 0
    content = "\n".join((note.folded_text, note.folded_path, *(folded(f"#{tag}") for tag in note.tags)))
    return _level(wanted, folded(note.name), note.folded_headings, content)


def _level(wanted: tuple[str, ...], name: str, headings: str, content: str) -> int:
    for first, place in ((0, name), (3, headings)):
        if all(_has_whole(place, word) for word in wanted):
            return first
        if all(word in place for word in wanted):
            return first + 1
        if any(word in place for word in wanted):
            return first + 2
    return 6 if all(_has_whole(content, word) for word in wanted) else 7


def wanted_words(query: Query) -> tuple[str, ...]:
    """What is to be seen in a note that matches, folded."""
    terms = (term for term in asked_for(query) if isinstance(term, Text | InFileName))
    return tuple(word for term in terms if (word := folded(term.text)).strip())


def asked_for(query: Query) -> list[Query]:
    """The terms that a match should show; negated ones are by nature not to be seen."""
    match query:
        case And(operands=operands) | Or(operands=operands):
            return [term for operand in operands for term in asked_for(operand)]
        case Not():
            return []
    return [query]


def folded_values(value: JsonValue) -> list[str]:
    """A property's values as they are compared; a list has each of its own."""
    if isinstance(value, list):
        return [each for element in value for each in folded_values(element)]
    return [folded(_written(value)).strip()]


def _mentions(note: Note, text: str) -> bool:
    blanks = _BLANKS.search(text)
    in_text = _BLANKS.sub(" ", text) in note.unwrapped_text if blanks else text in note.folded_text
    return in_text or text in note.folded_path or any(text in folded(f"#{tag}") for tag in note.tags)


def _is_tag_or_below(tag: str, wanted: str) -> bool:
    return tag == wanted or tag.startswith(f"{wanted}/")


def _written(value: JsonValue) -> str:
    """A property's value as it stands in the file: texts without quotes, nothing for null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _has_whole(text: str, word: str) -> bool:
    """Whether a word stands in a text and is no part of a longer one. Chinese characters never are."""
    return word in text and _whole(word).search(text) is not None


@lru_cache(maxsize=64)
def _whole(word: str) -> re.Pattern[str]:
    letter = rf"[^\W_{DENSE}]"
    before = "" if is_dense(word[0]) else f"(?<!{letter})"
    after = "" if is_dense(word[-1]) else f"(?!{letter})"
    return re.compile(before + re.escape(word) + after)
