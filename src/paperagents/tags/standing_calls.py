"""Which calls of a text are carried out: those that stand on their own, and those in a thought.

What stands inside any other tag is part of what that tag was given to store, to run or to show, and stays text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from paperagents.definitions.tag import TagCategory
from paperagents.tags.registry import CALLS, TagRegistry


def standing_calls(operations: Iterable[Mapping[str, Any]], registry: TagRegistry) -> list[Mapping[str, Any]]:
    """The calls to carry out, of operations in the order of the document."""
    found: list[Mapping[str, Any]] = []
    end = 0
    for operation in operations:
        if operation["start"] < end:
            continue
        if not is_thought(operation["tool_id"], registry):
            end = operation["end"]
        if is_call(operation["tool_id"], registry):
            found.append(operation)
    return found


def is_call(tool_id: str, registry: TagRegistry) -> bool:
    """Whether a tag wants something done; thoughts and references do not."""
    tag = registry.get(tool_id)
    return tag is not None and tag.category in CALLS


def is_thought(tool_id: str, registry: TagRegistry) -> bool:
    """Whether calls inside of this tag count."""
    tag = registry.get(tool_id)
    return tag is not None and tag.category == TagCategory.REASONING
