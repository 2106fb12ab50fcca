"""How references and placeholders are written: ``{{name}}`` inside text, ``input.url`` as a whole text.

A template is read once, from left to right. What is put in its place later is never read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from paperagents.definitions.json_value import JsonValue
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

BUILT_IN_NAMES = ("date", "time", "random_id")
"""Placeholders that every run fills in."""

_NAME = r"[^\s.\[\]{}\"'`<>|()\\,:;]+"
_MEMBER = rf"\.(?:{_NAME})|\[\s*(?:\d{{1,9}}|\"[^\"]*\"|'[^']*')\s*\]"
_PATH = late_pattern(rf"{_NAME}(?:{_MEMBER})*")
_SEGMENT = late_pattern(rf"\.?({_NAME})|\[\s*(?:(\d+)|\"([^\"]*)\"|'([^']*)')\s*\]")
_BARE = late_pattern(
    rf"(?:(?:input|preprocess|output|prev_step)(?:{_MEMBER})|steps(?:{_MEMBER})\.output)(?:{_MEMBER})*"
)
_PLAIN_NAME = r"[^\W\d]\w*(?:-(?!(?:input|preprocess|output|prev_step|steps|context)\b)[^\W\d]\w*)*"
_PLAIN_MEMBER = rf"\.{_PLAIN_NAME}|\[\s*(?:\d{{1,9}}|\"[^\"]*\"|'[^']*')\s*\]"
_PLAIN = late_pattern(rf"(?:{_PLAIN_NAME}|steps\.[\w\-]+)(?:{_PLAIN_MEMBER})*")
"""What nobody would take for a calculation: ``input.n-1`` and ``input.a==input.b`` are not."""
_BRACES = late_pattern(r"(\\)?\{\{(?![<{])")
FILE_NAME = late_pattern(
    r".*\.(?:md|markdown|txt|json|jsonl|ya?ml|csv|tsv|html?|xml|pdf|png|jpe?g|gif|svg|webp|log|js|ts|css|py|sh|toml|ini|"
    r"canvas|base|docx?|xlsx?|odt|zip|gz|tar|mp3|mp4|wav|bak|tmp)",
    re.IGNORECASE | re.DOTALL,
)
"""What ends like a file."""
_SHORT = 1_000
"""Characters of a text that is worth remembering."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """A root name and the way from there: ``steps.find.output[0]`` is steps, find, output, 0."""

    path: tuple[str | int, ...]
    text: str
    start: int
    end: int

    @property
    def root(self) -> str:
        """The first name."""
        return str(self.path[0])

    @property
    def may_be_file(self) -> bool:
        """Whether it was perhaps meant as the name of a file: without braces, and with the ending of one."""
        is_bare = self.end - self.start == len(self.text)
        return is_bare and len(self.path) == 2 and FILE_NAME.fullmatch(self.text) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Malformed:
    """Braces whose inside is not a reference."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """The pieces of a text in order: literal text, references, and what looks like one but is none."""

    pieces: tuple[str | Reference | Malformed, ...]

    @property
    def whole(self) -> Reference | None:
        """The reference that is the entire text and therefore keeps its type."""
        only = self.pieces[0] if len(self.pieces) == 1 else None
        return only if isinstance(only, Reference) else None


def read_template(text: str) -> Template:
    """Read a text with both notations."""
    return _read_short(text) if len(text) <= _SHORT else _read_template(text)


@lru_cache(maxsize=64)
def _read_short(text: str) -> Template:
    # Each of the checks of a file asks for the same few texts.
    return _read_template(text)


def _read_template(text: str) -> Template:
    if bare := _BARE.fullmatch(text):
        return Template(pieces=(_reference(bare[0], 0, len(text)),))
    # A backslash before what would be a reference keeps it as text.
    if text.startswith("\\") and _BARE.fullmatch(text, 1):
        return Template(pieces=(text[1:],))
    return Template(pieces=tuple(_pieces(text)))


def read_condition(text: str) -> Template:
    """Read a condition: one whole reference, else JavaScript with references in braces."""
    template = read_template(text)
    is_calculation = template.whole is not None and "{{" not in text and not _PLAIN.fullmatch(text)
    return Template(pieces=(text,)) if is_calculation else template


def find_references(value: JsonValue) -> Iterator[Reference]:
    """Every reference in a value, at any depth."""
    if isinstance(value, str):
        yield from (piece for piece in read_template(value).pieces if isinstance(piece, Reference))
    elif isinstance(value, dict):
        for each in value.values():
            yield from find_references(each)
    elif isinstance(value, list):
        for each in value:
            yield from find_references(each)


def _pieces(text: str) -> Iterator[str | Reference | Malformed]:
    literal: list[str] = []
    position = 0
    while (opening := _BRACES.search(text, position)) is not None:
        literal.append(text[position : opening.start()])
        closing = text.find("}}", opening.end())
        if opening[1] or closing < 0:
            literal.append("{{")
            position = opening.end()
            if closing < 0:
                break
            continue
        if any(literal):
            yield "".join(literal)
        literal = []
        path = text[opening.end() : closing].strip()
        start, end = opening.start(), closing + 2
        is_path = _PATH.fullmatch(path)
        yield _reference(path, start, end) if is_path else Malformed(text=path, start=start, end=end)
        position = closing + 2
    literal.append(text[position:])
    if any(literal):
        yield "".join(literal)


def _reference(path: str, start: int, end: int) -> Reference:
    segments: list[str | int] = []
    for match in _SEGMENT.finditer(path):
        name, index, double, single = match.groups()
        segments.append(int(index) if index is not None else next(s for s in (name, double, single) if s is not None))
    return Reference(path=tuple(segments), text=path, start=start, end=end)


def place_segments(reference: Reference, text: str) -> list[tuple[int, int]]:
    """Where each segment of a reference stands in the text that it was read from, without dots, brackets and quotes."""
    start = text.index(reference.text, reference.start)
    spans = []
    for match in _SEGMENT.finditer(reference.text):
        group = next(number for number in range(1, 5) if match[number] is not None)
        spans.append((start + match.start(group), start + match.end(group)))
    return spans
