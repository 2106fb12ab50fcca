"""The calls of one answer: those beside the text and those written into it, and what else the text says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from paperagents.agents.call_arguments import read_arguments
from paperagents.agents.language_model import MOST_CALLS, ModelCall, ModelTurn
from paperagents.agents.toolbox import Toolbox
from paperagents.calls.tool_call import ToolCall
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagCategory, TagDefinition
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.errors import InvalidArgumentsError, PaperError, ToolError
from paperagents.execution.applying import FINAL_OUTPUT, call_of_tag
from paperagents.tags import TagRegistry, read_tags, validate_operation
from paperagents.tags.standing_calls import standing_calls

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
    written = standing_calls(reading.operations, registry) if registry is not None else []
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
