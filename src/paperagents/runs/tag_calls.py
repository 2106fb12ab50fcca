"""Carries out the calls that a model wrote into its text, in the order of the text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from inspect import signature
from itertools import groupby
from typing import Any

from paperagents.calls.call import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import ENTRY_KINDS
from paperagents.definitions.tag import Handler, TagCategory, TagDefinition, TagSchema, TagType
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.errors import PaperError, ToolError
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.tags import TagRegistry, given_attributes, resolve_vault_references_simple, validate_operation
from paperagents.tags.extraction import toplevel_calls

FINAL_OUTPUT = "final_output"
_STATUSES = {"succeeded": "success", "planned": "success", "denied": "denied", "waiting": "waiting"}


class _TakenBackError(Exception):
    """Something failed, and all or nothing was asked for."""


@dataclass(frozen=True, kw_only=True)
class TagApplier:
    """Applies the operations of one text."""

    registry: TagRegistry
    run: Callable[[ToolCall], RunRecord]
    """The pipeline: every operation takes the same path as any call."""
    together: Callable[[], AbstractContextManager[Any]]
    """What is stored inside becomes visible at once, and survives a kill completely or not at all."""
    vault_content: Callable[[str], str | None]
    """What references in the final output stand for."""
    asks_a_person: bool = False
    count: Callable[..., None] = lambda tag, **figures: None  # noqa: ARG005  nobody counts

    def apply(
        self, operations: Iterable[Mapping[str, Any]], *, tool: str | None = None, all_or_nothing: bool = False
    ) -> list[JsonObject]:
        """One result per call, or per call of this tool: ``{id, action, status, error}``, and an ``output`` if any.

        By default what failed is reported and the rest is kept. With ``all_or_nothing`` everything is stored
        first and in one step, or nothing is; scripts and tools, which cannot be taken back, follow only then.
        """
        calls = [call for call in toplevel_calls(operations, self.registry) if self._is_of(tool, call)]
        if all_or_nothing:
            return self._all_or_nothing(calls)
        results: list[JsonObject] = []
        for together, members in groupby(calls, key=self._goes_together):
            group = list(members)
            results += self._stored(group) if together else map(self._one, group)
        return results

    def _is_of(self, tool: str | None, operation: Mapping[str, Any]) -> bool:
        if tool is None:
            return True
        meant = self.registry.get(tool) or self.registry.find(tool)
        return meant is not None and operation["tool_id"] == meant.id

    def _is_storage(self, operation: Mapping[str, Any]) -> bool:
        tag = self.registry.get(operation["tool_id"])
        return tag is not None and tag.category == TagCategory.STORAGE

    def _goes_together(self, operation: Mapping[str, Any]) -> bool:
        """Storing, and output between it, which has no effect of its own."""
        tag = self.registry.get(operation["tool_id"])
        is_output = tag is not None and tag.category == TagCategory.OUTPUT and tag.handler is None
        return is_output or self._is_storage(operation)

    def _stored(self, calls: list[Mapping[str, Any]]) -> list[JsonObject]:
        """Storage operations that follow each other, in one step."""
        # While a person thinks about a question, nobody else must be kept from storing.
        asks = self.asks_a_person and any(self._deletes(call) for call in calls)
        with nullcontext() if asks else self.together():
            return [self._one(call) for call in calls]

    def _all_or_nothing(self, calls: list[Mapping[str, Any]]) -> list[JsonObject]:
        results: dict[int, JsonObject] = {}
        try:
            with self.together():
                for place, call in enumerate(calls):
                    if self._is_storage(call) or not validate_operation(call, self.registry)["valid"]:
                        results[place] = self._one(call)
                _require_success(results.values())
        except _TakenBackError:
            return [_taken_back(results.get(place)) for place in range(len(calls))]
        return [results[place] if place in results else self._one(call) for place, call in enumerate(calls)]

    def _deletes(self, operation: Mapping[str, Any]) -> bool:
        values = validate_operation(operation, self.registry)["normalized"]
        return bool(values.get("delete")) or values.get("action") == "delete"

    def _one(self, operation: Mapping[str, Any]) -> JsonObject:
        checked = validate_operation(operation, self.registry)
        started = time.perf_counter()
        result = self._judged(operation, checked)
        took = (time.perf_counter() - started) * 1000
        succeeded = result["status"] == "success"
        self.count(operation["tool_id"], valid=checked["valid"], succeeded=succeeded, duration_ms=took)
        return result

    def _judged(self, operation: Mapping[str, Any], checked: Mapping[str, Any]) -> JsonObject:
        values = checked["normalized"]
        name = values.get("identifier") or values.get("id")
        if not checked["valid"]:
            told = {**checked["errors"][0], "message": " ".join(each["message"] for each in checked["errors"])}
            return _result(name, None, "error", _told(told))
        try:
            return self._carried_out(operation, values, name)
        except PaperError as error:
            return _result(name, None, "error", _told(error.as_json()))

    def _carried_out(self, operation: Mapping[str, Any], values: Mapping[str, Any], name: Any) -> JsonObject:
        tag = self.registry.get(operation["tool_id"])
        assert tag is not None
        if tag.handler is not None:
            return {**_result(name, "handled", "success", None), **handled(tag.id, tag.handler, values)}
        if tag.category == TagCategory.OUTPUT:
            return {**_result(name, tag.id, "success", None), "output": self._output(tag, values)}
        return _of_record(self.run(call_of_tag(tag, operation, values["attributes"], self.registry)), name)

    def _output(self, tag: TagDefinition, values: Mapping[str, Any]) -> JsonValue:
        said: JsonValue = values["content"] or values.get("message")
        return final_text(said, self.vault_content) if tag.id == FINAL_OUTPUT and isinstance(said, str) else said


def final_text(written: str, vault_content: Callable[[str], str | None]) -> str:
    """An answer as whoever asked gets it: with what its references stand for."""
    return resolve_vault_references_simple(written, lookup=vault_content) if "{{<" in written else written


def call_of_tag(
    tag: TagDefinition, operation: Mapping[str, Any], values: JsonObject, registry: TagRegistry
) -> ToolCall:
    """Only what the tag names: an update must not fill in defaults over what is stored."""
    if tag.storage and tag.storage.lower() not in ENTRY_KINDS:
        raise ToolError("tag-storage-unknown", tag=tag.id, storage=tag.storage, kinds=", ".join(ENTRY_KINDS))
    empty = tag.schema.open_attributes and not operation["content"].strip()
    # A block with nothing in it is another way to write a tag without content.
    written = {**operation, "type": "self_closing", "has_content": False} if empty else operation
    given = {*given_attributes(written, registry), "identifier"}
    known = given if tag.schema.open_attributes else given & {*tag.schema.attributes}
    arguments = {key: value for key, value in values.items() if key in known}
    home = registry.get(tag.storage) if tag.storage else None
    if home is not None and home.id != tag.id:
        return _call_of_storage(home, {**operation, "tool_id": home.id, "attributes": arguments}, registry)
    if tag.id != "subagent":
        return ToolCall(tool=tag.id, arguments=arguments, as_text=True)
    asked = str(arguments.pop("agent")).removeprefix(AGENT_PREFIX)
    return ToolCall(tool=f"{AGENT_PREFIX}{asked}", arguments=arguments, as_text=True)


def _call_of_storage(home: TagDefinition, operation: Mapping[str, Any], registry: TagRegistry) -> ToolCall:
    """A tag of one's own as the entry that it stores. What such an entry does not know is left for it to refuse."""
    values = validate_operation(operation, registry)["normalized"]["attributes"]
    given = {*given_attributes(operation, registry), "identifier"}
    arguments = {key: value for key, value in values.items() if key in given}
    return ToolCall(tool=home.id, arguments=arguments, as_text=True)


