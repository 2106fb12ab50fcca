"""Makes a tag definition from a plain mapping, written in camelCase or snake_case."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

from paperagents.definitions.tag import (
    AttributeSchema,
    RawContent,
    TagCategory,
    TagDefinition,
    TagSchema,
    TagType,
)
from paperagents.errors import UsageError
from paperagents.tags.patterns import words_of_patterns

ATTRIBUTE_TYPES = ("string", "number", "integer", "boolean", "flag", "enum", "object", "array", "any")
TAG_ID = re.compile(r"\w[\w.\-]{0,199}")
Value = TypeVar("Value", bound=TagDefinition | TagSchema | AttributeSchema)
Choice = TypeVar("Choice", TagType, TagCategory, RawContent)


def read_definition(definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
    """A definition with its words, from a value or a mapping. What it cannot be is refused with the reason."""
    value = definition if isinstance(definition, TagDefinition) else _definition_from(definition)
    if not TAG_ID.fullmatch(value.id):
        raise UsageError("tag-definition-wrong", tag=value.id, field="id", value=value.id)
    words = value.words or words_of_patterns(value.id, value.patterns)
    return replace(value, words=words or (value.id,))


def _definition_from(mapping: Mapping[str, Any]) -> TagDefinition:
    given = _snake_keys(mapping)
    tag = str(given.get("id") or "")
    patterns = given.get("patterns") or {}
    changed = {
        "id": tag,
        "name": str(given.get("name") or tag),
        "type": _choice(TagType, tag, "type", given.get("type", TagType.SELF_CLOSING)),
        "category": _choice(TagCategory, tag, "category", given.get("category", TagCategory.EXECUTION)),
        "schema": _schema_from(tag, given.get("schema") or {}),
        "patterns": MappingProxyType(dict(patterns)),
        "words": tuple(given.get("words") or ()),
        "validators": _validators(given),
    }
    return _build(TagDefinition, {**given, **changed})


def _schema_from(tag: str, schema: TagSchema | Mapping[str, Any]) -> TagSchema:
    if isinstance(schema, TagSchema):
        return schema
    given = _snake_keys(schema)
    attributes = {
        str(key): _attribute_from(tag, str(key), attribute)
        for key, attribute in (given.get("attributes") or {}).items()
    }
    raw = _choice(RawContent, tag, "raw_content", given.get("raw_content", RawContent.NEVER))
    return _build(TagSchema, {**given, "attributes": MappingProxyType(attributes), "raw_content": raw})


def _attribute_from(tag: str, key: str, attribute: AttributeSchema | Mapping[str, Any]) -> AttributeSchema:
    if isinstance(attribute, AttributeSchema):
        return attribute
    given = _snake_keys(attribute)
    kind = str(given.get("type", "string")).lower()
    if kind not in ATTRIBUTE_TYPES:
        raise UsageError("tag-definition-wrong", tag=tag, field=f"attributes.{key}.type", value=kind)
    values = tuple(str(value) for value in given.get("values") or given.get("enum") or ())
    return _build(
        AttributeSchema,
        {**given, "type": kind, "values": values, "aliases": tuple(given.get("aliases") or ())},
    )


def _validators(given: Mapping[str, Any]) -> tuple[Any, ...]:
    validators = given.get("validators") or given.get("validate") or ()
    return tuple(validators) if isinstance(validators, Iterable) else (validators,)


def _choice(kind: Callable[[str], Choice], tag: str, field: str, value: object) -> Choice:
    try:
        return kind(str(value).lower())
    except ValueError:
        raise UsageError("tag-definition-wrong", tag=tag, field=field, value=value) from None


def _build(kind: type[Value], given: Mapping[str, Any]) -> Value:
    """A value of the fields it knows; others are remarks of the author."""
    known = {field.name for field in fields(kind)}
    return kind(**{key: value for key, value in given.items() if key in known})


def _snake_keys(mapping: Mapping[str, Any]) -> dict[str, Any]:
    return {_snake_case(str(key)): value for key, value in mapping.items()}


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
