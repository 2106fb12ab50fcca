"""What the tokenizer finds: a tag and where it stands."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["open", "close", "single", "damaged"]


class Token(NamedTuple):
    """One tag, in offsets of the whole text. ``single`` is the self-closing form."""

    kind: Kind
    start: int
    end: int
    name: str
    attributes_start: int
    attributes_end: int
