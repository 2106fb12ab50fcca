"""Secrets never reach a record, a log, an error or a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain, repeat, zip_longest
from urllib.parse import urlsplit

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import UsageError
from paperagents.records.secret_forms import Finder, forms_of

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
