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
from paperagents.reading.tag_patterns import words_of_patterns

ATTRIBUTE_TYPES = ("string", "number", "integer", "boolean", "flag", "enum", "object", "array", "any")
LONGEST_QUOTE = 80
TAG_ID = re.compile(r"\w[\w.\-]{0,199}")
Value = TypeVar("Value", bound=TagDefinition | TagSchema | AttributeSchema)
Choice = TypeVar("Choice", TagType, TagCategory, RawContent)


def read_definition(definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
    """A definition with its words, from a value or a mapping. What it cannot be is refused with the reason."""
    value = definition if isinstance(definition, TagDefinition) else _definition_from(definition)
    if not TAG_ID.fullmatch(value.id):
        raise _wrong(value.id, "id", value.id)
    words = value.words or words_of_patterns(value.id, value.patterns)
    if unfit := [word for word in words if not TAG_ID.fullmatch(word)]:
        raise _wrong(value.id, "words", unfit[0])
    return replace(value, words=words or (value.id,))


def _definition_from(mapping: Mapping[str, Any]) -> TagDefinition:
    given = _snake_keys("", "tag", mapping)
    tag = str(given.get("id") or "")
    kind = _choice(TagType, tag, "type", given.get("type", TagType.SELF_CLOSING))
    changed = {
        "id": tag,
        "name": str(given.get("name") or tag),
        "type": kind,
        "category": _choice(TagCategory, tag, "category", given.get("category", TagCategory.EXECUTION)),
        "schema": _schema_from(tag, given.get("schema") or {}, kind),
        "patterns": _patterns(tag, given.get("patterns") or {}),
        "words": _texts(tag, "words", given.get("words")),
        "validators": _validators(tag, given),
        "handler": _function(tag, "handler", given.get("handler")),
        **_each_text(tag, given, ("storage", "version")),
    }
    return _build(TagDefinition, {**given, **changed})


def _schema_from(tag: str, schema: TagSchema | Mapping[str, Any], kind: TagType) -> TagSchema:
    if isinstance(schema, TagSchema):
        return schema
    # A tag that can be a block has content there, where nothing else is said.
    given = {"has_content": kind is not TagType.SELF_CLOSING, **_snake_keys(tag, "schema", schema)}
    attributes = {
        str(key): _attribute_from(tag, f"schema.attributes.{key}", attribute)
        for key, attribute in _mapping(tag, "schema.attributes", given.get("attributes") or {}).items()
    }
    changed = {
        "attributes": MappingProxyType(attributes),
        "raw_content": _choice(RawContent, tag, "schema.raw_content", given.get("raw_content", RawContent.NEVER)),
        **_each_text(tag, given, ("content_attribute",), "schema."),
    }
    return _build(TagSchema, {**given, **changed})


def _attribute_from(tag: str, field: str, attribute: AttributeSchema | Mapping[str, Any] | None) -> AttributeSchema:
    if isinstance(attribute, AttributeSchema):
        return attribute
    # Only its name is said: any text is fine.
    given = _snake_keys(tag, field, {} if attribute is None else attribute)
    kind = str(given.get("type", "string")).lower()
    if kind not in ATTRIBUTE_TYPES:
        raise _wrong(tag, f"{field}.type", kind)
    changed = {
        "type": kind,
        "values": _texts(tag, f"{field}.values", given.get("values") or given.get("enum")),
        "aliases": _texts(tag, f"{field}.aliases", given.get("aliases")),
        **_each_text(tag, given, ("validate", "made_from"), f"{field}."),
    }
    return _build(AttributeSchema, {**given, **changed})


def _patterns(tag: str, given: object) -> Mapping[str, str | re.Pattern[str]]:
    patterns = _mapping(tag, "patterns", given)
    for name, pattern in patterns.items():
        if not isinstance(pattern, str | re.Pattern):
            raise _wrong(tag, f"patterns.{name}", pattern)
    return MappingProxyType(dict(patterns))


def _validators(tag: str, given: Mapping[str, Any]) -> tuple[Any, ...]:
    validators = given.get("validators") or given.get("validate") or ()
    several = validators if isinstance(validators, Iterable) else (validators,)
    return tuple(_function(tag, "validators", validator) for validator in several)


def _function(tag: str, field: str, value: object) -> object:
    if value is not None and not callable(value):
        raise _wrong(tag, field, value)
    return value


def _texts(tag: str, field: str, value: object) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one."""
    if value is None or isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise _wrong(tag, field, value)
    return tuple(str(each) for each in value)


def _each_text(tag: str, given: Mapping[str, Any], names: Iterable[str], inside: str = "") -> dict[str, str | None]:
    """These fields as text, where they are given; a number is fine, too: ``version: 2``."""
    values = {name: given[name] for name in names if name in given}
    for name, value in values.items():
        if value is not None and not isinstance(value, str | int | float):
            raise _wrong(tag, f"{inside}{name}", value)
    return {name: None if value is None else str(value) for name, value in values.items()}


def _mapping(tag: str, field: str, value: object) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(tag, field, value)
    return value


def _wrong(tag: str, field: str, value: object) -> UsageError:
    return UsageError("tag-definition-wrong", tag=tag, field=field, value=str(value)[:LONGEST_QUOTE])


def _choice(kind: Callable[[str], Choice], tag: str, field: str, value: object) -> Choice:
    try:
        return kind(str(value).lower())
    except ValueError:
        raise _wrong(tag, field, value) from None


def _build(kind: type[Value], given: Mapping[str, Any]) -> Value:
    """A value of the fields it knows; others are remarks of the author."""
    known = {field.name for field in fields(kind)}
    return kind(**{key: value for key, value in given.items() if key in known})


def _snake_keys(tag: str, field: str, value: object) -> dict[str, Any]:
    return {_snake_case(str(key)): each for key, each in _mapping(tag, field, value).items()}


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
