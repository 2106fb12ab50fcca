"""One file as it stands in an editor, taken apart once: its lines, its YAML, its fences."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal

from paperagents.definitions.source import Excerpt, Span
from paperagents.reading.files import find_kind, find_marker
from paperagents.reading.markdown import Blocks, Fence, Note, find_fences, read_blocks, split_note
from paperagents.reading.problems import ProblemList, normalize_lines
from paperagents.reading.yaml_nodes import YamlMapping, read_yaml
from paperagents.values import dataclass

Kind = Literal["tool", "agent", "tag", "script"]
_KIND = re.compile(r"\b(tool|agent|tag)\b")
_FENCE_LINE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w-]*)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """A place between two characters. Lines and columns count from 1, as in a span."""

    line: int
    column: int


class Document:
    """The text of one file of a vault. What cannot be read is simply not there."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = normalize_lines(text.removeprefix("\ufeff"))
        self.lines = self.text.split("\n")

    @property
    def is_script(self) -> bool:
        """Whether the whole file is JavaScript."""
        return self.file.lower().endswith(".tool.js")

    @cached_property
    def note(self) -> Note:
        """Frontmatter and body."""
        return split_note(self.text, self.file)

    @cached_property
    def front(self) -> YamlMapping | None:
        """The frontmatter; None where it is missing or broken."""
        if self.is_script or self.note.frontmatter is None:
            return None
        node = read_yaml(self.note.frontmatter, self._problems())
        return node if isinstance(node, YamlMapping) else None

    @cached_property
    def kind(self) -> Kind | None:
        """What the file is, or would be once it is readable; None for an ordinary note."""
        if self.is_script:
            return "script"
        if self.front is not None:
            return find_kind(self.front, self._problems())  # type: ignore[return-value]  # one of the three words
        marker = find_marker(self.note.frontmatter.text) if self.note.frontmatter is not None else None
        word = _KIND.search(marker[0]) if marker is not None else None
        return word[1] if word is not None else None  # type: ignore[return-value]  # as above

    @cached_property
    def fences(self) -> list[Fence]:
        """The fenced blocks of the body."""
        return [] if self.is_script else find_fences(self.note.body)

    @cached_property
    def blocks(self) -> Blocks:
        """Those that execute."""
        return read_blocks(self.note.body, self._problems(), expects_block=False)

    @property
    def is_readable(self) -> bool:
        """Whether its YAML can be read."""
        return self.is_script or self.front is not None

    def line(self, number: int) -> str:
        """A line, counted from 1; empty beyond the end."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def before(self, at: Position) -> str:
        """What stands on the line before a place."""
        return self.line(at.line)[: at.column - 1]

    def text_at(self, span: Span) -> str:
        """The text of a span."""
        if span.line == span.end_line:
            return self.line(span.line)[span.column - 1 : span.end_column - 1]
        inner = self.lines[span.line : span.end_line - 1]
        first, last = self.line(span.line)[span.column - 1 :], self.line(span.end_line)[: span.end_column - 1]
        return "\n".join([first, *inner, last])

    def without_line(self, number: int) -> Document:
        """The same file with an empty line in the place of one that is just being typed."""
        return Document(self.file, "\n".join([*self.lines[: number - 1], "", *self.lines[number:]]))

    def in_frontmatter(self, line: int) -> bool:
        """Whether a line stands in the frontmatter, closed or not."""
        front = self.note.frontmatter
        return front is not None and front.line <= line <= front.line + front.text.count("\n") - (
            not self.note.unclosed
        )

    def fence_at(self, line: int) -> tuple[str, int, int] | None:
        """The language, first and last line of the fence around a line; also of one that is not closed yet."""
        opened: tuple[str, str, int] | None = None
        for number in range(self.note.body.line, len(self.lines) + 1):
            found = _FENCE_LINE.match(self.lines[number - 1])
            if found is None:
                continue
            if opened is None:
                opened = found[1], found[2].lower(), number
            elif found[1].startswith(opened[0]) and not found[2]:
                if opened[2] < line < number:
                    return opened[1], opened[2] + 1, number - 1
                opened = None
        return (opened[1], opened[2] + 1, len(self.lines)) if opened is not None and opened[2] < line else None

    def yaml_around(self, line: int) -> tuple[int, bool] | None:
        """The first line of the frontmatter or of the fence of YAML around a line, and whether it is a fence."""
        if self.in_frontmatter(line):
            return 2, False
        fence = self.fence_at(line) if self.kind == "tool" else None
        return (fence[1], True) if fence is not None and fence[0] in ("yaml", "yml") else None

    def script_fence(self, line: int) -> Excerpt | None:
        """The content of the fence around a line, where it is complete."""
        around = (each.content for each in self.fences if is_within(line, each.content))
        return next(around, None)

    def _problems(self) -> ProblemList:
        return ProblemList(self.file, self.lines)


def is_within(line: int, excerpt: Excerpt) -> bool:
    """Whether a line of the file belongs to an excerpt."""
    return excerpt.line <= line <= excerpt.line + excerpt.text.count("\n")


def covers(span: Span, at: Position) -> bool:
    """Whether a place is in a span, or at either end of it."""
    return (span.line, span.column) <= (at.line, at.column) <= (span.end_line, span.end_column)
