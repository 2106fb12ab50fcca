"""Calls that only read are carried out as soon as their tag closes, while the model still writes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context

from paperagents.agents.dialogue import CallResult
from paperagents.agents.language_model import MOST_CALLS, Listener
from paperagents.agents.written_calls import WrittenCall, tag_call
from paperagents.execution.applying import FINAL_OUTPUT
from paperagents.tags import TagReader, TagRegistry
from paperagents.tags.operation import TagOperation
from paperagents.tags.standing_calls import is_call, is_thought

AT_ONCE = 4


class EarlyCalls(Listener):
    """Follows one answer. Give ``perform`` a call and its number among the calls of the answer."""

    def __init__(
        self,
        registry: TagRegistry | None,
        on_text: Callable[[str], None],
        reads_only: Callable[[WrittenCall], bool],
        perform: Callable[[WrittenCall, int], CallResult],
    ) -> None:
        self._registry = registry
        self._on_text = on_text
        self._reads_only = reads_only
        self._perform = perform
        self._pool: ThreadPoolExecutor | None = None
        self._reader: TagReader | None = None
        self._begun: dict[int, tuple[int, Future[CallResult]]] = {}
        self._count = 0
        self._blocked = False

    def begin(self) -> None:
        """A new attempt: what the broken one began is ended first, and counts for nothing."""
        self.close()
        self._reader = TagReader(self._registry) if self._registry is not None else None
        self._begun, self._count, self._blocked = {}, 0, False

    def text(self, piece: str) -> None:
        """The next piece of the answer."""
        self._on_text(piece)
        for operation in self._reader.feed(piece) if self._reader is not None and not self._blocked else ():
            self._consider(operation)

    def close(self) -> None:
        """Wait for everything that was begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None

    def result(self, call: WrittenCall, number: int) -> Future[CallResult] | None:
        """What came of a call that was begun early, under this very number."""
        begun = self._begun.get(call.start) if call.native is None else None
        return begun[1] if begun is not None and begun[0] == number else None

    def _consider(self, operation: TagOperation) -> None:
        assert self._reader is not None
        assert self._registry is not None
        if operation["tool_id"] == FINAL_OUTPUT or not is_call(operation["tool_id"], self._registry):
            return
        in_a_call = not all(is_thought(name, self._registry) for name in self._reader.open_tags)
        if in_a_call or self._count >= MOST_CALLS:
            # It stands inside another call, which may or may not end: from here on numbers are uncertain.
            self._blocked = True
            return
        self._count += 1
        call = tag_call(operation, self._registry)
        if not self._reads_only(call):
            # What follows may read what this one changes.
            self._blocked = True
            return
        self._pool = self._pool or ThreadPoolExecutor(max_workers=AT_ONCE)
        future = self._pool.submit(copy_context().run, self._perform, call, self._count)
        self._begun[call.start] = (self._count, future)
