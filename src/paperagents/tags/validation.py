"""Checks one call against the definition of its tag and brings its values into shape.

The answer is ``{valid, errors, warnings, normalized}``. Errors and warnings are ``{code, message,
attribute}``. ``normalized`` holds every attribute by its proper name, with defaults filled in and types
converted, and besides ``tool_id``, ``content`` (what stands in the block) and ``attributes`` (the
attributes once more, by themselves).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paperagents.definitions.tag import AttributeSchema, TagDefinition
from paperagents.messages import text
from paperagents.tags.grammar import TAG, duplicate_keys, duplicates
from paperagents.tags.normalization import ConversionError, convert, identifier_from, is_valid_identifier
from paperagents.tags.registry import DEFAULT_REGISTRY, TagRegistry

LONGEST_CONTENT = 1_000_000
DANGEROUS_MARKUP = re.compile(r"<script|javascript:|onerror\s{0,9}=|onclick\s{0,9}=", re.IGNORECASE)
LONGEST_QUOTE = 60


def validate_operation(operation: Mapping[str, Any], registry: TagRegistry | None = None) -> dict[str, Any]:
    """What is wrong with a call, and the call as it should be."""
    tag = str(operation.get("tool_id") or operation.get("toolId") or "")
    definition = (registry or DEFAULT_REGISTRY).get(tag)
    if definition is None:
        problem = {"code": "tag-tool-unknown", "message": text("tag-tool-unknown", tag=tag), "attribute": None}
        return {"valid": False, "errors": [problem], "warnings": [], "normalized": dict(operation)}
    validation = _Validation(definition=definition, operation=operation)
    validation.run()
    return validation.result()


def given_attributes(operation: Mapping[str, Any], registry: TagRegistry | None = None) -> set[str]:
    """The proper names of the attributes that a call itself names, content in the block included."""
    definition = (registry or DEFAULT_REGISTRY).get(str(operation.get("tool_id")))
    if definition is None:
        return set(operation.get("attributes") or ())
    return set(_Validation(definition=definition, operation=operation).given())


@dataclass(kw_only=True, slots=True)
class _Validation:
    """One call on its way through the checks."""

    definition: TagDefinition
    operation: Mapping[str, Any]
    values: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)

    def run(self) -> None:
        named = self._named()
        self._report_duplicates(named)
        given = self._with_content(dict(named))
        self._check_content(given, {key for key, _ in named})
        self._fill_identifier(given)
        for key, schema in self.definition.schema.attributes.items():
            self._take(key, schema, given)
        self._take_others(given)
        for key, value in self._texts():
            self._check_text(key, value)
        self._ask_validators()

    def result(self) -> dict[str, Any]:
        return {
            "valid": not self.errors,
            "errors": self.errors,
            "warnings": self.warnings,
            "normalized": self._normalized(),
        }

    def given(self) -> dict[str, Any]:
        """The attributes of the call by their proper names, with the content of the block among them."""
        return self._with_content(dict(self._named()))

    def _named(self) -> list[tuple[str, Any]]:
        names = _proper_names(self.definition)
        attributes = self.operation.get("attributes") or {}
        return [(names.get(_plain(key), key), value) for key, value in attributes.items()]

    def _with_content(self, given: dict[str, Any]) -> dict[str, Any]:
        home = self.definition.schema.content_attribute
        if home and self._is_block() and (self._content().strip() or home not in given):
            given[home] = self._content()
        return given

    def _check_content(self, given: Mapping[str, Any], named: set[str]) -> None:
        schema, content = self.definition.schema, self._content()
        home = schema.content_attribute
        if content.strip() and not schema.has_content:
            self._warn("tag-content-ignored")
        if schema.requires_content and not str(given.get(home, "") if home else content).strip():
            self._fail("tag-content-missing")
        if home in named and content.strip() and self._is_block():
            self._warn("tag-content-twice", home)

    def _fill_identifier(self, given: dict[str, Any]) -> None:
        for key, schema in self.definition.schema.attributes.items():
            source = given.get(schema.made_from) if schema.made_from else None
            if given.get(key) in (None, "") and isinstance(source, str) and source.strip():
                given[key] = identifier_from(source)

    def _take(self, key: str, schema: AttributeSchema, given: Mapping[str, Any]) -> None:
        if key not in given or given[key] is None:
            self._take_default(key, schema)
            return
        try:
            self.values[key] = convert(given[key], schema, key)
        except ConversionError:
            self._refuse(key, schema, given[key])
            return
        if schema.validate == "identifier" and not is_valid_identifier(self.values[key]):
            self._fail("tag-identifier-invalid", key, value=_short(self.values[key]))

    def _take_default(self, key: str, schema: AttributeSchema) -> None:
        if schema.default is not None:
            self.values[key] = schema.default
        elif schema.required:
            self._fail("tag-attribute-missing", key)
        elif schema.type in {"flag", "boolean"}:
            self.values[key] = False

    def _refuse(self, key: str, schema: AttributeSchema, value: object) -> None:
        if schema.type == "enum" and schema.default is not None:
            self.values[key] = schema.default
            self._warn("tag-attribute-replaced", key, value=_short(value), default=schema.default)
        elif schema.type == "enum":
            self._fail("tag-attribute-not-allowed", key, value=_short(value), values=", ".join(schema.values))
        else:
            self._fail("tag-attribute-wrong-type", key, value=_short(value), type=schema.type)

    def _take_others(self, given: Mapping[str, Any]) -> None:
        schema = self.definition.schema
        for key in given:
            if key not in schema.attributes:
                self.values[key] = given[key]
                if not schema.open_attributes and key != schema.content_attribute:
                    self._warn("tag-attribute-unknown", key)

    def _texts(self) -> Iterator[tuple[str, str]]:
        if self.definition.schema.content_attribute is None:
            yield "content", self._content()
        for key, value in self.values.items():
            if isinstance(value, str):
                yield key, value

    def _check_text(self, key: str, value: str) -> None:
        if len(value) > LONGEST_CONTENT:
            self._fail("tag-content-too-long", key, length=len(value), limit=LONGEST_CONTENT)
        if found := DANGEROUS_MARKUP.search(value):
            self._warn("tag-dangerous-markup", key, found=found[0])

    def _report_duplicates(self, named: list[tuple[str, Any]]) -> None:
        match = TAG.match(str(self.operation.get("raw") or ""))
        for key in duplicate_keys(match["attributes"] or "") if match else ():
            self._warn("tag-duplicate-attribute", key, name=self.definition.id, key=key)
        for key in duplicates(key for key, _ in named):
            self._warn("tag-attribute-twice", key)

    def _ask_validators(self) -> None:
        normalized = self._normalized()
        for validator in self.definition.validators:
            try:
                answer = validator(normalized)
            except Exception as error:
                self._fail("tag-validator-failed", reason=f"{type(error).__name__}: {error}")
                continue
            for reason in _reasons(answer):
                self._fail("tag-validator-refused", reason=reason)

    def _normalized(self) -> dict[str, Any]:
        head = {"tool_id": self.definition.id, "content": self._content()}
        return {**head, **self.values, "attributes": dict(self.values)}

    def _content(self) -> str:
        return str(self.operation.get("content") or "")

    def _is_block(self) -> bool:
        return self.operation.get("type") == "block" or bool(self.operation.get("has_content"))

    def _fail(self, code: str, attribute: str | None = None, **values: object) -> None:
        self.errors.append(self._problem(code, attribute, values))

    def _warn(self, code: str, attribute: str | None = None, **values: object) -> None:
        self.warnings.append(self._problem(code, attribute, values))

    def _problem(self, code: str, attribute: str | None, values: Mapping[str, object]) -> dict[str, Any]:
        message = text(code, **{"tag": self.definition.id, "attribute": attribute, **values})
        return {"code": code, "message": message, "attribute": attribute}


def _proper_names(definition: TagDefinition) -> dict[str, str]:
    names: dict[str, str] = {}
    for key, schema in definition.schema.attributes.items():
        names.update({_plain(alias): key for alias in schema.aliases})
    names.update({_plain(key): key for key in definition.schema.attributes})
    return names


def _plain(key: str) -> str:
    """``maxResults``, ``max_results`` and ``MaxResults`` are one name."""
    return key.replace("_", "").replace("-", "").lower()


def _reasons(answer: object) -> list[str]:
    if answer is None or answer is True or answer in ([], ""):
        return []
    if isinstance(answer, list | tuple):
        return [str(reason) for reason in answer]
    return [str(answer)]


def _short(value: object) -> str:
    shown = str(value)
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}…"
