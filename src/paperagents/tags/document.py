"""What ``paper extract`` and the REST API say of a text: its calls, and everything that is wrong with its tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from paperagents.errors import UsageError
from paperagents.tags.extraction import TagReading
from paperagents.tags.registry import TagRegistry
from paperagents.tags.validation import validate_operation

_DIAGNOSTIC = ("line", "column", "severity", "code", "message")


def describe_reading(reading: TagReading, registry: TagRegistry, tool: str | None = None) -> dict[str, Any]:
    """``{operations, diagnostics}`` of all calls, or of those of one tool."""
    operations = [each for each in reading.operations if is_wanted(each, tool, registry)]
    found = [*reading.diagnostics, *find_invalid(operations, registry)]
    found.sort(key=lambda each: (each["line"], each["column"]))
    return {
        "operations": [dict(each) for each in operations],
        "diagnostics": [{key: each[key] for key in _DIAGNOSTIC} for each in found],
    }


def require_tag(tool: str, registry: TagRegistry) -> str:
    """The id of the tag that is meant; a typo must not look like a text without calls."""
    tag = registry.get(tool) or registry.find(tool)
    if tag is None:
        raise UsageError("tag-tool-unknown", tag=tool)
    return tag.id


def is_wanted(operation: Mapping[str, Any], tool: str | None, registry: TagRegistry) -> bool:
    """Reasoning and references are no calls; they are shown where they are asked for by name."""
    if tool is not None:
        return bool(operation["tool_id"] == tool)
    return registry.is_call(operation["tool_id"])


def find_invalid(operations: Iterable[Mapping[str, Any]], registry: TagRegistry) -> Iterator[dict[str, Any]]:
    """What is wrong with the attributes of operations; the reader has reported duplicates before."""
    for operation in operations:
        checked = validate_operation(operation, registry)
        place = {"line": operation["line"], "column": operation["column"]}
        for severity, found in (("error", checked["errors"]), ("warning", checked["warnings"])):
            for each in found:
                if each["code"] != "tag-duplicate-attribute":
                    yield {**place, "severity": severity, "code": each["code"], "message": each["message"]}