def tag_of_tool(identifier: str, name: str, description: str) -> TagDefinition:
    """A tool of the vault as a tag; what its attributes may be is the tool's own to say."""
    return TagDefinition(
        id=identifier,
        name=name,
        type=TagType.HYBRID,
        category=TagCategory.EXECUTION,
        description=description,
        schema=TagSchema(has_content=True, content_attribute="content", open_attributes=True),
        words=(identifier,),
    )


def handled(tag: str, handler: Handler, values: Mapping[str, Any]) -> JsonObject:
    """What a handler answers; whatever is wrong with it costs this one call alone."""
    try:
        answer = _asked(handler, dict(values))
    except PaperError:
        raise
    except Exception as error:
        raise ToolError("tag-handler-failed", tag=tag, reason=f"{type(error).__name__}: {error}") from error
    return answer if isinstance(answer, dict) else {} if answer is None else {"output": answer}


def _asked(handler: Handler, operation: JsonObject) -> Any:
    """A handler takes the operation, or as the documentation of tags shows it the operation and options."""
    try:
        signature(handler).bind(operation)
    except TypeError:
        return handler(operation, {})
    except ValueError:
        pass  # Functions of Python itself may not tell what they take.
    return handler(operation)


def _require_success(results: Iterable[JsonObject]) -> None:
    if any(result["status"] != "success" for result in results):
        raise _TakenBackError


def _of_record(record: RunRecord, name: Any) -> JsonObject:
    status = _STATUSES.get(record.status, "error")
    told = _told(record.error) if record.error else None
    data = record.data if isinstance(record.data, dict) else {}
    action = data.get("action") if "entry" in data else ("executed" if status == "success" else None)
    result = _result(name or data.get("id"), action, status, told)
    if status == "success" and (data.get("action") == "read" or "entry" not in data):
        result["output"] = data.get("entry", record.data)
    return result


def _result(name: Any, action: JsonValue, status: str, error: JsonObject | None) -> JsonObject:
    return {"id": name, "action": action, "status": status, "error": error}


def _told(error: Mapping[str, Any]) -> JsonObject:
    """An error as every record has it, also one that no run has met."""
    empty: JsonObject = {"hint": None, "step": None, "block": None, "retryable": False, "details": {}}
    fields = ("code", "message", *empty)
    return {key: error.get(key, empty.get(key)) for key in fields}


def _taken_back(result: JsonObject | None) -> JsonObject:
    """Nothing stays of what was done, nor of a question about it."""
    if result is not None and result["status"] == "waiting":
        return {
            **result,
            "status": "denied",
            "error": _told({"code": "nobody-to-ask", "message": text("nobody-to-ask")}),
        }
    if result is not None and result["status"] != "success":
        return result
    error = _told({"code": "taken-back", "message": text("taken-back")})
    return _result(result and result["id"], None, "error", error)
