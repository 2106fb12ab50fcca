"""The ``parameters`` of a tool file: names, types, defaults, and any keyword of JSON Schema."""

from __future__ import annotations

import json

from paperagents.definitions.closest import misspelt
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.parameter import TYPES, Parameter
from paperagents.reading.fields import Fields, report_choice
from paperagents.reading.json_schema import NotASchemaError, compiled
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

SHADOWED = ("date", "time", "random_id", "input", "preprocess", "prev_step", "steps", "env")
LOOP_VALUES = ("item", "index")
PARAMETER_FIELDS = ("name", "type", "description", "required", "default")
_USUAL_NAMES = {
    "str": "string", "text": "string", "int": "integer", "float": "number", "double": "number", "bool": "boolean",
    "list": "array", "dict": "object", "map": "object", "json": "object",
}  # fmt: skip
_TYPELESS = ("enum", "const", "oneOf", "anyOf", "allOf", "$ref")
_KEYWORDS = (
    "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
    "maxLength", "pattern", "format", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains",
    "properties", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "oneOf", "anyOf", "allOf", "not", "title", "examples", "readOnly", "writeOnly", "deprecated",
)  # fmt: skip


def read_parameters(nodes: YamlSequence | None, problems: ProblemList) -> tuple[Parameter, ...]:
    """Every parameter that can be understood; the others are problems."""
    parameters: dict[str, Parameter] = {}
    first_seen: dict[str, int] = {}
    for node in nodes.items if nodes is not None else ():
        if not isinstance(node, YamlMapping):
            problems.error("wrong-type", node.span, field="parameters", case="mappings")
            continue
        parameter = _parameter(node, problems)
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


def _parameter(node: YamlMapping, problems: ProblemList) -> Parameter | None:
    fields = Fields(node, problems)
    name = fields.word("name")
    if fields.is_blank("name"):
        span = node.span if name is None else node.key("name").span
        problems.error("missing-field", span, field="name", case="parameter")
    if name is None or not name.strip():
        return None
    if name in SHADOWED:
        problems.warning("shadowed-placeholder", node.entries["name"][1].span, name=name)
    fields.text("description")
    if fields.is_blank("description"):
        span = node.key("description").span if "description" in node.entries else node.entries["name"][1].span
        problems.warning("missing-description", span, name=name, case="parameter")
    fields.warn_of_slips((*PARAMETER_FIELDS, *_KEYWORDS))
    _check_type(name, node, problems)
    required_list = isinstance(node.get("required"), YamlSequence)
    schema = _schema(node, keep_required=required_list)
    _check_schema(name, schema, node, problems)
    required = True if required_list else fields.boolean("required", default=True)
    null_default = "default" in node.entries and schema.get("default") is None and not _allows_null(schema)
    if null_default:
        # Written out, "default: null" says what leaving it out says: nothing is given.
        schema.pop("default")
        required = False
    return Parameter(name=name, schema=schema, required=required)


def _check_type(name: str, node: YamlMapping, problems: ProblemList) -> None:
    written = node.get("type")
    if written is None:
        if not any(keyword in node.entries for keyword in _TYPELESS):
            problems.error("missing-field", node.entries["name"][1].span, field="type", case="type", name=name)
        return
    for each in written.items if isinstance(written, YamlSequence) else [written]:
        if not isinstance(each, YamlScalar) or each.raw not in (*TYPES, "null"):
            _report_type(each, problems)


def _report_type(node: YamlNode, problems: ProblemList) -> None:
    value = node.raw if isinstance(node, YamlScalar) else str(node.plain())
    meant = _USUAL_NAMES.get(value.casefold()) or misspelt(value, TYPES)
    report_choice(node, problems, field="type", options=TYPES, meant=meant)


def _schema(node: YamlMapping, *, keep_required: bool) -> JsonObject:
    left_out = {"name"} if keep_required else {"name", "required"}
    schema = {key: value for key, value in node.plain().items() if key not in left_out}
    if isinstance(node.get("type"), YamlScalar) and schema.get("type") is None:
        schema["type"] = "null"
    return schema


def _check_schema(name: str, schema: JsonObject, node: YamlMapping, problems: ProblemList) -> None:
    """Whether it is a schema, and whether its own default fits."""
    schema = {key: value for key, value in schema.items() if key != "description"}
    telling = set(schema) - {"type"}
    if not telling or (schema.get("type") not in (*TYPES, None) and not isinstance(schema.get("type"), list)):
        return
    if telling == {"default"} and _fits_simply(schema["default"], schema.get("type")):
        return
    try:
        checked = compiled(json.dumps(schema))
    except NotASchemaError as error:
        problems.error("invalid-schema", _node_at(node, error.path).span, name=name, reason=error.reason)
        return
    default = schema.get("default")
    if "default" in schema and default is not None:
        for violation in checked.violations(default)[:1]:
            problems.error("invalid-default", node.entries["default"][1].span, name=name, reason=violation.message)


def _fits_simply(value: JsonValue, kind: JsonValue) -> bool:
    """The common cases, judged without loading the schema library."""
    if value is None or (kind == "string" and isinstance(value, str)):
        return True
    return isinstance(value, bool) if kind == "boolean" else kind == "integer" and type(value) is int


def _node_at(node: YamlMapping, path: tuple[str | int, ...]) -> YamlNode:
    found: YamlNode = node
    for segment in path:
        if isinstance(found, YamlMapping) and (below := found.get(str(segment))) is not None:
            found = below
        elif isinstance(found, YamlSequence) and isinstance(segment, int) and segment < len(found.items):
            found = found.items[segment]
        else:
            break
    return found


def _allows_null(schema: JsonObject) -> bool:
    kind = schema.get("type")
    allowed = schema.get("enum")
    return (
        kind == "null" or (isinstance(kind, list) and "null" in kind) or (isinstance(allowed, list) and None in allowed)
    )
