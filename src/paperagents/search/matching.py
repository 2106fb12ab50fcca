"""What a query means: which notes it asks for, and which of them come first.

Written to be obviously right. The index finds the same notes faster, and is measured by ``matches`` and ``level``.
"""

from __future__ import annotations

import heapq
import json
import re
from enum import StrEnum
from functools import lru_cache

from paperagents.definitions.json_value import JsonValue
from paperagents.files.listing import ListedFile
from paperagents.search.notes import DENSE, Note, fold, is_dense
from paperagents.search.query import (
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
from paperagents.values import dataclass

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
            return mentions(note, fold(text))
        case Pattern(pattern=pattern):
            return pattern.is_found_in(note.text)
        case InPath(text=text):
            return fold(text.lstrip("/")) in note.folded_path
        case InFileName(text=text):
            return fold(text) in fold(note.name)
        case Tag(name=name):
            return any(f"{fold(tag)}/".startswith(f"{fold(name)}/") for tag in note.tags)
        case Property(name=name, value=value):
            return any(
                fold(key) == fold(name) and (value is None or fold(value).strip() in fold_values(found))
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


def rank_note(query: Query, note: Note) -> int:
    """How well a note answers: 0 is best. The name counts most, then the headings, then the rest."""
    wanted = collect_words(query)
    if not wanted:
        return 0
    for first, place in ((0, fold(note.name)), (3, note.folded_headings)):
        if all(has_word(place, word) for word in wanted):
            return first
        if all(word in place for word in wanted):
            return first + 1
        if any(word in place for word in wanted):
            return first + 2
    content = "\n".join((note.folded_text, note.folded_path, *(fold(f"#{tag}") for tag in note.tags)))
    return 6 if all(has_word(content, word) for word in wanted) else 7


def collect_words(query: Query) -> tuple[str, ...]:
    """What is to be seen in a note that matches, folded."""
    terms = (term for term in collect_terms(query) if isinstance(term, Text | InFileName))
    return tuple(word for term in terms if (word := fold(term.text)).strip())


def collect_terms(query: Query) -> list[Query]:
    """The terms that a match should show; negated ones are by nature not to be seen."""
    match query:
        case And(operands=operands) | Or(operands=operands):
            return [term for operand in operands for term in collect_terms(operand)]
        case Not():
            return []
    return [query]


def fold_values(value: JsonValue) -> list[str]:
    """A property's values as they are compared; a list has each of its own."""
    if isinstance(value, list):
        return [each for element in value for each in fold_values(element)]
    if value is None:
        return [""]
    # As it stands in the file: texts without quotes.
    return [fold(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).strip()]


def mentions(note: Note, text: str) -> bool:
    """Whether a folded text stands in a note's text, path or tags."""
    blanks = _BLANKS.search(text)
    in_text = _BLANKS.sub(" ", text) in note.unwrapped_text if blanks else text in note.folded_text
    return in_text or text in note.folded_path or any(text in fold(f"#{tag}") for tag in note.tags)


def has_word(text: str, word: str) -> bool:
    """Whether a word stands in a text and is no part of a longer one. Chinese characters never are."""
    return word in text and word_pattern(word).search(text) is not None


@lru_cache(maxsize=64)
def word_pattern(word: str) -> re.Pattern[str]:
    """Finds a word that is no part of a longer one."""
    letter = rf"[^\W_{DENSE}]"
    before = "" if is_dense(word[0]) else f"(?<!{letter})"
    after = "" if is_dense(word[-1]) else f"(?!{letter})"
    return re.compile(before + re.escape(word) + after)


# --- a note that was found, and the orders in which found notes are given


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A note that was found: how well it answers, its file, its tags."""

    level: int
    file: ListedFile
    tags: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it is."""
        return self.file.path


class Order(StrEnum):
    """What comes first: the best answer, the newest note, or the first in the alphabet by name or by path."""

    RELEVANCE = "relevance"
    MODIFIED = "modified"
    NAME = "name"
    PATH = "path"

    def first(self, found: list[Found], limit: int) -> list[Found]:
        """So many that come first. Of equal ones the newest is first, of those of one moment the alphabet's."""

        def sort_key(each: Found) -> tuple[int, int, str, str]:
            level = each.level if self is Order.RELEVANCE else 0
            age = 0 if self in (Order.NAME, Order.PATH) else -each.file.modified_ns
            return level, age, fold(each.file.name) if self is Order.NAME else "", each.path

        return heapq.nsmallest(max(limit, 0), found, key=sort_key)


# --- the line of a note that shows why it was found, and where in it the hits are


_SNIPPET = 200


def make_snippet(query: Query, note: Note) -> str:
    """The first line in which something the query asks for stands, cut to a readable length."""
    wanted = [term for term in collect_terms(query) if isinstance(term, Text | Pattern | Tag)]
    if not wanted or not note.text:
        return ""
    sought: list[str | Pattern] = [
        term if isinstance(term, Pattern) else fold(term.text if isinstance(term, Text) else f"#{term.name}")
        for term in wanted
    ]
    for line in note.text.splitlines():
        folded_line = fold(line)
        for each in sought:
            if isinstance(each, Pattern):
                position = 0 if each.pattern.is_found_in(line) else -1
            else:
                position = folded_line.find(each) if each else -1
            if position >= 0:
                return cut_line(line, position)
    return find_wrapped_phrase(wanted, note.text)


def find_hits(query: Query, line: str) -> list[tuple[int, int]]:
    """Where in a line the words stand that a query asks for: beginnings and ends, in order, none overlapping."""
    words = {fold(term.text) for term in collect_terms(query) if isinstance(term, Text | InFileName)}
    words |= {fold(f"#{term.name}") for term in collect_terms(query) if isinstance(term, Tag)}
    alternatives = "|".join(map(re.escape, sorted(filter(str.strip, words), key=len, reverse=True)))
    text, origin = fold_with_origin(line)
    if not alternatives or text is None:
        return []
    return [(origin[found.start()], origin[found.end() - 1] + 1) for found in re.finditer(alternatives, text)]


def find_wrapped_phrase(wanted: list[Text | Pattern | Tag], text: str) -> str:
    """The line in which a phrase begins that goes on in the next one."""
    lines = text.splitlines()
    for term in wanted:
        if isinstance(term, Text) and _BLANKS.search(phrase := fold(term.text).strip()):
            phrase = _BLANKS.sub(" ", phrase)
            for line, following in zip(lines, [*lines[1:], ""], strict=True):
                place = _BLANKS.sub(" ", fold(f"{line} {following}")).find(phrase)
                if 0 <= place < len(line):
                    return cut_line(line, place)
    return ""


def cut_line(line: str, position: int) -> str:
    """About two hundred characters of a line around a position."""
    if len(line.strip()) <= _SNIPPET:
        return line.strip()
    start = max(0, min(position - _SNIPPET // 2, len(line) - _SNIPPET))
    end = start + _SNIPPET
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def fold_with_origin(line: str) -> tuple[str | None, list[int]]:
    """A folded line with the place each character comes from; None where characters were put together."""
    pieces = [fold(character) for character in line]
    text = "".join(pieces)
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    return (text if text == fold(line) else None), origin
