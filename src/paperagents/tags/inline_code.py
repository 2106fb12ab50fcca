"""Where Markdown says that text is code inside a line, as CommonMark reads it: between two equal runs of backticks.

What stands in code is shown, not called. Inline code is at most ``LONGEST_CODE_SPAN`` characters long, so that a
text stays readable piece by piece.
"""

from __future__ import annotations

import re

from paperagents.definitions.pattern import compiled
from paperagents.tags.markdown_code import CONTAINER, FENCE_UNDECIDED, INFORMATION, fence_at
from paperagents.tags.source_text import SourceText

LONGEST_CODE_SPAN = 4096
RUN = {mark: compiled(f"{mark}++") for mark in "`~"}
LINE_HEAD = compiled(rf"(?P<container>{CONTAINER})(?P<heading>#{{1,6}}+[ \t])?+")
# Inline code ends with its paragraph: at a blank line, a heading, a list item, a rule or a fence.
BLOCK = (
    r"[ \t>]*+(?:\r?\n|#{1,6}+[ \t\r\n]|[-+*][ \t]|\d{1,9}+[.)][ \t]|=++[ \t]*+\r?\n"
    r"|(?:-[ \t]*+)++\r?\n|(?:_[ \t]*+){3,}+\r?\n|(?:\*[ \t]*+){3,}+\r?\n"
    rf"|`{{3,1000}}+{INFORMATION}\n|~{{3,1000}}+(?!~))"
)
HEADING_END = compiled(r"\n")
QUOTED_PARAGRAPH_END = compiled(rf"\n(?={BLOCK})")
PARAGRAPH_END = compiled(rf"\n(?=[ \t]*+>|{BLOCK})")


class InlineCode:
    """The inline code of a text that comes in pieces.

    What was looked for ahead is remembered, so that a backtick without a partner does not have the same characters
    searched that the one before it had.
    """

    __slots__ = ("_next_ends", "_next_runs", "_source")

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._next_runs: dict[int, int] = {}
        self._next_ends: dict[re.Pattern[str], int] = {}
        """Up to which offset no run of so many backticks, and no such end of a paragraph, begins."""

    def end(self, buffer: str, base: int, start: int, ticks: int) -> int | None:
        """Where inline code that opens here ends; 0 where none does; None where more text must tell."""
        after = start + ticks
        window = after + LONGEST_CODE_SPAN
        closing = self._next_run(buffer, base, after, ticks)
        limit = window if closing is None else closing
        if buffer.find("\n", after, limit) >= 0 and self._leaves_paragraph(buffer, base, after, limit):
            return 0
        if closing is None:
            return None if len(buffer) <= window + ticks else 0
        return _end_unless_fence(buffer, after, closing, ticks)

    def _next_run(self, buffer: str, base: int, start: int, ticks: int) -> int | None:
        """The first run of exactly so many backticks that is known to end."""
        window = min(start + LONGEST_CODE_SPAN, len(buffer))
        needle = "`" * ticks
        position = max(start, self._next_runs.get(ticks, 0) - base)
        while 0 <= (found := buffer.find(needle, position, window + ticks)) < window:
            end = run_end(buffer, found)
            if end == len(buffer):
                return None
            if end - found == ticks:
                return found
            position = end
            self._next_runs[ticks] = base + end
        return None

    def _leaves_paragraph(self, buffer: str, base: int, start: int, limit: int) -> bool:
        """Whether the paragraph of this place ends before the limit."""
        pattern = _paragraph_end(self._source.line_head(base + start))
        position = max(start, self._next_ends.get(pattern, 0) - base)
        match = pattern.search(buffer, position, limit)
        # The last line before the limit is not seen as a whole, and may turn out to begin something new.
        known = match.start() if match else max(position, buffer.rfind("\n", position, limit))
        self._next_ends[pattern] = base + known
        return match is not None


def _end_unless_fence(buffer: str, after: int, closing: int, ticks: int) -> int | None:
    """A closing run that begins its line may open a fence instead, and then there is no inline code."""
    line_start = buffer.rfind("\n", after, closing) + 1
    if not line_start or ticks < 3:
        return closing + ticks
    if FENCE_UNDECIDED.match(buffer, line_start):
        return None
    return 0 if fence_at(buffer, line_start, closing) else closing + ticks


def run_end(buffer: str, start: int) -> int:
    """Where the run of the character that stands here ends."""
    match = RUN[buffer[start]].match(buffer, start)
    return match.end() if match else start


def _paragraph_end(line_head: str) -> re.Pattern[str]:
    """What ends the paragraph of a line that begins like this. A heading is one line, and a quote begins anew."""
    match = LINE_HEAD.match(line_head)
    if match and match["heading"]:
        return HEADING_END
    return QUOTED_PARAGRAPH_END if match and ">" in match["container"] else PARAGRAPH_END
