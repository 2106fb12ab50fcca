"""A Markdown note with ``tag: true`` becomes a tag that a model can write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, TypeVar

from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tag import (
    DELETE,
    IDENTIFIER,
    AttributeSchema,
    RawContent,
    TagCategory,
    TagDefinition,
    TagNote,
    TagSchema,
    TagType,
)
from paperagents.definitions.text import ENTRY_KINDS, compile_regex, stem_of
from paperagents.errors import UsageError
from paperagents.patterns import late_pattern
from paperagents.reading.fields import Fields
from paperagents.reading.javascript_checks import check_block
from paperagents.reading.javascript_names import Surroundings
from paperagents.reading.markdown import MARKER, Note, find_fences
from paperagents.reading.problems import ProblemList
from paperagents.reading.tool_markdown import identity_span, read_description, read_id, read_name
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlSequence

TAG_FIELDS = (
    "tag", "id", "name", "description", "type", "category", "schema", "storage", "version", "words", "patterns",
)  # fmt: skip
_OTHER_NOTES = ("tags", "tool", "agent", "aliases", "cssclasses", "author")


def read_tag(note: Note, front: YamlMapping, *, data: bytes, problems: ProblemList) -> TagNote:
    """The definition, as far as it can be understood; what cannot is among the problems."""
    fields = Fields(front, problems)
    fields.warn_of_slips(TAG_FIELDS, also_fine=_OTHER_NOTES)
    name = read_name(fields)
    identifier = read_id(fields, name, problems.file)
    fields.choice("type", tuple(TagType), any_case=True)
    categories = [each for each in TagCategory if each != TagCategory.REFERENCE]
    category = fields.choice("category", categories, any_case=True)
    schema = fields.mapping_of("schema")
    if schema is not None:
        Fields(schema, problems).mapping_of("attributes")
    known = {key: value for key, value in front.plain().items() if key in TAG_FIELDS and key != "tag"}
    words = () if problems.has_errors() else try_words({**known, "id": identifier}, front, problems)
    return TagNote(
        id=identifier,
        name=name or stem_of(problems.file),
        description=read_description(fields),
        fields={**known, "id": identifier},
        words={word: find_word(front, word) for word in words},
        validators=find_validators(note, problems),
        category=category,
        file=problems.file,
        span=identity_span(front),
        digest=sha256(data).hexdigest(),
    )


def find_validators(note: Note, problems: ProblemList) -> tuple[Excerpt, ...]:
    """The fences of the note that are marked ``// @validate``; everything else in it is documentation."""
    scripts = tuple(
        fence.content
        for fence in find_fences(note.body)
        if (marker := MARKER.match(fence.content.text)) and marker[1] == "validate"
    )
    for script in scripts:
        check_block(script, Surroundings(names=("attributes", "content")), problems)
    return scripts


def try_words(definition: Mapping[str, Any], front: YamlMapping, problems: ProblemList) -> tuple[str, ...]:
    """Try what the registry will do: a note that cannot be a tag must be told of here."""
    try:
        return read_tag_definition(definition).words
    except UsageError as error:
        problems.error(error.code, find_field(front, str(error.values.get("field", "patterns"))), **error.values)
    return ()


def find_word(front: YamlMapping, word: str) -> Span:
    """Where the note says this word, or what it follows from."""
    words = front.get("words")
    if isinstance(words, YamlSequence):
        return next((each.span for each in words.items if str(each.plain()) == word), words.span)
    return find_field(front, next((field for field in ("words", "patterns", "id") if front.get(field)), "id"))


def find_field(front: YamlMapping, path: str) -> Span:
    """Where a field of a field stands, or the nearest one around it that is written."""
    node: YamlNode = front
    for name in path.split("."):
        inner = node.get(name) if isinstance(node, YamlMapping) else None
        if inner is None:
            break
        node = inner
    return identity_span(front) if node is front else node.span


# --- a tag definition from a plain mapping, in camelCase or snake_case


