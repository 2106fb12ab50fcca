"""Which fields a mapping of a definition can have, and which words some of them take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paperagents.definitions.tag import TagCategory, TagType
from paperagents.definitions.tool import TYPES
from paperagents.language.document import Kind
from paperagents.language.yaml_place import ITEM, YamlPlace
from paperagents.reading.agent_evals import CALL_FIELDS, EVAL_FIELDS
from paperagents.reading.agent_markdown import AGENT_FIELDS, BUDGET_FIELDS
from paperagents.reading.model_options import REASONING_FIELDS
from paperagents.reading.tag_markdown import TAG_FIELDS
from paperagents.reading.tool_markdown import EXAMPLE_FIELDS, TOOL_FIELDS
from paperagents.reading.tool_parameters import KEYWORDS, PARAMETER_FIELDS
from paperagents.reading.tool_steps import RETRY_FIELDS, STEP_FIELDS

_TOP: Mapping[Kind | None, Sequence[str]] = {
    "tool": TOOL_FIELDS,
    "agent": AGENT_FIELDS,
    "tag": TAG_FIELDS,
    None: ("tool", "agent", "tag"),
}
_IN_LISTS: Mapping[str, Sequence[str]] = {
    "parameters": (*PARAMETER_FIELDS, *KEYWORDS),
    "environment": (*PARAMETER_FIELDS, "service", *KEYWORDS),
    "steps": STEP_FIELDS,
    "parallel": STEP_FIELDS,
    "examples": EXAMPLE_FIELDS,
    "evals": EVAL_FIELDS,
    "calls": CALL_FIELDS,
}
_IN_MAPPINGS: Mapping[str, Sequence[str]] = {
    "retry": RETRY_FIELDS,
    "budget": BUDGET_FIELDS,
    "reasoning": REASONING_FIELDS,
}
_BOOLEAN = ("true", "false")
_CHOICES: Mapping[tuple[str, str], Sequence[str]] = {
    ("", "tool"): ("true",),
    ("", "agent"): ("true",),
    ("", "tag"): ("true",),
    ("tool", "tool"): ("true",),
    ("tool", "type"): ("single", "chain"),
    ("tool", "strict"): _BOOLEAN,
    ("tool", "approval"): ("always",),
    ("tool", "log"): ("store", "file"),
    ("agent", "agent"): ("true",),
    ("agent", "memory"): _BOOLEAN,
    ("agent", "images"): _BOOLEAN,
    ("agent", "approval"): ("always",),
    ("agent", "protocol"): ("native", "tags", "auto"),
    ("tag", "tag"): ("true",),
    ("tag", "type"): tuple(TagType),
    ("tag", "category"): tuple(each for each in TagCategory if each != TagCategory.REFERENCE),
    ("parameters", "type"): TYPES,
    ("parameters", "required"): _BOOLEAN,
    ("environment", "type"): TYPES,
    ("environment", "required"): _BOOLEAN,
    ("steps", "continue_on_error"): _BOOLEAN,
    ("parallel", "continue_on_error"): _BOOLEAN,
}
"""The words that a field takes, by what it stands in, a list or the whole file, and by its name."""


def choices_at(place: YamlPlace, key: str, kind: Kind | None) -> Sequence[str]:
    """The words that a field at a place takes."""
    return _CHOICES.get((place.keys[-1] if place.keys else kind or "", key), ())


def fields_at(place: YamlPlace, kind: Kind | None, *, in_fence: bool) -> Sequence[str]:
    """The fields of the mapping at a place."""
    if not place.path:
        return STEP_FIELDS if in_fence else _TOP.get(kind, ())
    if place.path[-1] == ITEM:
        return _IN_LISTS.get(place.keys[-1], ())
    return _IN_MAPPINGS.get(place.keys[-1], ())
