"""A tag of which only the beginning has come: read on as more text arrives, never from its start again."""

from __future__ import annotations

import re
from dataclasses import dataclass

from paperagents.tags.grammar import (
    CLOSING_END,
    MANY_BLANKS,
    ONE_ATTRIBUTE,
    OPEN_QUOTE,
    PARTIAL_CLOSING_END,
    PARTIAL_REST,
    QUOTE_BODY,
    SETTLED,
    TAG_END,
    Kind,
    Token,
)


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
