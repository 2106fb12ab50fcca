"""Reads the calls of a text, whole or in pieces, and sorts them by tool.

``TagReader`` takes the text in pieces of any size and gives each call as soon as it is complete; a whole text is
read by the same reader in one piece. Calls come as they are completed, so an inner one before the outer;
``operations`` has them in the order of the document.
"""

from __future__ import annotations

import codecs
import gc
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from paperagents.definitions.tag import TagCategory, TagDefinition
from paperagents.tags.diagnostics import TagProblem
from paperagents.tags.grammar import PLAIN_SINGLE, Token, duplicate_keys, plain_tag
from paperagents.tags.operation import SourceText, TagOperation
from paperagents.tags.pairing import TagPairing
from paperagents.tags.registry import CALLS, DEFAULT_REGISTRY, TagRegistry
from paperagents.tags.tokenizer import Tokenizer
from paperagents.tags.validation import validate_operation
from paperagents.values import dataclass

SHORT = 4000
"""Up to this length a text is first tried without a reader: making one takes longer than reading a few calls."""
LONG = 100_000
"""From here on there may be so many calls that Python's garbage collector gets in the way."""


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
        """Read a chunk as ``feed`` does, without collecting what is complete with it."""
        if isinstance(chunk, bytes):
            self._decoder = self._decoder or codecs.getincrementaldecoder("utf-8")("replace")
            chunk = self._decoder.decode(chunk)
        self._tokenizer.feed(chunk)

    def end(self) -> None:
        """End the text, as ``close`` does."""
        if self._decoder:
            self._tokenizer.feed(self._decoder.decode(b"", final=True))
        self._tokenizer.close()
        self._pairing.close()
        start = self._tokenizer.fence_start
        if start is not None and "{{<" in self._source.slice(start, self._source.length):
            self._pairing.reports.add("tag-code-fence-unclosed", Token("damaged", start, start, "", start, start))

    @property
    def text(self) -> str:
        """The text so far."""
        return self._source.text

    @property
    def open_tags(self) -> list[tuple[str, int]]:
        """Tool id and start of the blocks that are opened and not closed yet, the outermost first."""
        return self._pairing.open_tags

    @property
    def operations(self) -> list[TagOperation]:
        """All calls so far, in the order of the document."""
        return self._pairing.operations

    @property
    def diagnostics(self) -> list[dict[str, Any]]:
        """All that is wrong so far, in the order of the document."""
        problems = [*self._pairing.reports.problems(), *self._find_duplicates()]
        problems.sort(key=lambda problem: problem.token.start)
        return [problem.as_json(self._source) for problem in problems]

    @property
    def reading(self) -> TagReading:
        """Everything so far."""
        return TagReading(operations=self.operations, diagnostics=self.diagnostics)

    def _find_duplicates(self) -> Iterator[TagProblem]:
        for operation in self.operations:
            token = operation.opening_token
            for key in duplicate_keys(self._source.slice(token.attributes_start, token.attributes_end)):
                yield TagProblem(code="tag-duplicate-attribute", token=token, severity="warning", key=key)


def read_tags(text: str | bytes, registry: TagRegistry | None = None) -> TagReading:
    """The calls of a whole text and what is wrong with its tags."""
    return _read_whole(text, registry).reading


def read_operations(text: str | bytes, registry: TagRegistry | None = None) -> list[TagOperation]:
    """Only the calls of a whole text, which is faster: nothing inside a tag is looked at."""
    if isinstance(text, str) and len(text) <= SHORT:
        operations = _read_plain_calls(text, registry or DEFAULT_REGISTRY)
        if operations is not None:
            return operations
    return _read_whole(text, registry).operations


def _read_plain_calls(text: str, registry: TagRegistry) -> list[TagOperation] | None:
    """The calls of a text in which every tag is a plainly written self-closing call; None for any other text.

    Most answers hold nothing else. Without code and blocks there is nothing to pair, so no reader is made.
    """
    position = text.find("{")
    if position < 0:
        return []
    if "`" in text or "~" in text:
        return None
    operations: list[TagOperation] = []
    origin, heads, match = (SourceText(text), text, 0), registry.heads, plain_tag(text).match
    while position >= 0:
        tag = match(text, position)
        if tag is None:
            position = text.find("{", position + 1)
            continue
        head = heads.get(tag[2]) if tag.lastindex == PLAIN_SINGLE else None
        if head is None:
            return None
        operation = TagOperation(head)
        operation.origin = origin
        operation.opening = position
        operation.closing = None
        operations.append(operation)
        position = text.find("{", tag.end())
    return operations


