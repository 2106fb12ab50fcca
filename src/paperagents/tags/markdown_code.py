"""Where Markdown says that text is code: fences and inline code, as CommonMark reads them.

What stands in code is shown, not called. The rules are CommonMark's, with bounds that keep a text
readable piece by piece: inline code is at most ``LONGEST_CODE_SPAN`` characters long, and so is the line
that opens a fence. Two readings are kinder to language models than CommonMark: a fence may begin directly
behind an opening tag, and end directly before a closing one.
"""

from __future__ import annotations

from dataclasses import dataclass

from paperagents.definitions.pattern import compiled

LONGEST_CODE_SPAN = 4096

# What may stand before a fence on its line: quote marks, list markers, blanks.
CONTAINER = r"\ufeff?+(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}+[.)](?=[ \t])){0,200}+"
INFORMATION = rf"[^`\n]{{0,{LONGEST_CODE_SPAN}}}+"
FENCE_OPENING = compiled(
    rf"(?P<container>{CONTAINER})(?:(?P<ticks>`{{3,1000}}+){INFORMATION}(?=\n)|(?P<tildes>~{{3,1000}}+)(?!~))"
)
FENCE_UNDECIDED = compiled(rf"{CONTAINER}(?:[-+*]|\d{{1,9}}+[.)]?+|`{{1,1000}}+{INFORMATION}|~{{1,1000}}+)?+\Z")
FENCE_CLOSING = compiled(
    r"\n(?P<blanks>[ \t>]{0,1000}+)(?P<marks>`{3,1000}+|~{3,1000}+)[ \t]{0,1000}+\r?+(?=\n|\{\{<\s{0,64}+/)"
)
LONGEST_FENCE_LINE = 8192
"""No line that opens or closes a fence is longer."""
RUN = {mark: compiled(f"{mark}++") for mark in "`~"}
QUOTE_LEFT = compiled(r"\n[ \t]{0,1000}+(?=[^ \t>])")
# Inline code ends with its paragraph: at a blank line, a heading, a list item, a rule or a fence.
PARAGRAPH_END = compiled(
    r"\n(?=[ \t>]*+(?:\r?\n|#{1,6}+[ \t\r\n]|[-+*][ \t]|\d{1,9}+[.)][ \t]|=++[ \t]*+\r?\n"
    r"|(?:-[ \t]*+)++\r?\n|(?:_[ \t]*+){3,}+\r?\n|(?:\*[ \t]*+){3,}+\r?\n"
    rf"|`{{3,1000}}+{INFORMATION}\n|~{{3,1000}}+(?!~)))"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """An open fence: how it was opened, so that its end can be told."""

    marks: str
    indent: int
    quoted: bool

    def end(self, buffer: str, position: int) -> int | None:
        """Where the fence ends in this buffer, or None where it goes on."""
        left = QUOTE_LEFT.search(buffer, position) if self.quoted else None
        limit = left.start() if left else len(buffer)
        for match in FENCE_CLOSING.finditer(buffer, position):
            if match.start() >= limit:
                break
            if self._is_closed_by(match["marks"], match["blanks"]):
                return match.end()
        return limit if left else None

    def _is_closed_by(self, marks: str, blanks: str) -> bool:
        if marks[0] != self.marks[0] or len(marks) < len(self.marks):
            return False
        return self.quoted or len(blanks.expandtabs(4)) <= max(3, self.indent + 3)


def fence_at(buffer: str, line_start: int, mark: int) -> Fence | None:
    """The fence that opens on this line with its first mark just here, if one does."""
    match = FENCE_OPENING.match(buffer, line_start)
    if match is None or match.end("container") != mark:
        return None
    container = match["container"]
    return Fence(
        marks=match["ticks"] or match["tildes"],
        indent=len(container.expandtabs(4)),
        quoted=">" in container,
    )


def code_span_end(buffer: str, start: int, ticks: int) -> int | None:
    """Where inline code that opens here ends; 0 where none does; None where more text must tell."""
    after = start + ticks
    window = after + LONGEST_CODE_SPAN
    closing = _next_run(buffer, after, min(window, len(buffer)), ticks)
    if PARAGRAPH_END.search(buffer, after, window if closing is None else closing + ticks):
        return 0
    if closing is None:
        return None if len(buffer) <= window + ticks else 0
    return _end_unless_fence(buffer, after, closing, ticks)


def _next_run(buffer: str, start: int, window: int, ticks: int) -> int | None:
    """The first run of exactly so many backticks that is known to end."""
    needle = "`" * ticks
    while (found := buffer.find(needle, start, window + ticks)) != -1 and found < window:
        end = run_end(buffer, found)
        if end == len(buffer):
            return None
        if end - found == ticks:
            return found
        start = end
    return None


def run_end(buffer: str, start: int) -> int:
    """Where the run of the character that stands here ends."""
    match = RUN[buffer[start]].match(buffer, start)
    return match.end() if match else start


def _end_unless_fence(buffer: str, after: int, closing: int, ticks: int) -> int | None:
    """A closing run that begins its line may open a fence instead, and then there is no inline code."""
    line_start = buffer.rfind("\n", after, closing) + 1
    if not line_start or ticks < 3:
        return closing + ticks
    if FENCE_UNDECIDED.match(buffer, line_start):
        return None
    return 0 if fence_at(buffer, line_start, closing) else closing + ticks
