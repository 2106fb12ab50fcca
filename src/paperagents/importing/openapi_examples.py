"""An example for the note of an operation, from the document's own examples; it needs no service to hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from paperagents.calls.conversion import is_json
from paperagents.definitions.tool import declared_types
from paperagents.importing.openapi_document import mapping, sequence
from paperagents.importing.openapi_operations import Argument, Operation
from paperagents.importing.openapi_schemas import Schema
from paperagents.reading.json_schema import NotASchemaError, compile_schema
from paperagents.secrets.redaction import Redaction

LARGEST_ANSWER = 2_000
_DEEPEST = 6


def make_example(operation: Operation) -> dict[str, Any] | None:
    """Input, canned answer and output; None where the document has no example of something that is needed."""
    given: dict[str, Any] = {}
    for argument in operation.arguments:
        found = next((each for each in examples_of(argument) if accepts(argument.schema, each)), None)
        if found is None and argument.required:
            return None
        if found is not None and (argument.required or has_own_example(argument)):
            given[argument.name] = found
    status, answer = operation.answer
    # What looks like a key is hidden in every record, so that the answer would not be the same.
    if not is_json(answer, 20) or len(json.dumps(answer)) > LARGEST_ANSWER or Redaction().value(answer) != answer:
        answer = None
    if answer is None and not any(has_own_example(each) for each in operation.arguments if each.name in given):
        return None
    stand_ins = {each.variable: "name:password" if each.way.begins == "Basic " else "key" for each in operation.secrets}
    response = {"status": status, "ok": True, "headers": {}, "body": "", "json": answer}
    return {
        "input": given,
        **({"environment": stand_ins} if stand_ins else {}),
        "responses": {"rest_request": response},
        "output": "" if answer is None else answer,
    }


def examples_of(argument: Argument) -> Iterator[Any]:
    """Values that the document gives for an argument, the best ones first; a plain one can be thought up."""
    yield from (each for each in argument.examples if each is not None)
    yield from values_of(argument.schema, 0)
    kinds = {"string": argument.name, "integer": 1, "number": 1, "boolean": True}
    yield from (kinds[kind] for kind in declared_types(argument.schema) if kind in kinds)


def has_own_example(argument: Argument) -> bool:
    """Whether the document gives an example, not only what is allowed."""
    return bool(argument.examples) or '"examples"' in json.dumps(argument.schema)


def values_of(schema: Schema, depth: int) -> Iterator[Any]:
    """Values that a schema itself names, whole or put together from its members."""
    yield from (each for each in sequence(schema.get("examples")) if each is not None)
    yield from (schema[key] for key in ("default", "const") if schema.get(key) is not None)
    yield from (each for each in sequence(schema.get("enum"))[:1] if each is not None)
    if depth > _DEEPEST:
        return
    for key in ("anyOf", "oneOf"):
        for each in sequence(schema.get(key)):
            yield from values_of(mapping(each), depth + 1)  # type: ignore[arg-type]  # a mapping will do
    if isinstance(schema.get("properties"), dict):
        yield from _members(schema, depth)
    if isinstance(schema.get("items"), dict):
        yield from ([each] for each in values_of(schema["items"], depth + 1))


def _members(schema: Schema, depth: int) -> Iterator[Any]:
    """An object of the examples of its members, where every member that is needed has one."""
    found = {}
    for name, each in schema["properties"].items():
        value = next(values_of(mapping(each), depth + 1), None)  # type: ignore[arg-type]  # a mapping will do
        is_wanted = name in sequence(schema.get("required")) or ("examples" in each and not each.get("readOnly"))
        if value is not None and is_wanted:
            found[name] = value
    if found and all(name in found for name in sequence(schema.get("required"))):
        yield found


def accepts(schema: Schema, value: Any) -> bool:
    """Whether the document's example is what its schema says; not every one is."""
    try:
        return is_json(value, 40) and compile_schema(json.dumps(schema)).accepts(value)
    except NotASchemaError:
        return False