ATTRIBUTE_TYPES = ("string", "number", "integer", "boolean", "flag", "enum", "object", "array", "any")
LONGEST_QUOTE = 80
TAG_ID = late_pattern(r"\w[\w.\-]{0,199}")
KIND = late_pattern(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
KEPT_WITH_ENTRIES = frozenset({"created", "updated", "version", "definition_version"})
"""What the store keeps with every entry; an attribute of the same name would be hidden by it."""
Value = TypeVar("Value", bound=TagDefinition | TagSchema | AttributeSchema)
Choice = TypeVar("Choice", TagType, TagCategory, RawContent)


def read_tag_definition(definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
    """A definition with its words, from a value or a mapping. What it cannot be is refused with the reason."""
    value = definition if isinstance(definition, TagDefinition) else _DefinitionReader(definition).read()
    if not TAG_ID.fullmatch(value.id) and not value.words:
        # With words of its own, only those are written: a tool of another server may have any id.
        raise wrong_field(value.id, "id", value.id)
    words = value.words or words_of_patterns(value.id, value.patterns)
    if unfit := [word for word in words if not TAG_ID.fullmatch(word)]:
        raise wrong_field(value.id, "words", unfit[0])
    return keep_entries(replace(value, words=words or (value.id,)))


def keep_entries(value: TagDefinition) -> TagDefinition:
    """A tag that stores entries of its own kind, with what every entry has: a name, and a way to delete it."""
    if value.storage is None or value.storage.lower() in ENTRY_KINDS:
        return replace(value, storage=value.storage and value.storage.lower())
    if not KIND.fullmatch(value.storage):
        raise wrong_field(value.id, "storage", value.storage)
    attributes = dict(value.schema.attributes)
    if taken := [name for name in attributes if name in KEPT_WITH_ENTRIES]:
        raise wrong_field(value.id, f"schema.attributes.{taken[0]}", taken[0])
    if all(each.validate != "identifier" for each in attributes.values()):
        name = next((each for each in ("identifier", "id") if each in attributes), "identifier")
        attributes = {name: IDENTIFIER, **{key: each for key, each in attributes.items() if key != name}}
    attributes.setdefault("delete", DELETE)
    home = value.schema.content_attribute or ("content" if value.schema.has_content else None)
    if home is not None:
        attributes.setdefault(home, AttributeSchema())
    schema = replace(value.schema, attributes=MappingProxyType(attributes), content_attribute=home)
    return replace(value, schema=schema)


class _DefinitionReader:
    """Reads the fields of a mapping, each with the type it must have; a wrong one is refused by its place."""

    def __init__(self, mapping: Mapping[str, Any]) -> None:
        self.tag = ""
        self.given = self.snake_keys("tag", mapping)
        self.tag = str(self.given.get("id") or "")

    def read(self) -> TagDefinition:
        given = self.given
        kind = self.choice(TagType, "type", given.get("type", TagType.SELF_CLOSING))
        validators = given.get("validators") or given.get("validate") or ()
        changed = {
            "id": self.tag,
            "name": str(given.get("name") or self.tag),
            "type": kind,
            "category": self.choice(TagCategory, "category", given.get("category", TagCategory.EXECUTION)),
            "schema": self.schema(given.get("schema") or {}, kind),
            "patterns": self.patterns(given.get("patterns") or {}),
            "words": self.texts("words", given.get("words")),
            "validators": tuple(
                self.function("validators", each)
                for each in (validators if isinstance(validators, Iterable) else (validators,))
            ),
            "handler": self.function("handler", given.get("handler")),
            **self.optional_texts(given, ("storage", "version")),
        }
        return build(TagDefinition, {**given, **changed})

    def schema(self, schema: TagSchema | Mapping[str, Any], kind: TagType) -> TagSchema:
        if isinstance(schema, TagSchema):
            return schema
        # A tag that can be a block has content there, where nothing else is said.
        given = {"has_content": kind is not TagType.SELF_CLOSING, **self.snake_keys("schema", schema)}
        attributes = {
            str(key): self.attribute(f"schema.attributes.{key}", attribute)
            for key, attribute in self.mapping("schema.attributes", given.get("attributes") or {}).items()
        }
        changed = {
            "attributes": MappingProxyType(attributes),
            "raw_content": self.choice(RawContent, "schema.raw_content", given.get("raw_content", RawContent.NEVER)),
            **self.optional_texts(given, ("content_attribute",), "schema."),
        }
        return build(TagSchema, {**given, **changed})

    def attribute(self, field: str, attribute: AttributeSchema | Mapping[str, Any] | None) -> AttributeSchema:
        if isinstance(attribute, AttributeSchema):
            return attribute
        # Only its name is said: any text is fine.
        given = self.snake_keys(field, {} if attribute is None else attribute)
        kind = str(given.get("type", "string")).lower()
        if kind not in ATTRIBUTE_TYPES:
            raise wrong_field(self.tag, f"{field}.type", kind)
        changed = {
            "type": kind,
            "values": self.texts(f"{field}.values", given.get("values") or given.get("enum")),
            "aliases": self.texts(f"{field}.aliases", given.get("aliases")),
            **self.optional_texts(given, ("validate", "made_from"), f"{field}."),
        }
        return build(AttributeSchema, {**given, **changed})

    def patterns(self, given: object) -> Mapping[str, str | re.Pattern[str]]:
        patterns = self.mapping("patterns", given)
        for name, pattern in patterns.items():
            if not isinstance(pattern, str | re.Pattern):
                raise wrong_field(self.tag, f"patterns.{name}", pattern)
        return MappingProxyType(dict(patterns))

    def function(self, field: str, value: object) -> object:
        if value is not None and not callable(value):
            raise wrong_field(self.tag, field, value)
        return value

    def texts(self, field: str, value: object) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        if value is None or isinstance(value, str):
            return (value,) if value else ()
        if isinstance(value, Mapping) or not isinstance(value, Iterable):
            raise wrong_field(self.tag, field, value)
        return tuple(str(each) for each in value)

    def optional_texts(self, given: Mapping[str, Any], names: Iterable[str], inside: str = "") -> dict[str, str | None]:
        """These fields as text, where they are given; a number is fine, too: ``version: 2``."""
        values = {name: given[name] for name in names if name in given}
        for name, value in values.items():
            if value is not None and not isinstance(value, str | int | float):
                raise wrong_field(self.tag, f"{inside}{name}", value)
        return {name: None if value is None else str(value) for name, value in values.items()}

    def mapping(self, field: str, value: object) -> Mapping[Any, Any]:
        if not isinstance(value, Mapping):
            raise wrong_field(self.tag, field, value)
        return value

    def choice(self, kind: Callable[[str], Choice], field: str, value: object) -> Choice:
        try:
            return kind(str(value).lower())
        except ValueError:
            raise wrong_field(self.tag, field, value) from None

    def snake_keys(self, field: str, value: object) -> dict[str, Any]:
        keys = ((str(key), each) for key, each in self.mapping(field, value).items())
        return {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower(): each for key, each in keys}


def wrong_field(tag: str, field: str, value: object) -> UsageError:
    """The error of a field that cannot be what it is."""
    return UsageError("tag-definition-wrong", tag=tag, field=field, value=str(value)[:LONGEST_QUOTE])


def build(kind: type[Value], given: Mapping[str, Any]) -> Value:
    """A value of the fields it knows; others are remarks of the author."""
    known = {field.name for field in fields(kind)}
    return kind(**{key: value for key, value in given.items() if key in known})


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
