"""A Markdown note with ``tag: true`` becomes a tag that a model can write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

from paperagents.definitions.names import ENTRY_KINDS, stem_of
from paperagents.definitions.source import Span
from paperagents.definitions.tag import (
    AttributeSchema,
    RawContent,
    TagCategory,
    TagDefinition,
    TagNote,
    TagSchema,
    TagType,
)
from paperagents.definitions.text import compile_regex
from paperagents.errors import UsageError
from paperagents.reading.fields import Fields
from paperagents.reading.markdown import Note
from paperagents.reading.problems import ProblemList
from paperagents.reading.tool_markdown import identity_span, read_description, read_id, read_name
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

TAG_FIELDS = (
    "tag", "id", "name", "description", "type", "category", "schema", "storage", "version", "words", "patterns",
)  # fmt: skip
_OTHER_NOTES = ("tags", "tool", "agent", "aliases", "cssclasses", "author")


def read_tag(note: Note, front: YamlMapping, *, digest: str, problems: ProblemList) -> TagNote:  # noqa: ARG001  the body is documentation
    """The definition, as far as it can be understood; what cannot is among the problems."""
    fields = Fields(front, problems)
    fields.warn_of_slips(TAG_FIELDS, also_fine=_OTHER_NOTES)
    name = read_name(fields)
    identifier = read_id(fields, name, problems.file)
    fields.choice("type", tuple(TagType))
    fields.choice("category", [each for each in TagCategory if each != TagCategory.REFERENCE])
    _warn_of_storage(identifier, front, problems)
    schema = fields.mapping_of("schema")
    if schema is not None:
        Fields(schema, problems).mapping_of("attributes")
    known = {key: value for key, value in front.plain().items() if key in TAG_FIELDS and key != "tag"}
    words = () if problems.has_errors() else _words({**known, "id": identifier}, front, problems)
    return TagNote(
        id=identifier,
        name=name or stem_of(problems.file),
        description=read_description(fields),
        fields={**known, "id": identifier},
        words={word: _word_place(front, word) for word in words},
        file=problems.file,
        span=identity_span(front),
        digest=digest,
    )


def _warn_of_storage(tag: str, front: YamlMapping, problems: ProblemList) -> None:
    """A note brings no handler, so what it stores must be one of the kinds that there are."""
    node = front.get("storage")
    if isinstance(node, YamlScalar) and node.value is not None and node.raw.lower() not in ENTRY_KINDS:
        problems.warning("tag-storage-unknown", node.span, tag=tag, storage=node.raw, kinds=", ".join(ENTRY_KINDS))


def _words(definition: Mapping[str, Any], front: YamlMapping, problems: ProblemList) -> tuple[str, ...]:
    """Try what the registry will do: a note that cannot be a tag must be told of here."""
    try:
        return read_tag_definition(definition).words
    except UsageError as error:
        problems.error(error.code, _place(front, str(error.values.get("field", "patterns"))), **error.values)
    return ()


def _word_place(front: YamlMapping, word: str) -> Span:
    words = front.get("words")
    if isinstance(words, YamlSequence):
        return next((each.span for each in words.items if str(each.plain()) == word), words.span)
    return _place(front, next((field for field in ("words", "patterns", "id") if front.get(field)), "id"))


def _place(front: YamlMapping, path: str) -> Span:
    """Where a field of a field stands, or the nearest one around it that is written."""
    node: YamlNode = front
    for name in path.split("."):
        inner = node.get(name) if isinstance(node, YamlMapping) else None
        if inner is None:
            break
        node = inner
    return identity_span(front) if node is front else node.span


# --- makes a tag definition from a plain mapping, written in camelCase or snake_case


ATTRIBUTE_TYPES = ("string", "number", "integer", "boolean", "flag", "enum", "object", "array", "any")
LONGEST_QUOTE = 80
TAG_ID = re.compile(r"\w[\w.\-]{0,199}")
Value = TypeVar("Value", bound=TagDefinition | TagSchema | AttributeSchema)
Choice = TypeVar("Choice", TagType, TagCategory, RawContent)


def read_tag_definition(definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
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


# --- the tag word in a definition's own regular expression


LONGEST_PATTERN = 1000
JAVASCRIPT_LITERAL = compile_regex(r"/(?P<pattern>.*)/[a-z]*+\Z", re.DOTALL)
GROUP = r"\((?:\?:|\?P?<\w{1,99}>)?"
OPENING = compile_regex(
    rf"(?:\(\?[a-z]{{1,9}}\))?\^?(?:{GROUP})?(?:\\?\{{){{2}}\\?<(?:\\s[*+?]*|[ ])*(?:{GROUP})?"
    r"(?P<word>\w[\w.\-]{0,199}+)(?P<rest>.*)\Z",
    re.DOTALL,
)
# What the shapes of the documentation are made of: blanks, attributes or content as groups, the tag's ends.
SHAPE_OF_REST = compile_regex(
    rf"(?:\\b|\\[sw][*+?]{{1,2}}|\\s|[ ]|\(\?:|{GROUP}(?=\[|\.|\(|\\s)|\)[*+?]{{0,2}}"
    r"|\[\^[^\]]{1,9}\][*+?]{1,2}|\[\\s\\S\][*+?]{1,2}|\.[*+?]{1,2}|=|[\"']|\[[\"']{2}\]"
    r"|\\?/\??|\\?>|\\?\}|\\?\{|\\?<|\w[\w.\-]*+)*+\Z"
)


def words_of_patterns(tag: str, patterns: Mapping[str, str | re.Pattern[str]]) -> tuple[str, ...]:
    """The words that the patterns of a definition look for, each once."""
    return tuple(dict.fromkeys(word_of_pattern(tag, pattern) for pattern in patterns.values()))


def word_of_pattern(tag: str, pattern: str | re.Pattern[str]) -> str:
    """The word that one pattern looks for."""
    text = pattern if isinstance(pattern, str) else str(pattern.pattern)
    if literal := JAVASCRIPT_LITERAL.match(text[: LONGEST_PATTERN + 1]):
        text = literal["pattern"]
    match = OPENING.match(text) if len(text) <= LONGEST_PATTERN else None
    if match is None or not SHAPE_OF_REST.match(match["rest"]):
        raise UsageError("tag-pattern-unsupported", tag=tag, pattern=text[:80])
    return match["word"]
