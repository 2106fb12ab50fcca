"""Calls that a language model writes into its text.

The modules behind these names are loaded when a name is used first, so importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paperagents.tags.extraction import TagReader, TagReading, read_tags
    from paperagents.tags.grammar import parse_attributes
    from paperagents.tags.normalization import (
        is_valid_identifier,
        normalize_task_status,
        normalize_vault_type,
    )
    from paperagents.tags.parsing import (
        extract_all_tool_operations,
        extract_tool_operations,
        get_tool_definition,
        get_tools_by_category,
        parse_all_tool_operations,
        parse_tool_operations,
        register_tool,
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
    from paperagents.tags.validation import given_attributes, validate_operation

__all__ = [
    "TagReader",
    "TagReading",
    "TagRegistry",
    "analyze_vault_references",
    "expand_vault_references",
    "extract_all_tool_operations",
    "extract_tool_operations",
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
    "validate_operation",
    "validate_vault_references",
]

_MODULES = {
    "grammar": ("parse_attributes",),
    "extraction": ("TagReader", "TagReading", "read_tags"),
    "normalization": ("is_valid_identifier", "normalize_task_status", "normalize_vault_type"),
    "parsing": (
        "extract_all_tool_operations",
        "extract_tool_operations",
        "get_tool_definition",
        "get_tools_by_category",
        "parse_all_tool_operations",
        "parse_tool_operations",
        "register_tool",
    ),
    "registry": ("TagRegistry",),
    "validation": ("given_attributes", "validate_operation"),
    "references": (
        "in_vault_lookup",
        "analyze_vault_references",
        "expand_vault_references",
        "replace_vault_references",
        "resolve_vault_references",
        "resolve_vault_references_simple",
        "validate_vault_references",
    ),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")  # noqa: EM102  Python's own sentence
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
