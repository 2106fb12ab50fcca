"""Secrets never reach a record, a log, an error or a page."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat, zip_longest
from urllib.parse import quote, quote_plus, urlsplit

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.text import lossless_bytes
from paperagents.errors import UsageError

MASK = "***"
_SHORTEST = 4
"""A secret of one or two letters would blacken every text."""
_SECRET_NAME = re.compile(
    r"authorization|cookie|token|secret|password|passwd|credential|session|signature|x-auth|jwt"
    r"|(?:api|app|access|account|auth|client|private|shared|subscription)[-_]?key",
    re.IGNORECASE,
)


class Masking:
    """Knows the secrets of a run and blackens them wherever they turn up."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: frozenset[str] = frozenset()
        self._finder = Finder()
        self.learn(secrets)

    def learn(self, secrets: Iterable[str]) -> None:
        """Blacken these, too, from here on."""
        new = {each for each in secrets if len(each) >= _SHORTEST} - self._known
        if self._known and not new:
            return
        self._finder.add(form for each in new for form in forms_of(each))
        self._known |= new
        # Most of a record is such values; asking nothing more about them saves a third of the time.
        self._harmless = {int, float, bool, type(None)} | (set() if self._finder else {str})

    @property
    def known(self) -> frozenset[str]:
        """Every secret known by now."""
        return self._known

    def text(self, text: str) -> str:
        """The text without secrets."""
        return self._finder.replaced(text, MASK)

    def value(self, value: JsonValue) -> JsonValue:
        """The value without secrets, and without the values of headers that are meant to be secret."""
        harmless = self._harmless
        if isinstance(value, list):
            return [each if type(each) in harmless else self.value(each) for each in value]
        if isinstance(value, dict):
            return {
                self.text(name): each if type(each) in harmless else self._member(name, each)
                for name, each in value.items()
            }
        return self.text(value) if isinstance(value, str) else value

    def unmasked(self, edited: JsonValue, real: JsonValue) -> JsonValue:
        """What a person has left as it was shown, mask and all, is what the mask stood for.

        Raises UsageError where a mask is left of which nobody can say what it stands for.
        """
        return self._unmasked(edited, self.value(real), real)

    def _unmasked(self, edited: JsonValue, shown: JsonValue, real: JsonValue) -> JsonValue:
        if edited == shown:
            return real
        if isinstance(edited, dict) and isinstance(shown, dict) and isinstance(real, dict):
            # What has no counterpart is compared with all of it: a mask must not be carried elsewhere.
            names = dict(zip(shown, real, strict=False)) if len(shown) == len(real) else {}
            both = {name: (names[name], shown[name], real[names[name]]) for name in names}
            parts = [(each, *both.get(name, (name, shown, real))) for name, each in edited.items()]
            return {name: self._unmasked(each, before, behind) for each, name, before, behind in parts}
        if isinstance(edited, list) and isinstance(shown, list) and isinstance(real, list):
            counterparts = chain(zip(shown, real, strict=True), repeat((shown, real)))
            return [self._unmasked(each, *both) for each, both in zip(edited, counterparts, strict=False)]
        if shown == real or not has_mask(edited):
            return edited
        return self._filled_in(edited, shown, real)

    def _filled_in(self, edited: JsonValue, shown: JsonValue, real: JsonValue) -> str:
        """A text that was changed around its masks: they stand for the same secrets, in the same order."""
        if isinstance(edited, str) and isinstance(shown, str) and isinstance(real, str):
            hidden = [real] if shown == MASK else [real[start:end] for start, end in sorted(self._finder.spans(real))]
            pieces = edited.split(MASK)
            if len(pieces) - 1 == shown.count(MASK) == len(hidden):
                return "".join(chain.from_iterable(zip_longest(pieces, hidden, fillvalue="")))
        raise UsageError("mask-in-edit")

    def settled(self, text: str) -> int:
        """How much of the beginning of a text can be masked before its rest is known."""
        place = len(text) - self._finder.begun(text)
        # The end of a whole secret may look like the beginning of another one.
        return next((end for start, end in self._finder.spans(text) if start < place < end), place)

    def _member(self, name: str, value: JsonValue) -> JsonValue:
        if isinstance(value, dict) and name.lower() == "headers":
            return {self.text(each): self.value(shown) for each, shown in mask_headers(value).items()}
        return self.value(value)


class MaskedStream:
    """A text that comes in pieces, without its secrets: what may be the beginning of one waits for the next piece."""

    def __init__(self, masking: Masking) -> None:
        self._masking = masking
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        text = self._waiting + piece
        shown = self._masking.settled(text)
        self._waiting = text[shown:]
        return self._masking.text(text[:shown])

    def rest(self) -> str:
        """What waited, once nothing more comes."""
        text, self._waiting = self._waiting, ""
        return self._masking.text(text)


def secrets_of_request(arguments: Mapping[str, JsonValue]) -> list[str]:
    """The values of headers that carry a key or a cookie, whole and without the word before them; passwords in URLs."""
    headers = arguments.get("headers")
    found = (
        [str(each) for name, each in headers.items() if _SECRET_NAME.search(name)] if isinstance(headers, dict) else []
    )
    return [*found, *(each.split(" ", 1)[1] for each in found if " " in each), *_password(arguments.get("url"))]


def _password(address: JsonValue) -> list[str]:
    try:
        password = urlsplit(address).password if isinstance(address, str) else None
    except ValueError:
        password = None
    return [password] if password else []


def has_mask(value: JsonValue) -> bool:
    """Whether a mask, or what looks like one, stands anywhere in a value."""
    if isinstance(value, dict):
        return any(MASK in name or has_mask(each) for name, each in value.items())
    return any(map(has_mask, value)) if isinstance(value, list) else isinstance(value, str) and MASK in value


def mask_headers(headers: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Headers for showing: the values of those that carry a key or a cookie are hidden."""
    return {name: MASK if _SECRET_NAME.search(name) else value for name, value in headers.items()}


# --- the many ways in which a secret may be written, and finding them all in a text


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
