"""The calls of one turn: those beside the text and those written into it, and what else the text says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, NoReturn

from paperagents.agents.dialogue import CallResult
from paperagents.agents.model import LARGEST_ARGUMENTS, MOST_CALLS, Listener, ModelCall, ModelTurn
from paperagents.agents.quotations import MOST_COMPARED, Quotations
from paperagents.agents.toolbox import Toolbox
from paperagents.calls.arguments import ToolCall
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import InvalidArgumentsError, PaperError, ToolError
from paperagents.runs.tag_calls import FINAL_OUTPUT, SUBAGENT, TagCall, read_tag_call, subagent_call
from paperagents.tags import TagReader, TagReading, TagRegistry, read_tags, validate_operation
from paperagents.tags.extraction import toplevel_calls
from paperagents.tags.registry import DEFAULT_REGISTRY
from paperagents.values import dataclass

MOST_PROBLEMS = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestedCall:
    """One call that a model wants, or why it cannot be made."""

    name: str
    call: ToolCall | None = None
    failure: PaperError | None = None
    tag: TagCall | None = None
    """For a call that is written as a tag."""
    native: ModelCall | None = None
    """For a call beside the text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedTurn:
    """What one turn says and wants."""

    calls: tuple[RequestedCall, ...] = ()
    final: str | None = None
    """What stands in ``final_output``."""
    text: str = ""
    """The text without reasoning."""
    damage: str = ""
    """What is wrong with tags that could not be read."""


def parse_turn(  # noqa: PLR0913  the last two have good defaults
    turn: ModelTurn,
    reading: TagReading,
    toolbox: Toolbox,
    registry: TagRegistry | None,
    *,
    strict: bool = True,
    quotations: Quotations | None = None,
) -> ParsedTurn:
    """What a turn says and wants, given the tags in its text.

    ``registry`` knows the tags that count; None where none does. Where tags are the only way to call, an unknown tag
    is a mistake, too (``strict``). A tag among the ``quotations`` is text.
    """
    toplevel = [*toplevel_calls(reading.operations, registry or DEFAULT_REGISTRY)]
    if quotations is not None and len(toplevel) <= MOST_COMPARED:
        toplevel = [each for each in toplevel if not quotations.include(each["raw"])]
    tagged = [each for each in toplevel if each["tool_id"] != FINAL_OUTPUT] if registry is not None else []
    count = len(tagged) + turn.calls_made
    if count > MOST_CALLS:
        refused = ToolError("too-many-calls", count=count, limit=MOST_CALLS)
        return ParsedTurn(calls=(RequestedCall(name="model", failure=refused),))
    calls = [request_tag_call(each, registry) for each in tagged] if registry is not None else []
    finals = [each for each in toplevel if each["tool_id"] == FINAL_OUTPUT]
    return ParsedTurn(
        calls=(*calls, *(request_native_call(each, toolbox) for each in turn.calls)),
        final=str(validate_operation(finals[-1], registry)["normalized"]["content"]).strip() if finals else None,
        text=remove_reasoning(turn.text, reading.operations),
        damage=describe_damage(reading.diagnostics, strict=strict) if registry is not None else "",
    )


def request_tag_call(operation: Mapping[str, Any], registry: TagRegistry) -> RequestedCall:
    """A tag as a call; one whose attributes are wrong carries what is wrong with them."""
    tag = read_tag_call(operation, registry)
    failure = tag.failure
    if tag.problems:
        problems = [{"parameter": each.get("attribute"), "message": each["message"]} for each in tag.problems]
        failure = InvalidArgumentsError(tag.tag.id, problems)
    return RequestedCall(name=tag.tag.id, call=tag.call, failure=failure, tag=tag)


def request_native_call(call: ModelCall, toolbox: Toolbox) -> RequestedCall:
    """A call beside the text. A model that knows the tag for asking an agent may call that natively, too."""
    try:
        arguments = read_arguments(call)
    except PaperError as failure:
        return RequestedCall(name=call.name or "?", failure=failure, native=call)
    if call.name == SUBAGENT and SUBAGENT not in toolbox.names and isinstance(arguments.get("agent"), str):
        meant = subagent_call(arguments)
    else:
        meant = ToolCall(tool=toolbox.resolve_name(call.name), arguments=arguments)
    return RequestedCall(name=call.name, call=meant, native=call)


def remove_reasoning(text: str, operations: Iterable[Mapping[str, Any]]) -> str:
    """The text without reasoning, which is meant for nobody."""
    pieces, end = [], 0
    for operation in operations:
        if operation["tool_id"] == "reasoning_text" and operation["start"] >= end:
            pieces.append(text[end : operation["start"]])
            end = operation["end"]
    return "".join([*pieces, text[end:]]).strip()


def describe_damage(diagnostics: Iterable[Mapping[str, Any]], *, strict: bool) -> str:
    """What is wrong with the tags of a text, in one line."""
    # Other programs write such braces, too; but who can call by tags alone must hear that there is none of that name.
    codes = ("tag-unknown",) if strict else ()
    shown = [each for each in diagnostics if each["severity"] == "error" or each["code"] in codes][:MOST_PROBLEMS]
    return " ".join(f"line {each['line']}, column {each['column']}: {each['message']}" for each in shown)


# --- the arguments of a native call: read strictly, repaired only where there is one way to read them

