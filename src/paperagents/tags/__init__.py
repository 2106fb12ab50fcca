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
    "unknown_words",
    "validate_operation",
    "validate_vault_references",
]

_ELSEWHERE = {
    "grammar": ("parse_attributes",),
    "registry": ("TagRegistry",),
    "validation": tuple(
        name for name in __all__ if name.startswith(("given", "is_valid", "normalize", "unknown", "validate_op"))
    ),
    "references": tuple(name for name in __all__ if name.endswith(("_vault_lookup", "_references", "_simple"))),
}
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
