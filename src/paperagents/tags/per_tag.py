"""The registry, the limits and each built-in tag under a name of their own, for programs that work with tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from paperagents.definitions.tag import TASK_STATUSES, VAULT_ACTIONS, VAULT_TYPES, TagCategory, TagDefinition, TagType
from paperagents.tags.extraction import extract_tool_operations
from paperagents.tags.grammar import ATTRIBUTE_PARTS
from paperagents.tags.operation import TagOperation
from paperagents.tags.references import MAX_DEPTH, REFERENCE
from paperagents.tags.registry import DEFAULT_REGISTRY, TagRegistry
from paperagents.tags.validation import (
    DANGEROUS_MARKUP,
    LONGEST_CONTENT,
    LONGEST_IDENTIFIER,
    VALID_IDENTIFIER,
    validate_operation,
)

TOOL_TYPES = TagType
TOOL_CATEGORIES = TagCategory


class ToolDefinitions(MutableMapping[str, TagDefinition]):
    """The definitions of a registry by their ids in capitals; found in any case of letters.

    To add one is to register it.
    """

    def __init__(self, registry: TagRegistry) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> TagDefinition:
        definition = self._registry.get(name)
        if definition is None:
            raise KeyError(name)
        return definition

    def __setitem__(self, name: str, definition: TagDefinition | Mapping[str, Any]) -> None:
        given = definition if isinstance(definition, TagDefinition) else {"id": name.lower(), **definition}
        self._registry.register(given)

    def __delitem__(self, name: str) -> None:
        self._registry.remove(self[name].id)

    def __iter__(self) -> Iterator[str]:
        return (definition.id.upper() for definition in self._registry)

    def __len__(self) -> int:
        return sum(1 for _ in self._registry)


TOOL_DEFINITIONS: Final = ToolDefinitions(DEFAULT_REGISTRY)

COMMON_PATTERNS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "ATTRIBUTES": ATTRIBUTE_PARTS,
        "VAULT_REFERENCE": REFERENCE,
        "VALID_IDENTIFIER": VALID_IDENTIFIER,
        "DANGEROUS_CHARS": DANGEROUS_MARKUP,
    }
)

VALIDATION_CONSTANTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "MAX_IDENTIFIER_LENGTH": LONGEST_IDENTIFIER,
        "MAX_CONTENT_LENGTH": LONGEST_CONTENT,
        "MAX_REFERENCE_DEPTH": MAX_DEPTH,
        "TASK_STATUSES": TASK_STATUSES,
        "VAULT_TYPES": VAULT_TYPES,
        "VAULT_ACTIONS": VAULT_ACTIONS,
    }
)

Extract: TypeAlias = Callable[..., list[TagOperation]]
Validate: TypeAlias = Callable[..., dict[str, Any]]


def _extractor(tag: str) -> Extract:
    def extract(text: str, *, registry: TagRegistry | None = None) -> list[TagOperation]:
        return extract_tool_operations(text, tag, registry=registry)

    extract.__doc__ = f"The calls of ``{tag}`` in a text, in the order of the document."
    return extract


def _validator(tag: str) -> Validate:
    def validate(operation: Mapping[str, Any], registry: TagRegistry | None = None) -> dict[str, Any]:
        return validate_operation({**operation, "tool_id": tag}, registry)

    validate.__doc__ = f"What is wrong with a call of ``{tag}``, and the call as it should be."
    return validate


extract_reasoning_blocks = _extractor("reasoning_text")
extract_memory_operations = _extractor("memory")
extract_task_operations = _extractor("task")
extract_goal_operations = _extractor("goal")
extract_datavault_operations = _extractor("datavault")
extract_js_execute_operations = _extractor("js_execute")
extract_final_output_operations = _extractor("final_output")
extract_subagent_operations = _extractor("subagent")
extract_vaultref_operations = _extractor("vaultref")

validate_reasoning_operation = _validator("reasoning_text")
validate_memory_operation = _validator("memory")
validate_task_operation = _validator("task")
validate_goal_operation = _validator("goal")
validate_datavault_operation = _validator("datavault")
validate_js_execute_operation = _validator("js_execute")
validate_final_output_operation = _validator("final_output")
validate_subagent_operation = _validator("subagent")
validate_vaultref_operation = _validator("vaultref")