DEEPEST = 100
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n[ \t]*```\Z", re.DOTALL)
_STRING_OR_COMMA = re.compile(r'("(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z))|(?<=[\]}"0-9el])(\s*+),(?=\s*+[}\]])', re.DOTALL)


def read_arguments(call: ModelCall) -> JsonObject:
    """The arguments as an object. Raises ToolError that tells the model what is wrong, and where."""
    if call.size > LARGEST_ARGUMENTS:
        raise ToolError("call-too-large", tool=call.name, size=call.size, limit=LARGEST_ARGUMENTS)
    # Blanks, a byte order mark and a fence around the JSON change nothing about it.
    text = call.arguments.strip().removeprefix("\ufeff").strip()
    fenced = _FENCED.match(text)
    text = fenced[1].strip() if fenced else text
    value = parse_json(text, call.name) if text else {}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        # Written twice: as an object, and that as a text.
        value = parse_json(value, call.name)
    if not isinstance(value, dict):
        raise ToolError("call-not-an-object", tool=call.name)
    if is_deeper_than(value, DEEPEST):
        raise ToolError("call-not-json", tool=call.name, reason=f"nested deeper than {DEEPEST}")
    return value


def parse_json(text: str, tool: str) -> Any:
    """A value as a model writes it, also with a comma too many. Raises ToolError."""
    try:
        return load_json(text)
    except (ValueError, RecursionError) as error:
        try:
            return load_json(_STRING_OR_COMMA.sub(lambda found: found[1] or found[2] or "", text))
        except (ValueError, RecursionError):
            reason = str(error)[:200]
            if isinstance(error, json.JSONDecodeError):
                reason = f"{error.msg}, line {error.lineno} column {error.colno} (character {error.pos})"
            raise ToolError("call-not-json", tool=tool, reason=reason) from None


def load_json(text: str) -> Any:
    """JSON, in which a line break inside a text is taken as one; NaN and the like have no value in JSON."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(constant)

    return json.loads(text, strict=False, parse_constant=refuse)


def is_deeper_than(value: Any, limit: int) -> bool:
    """Whether a value is nested deeper than this."""
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


AT_ONCE = 4


class TurnReader(Listener):
    """Reads the tags of one answer while it is written, and starts the calls that may be started early.

    Give ``perform`` a call and its number among the calls of the answer.
    """

    def __init__(  # noqa: PLR0913  each is one part of an answer
        self,
        registry: TagRegistry | None,
        on_text: Callable[[str], None],
        on_reasoning: Callable[[str], None],
        may_start_early: Callable[[RequestedCall], bool],
        perform: Callable[[RequestedCall, int], CallResult],
        *,
        quotations: Quotations,
    ) -> None:
        self._registry = registry
        self._on_text = on_text
        self._on_reasoning = on_reasoning
        self._may_start_early = may_start_early
        self._perform = perform
        self._quotations = quotations
        self._pool: ThreadPoolExecutor | None = None
        self.has_started_calls = False
        """Whether any attempt to answer made a call before it was complete."""
        self.begin()

    def begin(self) -> None:
        """A new attempt: what the broken one has started is ended first, and counts for nothing."""
        self.close()
        self._reader = TagReader(self._registry)
        self._started: dict[int, Future[CallResult]] = {}
        """By where in the text the call begins."""
        self._count = 0
        self._is_blocked = self._registry is None

    def text(self, piece: str) -> None:
        """The next piece of the answer."""
        self._on_text(piece)
        completed = self._reader.feed(piece)
        if completed and not self._is_blocked:
            self._start_calls(sorted(completed, key=lambda operation: operation["start"]))

    def reasoning(self, piece: str) -> None:
        """The next piece of what the model thinks: no tag in it counts."""
        self._on_reasoning(piece)

    def close(self) -> None:
        """Wait for everything that was started."""
        if self._pool is not None:
            self._pool.shutdown(wait=True)
            self._pool = None

    def finish(self, answer: str) -> TagReading:
        """All tags of the answer, when it is complete."""
        self._reader.close()
        # The operations must be those that the early calls were started for: results are found by where they begin.
        if self._reader.text == answer:
            return self._reader.reading
        # A model that told something else than it answers: what was started belongs to no call.
        self._started.clear()
        return read_tags(answer, self._registry)

    def result(self, call: RequestedCall) -> Future[CallResult] | None:
        """The result of a call that was started early."""
        return self._started.get(call.tag.start) if call.tag is not None else None

    def _start_calls(self, operations: Iterable[Mapping[str, Any]]) -> None:
        assert self._registry is not None
        toplevel = toplevel_calls(operations, self._registry)
        for operation in (each for each in toplevel if each["tool_id"] != FINAL_OUTPUT):
            if self._quotations.include(operation["raw"]):
                continue
            call = request_tag_call(operation, self._registry)
            if self._is_uncertain(operation) or self._count >= MOST_CALLS or not self._may_start_early(call):
                # Nor does any call behind it: it may read what this one changes.
                self._is_blocked = True
                return
            self._count += 1
            self.has_started_calls = True
            self._pool = self._pool or ThreadPoolExecutor(max_workers=AT_ONCE)
            future = self._pool.submit(copy_context().run, self._perform, call, self._count)
            self._started[operation["start"]] = future

    def _is_uncertain(self, operation: Mapping[str, Any]) -> bool:
        """Whether it stands in a block that is still open, and will be part of its content if that ends."""
        assert self._registry is not None
        blocks = (start for tag, start in self._reader.open_tags if not self._registry.is_reasoning(tag))
        return bool(operation["start"] > next(blocks, operation["start"]))
