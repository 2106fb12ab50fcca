"""Which fields a mapping of a definition can have, and which words some of them take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paperagents.definitions.tag import TagCategory, TagType
from paperagents.definitions.tool import TYPES
from paperagents.language.document import Document, Kind, Position
from paperagents.language.yaml_place import ITEM, YamlPlace, find_place
from paperagents.messages import has_text, text
from paperagents.reading.agent_evals import CALL_FIELDS, EVAL_FIELDS
from paperagents.reading.agent_markdown import AGENT_FIELDS, BUDGET_FIELDS
from paperagents.reading.model_options import REASONING_FIELDS
from paperagents.reading.tag_markdown import TAG_FIELDS
from paperagents.reading.tool_markdown import EXAMPLE_FIELDS, TOOL_FIELDS
from paperagents.reading.tool_parameters import KEYWORDS, PARAMETER_FIELDS
from paperagents.reading.tool_steps import RETRY_FIELDS, STEP_FIELDS

LINES_AFTER = 200
"""Behind a place: as far as the rest of its mapping is looked at."""
GROUPS: Mapping[str, Sequence[str]] = {
    "": ("tool", "agent", "tag"),
    "tool": TOOL_FIELDS,
    "agent": AGENT_FIELDS,
    "tag": TAG_FIELDS,
    "fence": (*STEP_FIELDS, "steps"),
    "parameters": (*PARAMETER_FIELDS, *KEYWORDS),
    "environment": (*PARAMETER_FIELDS, "service", *KEYWORDS),
    "steps": STEP_FIELDS,
    "parallel": STEP_FIELDS,
    "examples": EXAMPLE_FIELDS,
    "evals": EVAL_FIELDS,
    "calls": CALL_FIELDS,
    "retry": RETRY_FIELDS,
    "budget": BUDGET_FIELDS,
    "reasoning": REASONING_FIELDS,
}
"""By what they stand in: the whole file, a fence, the items of a list, or a mapping."""
_IN_LISTS = ("parameters", "environment", "steps", "parallel", "examples", "evals", "calls")
_IN_MAPPINGS = ("retry", "budget", "reasoning")
_LIKE = {"environment": "parameters", "parallel": "steps", "fence": "steps"}
_BOOLEAN = ("true", "false")
_CHOICES: Mapping[tuple[str, str], Sequence[str]] = {
    ("", "tool"): ("true",),
    ("", "agent"): ("true",),
    ("", "tag"): ("true",),
    ("tool", "tool"): ("true",),
    ("tool", "type"): ("single", "chain"),
    ("tool", "strict"): _BOOLEAN,
    ("tool", "approval"): ("always", "together"),
    ("tool", "log"): ("store", "file"),
    ("agent", "agent"): ("true",),
    ("agent", "memory"): _BOOLEAN,
    ("agent", "images"): _BOOLEAN,
    ("agent", "approval"): ("always", "together"),
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


def place_in(document: Document, first: int, at: Position) -> YamlPlace:
    """Where a place is in the YAML that begins on a line."""
    return find_place(document.lines[first - 1 : at.line + LINES_AFTER], at.line - first, at.column - 1)


def choices_at(place: YamlPlace, key: str, kind: Kind | None) -> Sequence[str]:
    """The words that a field at a place takes."""
    return _CHOICES.get((place.keys[-1] if place.keys else kind or "", key), ())


def fields_at(place: YamlPlace, kind: Kind | None, *, in_fence: bool) -> Mapping[str, str]:
    """The fields of the mapping at a place, each with what it means."""
    if not place.path:
        return fields_of_group("fence" if in_fence else kind or "")
    group = place.keys[-1]
    return fields_of_group(group) if group in (_IN_LISTS if place.path[-1] == ITEM else _IN_MAPPINGS) else {}


def fields_of_group(group: str) -> Mapping[str, str]:
    """The fields with what they mean there, else anywhere."""
    like = _LIKE.get(group, group)

    def describe(field: str) -> str:
        keys = (key for key in (f"field.{like}.{field}", f"field.{field}") if has_text(key))
        return text(next(keys, "field.keyword"))

    return {field: describe(field) for field in GROUPS.get(group, ())}
