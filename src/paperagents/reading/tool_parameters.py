"""The ``parameters`` of a tool file: names, types, defaults, and any keyword of JSON Schema."""

from __future__ import annotations

import json

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.text import guess_name
from paperagents.definitions.tool import TYPES, Parameter, declared_types
from paperagents.reading.fields import Fields, report_choice
from paperagents.reading.json_schema import (
    NotASchemaError,
    compile_schema,
    drop_null_defaults,
    find_schema_mistakes,
    find_wrong_defaults,
)
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

SHADOWED = ("date", "time", "random_id", "input", "preprocess", "prev_step", "steps", "env")
LOOP_VALUES = ("item", "index")
PARAMETER_FIELDS = ("name", "type", "description", "required", "default")
_USUAL_NAMES = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "list": "array", "dict": "object", "map": "object", "json": "object",
}  # fmt: skip
_TYPELESS = ("enum", "const", "oneOf", "anyOf", "allOf", "$ref")
KEYWORDS = (
    "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "format", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains",
    "properties", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "oneOf", "anyOf", "allOf", "not", "title", "examples", "readOnly", "writeOnly", "deprecated",
)  # fmt: skip


def read_parameters(
    nodes: YamlSequence | None, problems: ProblemList, *, more_fields: tuple[str, ...] = ()
) -> tuple[Parameter, ...]:
    """Every parameter that can be understood; the others are problems."""
    parameters: dict[str, Parameter] = {}
    first_seen: dict[str, int] = {}
    for node in nodes.items if nodes is not None else ():
        if not isinstance(node, YamlMapping):
            problems.error("wrong-type", node.span, field="parameters", case="mappings")
            continue
        parameter = read_parameter(node, problems, more_fields)
        if parameter is None:
            continue
        span = node.entries["name"][1].span
        if parameter.name in parameters:
            line = first_seen[parameter.name]
            problems.error("duplicate-parameter", span, name=parameter.name, line=line)
            continue
        parameters[parameter.name] = parameter
        first_seen[parameter.name] = span.line
    return tuple(parameters.values())


def warn_of_loop_values(nodes: YamlNode | None, problems: ProblemList) -> None:
    """Where a step is repeated, ``item`` and ``index`` are its values and hide arguments of that name."""
    for node in nodes.items if isinstance(nodes, YamlSequence) else ():
        name = node.get("name") if isinstance(node, YamlMapping) else None
        if isinstance(name, YamlScalar) and name.raw in LOOP_VALUES:
            problems.warning("shadowed-placeholder", name.span, name=name.raw)


def read_parameter(node: YamlMapping, problems: ProblemList, more_fields: tuple[str, ...] = ()) -> Parameter | None:
    """One parameter; None where it has no name."""
    fields = Fields(node, problems)
    fields.warn_of_slips((*PARAMETER_FIELDS, *KEYWORDS, *more_fields))
    name = fields.word("name")
    if fields.is_blank("name"):
        span = node.span if name is None else node.key("name").span
        problems.error("missing-field", span, field="name", case="parameter")
    if name is None or not name.strip():
        return None
    if name in SHADOWED:
        problems.warning("shadowed-placeholder", node.entries["name"][1].span, name=name)
    fields.text("description")
    if fields.is_blank("description") and "description" not in fields.slips:
        span = node.key("description").span if "description" in node.entries else node.entries["name"][1].span
        problems.warning("missing-description", span, name=name, case="parameter")
    known = check_type(name, node, problems)
    required_list = isinstance(node.get("required"), YamlSequence)
    schema = drop_null_defaults(_schema(node, keep_required=required_list))
    judged = {key: value for key, value in schema.items() if key != "description" and (known or key != "type")}
    check_schema(name, judged, node, problems)
    required = True if required_list else fields.boolean("required", default=True)
    null_default = "default" in node.entries and schema.get("default") is None and not allows_null(schema)
    if null_default:
        # Written out, "default: null" says what leaving it out says: nothing is given.
        schema.pop("default")
        required = False
    return Parameter(name=name, schema=schema, required=required)


