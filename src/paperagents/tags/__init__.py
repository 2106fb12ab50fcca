"""Calls that a language model writes into its text.

The modules behind these names are loaded when a name is used first, so importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paperagents.tags.extraction import (
        TagReader,
        TagReading,
        extract_all_tool_operations,
        extract_tool_operations,
        get_tool_definition,
        get_tools_by_category,
        parse_all_tool_operations,
        parse_tool_operations,
        read_tags,
        register_tool,
    )
    from paperagents.tags.grammar import parse_attributes
    from paperagents.tags.per_tag import (
        COMMON_PATTERNS,
        TOOL_CATEGORIES,
        TOOL_DEFINITIONS,
        TOOL_TYPES,
        VALIDATION_CONSTANTS,
        extract_datavault_operations,
        extract_final_output_operations,
        extract_goal_operations,
        extract_js_execute_operations,
        extract_memory_operations,
        extract_reasoning_blocks,
        extract_subagent_operations,
        extract_task_operations,
        extract_vaultref_operations,
        validate_datavault_operation,
        validate_final_output_operation,
        validate_goal_operation,
        validate_js_execute_operation,
        validate_memory_operation,
        validate_reasoning_operation,
        validate_subagent_operation,
        validate_task_operation,
        validate_vaultref_operation,
    )
    from paperagents.tags.references import (
        analyze_vault_references,
        expand_vault_references,
        in_vault_lookup,
        replace_vault_references,
        resolve_vault_references,
        resolve_vault_references_simple,
        validate_vault_references,
    )
    from paperagents.tags.registry import TagRegistry
    from paperagents.tags.validation import (
        given_attributes,
        is_valid_identifier,
        normalize_task_status,
        normalize_vault_type,
        unknown_words,
        validate_operation,
    )

__all__ = [
    "COMMON_PATTERNS",
    "TOOL_CATEGORIES",
    "TOOL_DEFINITIONS",
    "TOOL_TYPES",
    "VALIDATION_CONSTANTS",
    "TagReader",
    "TagReading",
    "TagRegistry",
    "analyze_vault_references",
    "expand_vault_references",
    "extract_all_tool_operations",
    "extract_datavault_operations",
    "extract_final_output_operations",
    "extract_goal_operations",
    "extract_js_execute_operations",
    "extract_memory_operations",
    "extract_reasoning_blocks",
    "extract_subagent_operations",
    "extract_task_operations",
    "extract_tool_operations",
    "extract_vaultref_operations",
    "get_tool_definition",
    "get_tools_by_category",
    "given_attributes",
    "in_vault_lookup",
    "is_valid_identifier",
    "normalize_task_status",
    "normalize_vault_type",
    "parse_all_tool_operations",
    "parse_attributes",
    "parse_tool_operations",
    "read_tags",
    "register_tool",
    "replace_vault_references",
    "resolve_vault_references",
    "resolve_vault_references_simple",
    "unknown_words",
    "validate_datavault_operation",
    "validate_final_output_operation",
    "validate_goal_operation",
    "validate_js_execute_operation",
    "validate_memory_operation",
    "validate_operation",
    "validate_reasoning_operation",
    "validate_subagent_operation",
    "validate_task_operation",
    "validate_vault_references",
    "validate_vaultref_operation",
]

_BUILT_IN = ("reasoning", "memory", "task", "goal", "datavault", "js_execute", "final_output", "subagent", "vaultref")
_ELSEWHERE = {
    "grammar": ("parse_attributes",),
    "registry": ("TagRegistry",),
    "validation": (
        "given_attributes", "is_valid_identifier", "normalize_task_status", "normalize_vault_type", "unknown_words",
        "validate_operation",
    ),
    "references": tuple(name for name in __all__ if name.endswith(("_vault_lookup", "_references", "_simple"))),
    "per_tag": tuple(
        name
        for name in __all__
        if name.isupper() or any(name.startswith((f"extract_{tag}_", f"validate_{tag}_")) for tag in _BUILT_IN)
    ),
}  # fmt: skip
"""The modules of the names that are not in ``extraction``."""
_HOMES = dict.fromkeys(__all__, "extraction") | {name: home for home, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")  # noqa: EM102  Python's own sentence
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
