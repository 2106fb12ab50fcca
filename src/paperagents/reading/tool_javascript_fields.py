"""Reads what the methods of a tool's file answer, each field with the type it must have, and where it is named."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.text import guess_name
from paperagents.definitions.tool import Parameter, follow_reference
from paperagents.reading.fields import MAX_UNKNOWN
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.json_schema import drop_null_defaults, find_schema_mistakes, find_wrong_defaults
from paperagents.reading.problems import ProblemList

METADATA = ("id", "name", "description", "version", "author", "category", "tags", "timeout", "approval")
SHOWN = 200


class Places:
    """Where a file first names something."""

    def __init__(self, code: JavaScript, source: Excerpt) -> None:
        self._code = code
        self._source = source

    def of(self, *names: str) -> Span:
        """The place of the first of these that the file names; its first line where it names none."""
        for name in names:
            if (found := self._code.find_name(name)) is not None:
                return self._source.span(found.start, found.end)
        return Span(line=1, column=1, end_line=1, end_column=2)


class Metadata:
    """What ``getMetadata()`` says. A field of the wrong type is a problem and counts as missing."""

    def __init__(self, told: Mapping[str, Any], places: Places, problems: ProblemList) -> None:
        self.span = places.of("getMetadata")
        self._answers = told
        self._problems = problems
        warn_of_slips(told, METADATA, "getMetadata", places, problems)
        if told and told.get("name") in (None, ""):
            problems.warning("missing-field", self.span, field="name")
        if told and not told.get("description"):
            problems.warning("missing-description", self.span, case="javascript")

    def text(self, name: str) -> str | None:
        """A text."""
        value = self._answers.get(name)
        if value is None or isinstance(value, str):
            return value
        self._wrong(name, "text")
        return None

    def word(self, name: str) -> str | None:
        """A text that may be written like a number: ``version: 2``."""
        value = self._answers.get(name)
        return str(value) if _is_number(value) else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        value = self._answers.get(name)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) or _is_number(each) for each in listed):
            self._wrong(name, "texts")
            return ()
        return tuple(map(str, listed))

    def seconds(self, name: str) -> float | None:
        """A number above zero."""
        value = self._answers.get(name)
        if value is None or (_is_number(value) and value > 0):
            return value
        if _is_number(value):
            self._problems.error("invalid-value", self.span, field=name, value=f"{value:g}", options="> 0")
        else:
            self._wrong(name, "number")
        return None

    def choice(self, name: str, *options: str) -> str | None:
        """One of a few words."""
        value = self.text(name)
        if value is None or value in options:
            return value
        meant = guess_name(value, options)
        self._problems.error(
            "invalid-value", self.span, field=name, value=value[:SHOWN], options=", ".join(options), suggestion=meant,
            case="suggestion" if meant else None,
        )  # fmt: skip
        return None

    def _wrong(self, name: str, expected: str) -> None:
        self._problems.error("wrong-type", self.span, field=name, case=expected)


def warn_of_slips(
    given: Iterable[str], known: Iterable[str], method: str, places: Places, problems: ProblemList
) -> list[str]:
    """A name that nobody knows but that is a letter away from a known one that is missing is probably a slip."""
    given, known, slips = list(given), list(known), []
    missing = [name for name in known if name not in given]
    for name in [each for each in given if each not in known][:MAX_UNKNOWN]:
        # A whole syllable less is another word: a tool that has no cleanup() may well clean() something.
        if meant := guess_name(name, [each for each in missing if abs(len(each) - len(name)) <= 1]):
            problems.warning("unknown-field", places.of(name, method), field=name, suggestion=meant)
            slips.append(name)
    return slips


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# --- the schemas that ``getSchema()`` gives: of the arguments, of the variables, of the answer


PARTS = ("parameters", "environment", "returns")
_WITH_SCHEMAS = frozenset({
    "$defs", "definitions", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
    "dependentSchemas", "dependentRequired", "dependencies", "not", "if", "then", "else", "items", "contains",
    "unevaluatedItems", "contentSchema", "default", "const", "$vocabulary",
})  # fmt: skip
"""What may have an object as its value where a schema names no properties."""


def read_schemas(told: Mapping[str, Any], places: Places, problems: ProblemList) -> tuple[dict[str, Any], ...]:
    """The schemas of the arguments, of the variables and of the answer; empty ones where nothing is told."""
    span = places.of("getSchema")
    slips = warn_of_slips(told, PARTS, "getSchema", places, problems)
    flat = {key: value for key, value in told.items() if key not in PARTS}
    schemas = (told.get("parameters", flat), told.get("environment"), told.get("returns"))
    for schema in schemas:
        warn_of_missing_properties(schema, (*slips, *_WITH_SCHEMAS), places, problems)
    return tuple(check_schema(schema, span, problems) for schema in schemas)


def parameters_of(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """The properties of an object, one by one."""
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict):
        return ()
    named = required if isinstance(required, list) else []
    return tuple(
        Parameter(
            name=name, schema=follow_reference(value, schema) if isinstance(value, dict) else {}, required=name in named
        )
        for name, value in properties.items()
    )


def warn_of_missing_properties(schema: Any, fine: Collection[str], places: Places, problems: ProblemList) -> None:
    """What is described beside ``properties`` instead of in it is described to nobody."""
    if not isinstance(schema, dict) or "properties" in schema:
        return
    described = [name for name, value in schema.items() if isinstance(value, dict) and name not in fine]
    for name in described[:MAX_UNKNOWN]:
        meant = f"properties: {{ {name[:SHOWN]}: … }}"
        problems.warning("unknown-field", places.of(name, "getSchema"), field=name[:SHOWN], suggestion=meant)


def check_schema(told: Any, span: Span, problems: ProblemList) -> dict[str, Any]:
    """The schema of an object, where it is one and its defaults fit."""
    schema: dict[str, Any] = told if isinstance(told, dict) else {}
    # What is no schema at all is judged inside one.
    mistakes = find_schema_mistakes(
        json.dumps(schema if told is None or schema else {"properties": {"getSchema": told}})
    )
    for mistake in mistakes:
        name = ".".join(map(str, mistake.path if schema else mistake.path[-1:])) or "getSchema"
        problems.error("invalid-schema", span, name=name, reason=mistake.reason)
    if mistakes:
        return {}
    for names, violation in find_wrong_defaults(schema):
        problems.error("invalid-default", span, name=".".join(names), reason=violation.rule)
    return drop_null_defaults(schema)
