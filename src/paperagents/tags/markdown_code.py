"""Where Markdown says that text is code in a fence, as CommonMark reads it.

What stands in code is shown, not called. The rules are CommonMark's, with bounds that keep a text
readable piece by piece: what a fence says about its code is at most ``LONGEST_INFORMATION`` characters long. Three
readings are kinder to language models than CommonMark: a fence may begin directly behind an opening tag, and end
directly before a closing one, and what stands in the fence of a list item need not be indented.
"""

from __future__ import annotations

from dataclasses import dataclass

from paperagents.definitions.pattern import compiled

LONGEST_INFORMATION = 4096

# What may stand before a fence on its line: quote marks, list markers, blanks.
CONTAINER = r"\ufeff?+(?:[ \t]|>|[-+*](?=[ \t])|\d{1,9}+[.)](?=[ \t])){0,200}+"
INFORMATION = rf"[^`\n]{{0,{LONGEST_INFORMATION}}}+"
FENCE_OPENING = compiled(
    rf"(?P<container>{CONTAINER})(?:(?P<ticks>`{{3,1000}}+){INFORMATION}(?=\n)|(?P<tildes>~{{3,1000}}+)(?!~))"
)
FENCE_UNDECIDED = compiled(rf"{CONTAINER}(?:[-+*]|\d{{1,9}}+[.)]?+|`{{1,1000}}+{INFORMATION}|~{{1,1000}}+)?+\Z")
FENCE_CLOSING = compiled(
    r"\n(?P<blanks>[ \t>]{0,1000}+)(?P<marks>`{3,1000}+|~{3,1000}+)[ \t]{0,1000}+\r?+(?=\n|\{\{<\s{0,64}+/)"
)
LONGEST_FENCE_LINE = 8192
"""No line that opens or closes a fence is longer."""
QUOTE_LEFT = compiled(r"\n[ \t]{0,1000}+(?=[^ \t>])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """An open fence: how it was opened, so that its end can be told."""

    marks: str
    indent: int
    quotes: int
    """How many quote marks stand before it."""

    def end(self, buffer: str, position: int) -> int | None:
        """Where the fence ends in this buffer, or None where it goes on."""
        left = QUOTE_LEFT.search(buffer, position) if self.quotes else None
        limit = left.start() if left else len(buffer)
        for match in FENCE_CLOSING.finditer(buffer, position):
            if match.start() >= limit:
                break
            if self._is_closed_by(match["marks"], match["blanks"]):
                return match.end()
        return limit if left else None

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
