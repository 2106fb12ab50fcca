"""Makes calls of tags: pairs what opens with what closes, and notes what is wrong with the rest."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from paperagents.definitions.tag import RawContent, TagDefinition
from paperagents.tags.attributes import parse_attributes
from paperagents.tags.grammar import PLAIN_CLOSE, PLAIN_SINGLE
from paperagents.tags.operation import UNCLOSED, Origin, TagOperation
from paperagents.tags.registry import TagRegistry
from paperagents.tags.reports import TagReports
from paperagents.tags.source_text import SourceText
from paperagents.tags.token import Token

DEEPEST_NESTING = 100
"""Blocks nested deeper are damage: each level would hold the text of all levels below once more."""


class TagPairing:
    """Takes the tags of a text one after another and has its calls and problems."""

    def __init__(self, *, registry: TagRegistry, source: SourceText) -> None:
        self.reports = TagReports(registry)
        self._registry = registry
        self._source = source
        self._origin: Origin = (source, "", 0)
        # An open block has its place already, so that calls stand in the order of the document without sorting.
        self._places: list[TagOperation] = []
        self._completed: list[TagOperation] = []
        self._open: list[TagOperation] = []
        self._heights: list[int] = []
        """For each open block, how many levels of complete blocks are inside."""
        self._open_count: defaultdict[str, int] = defaultdict(int)

    @property
    def operations(self) -> list[TagOperation]:
        """All complete calls so far, in the order of the document."""
        return [operation for operation in self._places if operation.closing is not UNCLOSED]

    @property
    def open_tags(self) -> tuple[str, ...]:
        """The tool ids of the blocks that are opened and not closed yet, the outermost first."""
        return tuple(operation["tool_id"] for operation in self._open)

    def completed(self) -> list[TagOperation]:
        """The calls that were completed since this was asked last."""
        completed, self._completed = self._completed, []
        return completed

    def take_plain(self, tags: Iterable[re.Match[str]], buffer: str, base: int) -> tuple[re.Match[str] | None, bool]:
        """Take tags up to one that needs a closer look. Gives the last one and whether it was taken.

        Nearly all tags come this way, and calling a function for each takes as long as finding it. So what
        ``take`` does in steps is written out here, for tags that need no second thought.
        """
        origin, heads, raw_signs = self._origin_in(buffer, base), self._registry.heads, self._registry.raw_signs
        blocks, heights, open_count = self._open, self._heights, self._open_count
        place, complete = self._places.append, self._completed.append
        tag = None
        for tag in tags:
            kind = tag.lastindex
            if kind == PLAIN_CLOSE:
                head = heads.get(tag[1])
                operation = blocks[-1] if blocks else None
                if head is None or operation is None or operation.origin is not origin:
                    return tag, False
                tool_id = head["tool_id"]
                if operation["tool_id"] != tool_id or heights[-1] >= DEEPEST_NESTING:
                    return tag, False
                operation.closing = tag.start()
                complete(operation)
                blocks.pop()
                height = heights.pop()
                if blocks and heights[-1] <= height:
                    heights[-1] = height + 1
                open_count[tool_id] -= 1
                continue
            name = tag[2]
            head = heads.get(name)
            if head is None:
                return tag, False
            operation = TagOperation(head)
            operation.origin = origin
            operation.opening = tag.start()
            if kind == PLAIN_SINGLE:
                operation.closing = None
                complete(operation)
            else:
                sign = raw_signs.get(name)
                if sign is not None and sign in tag[0].lower():
                    return tag, False
                operation.closing = UNCLOSED
                blocks.append(operation)
                heights.append(0)
                open_count[head["tool_id"]] += 1
            place(operation)
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
        self._leave_open(0)

    def _origin_in(self, buffer: str, base: int) -> Origin:
        if self._origin[1] is not buffer or self._origin[2] != base:
            self._origin = (self._source, buffer, base)
        return self._origin

    def _take_opening(self, token: Token, tool_id: str) -> None:
        operation = TagOperation(tool_id=tool_id)
        operation.origin = self._origin
        operation.opening = token
        if token.kind == "open":
            self._open_block(operation)
        else:
            operation.closing = None
            self._places.append(operation)
            self._completed.append(operation)

    def _is_raw(self, token: Token, definition: TagDefinition) -> bool:
        rule = definition.schema.raw_content
        if rule is not RawContent.WHEN_CODE:
            return rule is RawContent.ALWAYS
        attributes = self._source.slice(token.attributes_start, token.attributes_end)
        return str(parse_attributes(attributes).get("type")).lower() == "code"

    def _take_closing(self, token: Token, tool_id: str) -> None:
        if not self._open_count[tool_id]:
            self.reports.add("tag-closing-without-opening", token)
            return
        if self._open[-1]["tool_id"] != tool_id:
            self._leave_open(self._depth_of(tool_id) + 1)
        self._close(token)

    def _open_block(self, operation: TagOperation) -> None:
        operation.closing = UNCLOSED
        self._places.append(operation)
        self._open.append(operation)
        self._heights.append(0)
        self._open_count[operation["tool_id"]] += 1

    def _depth_of(self, tag: str) -> int:
        depth = len(self._open) - 1
        while self._open[depth]["tool_id"] != tag:
            depth -= 1
        return depth

    def _close(self, closing: int | Token) -> None:
        """Close the innermost block."""
        operation, height = self._pop()
        self._raise_height(height + 1)
        if height < DEEPEST_NESTING:
            operation.closing = closing
            self._completed.append(operation)
        else:
            self.reports.add("tag-nested-too-deeply", operation)

    def _leave_open(self, depth: int) -> None:
        """Report the blocks from this depth on as never closed."""
        while len(self._open) > depth:
            operation, height = self._pop()
            self._raise_height(height)
            self.reports.add("tag-unclosed", operation)

    def _pop(self) -> tuple[TagOperation, int]:
        operation = self._open.pop()
        self._open_count[operation["tool_id"]] -= 1
        return operation, self._heights.pop()

    def _raise_height(self, height: int) -> None:
        if self._heights and self._heights[-1] < height:
            self._heights[-1] = height
