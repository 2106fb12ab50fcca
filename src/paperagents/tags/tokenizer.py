"""Finds the tags in a text that comes in pieces of any size.

One pass from left to right. Text is dropped as soon as it is decided; what is not decided yet (half a tag,
a backtick whose partner may still come) waits for the next piece. Reading a whole text is the same thing
with one piece, so both give the same tokens.

A damaged tag is reported and reading goes on right behind its ``{{<``, so it never hides a good one. The
content of some tags is raw: it is code of its own, and only the closing tag counts in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from paperagents.tags.code import (
    FENCE_UNDECIDED,
    LONGEST_FENCE_LINE,
    LONGEST_OWN_TAG,
    Fence,
    InlineCode,
    RawContent,
    fence_at,
    run_end,
)
from paperagents.tags.grammar import PARTIAL_HEAD, PLAIN_OPEN, TAG_HEAD, Token, UnfinishedTag, plain_tag, token_at
from paperagents.tags.operation import SourceText

CODE_MARK = re.compile("[`~]")
WIDE_GAP = 4096
"""So much text without a tag is searched for one character instead."""


class TagTaker(Protocol):
    """Takes the tags that are found."""

    def take_plain(self, tags: Iterable[re.Match[str]], buffer: str, base: int) -> tuple[re.Match[str] | None, bool]:
        """Take plainly written tags up to one that needs a closer look; the last one and whether it was taken."""

    def take(self, token: Token) -> bool:
        """Take any tag; whether its content is raw."""


class Tokenizer:
    """Feed it text, and it hands on the tags that are complete."""

    # The state at the start of a text: class attributes, because setting them takes longer than reading a short text.
    _buffer = ""
    _base = _position = 0
    """Where the buffer begins in the whole text, and how far the buffer is read."""
    _clear_up_to = _decided = 0
    """Up to where no further tag begins, and up to where nothing can change any more."""
    _next_tick = _next_tilde = _next_mark = -1
    _at_line_start = True
    _final = False
    _fence: Fence | None = None
    _fence_start = 0
    _raw: RawContent | None = None
    _tag: UnfinishedTag | None = None

    def __init__(self, *, source: SourceText, taker: TagTaker) -> None:
        self._source = source
        self._taker = taker
        self._inline_code = InlineCode(source)
        self._held: list[str] = []

    def feed(self, chunk: str) -> None:
        """Read this chunk as far as it is decided."""
        self._source.append(chunk)
        if self._tag and self._tag.quote:
            self._pass_quoted(self._tag, chunk)
        elif self._decides_nothing(chunk):
            self._held.append(chunk)
            return
        else:
            self._extend(chunk)
        self._read()

    def close(self) -> None:
        """Read what was waiting for text that does not come."""
        self._final = True
        if self._tag or self._raw or self._fence or self._buffer.find("{{<", max(self._position, self._decided)) >= 0:
            # The end of the text decides whatever the end of a line decides.
            self._extend("\n")
            self._read()

    @property
    def fence_start(self) -> int | None:
        """Where the code fence began that is still open."""
        return self._fence_start if self._fence else None

    def _extend(self, chunk: str) -> None:
        """Drop what is read and append the chunk, with what was held back before it."""
        if self._position < self._decided:
            # A line that may still open a fence is kept from its start.
            line_start = self._line_start(self._decided)
            if line_start is not None and FENCE_UNDECIDED.match(self._buffer, line_start):
                self._move_to(line_start, at_line_start=True)
            else:
                self._move_to(self._decided)
        if self._held:
            chunk = "".join([*self._held, chunk])
            self._held = []
        self._use_buffer(self._buffer[self._position :] + chunk, self._base + self._position)

    def _decides_nothing(self, chunk: str) -> bool:
        """Whether there is only more of what waits for its end: blanks in a tag, or backticks.

        Taken up one by one, they would have all that waits copied and looked at again each time.
        """
        if not chunk.isspace():
            return self._buffer.endswith("`") and not chunk.strip("`")
        is_tag_head = self._buffer.startswith("{{<", self._position) and not (self._raw or self._fence)
        return self._buffer[-1:].isspace() and (self._tag is not None or is_tag_head)

    def _use_buffer(self, buffer: str, base: int) -> None:
        self._buffer = buffer
        self._base = base
        self._position = 0
        self._plain_tag = plain_tag(buffer)
        # What was looked for ahead holds for one buffer only.
        self._clear_up_to = self._decided = 0
        self._next_tick = self._next_tilde = self._next_mark = -1

    def _read(self) -> None:
        """Read on until more text is needed."""
        going_on = True
        while going_on:
            if self._tag:
                going_on = self._continue_tag(self._tag)
            elif self._raw:
                going_on = self._pass_raw(self._raw)
            elif self._fence:
                going_on = self._pass_fence(self._fence)
            else:
                going_on = self._read_text()

    # Plain text: look for tags, step over code.

    def _read_text(self) -> bool:
        while (first := self._buffer.find("{", max(self._position, self._clear_up_to))) >= 0:
            self._clear_up_to = first
            if self._has_marks(first) and not self._step_over_code(first):
                return self._fence is not None
            if self._position <= first and not self._read_tags(first):
                return False
            if self._tag or self._raw:
                return True
        # Remembered, so that code after code does not have the rest searched again.
        self._clear_up_to = max(self._position, len(self._buffer) - 2)
        return self._finish_text()

    def _read_tags(self, first: int) -> bool:
        """Read the tags from here on, up to code or to a wide gap. False where one is not complete."""
        self._has_marks(first)
        tags = self._plain_tag.finditer(self._buffer, first, self._next_mark)
        count = 1
        while True:
            last, taken = self._taker.take_plain(islice(tags, count), self._buffer, self._base)
            if last is None:
                self._clear_up_to = self._next_mark
                return True
            if not taken:
                return self._read_closely(last.start())
            self._move_to(last.end(), at_line_start=last.lastindex == PLAIN_OPEN)
            # Over a wide gap, looking for one character is ten times faster than looking for tags.
            if self._buffer.find("{", self._position, self._position + WIDE_GAP) < 0:
                return True
            count *= 16

    def _read_closely(self, position: int) -> bool:
        token = token_at(position, self._buffer, self._base)
        if token is None:
            self._clear_up_to = self._position = position
            return self._begin_tag()
        self._emit(token)
        return True

    def _has_marks(self, limit: int) -> bool:
        """Whether a backtick or tilde stands before the limit. Each is looked for once and remembered."""
        position = self._position
        if self._next_mark < position:
            self._next_tick = self._mark_from("`", self._next_tick)
            self._next_tilde = self._mark_from("~", self._next_tilde)
            self._next_mark = min(self._next_tick, self._next_tilde)
        return self._next_mark < limit

    def _mark_from(self, mark: str, known: int) -> int:
        if known >= self._position:
            return known
        found = self._buffer.find(mark, self._position)
        return found if found >= 0 else len(self._buffer)

    def _emit(self, token: Token) -> None:
        is_raw = self._taker.take(token)
        self._move_to(token.end - self._base, at_line_start=token.kind == "open")
        if is_raw:
            self._raw = RawContent(name=token.name, start=token.end)

    def _move_to(self, position: int, *, at_line_start: bool = False) -> None:
        self._position = position
        self._at_line_start = at_line_start

    def _finish_text(self) -> bool:
        """Step over the code at the end. What may still become something is left undecided."""
        limit = len(self._buffer) - (0 if self._final else undecided_tail(self._buffer))
        if self._has_marks(limit) and not self._step_over_code(limit):
            return self._fence is not None
        self._decided = limit
        return False

    def _line_start(self, before: int) -> int | None:
        """Where the line of this position begins, or None where it began in a tag or in text let go."""
        found = self._buffer.rfind("\n", self._position, before)
        if found >= 0:
            return found + 1
        return self._position if self._at_line_start else None

    # Code: fences and backticks.

    def _step_over_code(self, limit: int) -> bool:
        """Go on to the limit, or past it where code covers it. False where a fence opens or text is missing."""
        while match := CODE_MARK.search(self._buffer, self._position, limit):
            mark = match.start()
            line_start = self._line_start(mark)
            if line_start is not None and FENCE_UNDECIDED.match(self._buffer, line_start):
                self._move_to(line_start, at_line_start=True)
                return False
            if line_start is not None and (fence := fence_at(self._buffer, line_start, mark)):
                self._fence = fence
                self._fence_start = self._base + mark
                self._move_to(mark + len(fence.marks))
                return False
            if not self._step_over_marks(mark):
                return False
        return True

    def _step_over_marks(self, mark: int) -> bool:
        if self._buffer[mark] == "~":
            self._move_to(run_end(self._buffer, mark))
            return True
        before = self._buffer[self._position : mark]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 1:
            self._move_to(mark + 1)
            return True
        after = run_end(self._buffer, mark)
        is_whole = after < len(self._buffer)
        end = self._inline_code.end(self._buffer, self._base, mark, after - mark) if is_whole else None
        if end is None and not self._final:
            self._move_to(mark)
            return False
        self._move_to(end or after)
        return True

    def _pass_fence(self, fence: Fence) -> bool:
        end = fence.end(self._buffer, self._position)
        if end is not None:
            self._fence = None
            self._move_to(end)
            return True
        last_line = self._buffer.rfind("\n", self._position)
        length = len(self._buffer)
        self._position = length if length - last_line > LONGEST_FENCE_LINE else max(last_line, self._position)
        return False

    # Raw content: only its own tag counts.

    def _pass_raw(self, raw: RawContent) -> bool:
        match = raw.next_own_tag(self._buffer, self._position)
        if match is None and not self._final:
            self._position = max(self._position, len(self._buffer) - LONGEST_OWN_TAG)
            return False
        self._raw = None
        if match is None or not match["slash"]:
            # Never closed, or opened again: it was no proper tag, and what follows is read like other text.
            self._go_back_to(raw.start, at_line_start=True)
            return True
        start, end = self._base + match.start(), self._base + match.end()
        self._emit(Token("close", start, end, raw.name, end, end))
        return True

    def _go_back_to(self, offset: int, *, at_line_start: bool) -> None:
        if offset < self._base:
            self._use_buffer(self._source.slice(offset, self._source.length) + "\n" * self._final, offset)
        self._move_to(offset - self._base, at_line_start=at_line_start)

    # A tag that comes in parts, or is damaged.

    def _begin_tag(self) -> bool:
        self._at_line_start = False
        if not self._final and PARTIAL_HEAD.match(self._buffer, self._position):
            return False
        match = TAG_HEAD.match(self._buffer, self._position)
        if match is None:
            self._move_to(self._position + 3)
            return True
        after = self._base + match.end()
        self._tag = UnfinishedTag(
            start=self._base + match.start(),
            name=match["name"],
            closing=bool(match["slash"]),
            attributes_start=after,
            attributes_end=after,
            resume=after,
        )
        return True

    def _continue_tag(self, tag: UnfinishedTag) -> bool:
        token = tag.read_on(self._buffer, self._base, final=self._final)
        if token is None:
            # One character before the resuming point is kept: whether it is a quote matters.
            self._position = len(self._buffer) if tag.quote else tag.resume - self._base - 1
            return False
        self._tag = None
        if token.kind == "damaged":
            # Read again right behind its ``{{<``: a damaged tag must not hide a good one in it.
            self._taker.take(token)
            self._go_back_to(token.start + 3, at_line_start=False)
        else:
            self._emit(token)
        return True

    def _pass_quoted(self, tag: UnfinishedTag, chunk: str) -> None:
        """Go through a chunk inside a value; nothing of it is kept but what follows the closing quote."""
        end = tag.closing_quote(chunk)
        rest = "" if end is None else chunk[end:]
        self._use_buffer(rest, self._source.length - len(rest))
        if end is not None:
            tag.resume = tag.attributes_end = self._base + 1


def undecided_tail(buffer: str) -> int:
    """How many last characters may still begin a tag or escape a backtick."""
    if buffer.endswith("{"):
        return 2 if buffer.endswith("{{") else 1
    if buffer.endswith("\\"):
        return (len(buffer) - len(buffer.rstrip("\\"))) % 2
    return 0
