"""Secrets never reach a record, a log, an error or a page."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heapreplace
from itertools import chain, repeat, zip_longest
from urllib.parse import quote, quote_plus, urlsplit

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import UsageError
from paperagents.patterns import late_pattern

MASK = "***"
_SHORTEST = 4
"""A secret of one or two letters would blacken every text."""
_SECRET_NAME = late_pattern(
    r"authorization|cookie|token|secret|password|passwd|credential|session|signature|x-auth|jwt"
    r"|(?:api|app|access|account|auth|client|private|shared|subscription)[-_]?key",
    re.IGNORECASE,
)


class Redaction:
    """Knows the secrets of a run and replaces them wherever they turn up."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: frozenset[str] = frozenset()
        self._finder = Finder()
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Replace these, too, from here on."""
        new = {each for each in secrets if len(each) >= _SHORTEST} - self._known
        if self._known and not new:
            return
        self._finder.add(form for each in new for form in list_forms(each))
        self._known |= new
        # Most of a record is such values; asking nothing more about them saves a third of the time.
        self._harmless = {int, float, bool, type(None)} | (set() if self._known else {str})

    @property
    def known(self) -> frozenset[str]:
        """Every secret known by now."""
        return self._known

    def text(self, text: str) -> str:
        """The text without secrets."""
        if not (spans := self._finder.spans(text)):
            return text
        ends = [0, *(end for _, end in spans)]
        starts = [*(start for start, _ in spans), len(text)]
        return MASK.join(text[end:start] for end, start in zip(ends, starts, strict=True))

    def value(self, value: JsonValue) -> JsonValue:
        """The value without secrets, and without the values of headers that are meant to be secret."""
        harmless = self._harmless
        if isinstance(value, list):
            return [each if type(each) in harmless else self.value(each) for each in value]
        if isinstance(value, dict):
            return {
                self.text(name): each if type(each) in harmless else self.value(hide_headers(name, each))
                for name, each in value.items()
            }
        return self.text(value) if isinstance(value, str) else value

    def restore(self, edited: JsonValue, real: JsonValue) -> JsonValue:
        """What a person has left as it was shown, mask and all, is what the mask stood for.

        Raises UsageError where a mask is left of which nobody can say what it stands for.
        """
        return self.restore_part(edited, self.value(real), real)

    def restore_part(self, edited: JsonValue, shown: JsonValue, real: JsonValue) -> JsonValue:
        """The same for a part of the value, beside how it was shown."""
        if edited == shown:
            return real
        if isinstance(edited, dict) and isinstance(shown, dict) and isinstance(real, dict):
            # What has no counterpart is compared with all of it: a mask must not be carried elsewhere.
            names = dict(zip(shown, real, strict=False)) if len(shown) == len(real) else {}
            both = {name: (names[name], shown[name], real[names[name]]) for name in names}
            parts = [(each, *both.get(name, (name, shown, real))) for name, each in edited.items()]
            return {name: self.restore_part(each, before, behind) for each, name, before, behind in parts}
        if isinstance(edited, list) and isinstance(shown, list) and isinstance(real, list):
            counterparts = chain(zip(shown, real, strict=True), repeat((shown, real)))
            return [self.restore_part(each, *both) for each, both in zip(edited, counterparts, strict=False)]
        if shown == real or not has_mask(edited):
            return edited
        return self.restore_text(edited, shown, real)

    def restore_text(self, edited: JsonValue, shown: JsonValue, real: JsonValue) -> str:
        """A text that was changed around its masks: they stand for the same secrets, in the same order."""
        if isinstance(edited, str) and isinstance(shown, str) and isinstance(real, str):
            hidden = [real] if shown == MASK else [real[start:end] for start, end in self._finder.spans(real)]
            pieces = edited.split(MASK)
            if len(pieces) - 1 == shown.count(MASK) == len(hidden):
                return "".join(chain.from_iterable(zip_longest(pieces, hidden, fillvalue="")))
        raise UsageError("mask-in-edit")

    def settled(self, text: str) -> int:
        """How much of the beginning of a text can be redacted before its rest is known."""
        place = len(text) - self._finder.overlap(text)
        # The end of a whole secret may look like the beginning of another one.
        return next((end for start, end in self._finder.spans(text) if start < place < end), place)


class RedactedStream:
    """A text that comes in pieces, without its secrets: what may be the beginning of one waits for the next piece."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        text = self._waiting + piece
        shown = self._redaction.settled(text)
        self._waiting = text[shown:]
        return self._redaction.text(text[:shown])

    def rest(self) -> str:
        """What waited, once nothing more comes."""
        text, self._waiting = self._waiting, ""
        return self._redaction.text(text)


def secrets_of_request(arguments: Mapping[str, JsonValue]) -> list[str]:
    """The values of headers that carry a key or a cookie, whole and without the word before them; passwords in URLs."""
    headers, address = arguments.get("headers"), arguments.get("url")
    found = [str(each) for name, each in headers.items() if is_secret_name(name)] if isinstance(headers, dict) else []
    try:
        password = urlsplit(address).password if isinstance(address, str) else None
    except ValueError:
        password = None
    return [*found, *(each.split(" ", 1)[1] for each in found if " " in each), *([password] if password else [])]


