"""Lines and columns of a file as an editor counts them: from 0, in the units that it agreed on."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from paperagents.definitions.source import Span
from paperagents.language.document import Position

_UNITS = {types.PositionEncodingKind.Utf8: "utf-8", types.PositionEncodingKind.Utf16: "utf-16-le"}
_WIDTHS = {"utf-8": 1, "utf-16-le": 2}


class Positions:
    """The positions in one text."""

    def __init__(self, lines: Sequence[str], encoding: str) -> None:
        self._lines = lines
        self._encoding = _UNITS.get(types.PositionEncodingKind(encoding))

    def of_client(self, position: types.Position) -> Position:
        """The place that an editor means; one beyond the end of a line is its end."""
        line = self._line(position.line)
        if self._encoding is None or line.isascii():
            return Position(line=position.line + 1, column=min(position.character, len(line)) + 1)
        written = line.encode(self._encoding, "surrogatepass")[: position.character * _WIDTHS[self._encoding]]
        # Half a character counts as not there.
        return Position(line=position.line + 1, column=len(written.decode(self._encoding, "ignore")) + 1)

    def to_client(self, line: int, column: int) -> types.Position:
        """A place as the editor counts it."""
        before = self._line(line - 1)[: column - 1]
        if self._encoding is None or before.isascii():
            return types.Position(line=line - 1, character=len(before))
        units = len(before.encode(self._encoding, "surrogatepass")) // _WIDTHS[self._encoding]
        return types.Position(line=line - 1, character=units)

    def range(self, span: Span) -> types.Range:
        """A stretch as the editor counts it."""
        start, end = self.to_client(span.line, span.column), self.to_client(span.end_line, span.end_column)
        return types.Range(start=start, end=end)

    def span(self, stretch: types.Range) -> Span:
        """The stretch that an editor means."""
        start, end = self.of_client(stretch.start), self.of_client(stretch.end)
        return Span(line=start.line, column=start.column, end_line=end.line, end_column=end.column)

    def length(self, span: Span) -> int:
        """How long a stretch on one line is, in the editor's units."""
        return self.to_client(span.line, span.end_column).character - self.to_client(span.line, span.column).character

    def _line(self, number: int) -> str:
        return self._lines[number] if 0 <= number < len(self._lines) else ""
