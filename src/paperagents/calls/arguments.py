"""Are these the arguments the tool wants? All problems at once, and defaults where nothing was given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from shlex import quote

from paperagents.calls.conversion import DEEPEST, CannotConvertError, convert_value, read_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import guess_name
from paperagents.definitions.tool import Parameter, ToolDefinition, declared_types, follow_reference
from paperagents.errors import InvalidArgumentsError, MissingVariableError, ToolError, WrongVariableError
from paperagents.messages import Sentence, has_text
from paperagents.reading.json_schema import NotASchemaError, Schema, Violation, compile_schema
from paperagents.values import dataclass

_SHORT = 80
_SEVERAL = "is valid under more than one of the schemas listed in the 'oneOf' keyword"
"""How the schema library ends its sentence where a value is too many things at once."""
_JAVASCRIPT_CODES = {
    "argument-missing": "MISSING_REQUIRED_PARAM",
    "argument-type": "INVALID_PARAM_TYPE",
    "argument-unknown": "UNKNOWN_PARAM",
}
"""What tools in one JavaScript file call these; anything else is INVALID_PARAM_VALUE."""
ARGUMENT_CODES = frozenset({"invalid-arguments", *_JAVASCRIPT_CODES.values(), "INVALID_PARAM_VALUE"})
"""Of every error that says which arguments are wrong."""


def validate_arguments(
    tool: ToolDefinition, arguments: Mapping[str, JsonValue], *, convert: bool = False, refused: Iterable[str] = ()
) -> JsonObject:
    """The arguments with defaults. Raises InvalidArgumentsError with every problem.

    With ``convert`` they are first brought to the declared types: references in a step give what they give.
    ``refused`` are those that were given but are no JSON.
    """
    given = resolve_aliases(tool, arguments)
    declared = {parameter.name: parameter for parameter in tool.parameters}
    given = {name: value for name, value in given.items() if not stands_for_nothing(value, declared.get(name))}
    problems = [_problem("argument-not-json", tool.aliases.get(name, name), limit=DEEPEST) for name in refused]
    # After the nulls: what stands for nothing needs no type.
    if convert:
        given = _convert(given, declared, problems)
    # Defaults are added before checking, so that they are checked with everything else.
    defaults = {each.name: each.schema["default"] for each in tool.parameters if "default" in each.schema}
    complete = {
        name: _add_inner_defaults(value, declared[name].schema, tool.schema) if name in declared else value
        for name, value in {**defaults, **given}.items()
    }
    reported = {problem["parameter"] for problem in problems}
    problems += [each for each in find_violations(tool, complete) if each["parameter"] not in reported]
    if problems:
        code = "invalid-arguments"
        if tool.kind == "javascript":
            code = _JAVASCRIPT_CODES.get(str(problems[0]["code"]), "INVALID_PARAM_VALUE")
        raise InvalidArgumentsError(tool.id, problems, code=code, **_advise(tool, problems))
    return complete


def find_slips(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> Iterator[str]:
    """A warning for each argument that nobody declares and that looks like one that is declared."""
    given = resolve_aliases(tool, arguments)
    # Those that were not given come first: one of them is more likely meant.
    declared = sorted((each.name for each in tool.parameters), key=lambda name: name in given)
    for name in given:
        near = guess_name(name, declared) if name not in declared else None
        if near is not None:
            yield str(make_sentence("argument-unknown", name, {"near": near, "rule": "near"}))


def _advise(tool: ToolDefinition, problems: list[JsonObject]) -> dict[str, str]:
    """The words of a hint for the first thing that is wrong."""
    if any(problem["code"] == "argument-missing" for problem in problems):
        required = [each.name for each in tool.parameters if each.must_be_given]
        return {"case": "missing", "example": " ".join(f"-p {quote(name)}=…" for name in required)}
    lists = {each.name for each in tool.parameters if declared_types(each.schema) == ["array"]}
    wrong = (str(problem["parameter"]) for problem in problems if problem["code"] == "argument-type")
    name = next((name for name in wrong if name in lists), None)
    return {"case": "list", "name": quote(name)} if name is not None else {}


def convert_arguments(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> JsonObject:
    """The arguments brought to the declared types, as far as that is possible without guessing."""
    return _convert(resolve_aliases(tool, arguments), {each.name: each for each in tool.parameters}, [])


def resolve_aliases(tool: ToolDefinition, arguments: Mapping[str, JsonValue]) -> JsonObject:
    """The arguments under the names the tool declares; an argument given under its own name wins over an alias."""
    own = {name: value for name, value in arguments.items() if name not in tool.aliases}
    other = {tool.aliases[name]: value for name, value in arguments.items() if name in tool.aliases}
    return {**other, **own}


def stands_for_nothing(value: JsonValue, parameter: Parameter | None) -> bool:
    """Null for an optional parameter says what leaving it out says, unless null is one of its values."""
    if value is not None or parameter is None or parameter.must_be_given:
        return False
    kinds = declared_types(parameter.schema)
    return bool(kinds) and "null" not in kinds


def _add_inner_defaults(value: JsonValue, schema: Mapping[str, JsonValue], root: JsonObject) -> JsonValue:
    """The value with the defaults of what is inside it, at any depth; references lead into the root."""
    schema = follow_reference(schema, root)
    properties, items = schema.get("properties"), schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_add_inner_defaults(each, items, root) for each in value]
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return value
    inner = {name: follow_reference(each, root) for name, each in properties.items() if isinstance(each, dict)}
    complete = {**{name: each["default"] for name, each in inner.items() if "default" in each}, **value}
    # A reference may lead back to where it stands: those inside of a default are not followed, else there were no end.
    return {
        name: _add_inner_defaults(each, inner.get(name, {}), root if name in value else {})
        for name, each in complete.items()
    }


def _convert(given: JsonObject, declared: Mapping[str, Parameter], problems: list[JsonObject]) -> JsonObject:
    result: JsonObject = {}
    for name, value in given.items():
        try:
            result[name] = convert_value(value, declared[name].schema) if name in declared else value
        except CannotConvertError:
            kind = declared_types(declared[name].schema)
            shown = json.dumps(value, ensure_ascii=False)
            shown = shown if len(shown) <= _SHORT else shown[:_SHORT] + "…"
            problems.append(_problem("argument-type", name, kind=kind, value=shown, rule=kind))
            result[name] = value
    return result


def find_violations(tool: ToolDefinition, arguments: JsonObject) -> Iterator[JsonObject]:
    """Everything that the tool's own schema says against these arguments."""
    try:
        found = compile_schema(json.dumps(tool.schema)).violations(arguments)
    except NotASchemaError as error:
        # Files are checked before; what another server says about its tools is not.
        raise ToolError("schema-unusable", tool=tool.id, reason=error.reason) from None
    declared = {parameter.name for parameter in tool.parameters}
    undeclared = [name for name in arguments if name not in declared]
    for violation in found:
        if violation.keyword == "enum" and tool.judges_words:
            continue
        if violation.keyword == "additionalProperties" and not violation.path:
            for name in violation.names or undeclared:
                near = guess_name(name, declared)
                yield _problem("argument-unknown", name, near=near, rule="near" if near else None)
        else:
            code, path, values = describe_violation(violation, undeclared)
            yield _problem(code, path, **values)


