"""Where something stands in a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal

from paperagents.definitions.json_value import JsonObject
from paperagents.messages import advice, sentence
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A stretch of a file. Lines and columns count from 1, in characters; the end column is the one after."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """A piece of text, and where each of its lines stands in the file it came from."""

    text: str
    file: str | None = None
    line: int = 1
    indents: tuple[int, ...] = ()
    """Characters before each line in the file; lines past the end have the last one's."""
    written: Excerpt | None = None
    """How the file has it, where that is not the text itself: a folded or escaped YAML text. Its lines are
    then not lines of the file, and a place in it is known only by what stands there."""

    last_line: int | None = None
    """The last line of the file that is really in it, where more was added around a whole file."""

    def has_line(self, line: int) -> bool:
        """Whether this line of the file is part of it."""
        return line >= 1 and (self.last_line is None or line <= self.last_line)

    def position(self, line: int, column: int) -> tuple[int, int]:
        """The line and column in the file of a line and column of the text, all counted from 1."""
        if self.written is not None:
            return self.line, 1 + (self.indents[0] if self.indents else 0)
        indent = self.indents[min(line, len(self.indents)) - 1] if self.indents else 0
        return self.line + line - 1, column + indent

    def span(self, start: int, end: int) -> Span:
        """The stretch of the file between two offsets of the text."""
        if self.written is not None and (found := self._found_in(self.written.text, start, end)) is not None:
            return self.written.span(found, found + end - start)
        line, column = self.position(*self._line_and_column(start))
        end_line, end_column = self.position(*self._line_and_column(end))
        return Span(
            line=line,
            column=column,
            end_line=end_line,
            end_column=max(end_column, column + (line == end_line)),
        )

    def fill(self, fillings: Iterable[tuple[int, int, str]]) -> FilledExcerpt:
        """The text with another one between start and end of each filling; fillings are in order."""
        pieces: list[str] = []
        places: list[tuple[int, int, int, int]] = []
        at = size = 0
        for start, end, text in fillings:
            size += start - at
            pieces += [self.text[at:start], text]
            places.append((size, size + len(text), start, end))
            at, size = end, size + len(text)
        filled = "".join([*pieces, self.text[at:]])
        return FilledExcerpt(text=filled, file=self.file, source=self, places=tuple(places))

    def _found_in(self, written: str, start: int, end: int) -> int | None:
        """Where the same words stand as often before it; None where an escape makes that uncertain."""
        # An escaped text has other offsets than the file: the place is found by what stands there.
        words = self.text[start:end]
        if not words or written.count(words) != self.text.count(words):
            return None
        before = self.text.count(words, 0, start)
        return len(words.join(written.split(words, before + 1)[: before + 1]))

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1


@dataclass(frozen=True, kw_only=True, slots=True)
class FilledExcerpt(Excerpt):
    """A text with fillings; a place in it is the place of what the file has there."""

    source: Excerpt
    places: tuple[tuple[int, int, int, int], ...]
    """Start and end of each filling in the text, and of what it replaces in the source."""

    def span(self, start: int, end: int) -> Span:
        """The stretch of the file between two offsets of the text."""
        return self.source.span(self._offset_in_source(start), self._offset_in_source(end))

    def position(self, line: int, column: int) -> tuple[int, int]:
        """The line and column in the file of a line and column of the text."""
        offset = sum(len(each) + 1 for each in self.text.split("\n")[: line - 1]) + column - 1
        span = self.span(offset, offset)
        return span.line, span.column

    def _offset_in_source(self, offset: int) -> int:
        shift = 0
        for start, end, source_start, source_end in self.places:
            if offset < start:
                break
            if offset < end:
                return source_start
            shift = source_end - end
        return offset + shift


# --- something wrong with a file, at its line and column


Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A stable code and the values of its sentence; the sentence is looked up in the reader's language."""

    code: str
    severity: Severity
    file: str
    span: Span
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What is wrong: the sentence for this very case, else for the code."""
        return sentence(self.code, self.values)

    @property
    def hint(self) -> str | None:
        """What to do next, where there is something to say."""
        return advice(self.code, self.values)

    def as_json(self) -> JsonObject:
        """The form of ``paper check --format json``."""
        return {
            "file": self.file,
            "line": self.span.line,
            "column": self.span.column,
            "end_line": self.span.end_line,
            "end_column": self.span.end_column,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }
