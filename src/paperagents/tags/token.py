"""What the tokenizer finds: a tag and where it stands."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from paperagents.tags.grammar import CLOSE, SINGLE, TAG

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
