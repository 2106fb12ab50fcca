"""Carries out the calls that a model wrote into its text, in the order of the text."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from paperagents.calls.tool_call import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tag import TagCategory, TagDefinition, TagSchema, TagType
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.records.record import RunRecord
from paperagents.tags import TagRegistry, given_attributes, validate_operation

_STATUSES = {"succeeded": "success", "planned": "success", "denied": "denied", "waiting": "waiting"}
_NOT_CALLS = (TagCategory.REASONING, TagCategory.REFERENCE)


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
    asks_a_person: bool = False
    count: Callable[..., None] = lambda tag, **figures: None  # noqa: ARG005  nobody counts

    def apply(self, operations: Iterable[Mapping[str, Any]], *, all_or_nothing: bool = False) -> list[JsonObject]:
        """One result per call: ``{id, action, status, error}``, with ``output`` where there is one.

        By default what failed is reported and the rest is kept. With ``all_or_nothing`` a failed storage
        operation takes back the others that were stored with it.
        """
        results: list[JsonObject] = []
        for stored, group in groupby(self._calls(operations), key=self._is_storage):
            calls = list(group)
            results += self._stored(calls, all_or_nothing=all_or_nothing) if stored else map(self._one, calls)
        return results

    def _calls(self, operations: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        known = ((operation, self.registry.get(operation["tool_id"])) for operation in operations)
        return [operation for operation, tag in known if tag is not None and tag.category not in _NOT_CALLS]

    def _is_storage(self, operation: Mapping[str, Any]) -> bool:
        tag = self.registry.get(operation["tool_id"])
        return tag is not None and tag.category == TagCategory.STORAGE

    def _stored(self, calls: list[Mapping[str, Any]], *, all_or_nothing: bool) -> list[JsonObject]:
        """Storage operations that follow each other, in one step."""
        # While a person thinks about a question, nobody else must be kept from storing.
        asks = self.asks_a_person and any(self._deletes(call) for call in calls)
        results: list[JsonObject] = []
        try:
            with nullcontext() if asks and not all_or_nothing else self.together():
                results = [self._one(call) for call in calls]
                if all_or_nothing:
                    _require_success(results)
        except _TakenBackError:
            return [_taken_back(result) if result["status"] == "success" else result for result in results]
        return results

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
            first = checked["errors"][0]
            return _result(name, None, "error", {"code": first["code"], "message": first["message"]})
        try:
            return self._carried_out(operation, values, name)
        except PaperError as error:
            return _result(name, None, "error", {"code": error.code, "message": error.message})

    def _carried_out(self, operation: Mapping[str, Any], values: Mapping[str, Any], name: Any) -> JsonObject:
        tag = self.registry.get(operation["tool_id"])
        assert tag is not None
        if tag.handler is not None:
            answer = tag.handler(dict(values))
            return {**_result(name, "handled", "success", None), **(answer if isinstance(answer, dict) else {})}
        if tag.category == TagCategory.OUTPUT:
            return {**_result(name, tag.id, "success", None), "output": values["content"] or values.get("message")}
        # Only what the call names: an update must not fill in defaults over what is stored.
        given = {*given_attributes(operation, self.registry), "identifier"}
        arguments = {key: value for key, value in values["attributes"].items() if key in given}
        return _of_record(self.run(ToolCall(tool=tag.id, arguments=arguments, as_text=True)), name)


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


def _require_success(results: list[JsonObject]) -> None:
    if any(result["status"] != "success" for result in results):
        raise _TakenBackError


def _of_record(record: RunRecord, name: Any) -> JsonObject:
    status = _STATUSES.get(record.status, "error")
    error = record.error or {}
    told: JsonObject | None = {key: error.get(key) for key in ("code", "message", "hint")} if error else None
    data = record.data if isinstance(record.data, dict) else {}
    action = data.get("action") if "entry" in data else ("executed" if status == "success" else None)
    result = _result(name or data.get("id"), action, status, told)
    if status == "success" and (data.get("action") == "read" or "entry" not in data):
        result["output"] = data.get("entry", record.data)
    return result


def _result(name: Any, action: JsonValue, status: str, error: JsonObject | None) -> JsonObject:
    return {"id": name, "action": action, "status": status, "error": error}


def _taken_back(result: JsonObject) -> JsonObject:
    error: JsonObject = {"code": "taken-back", "message": text("taken-back")}
    return {**result, "action": None, "status": "error", "error": error}
