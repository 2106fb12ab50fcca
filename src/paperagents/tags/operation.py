"""The text read so far, and one call in it, whose parts are cut out of the text when they are asked for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from paperagents.tags.grammar import Token, parse_attributes, token_at

LINE_BREAK = re.compile("\n")
FIRST_BREAK = re.compile(r"\A\r?\n")
LAST_BREAK = re.compile(r"\r?\n\Z")
LONGEST_LINE_HEAD = 256


class SourceText:
    """A text that grows at its end. Slices and positions are made only when somebody asks."""

    __slots__ = ("_breaks", "_breaks_up_to", "_chunks", "_starts", "length")

    def __init__(self, text: str = "") -> None:
        self._chunks = [text] if text else []
        self._starts = [0] if text else []
        self._breaks: list[int] = []
        self._breaks_up_to = 0
        self.length = len(text)

    def append(self, chunk: str) -> None:
        """Let the text grow by this chunk."""
        if chunk:
            self._chunks.append(chunk)
            self._starts.append(self.length)
            self.length += len(chunk)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._chunks)

    def slice(self, start: int, end: int) -> str:
        """The characters from one offset up to another."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_left(self._starts, end)
        if last - first == 1:
            offset = self._starts[first]
            return self._chunks[first][start - offset : end - offset]
        pieces = self._chunks[first:last]
        if not pieces:
            return ""
        offset = self._starts[first]
        return "".join(pieces)[start - offset : end - offset]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, in characters."""
        if self._breaks_up_to < self.length:
            first = bisect_left(self._starts, self._breaks_up_to)
            for start, chunk in zip(self._starts[first:], self._chunks[first:], strict=True):
                self._breaks.extend(start + match.start() for match in LINE_BREAK.finditer(chunk))
            self._breaks_up_to = self.length
        line = bisect_left(self._breaks, offset)
        start = self._breaks[line - 1] + 1 if line else 0
        return line + 1, offset - start + 1

    def line_head(self, offset: int) -> str:
        """How the line of an offset begins, as far as that stands before it."""
        start = offset + 1 - self.position(offset)[1]
        return self.slice(start, min(offset, start + LONGEST_LINE_HEAD))


UNCLOSED: Final = Token("close", 0, 0, "", 0, 0)
"""Stands for the closing tag of a block that has none yet."""

Origin: TypeAlias = tuple[SourceText, str, int]
"""The whole text, the piece of it in which a tag was found, and where that piece begins."""


class TagOperation(dict[str, Any]):
    """Behaves as a plain dictionary with the keys ``tool_id, type, raw, … column``.

    A text may hold a hundred thousand calls of which a caller looks at three, and reading a tag costs more
    than finding it. So it begins with its ``tool_id`` alone and fills itself at the first look at more. Until
    then a tag may be known by its place in the text of the origin alone.
    """

    __slots__ = ("closing", "opening", "origin")

    origin: Origin | None
    opening: int | Token
    closing: int | Token | None

    @property
    def opening_token(self) -> Token:
        """Where the call begins."""
        return self._token(self.opening)

    def last_tag_start(self) -> int:
        """Where the tag begins that completes the call."""
        tag = self.opening if self.closing is None else self.closing
        return tag.start if isinstance(tag, Token) else tag + (self.origin[2] if self.origin else 0)

    def __missing__(self, key: str) -> Any:
        if self.origin is None:
            raise KeyError(key)
        self._fill()
        return self[key]

    def __eq__(self, other: object) -> bool:
        self._fill()
        if isinstance(other, TagOperation):
            other._fill()
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)

    def _fill(self) -> None:
        # Without an origin it is filled: the text can be released, and later changes of the dictionary stay.
        if self.origin is not None:
            self.opening = self._token(self.opening)
            self.closing = None if self.closing is None else self._token(self.closing)
            source, self.origin = self.origin[0], None
            dict.update(self, _parts(source, self.opening, self.closing))

    def _token(self, tag: int | Token) -> Token:
        if isinstance(tag, int):
            token = token_at(tag, *self.origin[1:]) if self.origin else None
            return token or UNCLOSED
        return tag


def _parts(source: SourceText, opening: Token, closing: Token | None) -> dict[str, Any]:
    end = closing.end if closing else opening.end
    # The line breaks with which tags stand on lines of their own are not content.
    inside = source.slice(opening.end, closing.start) if closing else ""
    content = LAST_BREAK.sub("", FIRST_BREAK.sub("", inside))
    line, column = source.position(opening.start)
    return {
        "type": "block" if closing else "self_closing",
        "raw": source.slice(opening.start, end),
        "content": content,
        "attributes": parse_attributes(source.slice(opening.attributes_start, opening.attributes_end)),
        "has_content": bool(content),
        "start": opening.start,
        "end": end,
        "line": line,
        "column": column,
    }


def _filled_first(name: str) -> Callable[..., Any]:
    method = getattr(dict, name)

    def call(self: TagOperation, *arguments: object, **named: object) -> object:
        self._fill()
        return method(self, *arguments, **named)

    call.__name__ = name
    return call


for _name in (
    *("__contains__", "__delitem__", "__ior__", "__iter__", "__len__", "__or__", "__repr__", "__reversed__"),
    *("__ror__", "__setitem__", "clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault"),
    *("update", "values"),
):
    setattr(TagOperation, _name, _filled_first(_name))
