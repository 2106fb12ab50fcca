"""The calls of one answer: those beside the text and those written into it, and what else the text says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, NoReturn

from paperagents.agents.dialogue import CallResult
from paperagents.agents.model import LARGEST_ARGUMENTS, MOST_CALLS, Listener, ModelCall, ModelTurn
from paperagents.agents.toolbox import Toolbox
from paperagents.calls.call import ToolCall
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagCategory, TagDefinition
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.errors import InvalidArgumentsError, PaperError, ToolError
from paperagents.runs.tag_calls import FINAL_OUTPUT, call_of_tag
from paperagents.tags import TagReader, TagRegistry, read_tags, validate_operation
from paperagents.tags.extraction import toplevel_calls
from paperagents.tags.operation import TagOperation

MOST_PROBLEMS = 20
SUBAGENT = "subagent"


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenCall:
    """One call as it was understood, or why it was not."""

    name: str
    call: ToolCall | None = None
    failure: PaperError | None = None
    tag: TagDefinition | None = None
    """For a tag that is no tool: what carries it out."""
    values: JsonObject | None = None
    native: ModelCall | None = None
    start: int = -1
    """Where in the text it begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What one turn says and wants."""

    calls: tuple[WrittenCall, ...] = ()
    final: str | None = None
    """What stands in ``final_output``."""
    text: str = ""
    """The text without what the model only thought."""
    damage: str = ""
    """What is wrong with tags that could not be read."""


def understood(turn: ModelTurn, toolbox: Toolbox, registry: TagRegistry | None, *, strict: bool = True) -> Answer:
    """Everything in a turn. ``registry`` knows the tags that count; None where none does.

    Where tags are the only way to call, a tag that nobody knows is a mistake, too (``strict``).
    """
    reading = read_tags(turn.text, registry)
    written = toplevel_calls(reading.operations, registry) if registry is not None else []
    tagged = [each for each in written if each["tool_id"] != FINAL_OUTPUT]
    count = len(tagged) + turn.calls_made
    if count > MOST_CALLS:
        refused = ToolError("too-many-calls", count=count, limit=MOST_CALLS)
        return Answer(calls=(WrittenCall(name="model", failure=refused),))
    assert registry is not None or not tagged
    calls = [tag_call(each, registry) for each in tagged] if registry is not None else []
    finals = [each for each in reading.operations if each["tool_id"] == FINAL_OUTPUT]
    return Answer(
        calls=(*calls, *(_native_call(each, toolbox) for each in turn.calls)),
        final=str(validate_operation(finals[-1], registry)["normalized"]["content"]).strip() if finals else None,
        text=_spoken(turn.text, reading.operations),
        damage=_damage(reading.diagnostics, strict=strict) if registry is not None else "",
    )


def tag_call(operation: Mapping[str, Any], registry: TagRegistry) -> WrittenCall:
    """A tag as a call; one whose attributes are wrong carries what is wrong with them."""
    tag = registry.get(operation["tool_id"])
    assert tag is not None
    checked = validate_operation(operation, registry)
    if not checked["valid"]:
        problems = [{"parameter": each.get("attribute"), "message": each["message"]} for each in checked["errors"]]
        failure = InvalidArgumentsError(tag.id, problems)
        return WrittenCall(name=tag.id, failure=failure, start=operation["start"])
    values: JsonObject = checked["normalized"]
    if tag.handler is not None or tag.category == TagCategory.OUTPUT:
        return WrittenCall(name=tag.id, tag=tag, values=values, start=operation["start"])
    attributes = values["attributes"]
    assert isinstance(attributes, dict)
    try:
        call = call_of_tag(tag, operation, attributes, registry)
    except PaperError as failure:
        return WrittenCall(name=tag.id, failure=failure, start=operation["start"])
    return WrittenCall(name=tag.id, call=call, start=operation["start"])


def _native_call(call: ModelCall, toolbox: Toolbox) -> WrittenCall:
    try:
        arguments = read_arguments(call)
    except PaperError as failure:
        return WrittenCall(name=call.name or "?", failure=failure, native=call)
    return WrittenCall(name=call.name, call=_meant(call.name, arguments, toolbox), native=call)


def _meant(name: str, arguments: JsonObject, toolbox: Toolbox) -> ToolCall:
    """What is called. Who knows the tag that asks an agent may call that natively, too."""
    agent = arguments.get("agent")
    if name == SUBAGENT and name not in toolbox.names and isinstance(agent, str):
        rest = {key: value for key, value in arguments.items() if key != "agent"}
        return ToolCall(tool=f"{AGENT_PREFIX}{agent.removeprefix(AGENT_PREFIX)}", arguments=rest)
    return ToolCall(tool=toolbox.meant(name), arguments=arguments)


def _spoken(text: str, operations: Iterable[Mapping[str, Any]]) -> str:
    """The text without thoughts, which are not meant for anybody."""
    pieces, end = [], 0
    for operation in operations:
        if operation["tool_id"] == "reasoning_text" and operation["start"] >= end:
            pieces.append(text[end : operation["start"]])
            end = operation["end"]
    return "".join([*pieces, text[end:]]).strip()


def _damage(diagnostics: Iterable[Mapping[str, Any]], *, strict: bool) -> str:
    # Other programs write such braces, too; but who can call by tags alone must hear that there is none of that name.
    codes = ("tag-unknown",) if strict else ()
    told = [each for each in diagnostics if each["severity"] == "error" or each["code"] in codes]
    lines = [f"line {each['line']}, column {each['column']}: {each['message']}" for each in told[:MOST_PROBLEMS]]
    return " ".join(lines)


# --- the arguments of a native call: read strictly, repaired only where there is one way to read them


DEEPEST = 100
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z))|(?<=[\]}"0-9el])(\s*+),(?=\s*+[}\]])', re.DOTALL)


def read_arguments(call: ModelCall) -> JsonObject:
    """The arguments as an object. Raises ToolError that tells the model what is wrong, and where."""
    if call.size > LARGEST_ARGUMENTS:
        raise ToolError("call-too-large", tool=call.name, size=call.size, limit=LARGEST_ARGUMENTS)
    text = _unwrapped(call.arguments)
    value = _parsed(text, call.name) if text else {}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        # Written twice: as an object, and that as a text.
        value = _parsed(value, call.name)
    if not isinstance(value, dict):
        raise ToolError("call-not-an-object", tool=call.name)
    if _depth_exceeds(value, DEEPEST):
        raise ToolError("call-not-json", tool=call.name, reason=f"nested deeper than {DEEPEST}")
    return value


def _unwrapped(text: str) -> str:
    """Without what stands around the JSON and changes nothing about it: blanks, a byte order mark, a fence."""
    text = text.strip().removeprefix("\ufeff").strip()
    fenced = _FENCED.match(text)
    return fenced[1].strip() if fenced else text


def _parsed(text: str, tool: str) -> Any:
    try:
        return _loads(text)
    except (ValueError, RecursionError) as error:
        try:
            return _loads(_STRING_OR_COMMA.sub(_without_last_comma, text))
        except (ValueError, RecursionError):
            raise ToolError("call-not-json", tool=tool, reason=_reason(error)) from None


def _loads(text: str) -> Any:
    # A line break inside a text can only be meant as one; NaN and the like have no value in JSON.
    return json.loads(text, strict=False, parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _without_last_comma(found: re.Match[str]) -> str:
    return found[1] or found[2] or ""


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno} column {error.colno} (character {error.pos})"
    return str(error)[:200]


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


# --- calls that only read are carried out as soon as their tag closes, while the model still writes


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
        if operation["tool_id"] == FINAL_OUTPUT or not self._registry.is_call(operation["tool_id"]):
            return
        in_a_call = not all(self._registry.is_reasoning(name) for name in self._reader.open_tags)
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