def has_mask(value: JsonValue) -> bool:
    """Whether a mask, or what looks like one, stands anywhere in a value."""
    if isinstance(value, dict):
        return any(MASK in name or has_mask(each) for name, each in value.items())
    return any(map(has_mask, value)) if isinstance(value, list) else isinstance(value, str) and MASK in value


def is_secret_name(name: str) -> bool:
    """Whether what has this name is most likely a secret."""
    return bool(_SECRET_NAME.search(name))


def redact_headers(headers: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Headers for showing: the values of those that carry a key or a cookie are hidden."""
    return {name: MASK if is_secret_name(name) else value for name, value in headers.items()}


def hide_headers(name: str, value: JsonValue) -> JsonValue:
    """A member of an object; one that is called ``headers`` is shown as such."""
    return redact_headers(value) if isinstance(value, dict) and name.lower() == "headers" else value


# --- finding all the ways in which a secret may be written


_SHORTEST_LINE = 8
"""A line of a secret that has several: a diff shows them one by one."""
_MOST_LINES = 100
_LONGEST_ADDRESS = 100_000
_FEW = 16
_WORD = 4
_LONG_ENOUGH = 2 * _WORD - 1
"""Bytes of which four in a row, wherever they lie in a text, are one of its words of four bytes."""


class Finder:
    """Knows many forms of secrets and finds them in a text, in a time that hardly depends on their number.

    A text is cut into words of four bytes. Wherever a form lies in it, a word begins at one of the form's first four
    bytes; so each form is kept under the four words that may be found there, and one pass over the words of the
    text gives the few forms that are worth looking for.
    """

    def __init__(self) -> None:
        self._forms: set[str] = set()
        self._by_word: dict[int, list[str]] = {}
        self._short: list[str] = []
        """Too short to contain a whole word for certain: always looked for."""
        self._shortest = sys.maxsize

    def add(self, forms: Iterable[str]) -> None:
        """Find these, too, from here on."""
        for form in {form for form in forms if len(form) >= _SHORTEST} - self._forms:
            self._forms.add(form)
            self._shortest = min(self._shortest, len(form))
            begin = lossless_bytes(form[:_LONG_ENOUGH])
            if len(begin) < _LONG_ENOUGH:
                self._short.append(form)
                continue
            for at in range(_WORD):
                word = int.from_bytes(begin[at : at + _WORD], sys.byteorder)
                self._by_word.setdefault(word, []).append(form)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where they are: the first one, the longest of those that begin there; then on from its end."""
        if len(text) < self._shortest:
            return []
        places = [(start, -len(form), form) for form in self.candidates(text) if (start := text.find(form)) >= 0]
        heapify(places)
        spans, end = [], 0
        while places:
            start, _, form = places[0]
            if start >= end:
                end = start + len(form)
                spans.append((start, end))
            if (again := text.find(form, end)) >= 0:
                heapreplace(places, (again, -len(form), form))
            else:
                heappop(places)
        return spans

    def candidates(self, text: str) -> Iterable[str]:
        """The forms that may be in the text: all, where looking for them is quicker than cutting the text."""
        if len(self._forms) <= _FEW:
            return self._forms
        data = lossless_bytes(text)
        words = memoryview(data[: len(data) // _WORD * _WORD]).cast("I")
        if found := self._by_word.keys() & words:
            return {*self._short, *(form for word in found for form in self._by_word[word])}
        return self._short

    def overlap(self, text: str) -> int:
        """How many letters at the end of the text may be the beginning of a form."""
        return max((overlap_of(text, form) for form in self._forms), default=0)


def overlap_of(text: str, form: str) -> int:
    """The longest end of the text that is a beginning of the form, and not all of it."""
    start = text.find(form[0], max(len(text) - len(form) + 1, 0))
    while start >= 0 and not form.startswith(text[start:]):
        start = text.find(form[0], start + 1)
    return len(text) - start if start >= 0 else 0


def list_forms(secret: str) -> set[str]:
    """A secret as it may turn up: whole or line by line, as it is or written in another way."""
    lines = [line for line in map(str.strip, secret.splitlines()) if len(line) >= _SHORTEST_LINE][:_MOST_LINES]
    return {form for each in (secret, *lines) for form in list_spellings(each)}


def list_spellings(secret: str) -> set[str]:
    """A text plain, inside JSON, printed on one line, in an address, or in Base64."""
    data = lossless_bytes(secret)
    printed = secret.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    forms = {secret, printed, printed.replace("'", "\\'"), *encode_base64(data)}
    forms |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    if len(data) <= _LONGEST_ADDRESS:
        forms |= {quote(data, safe=""), quote(data, safe="!'()*~"), quote_plus(data)}
    return forms


def encode_base64(data: bytes) -> set[str]:
    """In both alphabets, alone or in the middle of something longer, such as a name and a colon before it."""
    forms = {b64encode(data).decode()}
    for before in range(3):
        # Only the letters that stand for nothing but the secret: those at the edges depend on what is around it.
        first, last = -(-before * 8 // 6), (before + len(data)) * 8 // 6
        forms.add(b64encode(bytes(before) + data).decode()[first:last])
    return forms | {form.replace("+", "-").replace("/", "_") for form in forms}
