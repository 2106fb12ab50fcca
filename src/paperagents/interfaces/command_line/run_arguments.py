"""The arguments of ``paper run``: from words and JSON on the command line, and asked for at a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from paperagents.calls.arguments import find_violations
from paperagents.calls.conversion import CannotConvertError, read_arguments, read_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Parameter, ToolDefinition, declared_types
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.options import cannot_read
from paperagents.interfaces.command_line.output import one_line, paint, read_secret, say, say_wrapped
from paperagents.messages import join_sentences, text
from paperagents.secrets.redaction import is_secret_name
from paperagents.vault import Vault


def find_definition(vault: Vault, tool: str) -> ToolDefinition | None:
    """The tool; None where the run will say what is wrong with it."""
    try:
        return vault.registry.tool(tool)
    except PaperError:
        return None


def read_params(given: str | None) -> JsonObject:
    """``--params``: JSON, a file with JSON, or standard input."""
    if given is None:
        return {}
    try:
        source = sys.stdin.read() if given == "-" else Path(given[1:]).read_text("utf-8") if given[:1] == "@" else given
    except OSError as error:
        raise cannot_read(given[1:], error) from error
    except ValueError as error:
        raise UsageError("params-not-json", reason=text("cli.run.not-utf-8")) from error
    return read_arguments(source)


def read_pairs(pairs: Iterable[str], definition: ToolDefinition | None) -> JsonObject:
    """``NAME=VALUE``, each read as the type its parameter declares; one that is repeated is a list."""
    written: dict[str, list[str]] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise missing_name(pair, definition)
        written.setdefault(name, []).append(value)
    schemas = parameter_schemas(definition)
    return {name: _read_values(name, values, schemas.get(name)) for name, values in written.items()}


def missing_name(value: str, definition: ToolDefinition | None) -> UsageError:
    """The error for a value alone, with the first parameter it could be meant for."""
    required = (each.name for each in definition.parameters if each.must_be_given) if definition is not None else ()
    if definition is None or (name := next(iter(required), None)) is None:
        return UsageError("param-without-value", pair=value)
    return UsageError("param-without-value", pair=value, tool=definition.id, name=name, case="example")


def parameter_schemas(definition: ToolDefinition | None) -> dict[str, Mapping[str, JsonValue]]:
    """The schema of each parameter by its name and aliases."""
    if definition is None:
        return {}
    own = {parameter.name: parameter.schema for parameter in definition.parameters}
    return {**own, **{alias: own[name] for alias, name in definition.aliases.items()}}


def _read_values(name: str, values: list[str], schema: Mapping[str, JsonValue] | None) -> JsonValue:
    schema = {"type": "string"} if schema is None else schema
    if len(values) == 1:
        return _read_value(values[0], schema)
    if "array" not in declared_types(schema):
        raise UsageError("param-repeated", name=name)
    items = schema.get("items")
    return [_read_value(value, items if isinstance(items, dict) else {}) for value in values]


def _read_value(value: str, schema: Mapping[str, JsonValue]) -> JsonValue:
    try:
        return read_text(value, schema)
    except CannotConvertError:
        # The run reports this together with everything else that is wrong with the call.
        return value


# --- what is missing, asked for


def ask_missing(definition: ToolDefinition, given: JsonObject) -> JsonObject:
    """Ask for the arguments that are required and were not given; where nothing was given at all, for the others, too.

    Raises click.Abort where the input ends or the person interrupts.
    """
    names = {definition.aliases.get(name, name) for name in given}
    missing = [each for each in definition.parameters if each.name not in names]
    if not any(each.must_be_given for each in missing):
        return {}
    asked = [each for each in missing if each.must_be_given or not given]
    answers = {each.name: _ask_for(definition, each) for each in asked}
    return {name: value for name, value in answers.items() if value is not None}


def _ask_for(definition: ToolDefinition, parameter: Parameter) -> JsonValue:
    """One argument; None where an optional one is left out."""
    about = describe_parameter(parameter)
    say_wrapped(paint(one_line(parameter.name), bold=True, err=True) + (f": {one_line(about)}" if about else ""))
    while True:
        written = _read_line(parameter)
        if not written and not parameter.must_be_given:
            return None
        value = _read_value(written, parameter.schema)
        wrong = [each for each in find_violations(definition, {parameter.name: value}) if _is_about(each, parameter)]
        if written and not wrong:
            return value
        for problem in wrong:
            say_wrapped(f"  {one_line(str(problem['message']))}")


def describe_parameter(parameter: Parameter) -> str:
    """What is wanted: the description, the choices, and what counts when nothing is given."""
    schema = parameter.schema
    choices = schema.get("enum", ["true", "false"] if schema.get("type") == "boolean" else None)
    told = [str(schema.get("description") or "")]
    if isinstance(choices, list):
        told.append(text("cli.run.choices", choices=", ".join(map(_as_text, choices))))
    if "default" in schema:
        told.append(text("cli.run.default", default=_as_text(schema["default"])))
    elif not parameter.required:
        told.append(text("cli.run.optional"))
    return join_sentences(*told)


def _read_line(parameter: Parameter) -> str:
    is_declared_secret = parameter.schema.get("format") == "password" or parameter.schema.get("writeOnly") is True
    if is_declared_secret or is_secret_name(parameter.name):
        return read_secret(text("cli.run.hidden"))
    sys.stderr.write("> ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        say("")
        raise click.Abort
    return line.strip()


def _is_about(problem: JsonObject, parameter: Parameter) -> bool:
    name = str(problem["parameter"])
    return name == parameter.name or name.startswith((f"{parameter.name}.", f"{parameter.name}["))


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
