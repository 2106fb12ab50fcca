"""The many ways in which a secret may be written, and finding them all in a text."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

from paperagents.definitions.surrogates import lossless_bytes

_SHORTEST_LINE = 8
"""A line of a secret that has several: a diff shows them one by one."""
_MOST_LINES = 100
_LONG = 2000
"""Making a pattern of a secret takes a hundred times as long as looking for it."""
_LONGEST_ADDRESS = 100_000
_MOST_IN_PATTERN = 200
"""Beyond this, making a pattern anew for each new secret takes longer than everything else."""
_BEGINNING = 4
"""No form is shorter."""
_PIECE = 65_536


class Finder:
    """Knows many texts and finds them in another one, the longest first."""

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._long: list[str] = []
        self._pattern: re.Pattern[str] | None = None
        self._by_beginning: dict[str, list[str]] = {}

    def add(self, forms: Iterable[str]) -> None:
        """Find these, too, from here on."""
        new = {form for form in forms if len(form) >= _BEGINNING} - self._forms
        self._forms |= new
        if len(self._forms) <= _MOST_IN_PATTERN:
            self._make_pattern()
            return
        for form in self._forms if not self._by_beginning else new:
            self._by_beginning.setdefault(form[:_BEGINNING], []).append(form)

    def replaced(self, text: str, by: str) -> str:
        """The text with something else in the place of each."""
        for form in self._one_by_one(text):
            text = text.replace(form, by)
        return text if self._pattern is None or self._by_beginning else self._pattern.sub(by, text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where they are."""
        for form in self._one_by_one(text):
            start = text.find(form)
            while start >= 0:
                yield start, start + len(form)
                start = text.find(form, start + len(form))
        if self._pattern is not None and not self._by_beginning:
            yield from (found.span() for found in self._pattern.finditer(text))

    def begun(self, text: str) -> int:
        """How many letters at the end of the text may be the beginning of one."""
        return max((_overlap(text, form) for form in self._forms), default=0)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def _make_pattern(self) -> None:
        longest_first = sorted(self._forms, key=len, reverse=True)
        self._long = [form for form in longest_first if len(form) > _LONG]
        # A pattern of nothing would fit everywhere: (?!) fits nowhere.
        short = "|".join(map(re.escape, longest_first[len(self._long) :])) or "(?!)"
        self._pattern = re.compile(short) if longest_first else None

    def _one_by_one(self, text: str) -> list[str]:
        """Those that are looked for by themselves: long ones, and of very many those whose beginning is in the text."""
        if not self._by_beginning:
            return [form for form in self._long if len(form) <= len(text)]
        begun: set[str] = set()
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE + _BEGINNING - 1]
            begun.update({piece[at : at + _BEGINNING] for at in range(len(piece))} & self._by_beginning.keys())
        return sorted((form for each in begun for form in self._by_beginning[each]), key=len, reverse=True)


def _overlap(text: str, form: str) -> int:
    """The longest end of the text that is a beginning of the form, and not all of it."""
    start = text.find(form[0], max(len(text) - len(form) + 1, 0))
    while start >= 0 and not form.startswith(text[start:]):
        start = text.find(form[0], start + 1)
    return len(text) - start if start >= 0 else 0


def forms_of(secret: str) -> set[str]:
    """A secret as it may turn up: whole or line by line, as it is or written in another way."""
    lines = [line for line in map(str.strip, secret.splitlines()) if len(line) >= _SHORTEST_LINE][:_MOST_LINES]
    return {form for each in (secret, *lines) for form in _writings(each)}


def _writings(secret: str) -> set[str]:
    """A text plain, inside JSON, printed on one line, in an address, or in Base64."""
    data = lossless_bytes(secret)
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    printed = {secret.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")}
    quoted = {form.replace("'", "\\'") for form in printed}
    if len(data) > _LONGEST_ADDRESS:
        return {secret, *escaped, *printed, *quoted, *_in_base64(data)}
    addressed = {quote(data, safe=""), quote(data, safe="!'()*~"), quote_plus(data)}
    return {secret, *escaped, *printed, *quoted, *addressed, *_in_base64(data)}


def _in_base64(data: bytes) -> set[str]:
    """In both alphabets, alone or in the middle of something longer, such as a name and a colon before it."""
    forms = {b64encode(data).decode()}
    for before in range(3):
        # Only the letters that stand for nothing but the secret: those at the edges depend on what is around it.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        forms.add(b64encode(bytes(before) + data).decode()[first:last])
    return forms | {form.replace("+", "-").replace("/", "_") for form in forms}
