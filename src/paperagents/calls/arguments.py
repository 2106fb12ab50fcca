"""Are these the arguments the tool wants? All problems at once, and defaults where nothing was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from paperagents.calls.conversion import DEEPEST, CannotConvertError, convert_value
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import guess_name
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.errors import InvalidArgumentsError, ToolError
from paperagents.messages import has_text, text
from paperagents.reading.json_schema import NotASchemaError, Violation, compile_schema

_SHORT = 80
_SEVERAL = "is valid under more than one of the schemas listed in the 'oneOf' keyword"
"""How the schema library ends its sentence where a value is too many things at once."""
_JAVASCRIPT_CODES = {
    "argument-missing": "MISSING_REQUIRED_PARAM",
    "argument-type": "INVALID_PARAM_TYPE",
    "argument-unknown": "UNKNOWN_PARAM",
}
"""What tools in one JavaScript file call these; anything else is INVALID_PARAM_VALUE."""


def validate_arguments(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue], *, convert: bool = False, refused: Iterable[str] = ()
) -> JsonObject:
    """The arguments with defaults. Raises InvalidArgumentsError with every problem.

    With ``convert`` they are first brought to the declared types: references in a step give what they give.
    ``refused`` are those that were given but are no JSON.
    """
    given = _under_their_own_names(tool, arguments)
    declared = {parameter.name: parameter for parameter in tool.parameters}
    given = {name: value for name, value in given.items() if not _stands_for_nothing(value, declared.get(name))}
    problems = [_problem("argument-not-json", tool.aliases.get(name, name), limit=DEEPEST) for name in refused]
    if convert:
        given = _converted(given, declared, problems)
    complete = {
        name: _with_inner_defaults(value, dict(declared[name].schema)) if name in declared else value
        for name, value in {**_defaults(tool.parameters), **given}.items()
    }
    problems += _problems(tool, complete, told={str(problem["parameter"]) for problem in problems})
    if problems:
        raise InvalidArgumentsError(tool.id, problems, code=_code(tool, problems))
    return complete


def _code(tool: ToolDefinition, problems: list[JsonObject]) -> str:
    if tool.kind != "javascript":
        return "invalid-arguments"
    return _JAVASCRIPT_CODES.get(str(problems[0]["code"]), "INVALID_PARAM_VALUE")


def convert_arguments(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> JsonObject:
    """The arguments brought to the declared types, as far as that is possible without guessing."""
    given = _under_their_own_names(tool, arguments)
    return _converted(given, {parameter.name: parameter for parameter in tool.parameters}, [])


def _under_their_own_names(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> JsonObject:
    own = {name: value for name, value in arguments.items() if name not in tool.aliases}
    other = {tool.aliases[name]: value for name, value in arguments.items() if name in tool.aliases}
    return {**other, **own}


def _stands_for_nothing(value: JsonValue, parameter: Parameter | None) -> bool:
    """Null for an optional parameter says what leaving it out says, unless null is one of its values."""
    if value is not None or parameter is None or parameter.must_be_given:
        return False
    kind = parameter.schema.get("type")
    return kind is not None and kind != "null" and not (isinstance(kind, list) and "null" in kind)


def _defaults(parameters: Iterable[Parameter]) -> JsonObject:
    return {each.name: each.schema["default"] for each in parameters if "default" in each.schema}


def _with_inner_defaults(value: JsonValue, schema: JsonValue) -> JsonValue:
    """The value with the defaults of what is inside it, at any depth."""
    if not isinstance(schema, dict):
        return value
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_with_inner_defaults(each, items) for each in value]
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    inner = {name: each for name, each in properties.items() if isinstance(each, dict)}
    complete = {**{name: each["default"] for name, each in inner.items() if "default" in each}, **value}
    return {name: _with_inner_defaults(each, inner.get(name)) for name, each in complete.items()}


def _converted(given: JsonObject, declared: Mapping[str, Parameter], problems: list[JsonObject]) -> JsonObject:
    result: JsonObject = {}
    for name, value in given.items():
        try:
            result[name] = convert_value(value, declared[name].schema) if name in declared else value
        except CannotConvertError:
            kind = declared[name].schema.get("type")
            problems.append(_problem("argument-type", name, kind=kind, value=_shown(value)))
            result[name] = value
    return result


def _problems(tool: ToolDefinition, arguments: JsonObject, told: set[str]) -> list[JsonObject]:
    try:
        found = compile_schema(json.dumps(tool.schema)).violations(arguments)
    except NotASchemaError as error:
        # Files are checked before; what another server says about its tools is not.
        raise ToolError("schema-unusable", tool=tool.id, reason=error.reason) from None
    declared = {parameter.name for parameter in tool.parameters}
    undeclared = [name for name in arguments if name not in declared]
    described = (problem for violation in found for problem in _described(violation, undeclared))
    return [problem for problem in described if problem["parameter"] not in told]


def _described(violation: Violation, undeclared: list[str]) -> list[JsonObject]:
    if violation.keyword == "additionalProperties" and not violation.path:
        return [_problem("argument-unknown", name) for name in violation.names or undeclared]
    return [_broken_rule(violation, undeclared)]


def _broken_rule(violation: Violation, undeclared: list[str]) -> JsonObject:
    path = ".".join(str(segment) for segment in violation.path)
    if violation.keyword == "required":
        name = _quoted(violation.message)
        given = next((each for each in undeclared if guess_name(each, [name])), None)
        rule = "slip" if given is not None and not path else None
        return _problem("argument-missing", f"{path}.{name}".strip("."), name=name, given=given, rule=rule)
    if violation.keyword == "type":
        return _problem("argument-type", path, kind=violation.limit, value="")
    names = ", ".join(f"'{name}'" for name in violation.names)
    rule = _rule(violation)
    return _problem("argument-rule", path, rule=rule, reason=violation.message, limit=violation.limit, names=names)


def _problem(code: str, parameter: str, **values: object) -> JsonObject:
    values = {
        key: ", ".join(map(_plain, value)) if isinstance(value, list) else _plain(value)
        for key, value in values.items()
    }
    key = f"{code}.{values.get('rule')}"
    message = text(key if has_text(key) else code, parameter=parameter, **values)
    return {"parameter": parameter, "code": code, "message": message}


def _quoted(message: str) -> str:
    """The name the schema library puts into quotes."""
    return message.split('"')[1] if '"' in message else message.split("'")[1] if "'" in message else message


def _rule(violation: Violation) -> str:
    if violation.message.endswith(_SEVERAL):
        return "oneOf-several"
    return "no-members" if violation.keyword == "additionalProperties" and not violation.names else violation.keyword


def _plain(value: object) -> str:
    """Texts as they are, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: JsonValue) -> str:
    shown = json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _SHORT else shown[:_SHORT] + "…"