def describe_violation(violation: Violation, undeclared: list[str]) -> tuple[str, str, dict[str, object]]:
    """Its code in the catalogue, the parameter, and the values of the sentence."""
    path = ".".join(str(segment) for segment in violation.path)
    if violation.keyword == "required":
        # The schema library puts the name into quotes.
        name = violation.message.partition('"')[2].partition('"')[0]
        given = next((each for each in undeclared if guess_name(each, [name])), None)
        rule = "slip" if given is not None and not path else None
        return "argument-missing", f"{path}.{name}".strip("."), {"name": name, "given": given, "rule": rule}
    if violation.keyword == "type":
        return "argument-type", path, {"kind": violation.limit, "value": "", "rule": violation.limit}
    names = ", ".join(f"'{name}'" for name in violation.names)
    rule = violation.keyword
    if violation.message.endswith(_SEVERAL):
        rule = "oneOf-several"
    elif rule == "additionalProperties" and not violation.names:
        rule = "no-members"
    elif violation.limit is False and not violation.names:
        rule = "not-allowed"
    elif rule == "format":
        rule = f"format-{violation.limit}" if has_text(f"argument-rule.format-{violation.limit}") else rule
    elif rule == "pattern" and violation.given:
        rule = "pattern-given"
    values: dict[str, object] = {"rule": rule, "reason": violation.rule, "limit": violation.limit, "names": names,
                                 "given": violation.given}  # fmt: skip
    return "argument-rule", path, values


def _problem(code: str, parameter: str, **values: object) -> JsonObject:
    return {"parameter": parameter, "code": code, "message": str(make_sentence(code, parameter, values))}


def make_sentence(code: str, parameter: str, values: Mapping[str, object]) -> Sentence:
    """What is wrong with an argument, for the reader's language."""
    shown = {
        key: ", ".join(map(format_limit, value)) if isinstance(value, list) else format_limit(value)
        for key, value in values.items()
    }
    key = f"{code}.{shown.get('rule')}"
    return Sentence(key=key if has_text(key) else code, values={"parameter": parameter, **shown})


def format_limit(value: object) -> str:
    """Texts as they are, anything else as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """What a person, a chain step, a tag, an agent or an MCP client wants to have done."""

    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    as_text: bool = False
    """The arguments were written as text, in a tag: they are brought to the types the tool declares."""


# --- variables of a tool: texts that a person has set, and the values they stand for


def read_variables(tool: ToolDefinition, configured: Mapping[str, str]) -> dict[str, str]:
    """The variables a tool declares, set or by default. What is missing or wrong is told by name."""
    missing = [each for each in tool.environment if each.must_be_given and each.name not in configured]
    if missing:
        code = "MISSING_ENV_VAR" if tool.kind == "javascript" else "missing-variable"
        names = [each.name for each in missing]
        raise MissingVariableError(tool.id, names, code=code, service=missing[0].service)
    given = [each for each in tool.environment if each.name in configured]
    wrong = [each.name for each in given if not accepts_value(each, configured[each.name])]
    if wrong:
        code = "INVALID_ENV_VAR" if tool.kind == "javascript" else "wrong-variable"
        raise WrongVariableError(tool.id, wrong, code=code)
    with_default = [each for each in tool.environment if "default" in each.schema]
    defaults = {each.name: variable_text(each.schema["default"]) for each in with_default}
    return {**defaults, **{each.name: configured[each.name] for each in given}}


def accepts_value(variable: Parameter, value: str) -> bool:
    """Whether the tool's own schema accepts what the text stands for."""
    try:
        return Schema(variable.schema).accepts(read_text(value, variable.schema))
    except CannotConvertError:
        return False


def variable_text(value: JsonValue) -> str:
    """The text that stands for a value."""
    return value if isinstance(value, str) else json.dumps(value)
