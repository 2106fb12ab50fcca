"""How a tag is written, as regular expressions that never go back.

Every quantifier is possessive: a character is looked at once and never given back, so the time is linear
whatever the text. The pieces are put together twice, once for a whole tag and once for a single
attribute, so that a tag that arrives in parts is read by the same rules as one that arrives at once.

Names, keys and values without quotes are bounded, so that looking at them again when more text comes stays
cheap. Blanks and values in quotes have no bound.

A damaged tag is left at its start, and what it had read is read again. That too stays linear: two tags that are
read over the same characters are never both inside quotes of one kind, nor both outside, because every quote
takes each of them to the other side. Only an apostrophe in a word may stand outside and open nothing: whoever
comes from inside finds no attribute behind it that the other would find, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from paperagents.definitions.text import compile_regex

BLANKS = r"\s*+"
NAME = r"\w[\w.\-]{0,199}+"
KEY = r"\w[\w.:\-]{0,255}+"
BODY = {quote: rf"[^{quote}\\]*+(?:\\.[^{quote}\\]*+)*+" for quote in "\"'"}
QUOTED = "|".join(f"{quote}{body}{quote}" for quote, body in BODY.items())
INSIDE_WORD = r"(?<=\w)['\"](?:\w|\Z)"
BARE = rf"(?:[^\s>/{{'\"]|{INSIDE_WORD}|/(?!{BLANKS}>\}}\}})|>(?!\}}\}})|\{{(?!\{{<)){{1,4096}}+"
# A blank after the equals sign and then another `key=` means that the value was forgotten.
VALUE = rf"(?:{BLANKS}(?:{QUOTED})|{BARE}|{BLANKS}(?!{KEY}{BLANKS}=){BARE})"
# Two attributes may touch where a quote ends the first and the second surely is one.
SEPARATOR = rf"(?:[\s,]++|(?<=['\"])(?={KEY}{BLANKS}={BLANKS}['\"]))"
ATTRIBUTE = rf"{SEPARATOR}{KEY}(?:{BLANKS}={VALUE}?+)?+"

TAG = compile_regex(
    rf"\{{\{{<(?:{BLANKS}(?:/{BLANKS}(?P<closed>{NAME}){BLANKS}>\}}\}}|(?P<name>{NAME})"
    rf"(?P<attributes>(?:{ATTRIBUTE})*+)[\s,]*+(?:(?P<slash>/){BLANKS})?+>\}}\}})|)",
    re.DOTALL,
)
"""A whole tag, or only ``{{<`` where what follows is not one (or not yet)."""

CLOSE, OPEN, SINGLE = 1, 3, 4
"""Which tag it is, as the last group that took part in the match."""

# Most tags are plainly written, and those alone are found in a third of the time.
PLAIN_CLOSE, PLAIN_OPEN, PLAIN_SINGLE = 1, 2, 3
PLAIN_NAME = "[A-Za-z0-9_]{1,200}+"


def _make_plain_tag(double: str, single: str) -> re.Pattern[str]:
    value = rf"(?:=(?:\"{double}*+\"|'{single}*+'))?+"
    return compile_regex(
        rf"\{{\{{<(?:/(?P<closed>{PLAIN_NAME})>\}}\}}|(?P<name>{PLAIN_NAME})"
        rf"(?:\s{PLAIN_NAME}{value})*+\s?+(?P<slash>/)?+>\}}\}}|)"
    )


PLAIN_TAG = _make_plain_tag(r"[^\"\\]", r"[^'\\]")
"""What ``TAG`` finds where it is plainly written, and only ``{{<`` where it is not."""
PLAIN_TAG_WITHOUT_ESCAPES = _make_plain_tag('[^"]', "[^']")
"""The same for a text without a backslash."""


def plain_tag(text: str) -> re.Pattern[str]:
    """The expression that finds the plainly written tags of a text."""
    return PLAIN_TAG if "\\" in text else PLAIN_TAG_WITHOUT_ESCAPES


TAG_HEAD = compile_regex(rf"\{{\{{<{BLANKS}(?P<slash>/?+){BLANKS}(?P<name>{NAME})(?![\w.\-])")
TAG_END = compile_regex(rf"[\s,]*+(?P<slash>/?+){BLANKS}>\}}\}}")
CLOSING_END = compile_regex(rf"{BLANKS}>\}}\}}")
ONE_ATTRIBUTE = compile_regex(ATTRIBUTE, re.DOTALL)
OPEN_QUOTE = compile_regex(rf"{SEPARATOR}{KEY}{BLANKS}={BLANKS}(?P<quote>['\"])", re.DOTALL)
QUOTE_BODY = {quote: compile_regex(body, re.DOTALL) for quote, body in BODY.items()}

# What may still grow into something: asked only of the last characters of a text that goes on.
PARTIAL_HEAD = compile_regex(rf"\{{\{{<{BLANKS}/?+{BLANKS}(?:{NAME})?+\Z")
PARTIAL_CLOSING_END = compile_regex(rf"{BLANKS}(?:>\}}?+)?+\Z")
PARTIAL_REST = compile_regex(rf"[\s,]*+(?:/{BLANKS}(?:>\}}?+)?+|>\}}?+|{KEY}(?:{BLANKS}={BLANKS})?+)?+\Z")
MANY_BLANKS = compile_regex(r"[\s,]{2,}+")
SETTLED = compile_regex(rf"{BLANKS}(?:[^\s>]|>..)", re.DOTALL)
"""After an attribute without quotes: enough has come to know that it does not go on."""

ATTRIBUTE_PARTS = compile_regex(
    rf"(?P<key>{KEY})(?:{BLANKS}=(?:{BLANKS}(?:\"(?P<double>{BODY[chr(34)]})\"|'(?P<single>{BODY[chr(39)]})')"
    rf"|(?P<bare>{BARE})|{BLANKS}(?!{KEY}{BLANKS}=)(?P<spaced>{BARE})|(?P<nothing>)))?+",
    re.DOTALL,
)
"""One attribute again, with its key and its value as groups."""


Kind: TypeAlias = Literal["open", "close", "single", "damaged"]


class Token(NamedTuple):
    """One tag, in offsets of the whole text. ``single`` is the self-closing form."""

    kind: Kind
    start: int
    end: int
    name: str
    attributes_start: int
    attributes_end: int


def token_at(position: int, buffer: str, base: int) -> Token | None:
    """The whole tag at a position of a piece of text that begins at the base, or None where there is none."""
    match = TAG.match(buffer, position)
    if match is None or match.lastindex is None:
        return None
    start, end = base + position, base + match.end()
    if match.lastindex == CLOSE:
        return Token("close", start, end, match["closed"], end, end)
    first, last = match.span("attributes")
    kind: Kind = "single" if match.lastindex == SINGLE else "open"
    return Token(kind, start, end, match["name"], base + first, base + last)


ESCAPES = compile_regex(r"""(?:\\[\\"'])++""")
UNUSED = "\0"


def parse_attributes(text: str) -> dict[str, str | bool]:
    """The attributes in a text, a bare key as True. The last one wins where a key repeats."""
    return dict(attribute_pairs(text))


def duplicate_keys(text: str) -> list[str]:
    """The keys that stand more than once in a text, each named once."""
    return duplicates(key for key, _ in attribute_pairs(text))


def duplicates(keys: Iterable[str]) -> list[str]:
    """The keys that are there more than once, each named once."""
    return [key for key, count in Counter(keys).items() if count > 1]


def attribute_pairs(text: str) -> Iterator[tuple[str, str | bool]]:
    """Key and value of every attribute, in their order. What is no attribute is passed over."""
    for match in ATTRIBUTE_PARTS.finditer(text):
        key, double, single, bare, spaced, nothing = match.groups()
        quoted = double if double is not None else single
        if quoted is not None:
            yield key, unescape(quoted) if "\\" in quoted else quoted
        elif bare or spaced:
            yield key, bare or spaced
        else:
            yield key, nothing if nothing is not None else True


def unescape(value: str) -> str:
    r"""Take the backslash from ``\"``, ``\'`` and ``\\``; any other backslash stays: ``C:\new``, ``\d+``."""
    if UNUSED in value:
        return ESCAPES.sub(lambda match: match[0][1::2], value)
    # Whole passes over the text are many times faster than one step per escape.
    value = value.replace("\\\\", UNUSED).replace('\\"', '"').replace("\\'", "'")
    return value.replace(UNUSED, "\\")


def quoted(value: object) -> str:
    """A value as it is written in a tag."""
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


@dataclass(kw_only=True, slots=True)
class UnfinishedTag:
    """How far a tag is read. All offsets are of the whole text."""

    start: int
    name: str
    closing: bool
    attributes_start: int
    attributes_end: int
    resume: int
    """Up to here it is read and will not change."""
    quote: str = ""
    """The quote character of a value that is still open."""
    escaped: bool = False
    """Whether the text so far ends with a backslash that takes the next character with it."""

    def read_on(self, buffer: str, base: int, *, final: bool) -> Token | None:
        """The finished or damaged tag, or None where only more text can tell."""
        if self.quote:
            return self._damaged() if final else None
        if self.closing:
            return self._read_closing_end(buffer, base, final=final)
        return self._read_attributes(buffer, base, final=final)

    def closing_quote(self, chunk: str) -> int | None:
        """Where in this chunk the open value ends, or None where it goes on."""
        start = 1 if self.escaped and chunk else 0
        end = self._body_end(chunk, start) if chunk else 0
        if end < len(chunk) and chunk[end] == self.quote:
            self.quote, self.escaped = "", False
            return end
        return None

    def _read_closing_end(self, buffer: str, base: int, *, final: bool) -> Token | None:
        position = self.resume - base
        if match := CLOSING_END.match(buffer, position):
            end = base + match.end()
            return Token("close", self.start, end, self.name, end, end)
        waiting = not final and PARTIAL_CLOSING_END.match(buffer, position)
        return None if waiting else self._damaged()

    def _read_attributes(self, buffer: str, base: int, *, final: bool) -> Token | None:
        while True:
            position = self.resume - base
            if match := TAG_END.match(buffer, position):
                kind: Kind = "single" if match["slash"] else "open"
                return Token(
                    kind, self.start, base + match.end(), self.name, self.attributes_start, self.attributes_end
                )
            attribute = ONE_ATTRIBUTE.match(buffer, position)
            quote = OPEN_QUOTE.match(buffer, position)
            if quote and (attribute is None or attribute.end() <= quote.start("quote")):
                self._enter_quote(buffer, quote)
                return self._damaged() if final else None
            if attribute is None or not (quote or final or SETTLED.match(buffer, attribute.end())):
                break
            self.resume = self.attributes_end = base + attribute.end()
        waiting = not final and (attribute or PARTIAL_REST.match(buffer, position))
        self._skip_blanks(buffer, base)
        return None if waiting else self._damaged()

    def _enter_quote(self, buffer: str, opening: re.Match[str]) -> None:
        self.quote = opening["quote"]
        self._body_end(buffer, opening.end())

    def _body_end(self, text: str, start: int) -> int:
        """Where the open value stops in this text: at its quote, at a last backslash, or at the end."""
        match = QUOTE_BODY[self.quote].match(text, start)
        end = match.end() if match else start
        self.escaped = end == len(text) - 1 and text[end] == "\\"
        return end

    def _skip_blanks(self, buffer: str, base: int) -> None:
        """Of many blanks only the last is kept: it still separates."""
        match = MANY_BLANKS.match(buffer, self.resume - base)
        if match:
            self.resume = base + match.end() - 1

    def _damaged(self) -> Token:
        start = self.attributes_start
        return Token("damaged", self.start, start, self.name, start, start)
