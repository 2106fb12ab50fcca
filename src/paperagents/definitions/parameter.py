"""What a tool wants to be given, and the JSON Schema that says so to everybody else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from paperagents.definitions.json_value import JsonObject, JsonValue

TYPES = ("string", "number", "integer", "boolean", "array", "object")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One argument: its name, whether it must be given, and its JSON Schema."""

    name: str
    schema: Mapping[str, JsonValue] = field(default_factory=dict)
    """The keywords of JSON Schema, ``type``, ``description`` and ``default`` among them."""
    required: bool = True

    @property
    def must_be_given(self) -> bool:
        """A default satisfies ``required``."""
        return self.required and "default" not in self.schema


def json_schema(parameters: Iterable[Parameter], *, strict: bool = False) -> JsonObject:
    """The one truth for forms, MCP and validation: JSON Schema 2020-12 for the arguments of a tool."""
    parameters = tuple(parameters)
    schema: JsonObject = {
        "$schema": DIALECT,
        "type": "object",
        "properties": {parameter.name: dict(parameter.schema) for parameter in parameters},
    }
    required: list[JsonValue] = [parameter.name for parameter in parameters if parameter.must_be_given]
    if required:
        schema["required"] = required
    if strict:
        schema["additionalProperties"] = False
    return schema
