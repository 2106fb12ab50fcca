"""The text read so far, in the pieces it came in, and where its lines begin."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

LINE_BREAK = re.compile("\n")
LONGEST_LINE_HEAD = 256


class ShortText:
    """A text that is all there, and short enough to count its lines anew each time somebody asks."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def slice(self, start: int, end: int) -> str:
        """The characters from one offset up to another."""
        return self._text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, in characters."""
        return self._text.count("\n", 0, offset) + 1, offset - self._text.rfind("\n", 0, offset)


class SourceText:
    """A text that grows at its end. Slices and positions are made only when somebody asks."""

    __slots__ = ("_breaks", "_breaks_up_to", "_chunks", "_starts", "length")

    def __init__(self) -> None:
        self._chunks: list[str] = []
        self._starts: list[int] = []
        self._breaks: list[int] = []
        self._breaks_up_to = 0
        self.length = 0

    def append(self, chunk: str) -> None:
        """Let the text grow by this chunk."""
        if chunk:
            self._chunks.append(chunk)
            self._starts.append(self.length)
            self.length += len(chunk)

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
        self._find_breaks()
        line = bisect_left(self._breaks, offset)
        start = self._breaks[line - 1] + 1 if line else 0
        return line + 1, offset - start + 1

    def line_head(self, offset: int) -> str:
        """How the line of an offset begins, as far as that stands before it."""
        start = offset + 1 - self.position(offset)[1]
        return self.slice(start, min(offset, start + LONGEST_LINE_HEAD))

    def _find_breaks(self) -> None:
        if self._breaks_up_to == self.length:
            return
        first = bisect_left(self._starts, self._breaks_up_to)
        for start, chunk in zip(self._starts[first:], self._chunks[first:], strict=True):
            self._breaks.extend(start + match.start() for match in LINE_BREAK.finditer(chunk))
        self._breaks_up_to = self.length