def _read_whole(text: str | bytes, registry: TagRegistry | None) -> TagReader:
    reader = TagReader(registry)
    # Nothing of what is read is garbage yet; looking for some again and again takes a tenth of the time.
    paused = len(text) > LONG and gc.isenabled()
    if paused:
        gc.disable()
    try:
        reader.read(text)
        reader.end()
    finally:
        if paused:
            gc.enable()
    return reader


def toplevel_calls(operations: Iterable[Mapping[str, Any]], registry: TagRegistry) -> list[Mapping[str, Any]]:
    """The calls to carry out, of operations in the order of the document.

    A call inside another tag is that tag's content and not carried out, unless that tag is reasoning.
    """
    found: list[Mapping[str, Any]] = []
    end = 0
    for operation in operations:
        if operation["start"] < end:
            continue
        if not registry.is_reasoning(operation["tool_id"]):
            end = operation["end"]
        if registry.is_call(operation["tool_id"]):
            found.append(operation)
    return found


# --- the calls of a text by tool


def extract_tool_operations(text: str, tool_id: str, *, registry: TagRegistry | None = None) -> list[TagOperation]:
    """The calls of one tool, in the order of the document."""
    wanted = (registry or DEFAULT_REGISTRY).proper_id(tool_id)
    return [operation for operation in read_operations(text, registry) if operation["tool_id"] == wanted]


def extract_all_tool_operations(
    text: str,
    *,
    tool_ids: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    registry: TagRegistry | None = None,
) -> dict[str, list[TagOperation]]:
    """The calls of all tools by tool id. Reasoning and references only where they are asked for."""
    known = registry or DEFAULT_REGISTRY
    found: dict[str, list[TagOperation]] = {}
    for operation in read_operations(text, known):
        tool_id = operation["tool_id"]
        if tool_id in found:
            found[tool_id].append(operation)
        else:
            found[tool_id] = [operation]
    if categories is not None:
        chosen: Collection[str] = [*map(str.lower, _as_several(categories))]
    else:
        # Tools that are named are asked for whatever they are.
        chosen = CALLS if tool_ids is None else tuple(TagCategory)
    named = found if tool_ids is None else [*map(known.proper_id, _as_several(tool_ids))]
    for tool_id in [*found]:
        if tool_id not in named or known.category(tool_id) not in chosen:
            del found[tool_id]
    return found


def parse_tool_operations(text: str, tool_id: str, *, registry: TagRegistry | None = None) -> dict[str, Any]:
    """The calls of one tool, how many of them are valid, and what is wrong with the others."""
    operations = extract_tool_operations(text, tool_id, registry=registry)
    return _count_valid((registry or DEFAULT_REGISTRY).proper_id(tool_id), operations, registry)


def parse_all_tool_operations(
    text: str,
    *,
    tool_ids: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    registry: TagRegistry | None = None,
) -> dict[str, dict[str, Any]]:
    """The same for all tools, by tool id."""
    found = extract_all_tool_operations(text, tool_ids=tool_ids, categories=categories, registry=registry)
    return {tool_id: _count_valid(tool_id, operations, registry) for tool_id, operations in found.items()}


def get_tool_definition(tool_id: str, *, registry: TagRegistry | None = None) -> TagDefinition | None:
    """The definition with this id, or None."""
    return (registry or DEFAULT_REGISTRY).get(tool_id)


def get_tools_by_category(category: str, *, registry: TagRegistry | None = None) -> list[TagDefinition]:
    """The definitions of a category."""
    return [tag for tag in registry or DEFAULT_REGISTRY if tag.category == category.lower()]


def register_tool(
    definition: TagDefinition | Mapping[str, Any], *, registry: TagRegistry | None = None
) -> TagDefinition:
    """Add a tag, given as a value or as a plain mapping. It works from the next text on."""
    return (registry or DEFAULT_REGISTRY).register(definition)


def _as_several(names: Collection[str]) -> Collection[str]:
    return (names,) if isinstance(names, str) else names


def _count_valid(tool_id: str, operations: list[TagOperation], registry: TagRegistry | None) -> dict[str, Any]:
    """The operations, an invalid one with its ``errors``, and how many of them are valid."""
    valid = 0
    for operation in operations:
        checked = validate_operation(operation, registry)
        if checked["valid"]:
            valid += 1
        else:
            operation["errors"] = checked["errors"]
    return {
        "tool_id": tool_id,
        "count": len(operations),
        "operations": operations,
        "valid_count": valid,
        "invalid_count": len(operations) - valid,
    }
