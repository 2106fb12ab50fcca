"""Checks one call against the definition of its tag and brings its values into shape.

The answer is ``{valid, errors, warnings, normalized}``. Errors and warnings are ``{code, message,
attribute}``. ``normalized`` holds every attribute by its proper name, with defaults filled in and types
converted, and besides ``tool_id``, ``content`` (what stands in the block) and ``attributes`` (the
attributes once more, by themselves).
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from paperagents.definitions.tag import TASK_STATUSES, VAULT_TYPES, AttributeSchema, TagDefinition
from paperagents.definitions.text import lossless_bytes
from paperagents.messages import sentence, text
from paperagents.tags.grammar import TAG, duplicate_keys, duplicates
from paperagents.tags.registry import DEFAULT_REGISTRY, TagRegistry

LONGEST_CONTENT = 1_000_000
DANGEROUS_MARKUP = re.compile(r"<script|javascript:|onerror\s{0,9}=|onclick\s{0,9}=", re.IGNORECASE)
LONGEST_QUOTE = 60
REPLACED = "tag-attribute-replaced"
"""The code of a warning: an unknown word stands for the default. Of an entry that there is, it changes nothing."""
LONGEST_IDENTIFIER = 200
VALID_IDENTIFIER = re.compile(rf"\A[A-Za-z0-9_-]{{1,{LONGEST_IDENTIFIER}}}\Z")
NUMBER = re.compile(r"[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,4})?", re.ASCII)
YES = frozenset({"true", "yes", "on", "1"})
NO = frozenset({"false", "no", "off", "0", "", "none", "null"})
GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def validate_operation(operation: Mapping[str, Any], registry: TagRegistry | None = None) -> dict[str, Any]:
    """What is wrong with a call, and the call as it should be."""
    tag = str(operation.get("tool_id") or operation.get("toolId") or "")
    definition = (registry or DEFAULT_REGISTRY).get(tag)
    if definition is None:
        problem = {"code": "tag-tool-unknown", "message": text("tag-tool-unknown", tag=tag), "attribute": None}
        return {"valid": False, "errors": [problem], "warnings": [], "normalized": dict(operation)}
    return _Validation(definition, operation).run()


def given_attributes(operation: Mapping[str, Any], registry: TagRegistry | None = None) -> dict[str, Any]:
    """The attributes that a call itself names, by their proper names; content in the block is among them."""
    definition = (registry or DEFAULT_REGISTRY).get(str(operation.get("tool_id")))
    if definition is None:
        return dict(operation.get("attributes") or {})
    return _Validation(definition, operation).given


def unknown_words(checked: Mapping[str, Any]) -> list[str]:
    """The attributes of a validated call whose word is none of the possible ones, so that the default stands there."""
    return [each["attribute"] for each in checked["warnings"] if each["code"] == REPLACED]


class _Validation:
    """One call on its way through the checks."""

    def __init__(self, definition: TagDefinition, operation: Mapping[str, Any]) -> None:
        self.definition = definition
        self.schema = definition.schema
        self.operation = operation
        self.content = str(operation.get("content") or "")
        self.is_block = operation.get("type") == "block" or bool(self.content)
        self.values: dict[str, Any] = {}
        self.errors: list[dict[str, Any]] = []
        self.warnings: list[dict[str, Any]] = []
        names = proper_names(definition)
        attributes = operation.get("attributes") or {}
        self.named = [(names.get(plain_name(key), key), value) for key, value in attributes.items()]
        """The attributes of the call by their proper names."""
        self.given = dict(self.named)
        """The same with the content of the block among them."""
        home = self.schema.content_attribute
        if home and self.is_block and (self.content.strip() or home not in self.given):
            self.given[home] = self.content

    def run(self) -> dict[str, Any]:
        self.check_duplicates()
        self.check_content()
        for key, schema in self.schema.attributes.items():
            source = self.given.get(schema.made_from) if schema.made_from else None
            if self.given.get(key) in (None, "") and isinstance(source, str) and source.strip():
                self.given[key] = identifier_from(source)
        for key, schema in self.schema.attributes.items():
            self.convert_attribute(key, schema)
        self.take_others()
        self.check_texts()
        self.ask_validators()
        normalized = self.normalized()
        return {"valid": not self.errors, "errors": self.errors, "warnings": self.warnings, "normalized": normalized}

    def check_duplicates(self) -> None:
        match = TAG.match(str(self.operation.get("raw") or ""))
        for key in duplicate_keys(match["attributes"] or "") if match else ():
            self.warn("tag-duplicate-attribute", key, name=self.definition.id, key=key)
        for key in duplicates(key for key, _ in self.named):
            self.warn("tag-attribute-twice", key)

    def check_content(self) -> None:
        has_content, home = bool(self.content.strip()), self.schema.content_attribute
        if has_content and not self.schema.has_content:
            self.warn("tag-content-ignored")
        if self.schema.requires_content and not str(self.given.get(home, "") if home else self.content).strip():
            self.fail("tag-content-missing")
        if has_content and self.is_block and home in dict(self.named):
            self.warn("tag-content-twice", home)

    def convert_attribute(self, key: str, schema: AttributeSchema) -> None:
        value = self.given.get(key)
        if value is None:
            self.fill_default(key, schema)
            return
        try:
            self.values[key] = convert(value, schema, key)
        except ConversionError:
            self.refuse(key, schema, value)
            return
        if schema.validate == "identifier" and not is_valid_identifier(self.values[key]):
            self.fail("tag-identifier-invalid", key, value=shorten(self.values[key]))

    def fill_default(self, key: str, schema: AttributeSchema) -> None:
        if schema.default is not None:
            self.values[key] = schema.default
        elif schema.required:
            self.fail("tag-attribute-missing", key)
        elif schema.type in {"flag", "boolean"}:
            self.values[key] = False

    def refuse(self, key: str, schema: AttributeSchema, value: object) -> None:
        if schema.type == "enum" and schema.default is not None:
            self.values[key] = schema.default
            case = "stored" if self.definition.storage else None
            self.warn(REPLACED, key, value=shorten(value), default=schema.default, case=case)
        elif schema.type == "enum":
            self.fail("tag-attribute-not-allowed", key, value=shorten(value), values=", ".join(schema.values))
        else:
            self.fail("tag-attribute-wrong-type", key, value=shorten(value), type=schema.type)

    def take_others(self) -> None:
        for key in self.given:
            if key not in self.schema.attributes:
                self.values[key] = self.given[key]
                if not self.schema.open_attributes and key != self.schema.content_attribute:
                    self.warn("tag-attribute-unknown", key)

    def check_texts(self) -> None:
        texts = [] if self.schema.content_attribute else [("content", self.content)]
        texts += [(key, value) for key, value in self.values.items() if isinstance(value, str)]
        for key, value in texts:
            if len(value) > LONGEST_CONTENT:
                self.fail("tag-content-too-long", key, length=len(value), limit=LONGEST_CONTENT)
            if found := DANGEROUS_MARKUP.search(value):
                self.warn("tag-dangerous-markup", key, found=found[0])

    def ask_validators(self) -> None:
        normalized = self.normalized()
        for validator in self.definition.validators:
            try:
                answer: object = validator(normalized)
            except Exception as error:
                self.fail("tag-validator-failed", reason=f"{type(error).__name__}: {error}")
                continue
            if answer is None or answer is True or answer in ([], ""):
                continue
            for reason in answer if isinstance(answer, list | tuple) else [answer]:
                self.fail("tag-validator-refused", reason=str(reason))

    def normalized(self) -> dict[str, Any]:
        head = {"tool_id": self.definition.id, "content": self.content}
        return {**head, **self.values, "attributes": dict(self.values)}

    def fail(self, code: str, attribute: str | None = None, **values: object) -> None:
        self.errors.append(self.problem(code, attribute, values))

    def warn(self, code: str, attribute: str | None = None, **values: object) -> None:
        self.warnings.append(self.problem(code, attribute, values))

    def problem(self, code: str, attribute: str | None, values: Mapping[str, object]) -> dict[str, Any]:
        message = sentence(code, {"tag": self.definition.id, "attribute": attribute, **values})
        return {"code": code, "message": message, "attribute": attribute}


def proper_names(definition: TagDefinition) -> dict[str, str]:
    """The attributes of a tag by every name they may be written with."""
    names: dict[str, str] = {}
    for key, schema in definition.schema.attributes.items():
        names.update({plain_name(alias): key for alias in schema.aliases})
    names.update({plain_name(key): key for key in definition.schema.attributes})
    return names


def plain_name(key: str) -> str:
    """``maxResults``, ``max_results`` and ``MaxResults`` are one name."""
    return key.replace("_", "").replace("-", "").lower()


def shorten(value: object) -> str:
    """A value as a message quotes it."""
    shown = str(value)
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}…"


# --- the values of attributes, which are all text, as the types they stand for


class ConversionError(ValueError):
    """The value does not stand for one of the wanted type; nothing is guessed."""


def is_valid_identifier(identifier: object) -> bool:
    """Whether this can name an entry: letters, digits, ``_`` and ``-``, at most 200 of them."""
    return isinstance(identifier, str) and VALID_IDENTIFIER.match(identifier) is not None


def normalize_vault_type(value: object) -> str:
    """``text``, ``code`` or ``data``, in any case of letters; anything else is text."""
    return find_word(value, VAULT_TYPES) or "text"


def normalize_task_status(value: object) -> str:
    """``pending``, ``ongoing``, ``finished`` or ``paused``, in any case; anything else is pending."""
    return find_word(value, TASK_STATUSES) or "pending"


def identifier_from(heading: str) -> str:
    """A slug that is a valid identifier. Text in other letters than Latin ones gets a name of its own."""
    plain = unicodedata.normalize("NFKD", heading[:1000].lower().translate(GERMAN))
    slug = re.sub(r"[^a-z0-9_]+", "-", plain.encode("ascii", "ignore").decode()).strip("-")[:200].strip("-")
    if slug and not any(sign.isalpha() and not sign.isascii() for sign in plain):
        return slug
    # What is left of 第1步 and 第2天 is a digit at most, and two headings must not become one entry.
    digest = hashlib.sha256(lossless_bytes(heading)).hexdigest()[:12]
    return f"{slug[:180].strip('-') or 'entry'}-{digest}"


def convert(value: object, schema: AttributeSchema, key: str) -> Any:
    """The value as the type that its schema declares. Raises ConversionError."""
    match schema.type:
        case "number" | "integer":
            return to_number(value, schema)
        case "flag" | "boolean":
            return to_flag(value, key)
        case "enum":
            word = find_word(value, schema.values)
            if word is None:
                raise ConversionError
            return word
        case "object" | "array":
            return to_json(value, dict if schema.type == "object" else list)
        case "any":
            return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ConversionError
    return str(value)


def to_number(value: object, schema: AttributeSchema) -> int | float | str:
    """A number, or a word that the schema allows in its place."""
    if word := find_word(value, schema.values):
        return word
    written = str(value).strip()
    if isinstance(value, bool) or not NUMBER.fullmatch(written):
        raise ConversionError
    number = float(written)
    if not math.isfinite(number) or (schema.type == "integer" and not number.is_integer()):
        raise ConversionError
    return int(written) if re.fullmatch(r"[+-]?\d+", written) else int(number) if schema.type == "integer" else number


def to_flag(value: object, key: str) -> bool:
    """True or false; a flag may have its own name as its value."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in YES or word == key.lower():
        return True
    if word in NO:
        return False
    raise ConversionError


def to_json(value: object, kind: type) -> Any:
    """An object or an array."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        raise ConversionError from None
    if not isinstance(parsed, kind):
        raise ConversionError
    return parsed


def find_word(value: object, words: tuple[str, ...]) -> str | None:
    """The word that a value is, in any case of letters, or None."""
    wanted = value.strip().lower() if isinstance(value, str) else None
    return next((word for word in words if word.lower() == wanted), None)
