"""Reads the calls of a text, whole or in pieces.

``TagReader`` takes the text in pieces of any size and gives each call as soon as it is complete; a whole text is
read by the same reader in one piece. Calls come as they are completed, so an inner one before the outer;
``operations`` has them in the order of the document.
"""

from __future__ import annotations

import codecs
import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from paperagents.definitions.tag import TagCategory
from paperagents.tags.diagnostics import TagProblem
from paperagents.tags.grammar import PLAIN_SINGLE, Token, duplicate_keys, plain_tag
from paperagents.tags.operation import ShortText, SourceText, TagOperation
from paperagents.tags.pairing import TagPairing
from paperagents.tags.registry import CALLS, DEFAULT_REGISTRY, TagRegistry
from paperagents.tags.tokenizer import Tokenizer

SHORT = 4000
"""A reader is made for texts longer than this; for shorter ones it would take longer than the reading."""
LONG = 100_000
"""From here on there may be so many calls that Python's collector of garbage gets in the way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TagReading:
    """The calls of a text and what is wrong with its tags, both in the order of the document."""

    operations: list[TagOperation]
    diagnostics: list[dict[str, Any]]


class TagReader:
    """Reads the calls of a text that comes in pieces."""

    def __init__(self, registry: TagRegistry | None = None) -> None:
        self._source = SourceText()
        self._pairing = TagPairing(registry=registry or DEFAULT_REGISTRY, source=self._source)
        self._tokenizer = Tokenizer(source=self._source, taker=self._pairing)
        self._decoder: codecs.IncrementalDecoder | None = None

    def feed(self, chunk: str | bytes) -> list[TagOperation]:
        """The calls that are complete with this chunk. Bytes are UTF-8 and may be cut anywhere."""
        self.read(chunk)
        return self._pairing.completed()

    def close(self) -> list[TagOperation]:
        """The calls that were waiting for text that does not come."""
        self.end()
        return self._pairing.completed()

    def read(self, chunk: str | bytes) -> None:
        """Read a chunk as ``feed`` does, without gathering what is complete with it."""
        self._tokenizer.feed(chunk if isinstance(chunk, str) else self._decoded(chunk))

    def end(self) -> None:
        """Take it that no more text comes, as ``close`` does."""
        if self._decoder:
            self._tokenizer.feed(self._decoder.decode(b"", final=True))
        self._tokenizer.close()
        self._pairing.close()
        self._report_open_fence()

    @property
    def open_tags(self) -> tuple[str, ...]:
        """The blocks that are opened and not closed yet, the outermost first."""
        return self._pairing.open_tags

    @property
    def operations(self) -> list[TagOperation]:
        """All calls so far, in the order of the document."""
        return self._pairing.operations

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """All that is wrong so far, in the order of the document."""
        problems = list(self._pairing.reports.problems())
        problems += (problem for operation in self.operations for problem in self._duplicates(operation))
        problems.sort(key=lambda problem: problem.token.start)
        return [problem.shown(self._source) for problem in problems]

    def _decoded(self, chunk: bytes) -> str:
        if self._decoder is None:
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return self._decoder.decode(chunk)

    def _report_open_fence(self) -> None:
        start = self._tokenizer.fence_start
        if start is not None and "{{<" in self._source.slice(start, self._source.length):
            self._pairing.reports.add("tag-code-fence-unclosed", Token("damaged", start, start, "", start, start))

    def _duplicates(self, operation: TagOperation) -> Iterable[TagProblem]:
        token = operation.opening_token
        attributes = self._source.slice(token.attributes_start, token.attributes_end)
        return (
            TagProblem(code="tag-duplicate-attribute", token=token, severity="warning", key=key)
            for key in duplicate_keys(attributes)
        )


def read_tags(text: str | bytes, registry: TagRegistry | None = None) -> TagReading:
    """The calls of a whole text and what is wrong with its tags."""
    reader = _read_whole(text, registry)
    return TagReading(operations=reader.operations, diagnostics=reader.diagnostics)


def read_operations(text: str | bytes, registry: TagRegistry | None = None) -> list[TagOperation]:
    """The calls of a whole text alone, which is faster: nothing inside a tag is looked at."""
    if isinstance(text, str) and len(text) <= SHORT and "`" not in text and "~" not in text:
        return _read_short(text, registry or DEFAULT_REGISTRY)
    return _read_whole(text, registry).operations


def _read_short(text: str, registry: TagRegistry) -> list[TagOperation]:
    """The calls of a text without code. From the first tag on that needs a closer look, it is read as any other."""
    operations, rest = _leading_calls(text, registry)
    if rest is None:
        return operations
    source = SourceText()
    source.append(text)
    pairing = TagPairing(registry=registry, source=source, operations=operations)
    last, taken = pairing.take_plain(plain_tag(text).finditer(text, rest), text, 0)
    if last is not None and not taken:
        Tokenizer(source=source, taker=pairing).read_rest(text, last.start())
    return pairing.operations


def _leading_calls(text: str, registry: TagRegistry) -> tuple[list[TagOperation], int | None]:
    """The plain self-closing calls up to the first tag that is something else, and where that one stands.

    Most texts hold nothing else, and pairing what cannot have a partner takes longer than finding it.
    """
    operations: list[TagOperation] = []
    position = text.find("{")
    if position < 0:
        return operations, None
    origin, heads, match = (ShortText(text), text, 0), registry.heads, plain_tag(text).match
    while position >= 0:
        tag = match(text, position)
        if tag is None:
            position = text.find("{", position + 1)
            continue
        head = heads.get(tag[2]) if tag.lastindex == PLAIN_SINGLE else None
        if head is None:
            return operations, position
        operation = TagOperation(head)
        operation.origin = origin
        operation.opening = position
        operation.closing = None
        operations.append(operation)
        position = text.find("{", tag.end())
    return operations, None


def _read_whole(text: str | bytes, registry: TagRegistry | None) -> TagReader:
    reader = TagReader(registry)
    with _collector_paused() if len(text) > LONG else nullcontext():
        reader.read(text)
        reader.end()
    return reader


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Nothing of what is read is garbage yet; looking for some again and again takes a sixth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


# --- which calls of a text are carried out: those that stand on their own, and those in a thought


def standing_calls(operations: Iterable[Mapping[str, Any]], registry: TagRegistry) -> list[Mapping[str, Any]]:
    """The calls to carry out, of operations in the order of the document."""
    found: list[Mapping[str, Any]] = []
    end = 0
    for operation in operations:
        if operation["start"] < end:
            continue
        if not is_thought(operation["tool_id"], registry):
            end = operation["end"]
        if is_call(operation["tool_id"], registry):
            found.append(operation)
    return found


def is_call(tool_id: str, registry: TagRegistry) -> bool:
    """Whether a tag wants something done; thoughts and references do not."""
    tag = registry.get(tool_id)
    return tag is not None and tag.category in CALLS


def is_thought(tool_id: str, registry: TagRegistry) -> bool:
    """Whether calls inside of this tag count."""
    tag = registry.get(tool_id)
    return tag is not None and tag.category == TagCategory.REASONING
