"""The blocks of a text that are opened and not closed yet."""

from __future__ import annotations

from paperagents.tags.operation import UNCLOSED, TagOperation

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
