"""Where text is code: in a Markdown fence, between backticks, or in a tag with raw content.

What stands in code is shown, not called. The rules are CommonMark's, with bounds that keep a text
readable piece by piece: what a fence says about its code is at most ``LONGEST_INFORMATION`` characters long. Three
readings are kinder to language models than CommonMark: a fence may begin directly behind an opening tag, and end
directly before a closing one, and what stands in the fence of a list item need not be indented.
"""

from __future__ import annotations

import re
from functools import lru_cache

from paperagents.definitions.text import compile_regex
from paperagents.tags.operation import SourceText
from paperagents.values import dataclass

LONGEST_INFORMATION = 4096

# What may stand before a fence on its line: quote marks, list markers, blanks.
CONTAINER = r"\ufeff?+(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}+[.)](?=[ \t])){0,200}+"
INFORMATION = rf"[^`\n]{{0,{LONGEST_INFORMATION}}}+"
FENCE_OPENING = compile_regex(
    rf"(?P<container>{CONTAINER})(?:(?P<ticks>`{{3,1000}}+){INFORMATION}(?=\n)|(?P<tildes>~{{3,1000}}+)(?!~))"
)
FENCE_UNDECIDED = compile_regex(rf"{CONTAINER}(?:[-+*]|\d{{1,9}}+[.)]?+|`{{1,1000}}+{INFORMATION}|~{{1,1000}}+)?+\Z")
CLOSING_LINE = r"\n(?P<blanks>[ \t>]{0,1000}+)(?P<marks>`{3,1000}+|~{3,1000}+)[ \t]{0,1000}+\r?+(?=\n|\{\{<\s{0,64}+/)"
FENCE_CLOSING = compile_regex(CLOSING_LINE)
# A line without its quote mark ends the quote. Both are looked for at once: either may be far away, fence after fence.
QUOTED_FENCE_CLOSING = compile_regex(rf"\n[ \t]{{0,1000}}+(?=[^ \t>])|{CLOSING_LINE}")
LONGEST_FENCE_LINE = 8192
"""No line that opens or closes a fence is longer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """An open fence: how it was opened, so that its end can be told."""

    marks: str
    indent: int
    quotes: int
    """How many quote marks stand before it."""

    def end(self, buffer: str, position: int) -> int | None:
        """Where the fence ends in this buffer, or None where it goes on."""
        for match in (QUOTED_FENCE_CLOSING if self.quotes else FENCE_CLOSING).finditer(buffer, position):
            if match["marks"] is None:
                return match.start()
            if self._is_closed_by(match["marks"], match["blanks"]):
                return match.end()
        return None

    def _is_closed_by(self, marks: str, blanks: str) -> bool:
        if marks[0] != self.marks[0] or len(marks) < len(self.marks) or blanks.count(">") > self.quotes:
            return False
        return self.quotes > 0 or len(blanks.expandtabs(4)) <= max(3, self.indent + 3)


def fence_at(buffer: str, line_start: int, mark: int) -> Fence | None:
    """The fence that opens on this line with its first mark just here, if one does."""
    match = FENCE_OPENING.match(buffer, line_start)
    if match is None or match.end("container") != mark:
        return None
    container = match["container"]
    return Fence(
        marks=match["ticks"] or match["tildes"],
        indent=len(container.expandtabs(4)),
        quotes=container.count(">"),
    )


LONGEST_CODE_SPAN = 4096
RUN = {mark: compile_regex(f"{mark}++") for mark in "`~"}
LINE_HEAD = compile_regex(rf"(?P<container>{CONTAINER})(?P<heading>#{{1,6}}+[ \t])?+")
# Inline code ends with its paragraph: at a blank line, a heading, a list item, a rule or a fence.
BLOCK = (
    r"[ \t>]*+(?:\r?\n|#{1,6}+[ \t\r\n]|[-+*][ \t]|\d{1,9}+[.)][ \t]|=++[ \t]*+\r?\n"
    r"|(?:-[ \t]*+)++\r?\n|(?:_[ \t]*+){3,}+\r?\n|(?:\*[ \t]*+){3,}+\r?\n"
    rf"|`{{3,1000}}+{INFORMATION}\n|~{{3,1000}}+(?!~))"
)
HEADING_END = compile_regex(r"\n")
QUOTED_PARAGRAPH_END = compile_regex(rf"\n(?={BLOCK})")
PARAGRAPH_END = compile_regex(rf"\n(?=[ \t]*+>|{BLOCK})")


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
        return end_unless_fence(buffer, after, closing, ticks)

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
        pattern = paragraph_end(self._source.line_head(base + start))
        position = max(start, self._next_ends.get(pattern, 0) - base)
        match = pattern.search(buffer, position, limit)
        # The last line before the limit is not seen as a whole, and may turn out to begin something new.
        known = match.start() if match else max(position, buffer.rfind("\n", position, limit))
        self._next_ends[pattern] = base + known
        return match is not None


def end_unless_fence(buffer: str, after: int, closing: int, ticks: int) -> int | None:
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


def paragraph_end(line_head: str) -> re.Pattern[str]:
    """What ends the paragraph of a line that begins like this. A heading is one line, and a quote begins anew."""
    match = LINE_HEAD.match(line_head)
    if match and match["heading"]:
        return HEADING_END
    return QUOTED_PARAGRAPH_END if match and ">" in match["container"] else PARAGRAPH_END


LONGEST_OWN_TAG = 512


@dataclass(frozen=True, kw_only=True, slots=True)
class RawContent:
    """The inside of a tag that is not read, from its start on."""

    name: str
    start: int

    def next_own_tag(self, buffer: str, position: int) -> re.Match[str] | None:
        """The tag that closes the content, with a slash, or one that opens the same again."""
        return own_tag(self.name).search(buffer, position)


@lru_cache(maxsize=32)
def own_tag(name: str) -> re.Pattern[str]:
    """Finds the tags of this name, opening and closing."""
    word = re.escape(name)
    return re.compile(
        rf"\{{\{{<\s{{0,64}}+(?:(?P<slash>/)\s{{0,64}}+{word}\s{{0,64}}+>\}}\}}|{word}(?=[\s/>,]))",
        re.IGNORECASE,
    )
