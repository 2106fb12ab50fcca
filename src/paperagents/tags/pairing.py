"""Makes calls of tags: pairs what opens with what closes, and notes what is wrong with the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from paperagents.definitions.tag import RawContent, TagDefinition
from paperagents.tags.diagnostics import TagReports
from paperagents.tags.grammar import PLAIN_OPEN, PLAIN_SINGLE, Token, parse_attributes
from paperagents.tags.operation import UNCLOSED, Origin, SourceText, TagOperation
from paperagents.tags.registry import TagRegistry


class TagPairing:
    """Takes the tags of a text one after another and has its calls and problems."""

    def __init__(self, *, registry: TagRegistry, source: SourceText) -> None:
        self._registry = registry
        self._source = source
        self._origin: Origin = (source, "", 0)
        self._blocks = OpenBlocks()
        # An open block has its place already, so that calls stand in the order of the document without sorting.
        self._places: list[TagOperation] = []
        self._given = self._given_depth = 0
        """How many places, and how many of the open blocks, there were at the last ``completed``."""
        self._late: list[TagOperation] = []

    @cached_property
    def reports(self) -> TagReports:
        """What is wrong with the tags."""
        return TagReports(self._registry)

    @property
    def operations(self) -> list[TagOperation]:
        """All complete calls so far, in the order of the document."""
        return [operation for operation in self._places if operation.closing is not UNCLOSED]

    @property
    def open_tags(self) -> list[tuple[str, int]]:
        """Tool id and start of the blocks that are opened and not closed yet, the outermost first."""
        return [(operation["tool_id"], operation.opening_token.start) for operation in self._blocks.stack]

    def completed(self) -> list[TagOperation]:
        """The calls that were completed since this was asked last, in the order of their ends."""
        fresh = [operation for operation in self._places[self._given :] if operation.closing is not UNCLOSED]
        completed = sorted(self._late + fresh, key=TagOperation.last_tag_start)
        self._late = []
        self._given, self._given_depth = len(self._places), len(self._blocks.stack)
        return completed

    def take_plain(self, tags: Iterable[re.Match[str]], buffer: str, base: int) -> tuple[re.Match[str] | None, bool]:
        """Take tags up to one that needs a closer look. Gives the last one and whether it was taken.

        Nearly all tags come this way, and calling a function for each takes as long as finding it. So what
        ``take`` does in steps is written out here, for tags that need no second thought.
        """
        if self._origin[1] is not buffer or self._origin[2] != base:
            self._origin = (self._source, buffer, base)
        origin, heads, raw_signs = self._origin, self._registry.heads, self._registry.raw_signs
        blocks, watched, place = self._blocks.stack, self._blocks.watched, self._places.append
        tag = None
        try:
            for tag in tags:
                kind = tag.lastindex
                if kind == PLAIN_SINGLE:
                    operation = TagOperation(heads[tag[2]])
                    operation.origin = origin
                    operation.opening = tag.start()
                    operation.closing = None
                    place(operation)
                elif kind == PLAIN_OPEN:
                    name = tag[2]
                    if len(blocks) >= DEEPEST_NESTING or (name in raw_signs and raw_signs[name] in tag[0].lower()):
                        return tag, False
                    operation = TagOperation(heads[name])
                    operation.origin = origin
                    operation.opening = tag.start()
                    operation.closing = UNCLOSED
                    place(operation)
                    blocks.append(operation)
                # A block of another buffer, or one that is counted, is closed by ``take``: it has more to keep right.
                elif (
                    len(blocks) > watched
                    and blocks[-1].origin is origin
                    and blocks[-1]["tool_id"] == heads[tag[1]]["tool_id"]
                ):
                    blocks.pop().closing = tag.start()
                else:
                    return tag, False
        except KeyError:
            # A word that is not known as it is written, or no whole tag at all.
            return tag, False
        return tag, True

    def take(self, token: Token) -> bool:
        """Take any tag. Gives whether its content is raw."""
        definition = self._registry.find(token.name)
        if definition is None:
            self.reports.add("tag-unknown", token)
        elif token.kind == "close":
            self._take_closing(token, definition.id)
        elif token.kind == "damaged":
            self.reports.add("tag-damaged", token)
        else:
            self._take_opening(token, definition.id)
            return token.kind == "open" and self._is_raw(token, definition)
        return False

    def close(self) -> None:
        """Report the blocks that were never closed."""
        while self._blocks.stack:
            self._leave_open()

    def _take_opening(self, token: Token, tool_id: str) -> None:
        operation = TagOperation(tool_id=tool_id)
        operation.origin = self._origin
        operation.opening = token
        operation.closing = None
        self._places.append(operation)
        if token.kind == "open":
            self._blocks.push(operation)

    def _is_raw(self, token: Token, definition: TagDefinition) -> bool:
        rule = definition.schema.raw_content
        if rule is not RawContent.WHEN_CODE:
            return rule is RawContent.ALWAYS
        attributes = parse_attributes(self._source.slice(token.attributes_start, token.attributes_end))
        # Read as the call itself is read later: names and words in any case of letters, the last one counts.
        types = [str(value) for key, value in attributes.items() if key.lower() == "type"]
        return bool(types) and types[-1].strip().lower() == "code"

    def _take_closing(self, token: Token, tool_id: str) -> None:
        if not self._blocks.holds(tool_id):
            self.reports.add("tag-closing-without-opening", token)
            return
        # What was opened inside and not closed never will be: blocks do not overlap.
        while self._blocks.stack[-1]["tool_id"] != tool_id:
            self._leave_open()
        is_late = len(self._blocks.stack) <= self._given_depth
        operation, is_too_deep = self._pop(is_closed=True)
        if is_too_deep:
            self.reports.add("tag-nested-too-deeply", operation)
            return
        operation.closing = token
        if is_late:
            self._late.append(operation)

    def _leave_open(self) -> None:
        """Report the innermost block as never closed."""
        operation, _ = self._pop(is_closed=False)
        self.reports.add("tag-unclosed", operation)

    def _pop(self, *, is_closed: bool) -> tuple[TagOperation, bool]:
        popped = self._blocks.pop(is_closed=is_closed)
        self._given_depth = min(self._given_depth, len(self._blocks.stack))
        return popped


# --- the blocks of a text that are opened and not closed yet


DEEPEST_NESTING = 100
"""Blocks nested deeper are damage: each level would hold the text of all levels below once more."""


class OpenBlocks:
    """A stack of open blocks that knows which tags are open and how much is nested in each.

    That is counted only where it can matter, because nearly all blocks are closed in their turn: for the
    lowest ``watched`` blocks, which are all as soon as a closing tag does not fit or the nesting is deep. A block
    can hold more than the deepest nesting only if more blocks than that were open at once.
    """

    __slots__ = ("_count", "_heights", "stack")

    def __init__(self) -> None:
        self.stack: list[TagOperation] = []
        self._count: dict[str, int] = {}
        self._heights: list[int] = []
        """For each watched block, how many levels of complete blocks are inside."""

    @property
    def watched(self) -> int:
        """How many blocks, counted from the outermost, must be closed by ``pop``."""
        return len(self._heights)

    def push(self, operation: TagOperation) -> None:
        """Open a block."""
        operation.closing = UNCLOSED
        self.stack.append(operation)
        if len(self.stack) > DEEPEST_NESTING:
            self._watch()

    def pop(self, *, is_closed: bool) -> tuple[TagOperation, bool]:
        """Take the innermost block off. Gives it and whether too much is nested in it."""
        operation = self.stack.pop()
        if len(self.stack) >= len(self._heights):
            return operation, False
        self._count[operation["tool_id"]] -= 1
        height = self._heights.pop()
        if self._heights:
            self._heights[-1] = max(self._heights[-1], height + is_closed)
        return operation, height >= DEEPEST_NESTING

    def holds(self, tool_id: str) -> bool:
        """Whether a block of this tool is open."""
        self._watch()
        return self._count.get(tool_id, 0) > 0

    def _watch(self) -> None:
        for operation in self.stack[len(self._heights) :]:
            self._heights.append(0)
            tool_id = operation["tool_id"]
            self._count[tool_id] = self._count.get(tool_id, 0) + 1
