"""Makes calls of tags: pairs what opens with what closes, and says what is wrong with the rest.

``TagReader`` takes the text in pieces of any size and gives each call as soon as it is complete; a whole text is
read by the same reader in one piece. Calls come as they are completed, so an inner one before the outer;
``operations`` has them in the order of the document.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from paperagents.definitions.tag import RawContent, TagDefinition, TagType
from paperagents.tags.attributes import duplicate_keys, parse_attributes
from paperagents.tags.diagnostics import TagProblem
from paperagents.tags.operation import TagOperation
from paperagents.tags.registry import DEFAULT_REGISTRY, TagRegistry
from paperagents.tags.source_text import SourceText
from paperagents.tags.token import Token
from paperagents.tags.tokenizer import Tokenizer

DEEPEST_NESTING = 100
"""Blocks nested deeper are damage: each level would hold the text of all levels below once more."""
MOST_SUGGESTIONS = 200
"""Looking for a similar name is slow; a text with more unknown names than this is not a slip of the pen."""


@dataclass(slots=True)
class OpenBlock:
    """A block that is opened and not closed yet."""

    token: Token
    definition: TagDefinition
    place: int
    """Where its call belongs among the calls."""
    height: int = 0
    """How many levels of complete blocks are inside."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TagReading:
    """The calls of a text and what is wrong with its tags, both in the order of the document."""

    operations: list[TagOperation]
    diagnostics: list[dict[str, Any]]


class TagReader:
    """Reads the calls of a text that comes in pieces."""

    def __init__(self, registry: TagRegistry | None = None) -> None:
        self._registry = registry or DEFAULT_REGISTRY
        self._source = SourceText()
        self._tokenizer = Tokenizer(source=self._source, raw_words=self._registry.raw_words, is_raw=self._is_raw)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._places: list[TagOperation | None] = []
        self._problems: list[TagProblem] = []
        self._open: list[OpenBlock] = []
        self._open_count: dict[str, int] = {}
        self._unknown: dict[str, str] = {}

    def feed(self, chunk: str | bytes) -> list[TagOperation]:
        """The calls that are complete with this chunk. Bytes are UTF-8 and may be cut anywhere."""
        text = chunk if isinstance(chunk, str) else self._decoded(chunk)
        return self._read(self._tokenizer.feed(text))

    def close(self) -> list[TagOperation]:
        """The calls that were waiting for text that does not come."""
        last = self._decoder.decode(b"", final=True) if self._decoder else ""
        operations = self._read(self._tokenizer.feed(last)) if last else []
        operations += self._read(self._tokenizer.close())
        self._leave_open(0)
        self._report_open_fence()
        return operations

    @property
    def operations(self) -> list[TagOperation]:
        """All calls so far, in the order of the document."""
        return [operation for operation in self._places if operation is not None]

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """All that is wrong so far, in the order of the document."""
        problems = self._problems + [
            problem for operation in self.operations for problem in self._duplicates(operation)
        ]
        problems.sort(key=lambda problem: problem.token.start)
        return [problem.shown(self._source) for problem in problems]

    def _decoded(self, chunk: bytes) -> str:
        if self._decoder is None:
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return self._decoder.decode(chunk)

    def _read(self, tokens: list[Token]) -> list[TagOperation]:
        operations: list[TagOperation] = []
        find, source, places = self._registry.find, self._source, self._places
        for token in tokens:
            definition = find(token.name)
            if definition is None:
                self._report_unknown(token)
            elif token.kind == "single":
                operation = TagOperation(definition.id, source, token, None)
                operations.append(operation)
                places.append(operation)
            elif token.kind == "open":
                self._open_block(token, definition)
            elif token.kind == "close":
                operations += self._close_block(token, definition)
            else:
                self._report("tag-damaged", token, definition)
        return operations

    def _open_block(self, token: Token, definition: TagDefinition) -> None:
        self._open.append(OpenBlock(token, definition, len(self._places)))
        # The place is kept free, so that calls stand in the order of the document without sorting.
        self._places.append(None)
        self._open_count[definition.id] = self._open_count.get(definition.id, 0) + 1

    def _close_block(self, token: Token, definition: TagDefinition) -> Iterable[TagOperation]:
        if not self._open_count.get(definition.id):
            self._problems.append(TagProblem(code="tag-closing-without-opening", token=token, severity="warning"))
            return ()
        if self._open[-1].definition.id != definition.id:
            self._leave_open(self._depth_of(definition.id) + 1)
        return self._closed(self._pop(), token)

    def _depth_of(self, tag: str) -> int:
        depth = len(self._open) - 1
        while self._open[depth].definition.id != tag:
            depth -= 1
        return depth

    def _closed(self, block: OpenBlock, closing: Token) -> Iterable[TagOperation]:
        height = block.height + 1
        if self._open:
            self._raise_height(height)
        if height > DEEPEST_NESTING:
            self._report("tag-nested-too-deeply", block.token, block.definition, readable=False)
            return ()
        operation = TagOperation(block.definition.id, self._source, block.token, closing)
        self._places[block.place] = operation
        return (operation,)

    def _leave_open(self, depth: int) -> None:
        """Report the blocks from this depth on as never closed."""
        while len(self._open) > depth:
            block = self._pop()
            if self._open:
                self._raise_height(block.height)
            self._report("tag-unclosed", block.token, block.definition)

    def _pop(self) -> OpenBlock:
        block = self._open.pop()
        self._open_count[block.definition.id] -= 1
        return block

    def _raise_height(self, height: int) -> None:
        around = self._open[-1]
        around.height = max(around.height, height)

    def _is_raw(self, token: Token) -> bool:
        definition = self._registry.find(token.name)
        rule = definition.schema.raw_content if definition else RawContent.NEVER
        if rule is not RawContent.WHEN_CODE:
            return rule is RawContent.ALWAYS
        attributes = self._source.slice(token.attributes_start, token.attributes_end)
        return str(parse_attributes(attributes).get("type")).lower() == "code"

    def _report(self, code: str, token: Token, definition: TagDefinition, *, readable: bool = True) -> None:
        is_block = definition.type is TagType.BLOCK
        word = token.name if readable else ""
        self._problems.append(TagProblem(code=code, token=token, word=word, is_block=is_block))

    def _report_unknown(self, token: Token) -> None:
        is_new = token.name not in self._unknown
        if token.kind == "close" and not is_new:
            return
        if is_new:
            few = len(self._unknown) < MOST_SUGGESTIONS
            self._unknown[token.name] = (self._registry.nearest(token.name) or "") if few else ""
        word = self._unknown[token.name] if token.kind != "close" else ""
        self._problems.append(
            TagProblem(code="tag-unknown", token=token, severity="warning", word=word, is_block=token.kind == "open")
        )

    def _report_open_fence(self) -> None:
        start = self._tokenizer.fence_start
        if start is not None and "{{<" in self._source.slice(start, self._source.length):
            token = Token("damaged", start, start, "", start, start)
            self._problems.append(TagProblem(code="tag-code-fence-unclosed", token=token, severity="warning"))

    def _duplicates(self, operation: TagOperation) -> Iterable[TagProblem]:
        token = operation.opening
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
    return _read_whole(text, registry).operations


def _read_whole(text: str | bytes, registry: TagRegistry | None) -> TagReader:
    reader = TagReader(registry)
    reader.feed(text)
    reader.close()
    return reader