def check_type(name: str, node: YamlMapping, problems: ProblemList) -> bool:
    """Whether every type that is named is known."""
    written = node.get("type")
    if written is None or written.plain() in (None, []):
        if written is not None or not any(keyword in node.entries for keyword in _TYPELESS):
            span = node.entries["name"][1].span if written is None else node.key("type").span
            problems.error("missing-field", span, field="type", case="type", name=name)
        return True
    named = written.items if isinstance(written, YamlSequence) else [written]
    unknown = [each for each in named if not isinstance(each, YamlScalar) or each.raw not in (*TYPES, "null")]
    for each in unknown:
        value = each.raw if isinstance(each, YamlScalar) else str(each.plain())
        meant = _USUAL_NAMES.get(value.casefold()) or guess_name(value, TYPES)
        report_choice(each, problems, field="type", options=TYPES, meant=meant)
    return not unknown


def _schema(node: YamlMapping, *, keep_required: bool) -> JsonObject:
    left_out = {"name"} if keep_required else {"name", "required"}
    schema = {key: value for key, value in node.plain().items() if key not in left_out}
    kinds = schema.get("type")
    if kinds in (None, []):
        schema.pop("type", None)
    elif isinstance(kinds, list):
        # Among others, the type of null is written without quotes, too.
        schema["type"] = ["null" if kind is None else kind for kind in kinds]
    return schema


def check_schema(name: str, schema: JsonObject, node: YamlMapping, problems: ProblemList) -> None:
    """Whether it is a schema, and whether its own default fits what is right of it."""
    kind, telling = schema.get("type"), set(schema) - {"type"}
    if not telling and not isinstance(kind, list):
        return
    # Most parameters say no more: they are judged without loading the schema library.
    if telling == {"default"} and fits_plainly(schema["default"], kind):
        return
    mistakes = find_schema_mistakes(json.dumps(schema))
    for mistake in mistakes:
        problems.error("invalid-schema", find_node(node, mistake.path).span, name=name, reason=mistake.reason)
    for names, violation in find_wrong_defaults(schema) if not mistakes else ():
        path = (*(segment for each in names for segment in ("properties", each)), "default")
        inner = ".".join((name, *names))
        problems.error("invalid-default", find_node(node, path).span, name=inner, reason=violation.rule)
    if schema.get("default") is not None:
        wrong = {segment for mistake in mistakes for segment in mistake.path[:1]}
        _check_default(name, {key: value for key, value in schema.items() if key not in wrong}, node, problems)


def _check_default(name: str, schema: JsonObject, node: YamlMapping, problems: ProblemList) -> None:
    try:
        violations = compile_schema(json.dumps(schema)).violations(schema["default"])
    except NotASchemaError:
        return  # Told before; a reference may also lead to what was wrong.
    for violation in violations[:1]:
        problems.error("invalid-default", node.entries["default"][1].span, name=name, reason=violation.rule)


def fits_plainly(value: JsonValue, kind: JsonValue) -> bool:
    """The common cases, judged without loading the schema library."""
    if value is None or (kind == "string" and isinstance(value, str)):
        return True
    return isinstance(value, bool) if kind == "boolean" else kind == "integer" and type(value) is int


def find_node(node: YamlMapping, path: tuple[str | int, ...]) -> YamlNode:
    """The node at a path, or the nearest one around it that is written."""
    found: YamlNode = node
    for segment in path:
        if isinstance(found, YamlMapping) and (below := found.get(str(segment))) is not None:
            found = below
        elif isinstance(found, YamlSequence) and isinstance(segment, int) and segment < len(found.items):
            found = found.items[segment]
        else:
            break
    return found


def allows_null(schema: JsonObject) -> bool:
    """Whether null is one of the values."""
    allowed = schema.get("enum")
    return "null" in declared_types(schema) or (isinstance(allowed, list) and None in allowed)
