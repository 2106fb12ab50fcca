"""The calls of a text by tool: found, or found and checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from paperagents.definitions.tag import TagCategory, TagDefinition
from paperagents.tags.extraction import read_operations
from paperagents.tags.operation import TagOperation
from paperagents.tags.registry import CALLS, DEFAULT_REGISTRY, TagRegistry
from paperagents.tags.validation import validate_operation


def extract_tool_operations(text: str, tool_id: str, *, registry: TagRegistry | None = None) -> list[TagOperation]:
    """The calls of one tool, in the order of the document."""
    wanted = _proper_id(tool_id, registry)
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
    chosen = _chosen_categories(tool_ids, categories)
    named = found if tool_ids is None else {_proper_id(tool_id, known) for tool_id in _several(tool_ids)}
    for tool_id in [*found]:
        definition = known.get(tool_id)
        if definition is None or definition.category not in chosen or tool_id not in named:
            del found[tool_id]
    return found


def parse_tool_operations(text: str, tool_id: str, *, registry: TagRegistry | None = None) -> dict[str, Any]:
    """The calls of one tool with how many of them are valid."""
    operations = extract_tool_operations(text, tool_id, registry=registry)
    return _parsed(_proper_id(tool_id, registry), operations, registry)


def parse_all_tool_operations(
    text: str,
    *,
    tool_ids: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    registry: TagRegistry | None = None,
) -> dict[str, dict[str, Any]]:
    """The calls of all tools by tool id, each with how many of them are valid."""
    found = extract_all_tool_operations(text, tool_ids=tool_ids, categories=categories, registry=registry)
    return {tool_id: _parsed(tool_id, operations, registry) for tool_id, operations in found.items()}


def get_tool_definition(tool_id: str, *, registry: TagRegistry | None = None) -> TagDefinition | None:
    """The definition with this id, or None."""
    return (registry or DEFAULT_REGISTRY).get(tool_id)


def get_tools_by_category(category: str, *, registry: TagRegistry | None = None) -> list[TagDefinition]:
    """The definitions of a category."""
    return (registry or DEFAULT_REGISTRY).by_category(category.lower())


def register_tool(
    definition: TagDefinition | Mapping[str, Any], *, registry: TagRegistry | None = None
) -> TagDefinition:
    """Add a tag, given as a value or as a plain mapping. It works from the next text on."""
    return (registry or DEFAULT_REGISTRY).register(definition)


def _proper_id(tool_id: str, registry: TagRegistry | None) -> str:
    """The id of the tool that is meant, in any case of letters."""
    definition = (registry or DEFAULT_REGISTRY).get(tool_id)
    return definition.id if definition else tool_id


def _chosen_categories(tool_ids: Collection[str] | None, categories: Collection[str] | None) -> Collection[str]:
    """The categories that are asked for. Tools that are named are asked for whatever they are."""
    if categories is None:
        return CALLS if tool_ids is None else tuple(TagCategory)
    return _in_small_letters(tuple(_several(categories)))


@lru_cache(maxsize=32)
def _in_small_letters(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(str.lower, names))


def _several(names: Collection[str]) -> Collection[str]:
    """The names, given as one or as many."""
    return (names,) if isinstance(names, str) else names


def _parsed(tool_id: str, operations: list[TagOperation], registry: TagRegistry | None) -> dict[str, Any]:
    valid = sum(validate_operation(operation, registry)["valid"] for operation in operations)
    return {
        "tool_id": tool_id,
        "count": len(operations),
        "operations": operations,
        "valid_count": valid,
        "invalid_count": len(operations) - valid,
    }
