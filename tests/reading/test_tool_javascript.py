"""Tools that are one JavaScript file: what they say about themselves, and what is wrong with them."""

from __future__ import annotations

import json
import re

import pytest

from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.messages import in_language
from paperagents.reading.files import read_script
from paperagents.registry.manual import manual

GOOD = """\
module.exports = {
  getMetadata() { return { id: 'my-tool', name: '我的工具', description: '简单实用的工具', version: '1.0.0' }; },
  getSchema() {
    return {
      parameters: { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] },
      environment: { type: 'object', required: ['API_KEY'],
        properties: { API_KEY: { type: 'string' }, TIMEOUT: { type: 'number', default: 5 } } },
    };
  },
  async execute(params) { return params.text.toUpperCase(); },
};
"""


def read(code: str) -> FileReading:
    return read_script(code.encode(), "tools/odd.tool.js")


def problems(code: str) -> list[str]:
    return [f"{each.span.line}:{each.span.column} {each.severity} {each.code}" for each in read(code).problems]


def definition(code: str) -> ToolDefinition:
    found = read(code).definition
    assert isinstance(found, ToolDefinition)
    return found


def test_a_tool_says_who_it_is_and_what_it_wants() -> None:
    tool = definition(GOOD)
    assert (tool.id, tool.name, tool.description, tool.version) == ("my-tool", "我的工具", "简单实用的工具", "1.0.0")
    assert tool.schema["required"] == ["text"]
    assert [(each.name, each.must_be_given) for each in tool.environment] == [("API_KEY", True), ("TIMEOUT", False)]
    assert problems(GOOD) == []


FAILURES = """[
    { code: 'API_RATE_LIMIT', description: 'API调用频率超限', match: /limit/i, solution: '1 | 2', retryable: true },
    { code: 'FILE_NOT_FOUND', match: error => error.code === 'ENOENT' },
]"""


def with_failures(failures: str) -> str:
    return GOOD.replace("  async execute", f"  getBusinessErrors() {{ return {failures}; }},\n  async execute")


def test_the_manual_names_the_failures_that_a_tool_knows() -> None:
    code = with_failures(FAILURES)
    with in_language("en"):
        page = manual(definition(code))
    assert problems(code) == []
    assert "| `API_RATE_LIMIT` | API调用频率超限 | 1 \\| 2 | yes |\n| `FILE_NOT_FOUND` |  |  | no |\n" in page


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ("null", []),
        ("5", ["10:3 warning method-wrong-answer"]),
        ("{ code: 'A' }", ["10:3 warning method-wrong-answer"]),
        ("[null, { code: 'A' }, { match: /x/ }]", ["10:3 warning method-wrong-answer"]),
        ("[{ get code() { throw 5; } }]", ["10:3 warning method-failed"]),
        ("this.api.errors", ["10:3 warning method-failed"]),
    ],
)
def test_failures_that_cannot_be_told_are_reported_and_the_tool_works(failures: str, expected: list[str]) -> None:
    code = with_failures(failures)
    assert problems(code) == expected
    assert [each.code for each in definition(code).failures] == (["A"] if failures.startswith("[null") else [])


@pytest.mark.parametrize(
    "form",
    [
        "export default { METHODS };",
        "export default{ METHODS };",
        "  export   default\n\n{ METHODS };",
        "'use strict'; export default { METHODS };",
        "const text = `\nexport default {\n`; export default { METHODS };",
        "export { tool as default };\nconst tool = { METHODS };",
        "#!/usr/bin/env node\nmodule.exports = { METHODS };",
        "module.exports = Object.freeze({ METHODS });",
        "const tool = { METHODS };\nmodule.exports = tool;",
        "class Tool { METHODS }\nmodule.exports = Tool;",
        "module.exports.default = { METHODS };",
    ],
)
def test_every_way_to_export_is_understood(form: str) -> None:
    methods = "getMetadata() { return { name: 'n', description: 'd' } } SEP getSchema() { return {} } SEP execute() {}"
    code = form.replace("METHODS", methods.replace(" SEP", "" if "class" in form else ","))
    assert (definition(code).name, definition(code).id, problems(code)) == ("n", "odd", [])


def test_methods_can_be_exported_one_by_one() -> None:
    code = "exports.getMetadata = () => ({ name: 'n', description: 'd' });\nexports.getSchema = () => ({});"
    code += "\nexports.execute = () => 1;"
    assert problems(code) == []


def test_functions_can_be_exported_one_by_one() -> None:
    code = "export function getMetadata() { return { name: NAME, description: 'd' }; }\nconst NAME = 'n';"
    code += "\nexport const getSchema = () => ({});\nasync function run() {}\nexport { run as execute };"
    assert (definition(code).name, problems(code)) == ("n", [])


def test_a_file_with_letters_that_no_id_has_gets_an_id_all_the_same() -> None:
    reading = read_script(GOOD.replace("id: 'my-tool',", "").encode(), "tools/工具.tool.js")
    assert reading.problems == ()
    assert isinstance(reading.definition, ToolDefinition)
    assert re.fullmatch("tool-[0-9a-f]{12}", reading.definition.id)


def test_a_text_that_looks_like_an_export_stays_as_it_is() -> None:
    code = "const NAME = `\nexport default {\n`;\n" + GOOD.replace("'简单实用的工具'", "NAME")
    assert definition(code).description == "\nexport default {\n"


def test_a_flat_schema_is_the_schema_of_the_arguments() -> None:
    flat = "{ type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false }"
    code = GOOD.replace(GOOD[GOOD.index("return {\n") : GOOD.index("    };\n") + 6], f"return {flat};")
    assert definition(code).schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("module.exports = {\n  execute( { }\n};", ["2:10 error javascript-syntax"]),
        ("exports.getMetadata = () => ({ name: 'n', description: 'd' });", ["1:1 error missing-method"] * 2),
        (GOOD.replace("return { id", "throw 'no'; return { id"), ["2:3 error method-failed"]),
        (re.sub("return { id.*}; },", "return 5; },", GOOD), ["2:3 error method-wrong-answer"]),
        (GOOD.replace("type: 'string', minLength: 1", "type: 'strin'"), ["3:3 error invalid-schema"]),
        (GOOD.replace("'my-tool'", "'my tool'"), ["2:3 error invalid-id"]),
        (GOOD.replace("name: '我的工具', ", ""), ["2:3 warning missing-field"]),
        (GOOD.replace("async execute(params)", "execute: 5, other(params)"), ["10:3 error wrong-type"]),
        (GOOD.replace("async execute", "init: 5, cleanup: 'no', getBridges: null, async execute"),
         ["10:3 error wrong-type", "10:12 error wrong-type"]),
        (GOOD.replace("async execute", "getExamples() { return 'x'; }, async execute"),
         ["10:3 error method-wrong-answer"]),
        (GOOD.replace("async execute", "getExamples() { return [5]; }, async execute"),
         ["10:3 error method-wrong-answer"]),
        (GOOD.replace("type: 'object', properties: { text: { type: 'string', minLength: 1 } }",
                      "type: 'objekt', properties: { text: { type: 'strng' }, b: { minimum: 'x' } }"),
         ["3:3 error invalid-schema"] * 3),
        (GOOD.replace("'number', default: 5", "'numbr'"), ["3:3 error invalid-schema"]),
        (GOOD.replace("'number', default: 5", "'number', default: 'x'"), ["3:3 error invalid-default"]),
        (GOOD.replace("minLength: 1", "minLength: 9, default: 'short'"), ["3:3 error invalid-default"]),
        (re.sub("parameters: {.*},", "parameters: ['text'],", GOOD), ["3:3 error invalid-schema"]),
        (re.sub("return { id.*}; },", "return null; },", GOOD), ["2:3 error method-wrong-answer"]),
        (GOOD.replace("{ return params", "{ const x; return params"), ["10:33 error javascript-syntax"]),
        (GOOD.replace("{ return params", "{ return 08n; return params"), ["10:34 error javascript-syntax"]),
        (GOOD.replace("{ return params", "{ eval('1'); return params"), ["10:27 warning forbidden-javascript"]),
        (GOOD.replace("{ return params", "{ while (true) {} return params"), ["10:27 warning endless-loop"]),
        (GOOD.replace("{ return params", "{ require('lodash'); return params"), ["10:35 error undeclared-dependency"]),
        ("const path = require('path'), crypto = require('node:crypto');\n" + GOOD, []),
        ("require('child_process');\n" + GOOD, ["1:9 error undeclared-dependency"]),
        (GOOD.replace("getSchema", "getDependencies() { return { x: 'git:x' }; }, getSchema"), ["3:3 error npm-name"]),
        ("\nthrow new Error('boom');", ["2:11 error tool-not-evaluated"]),
    ],
)  # fmt: skip
def test_a_mistake_is_told_where_it_is(code: str, expected: list[str]) -> None:
    assert problems(code) == expected


METADATA = re.compile("return { id.*}; },")


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("name: 7", ["wrong-type"]),
        ("description: ['x']", ["wrong-type"]),
        ("id: true", ["wrong-type"]),
        ("id: 42, version: 2, author: 'a', category: 'c', tags: ['a', 1], timeout: 0.5, approval: 'always'", []),
        ("tags: 'a', author: null", []),
        ("version: [2], author: { n: 1 }, category: true, tags: [{}]", ["wrong-type"] * 4),
        ("timeout: '5', approval: true", ["wrong-type"] * 2),
        ("timeout: 0, approval: 'alwys'", ["invalid-value"] * 2),
    ],
)
def test_every_field_of_its_metadata_has_a_type(field: str, expected: list[str]) -> None:
    code = METADATA.sub(f"return {{ name: 'n', description: 'd', {field} }}; }},", GOOD)
    assert problems(code) == [f"2:3 error {each}" for each in expected]


def test_a_missing_description_is_told_with_where_it_belongs() -> None:
    (found,) = read(GOOD.replace(" description: '简单实用的工具',", "")).problems
    assert (found.code, "getMetadata()" in str(found.hint)) == ("missing-description", True)


def test_it_can_ask_for_approval_and_for_less_time() -> None:
    told = "return { name: 'n', description: 'd', approval: 'always', timeout: 2, tags: 'one' }; },"
    tool = definition(METADATA.sub(told, GOOD))
    assert (tool.approval, tool.timeout, tool.tags) == ("always", 2, ("one",))


@pytest.mark.parametrize(
    ("written", "slip", "meant"),
    [
        ("description:", "descripton:", "description"),
        ("getSchema() {", "getBussinessErrors() { return []; },\n  getSchema() {", "getBusinessErrors"),
        ("getSchema() {", "getDependancies: {},\n  getSchema() {", "getDependencies"),
        ("getSchema() {", "cleanUp() {},\n  getSchema() {", "cleanup"),
        ("parameters:", "parameter:", "parameters"),
        ("environment: { type: 'object', required: ['API_KEY'],", "enviroment: {", "environment"),
        ("API_KEY: { type: 'string' }, TIMEOUT: { type: 'number', default: 5 } }", "}, KEY: {}", None),
        ("getSchema() {", "unit() {}, clean() {}, getSchemas() {}, executes() {},\n  getSchema() {", None),
        ("id: 'my-tool',", "id: 'my-tool', scenarios: [], names: 1,", None),
    ],
)
def test_a_slip_in_a_known_name_is_told(written: str, slip: str, meant: str | None) -> None:
    code = GOOD.replace(written, slip)
    found = [each for each in read(code).problems if each.code == "unknown-field"]
    assert code != GOOD
    assert [each.values["suggestion"] for each in found] == ([meant] if meant else [])
    assert all(each.severity == "warning" and each.values["field"] in slip for each in found)


@pytest.mark.parametrize("part", ["environment", "parameters"])
def test_what_is_described_beside_the_properties_is_told(part: str) -> None:
    told = f"return {{ {part}: {{ $defs: {{}}, KEY: {{ type: 'string' }} }} }};"
    code = GOOD.replace(GOOD[GOOD.index("return {\n") : GOOD.index("    };\n") + 6], told)
    (found,) = read(code).problems
    assert (found.code, found.severity, found.values["field"]) == ("unknown-field", "warning", "KEY")
    assert found.values["suggestion"] == "properties: { KEY: … }"


@pytest.mark.parametrize(
    ("inner", "names"),
    [
        ("x: { type: 'integer', default: 'bad' }", ["text.x"]),
        ("x: { type: 'integer', default: 1 }, default: { type: 'string' }", []),
        ("x: { properties: { y: { $ref: '#/$defs/whole', default: 'bad' } } }, z: { default: 5, enum: [6] }",
         ["text.x.y", "text.z"]),
        ("x: { $ref: '#/properties/text/properties/z', default: 'bad' }, z: { type: 'integer' }", ["text.x"]),
    ],
)  # fmt: skip
def test_a_default_is_judged_however_deep_it_stands(inner: str, names: list[str]) -> None:
    deep = f"type: 'object', properties: {{ {inner} }}"
    code = GOOD.replace("type: 'string', minLength: 1", deep)
    code = code.replace("parameters: {", "parameters: { $defs: { whole: { type: 'integer' } },")
    found = read(code).problems
    assert [(each.code, each.values["name"]) for each in found] == [("invalid-default", name) for name in names]


def test_a_file_that_is_not_utf8_is_told_and_not_used() -> None:
    reading = read_script(GOOD.replace("我的工具", "Grüße").encode("latin-1", "replace"), "t.tool.js")
    assert not reading.valid
    (found,) = reading.problems
    assert (found.code, found.span.line, found.values["byte"]) == ("not-utf8", 2, "0xfc")


def test_defaults_are_judged_with_what_the_whole_schema_defines() -> None:
    numbers = "$defs: { whole: { type: 'integer' } }, properties: { text: { $ref: '#/$defs/whole', default: 3 }, "
    code = GOOD.replace("properties: { text:", f"anyOf: [{{ required: ['text'] }}], {numbers} old:")
    assert problems(code) == []
    assert problems(code.replace("default: 3", "default: 'x'")) == ["3:3 error invalid-default"]


def test_a_parameter_is_what_it_refers_to() -> None:
    schema = """parameters: { type: 'object', required: ['count'], properties: { count: { $ref: '#/$defs/count' },
      page: { $ref: '#/$defs/page' }, odd: { $ref: '#/$defs/odd' } }, $defs: { count: { type: 'integer', default: 3 },
      page: { type: 'object', properties: { size: { $ref: '#/$defs/count' } } }, odd: { $ref: '#/$defs/odd' } } },"""
    code = GOOD.replace(GOOD[GOOD.index("parameters:") : GOOD.index("\n      environment")], schema)
    assert problems(code) == []
    tool = definition(code)
    count = tool.parameters[0]
    assert (count.schema["type"], count.must_be_given) == ("integer", False)
    assert validate_arguments(tool, {"page": {}}) == {"count": 3, "page": {"size": 3}}


@pytest.mark.parametrize(
    ("told", "properties"),
    [("{}", {}), ("{ parameters: {} }", {}), ("{ properties: { a: {} } }", {"a": {}}), ("null", {})],
)
def test_the_schema_of_the_arguments_is_always_that_of_an_object(told: str, properties: JsonObject) -> None:
    tool = definition(GOOD.replace(GOOD[GOOD.index("return {\n") : GOOD.index("    };\n") + 6], f"return {told};"))
    assert tool.schema == {"type": "object", "properties": properties}


def test_a_flat_schema_may_name_an_environment_too() -> None:
    flat = "return { properties: { a: {} }, environment: { properties: { KEY: { type: 'string' } } } };"
    tool = definition(GOOD.replace(GOOD[GOOD.index("return {\n") : GOOD.index("    };\n") + 6], flat))
    assert ([each.name for each in tool.parameters], [each.name for each in tool.environment]) == (["a"], ["KEY"])


@pytest.mark.parametrize(
    ("name", "hint"), [("lodash", "getDependencies"), ("child_process", "may not start processes")]
)
def test_the_hint_knows_the_modules_of_node(name: str, hint: str) -> None:
    with in_language("en"):
        reading = read_script(f"require('{name}');\n{GOOD}".encode(), "t.tool.js")
        assert hint in str(reading.problems[0].hint)


def test_a_declared_package_may_be_loaded_inside_execute() -> None:
    code = GOOD.replace("{ return params", "{ const x = require('@scope/name/sub'); return params")
    code = code.replace("  getSchema()", "  getDependencies() { return { '@scope/name': '^1.0.0' }; },\n  getSchema()")
    assert problems(code) == []
    assert definition(code).dependencies == {"@scope/name": "^1.0.0"}


@pytest.mark.parametrize(
    "code",
    [
        "while (true) {}",
        "module.exports = { getMetadata() { for (;;); } };",
        "const a = []; for (;;) a.push(new Array(1e6));",
        "process.exit(1);",
        "import('node:fs').then(fs => fs.writeFileSync('/tmp/x', 'y')); module.exports = {};",
        "[].constructor.constructor('return this')().x = 1;",
        "module.exports = 7;",
        "module.exports = null;",
    ],
)
def test_looking_at_a_hostile_file_gives_it_nothing(code: str) -> None:
    reading = read(code)
    assert not reading.valid
    assert all(each.severity for each in reading.problems)


def test_any_bytes_can_be_looked_at() -> None:
    for data in (b"", b"\xff\xfe\x00", b"\xef\xbb\xbfmodule.exports = {", b"\r\n\r\n}", "😀".encode() * 50):
        reading = read_script(data, "x.tool.js")
        assert not reading.valid
        assert reading.problems


def test_a_default_that_is_null_is_none_unless_null_is_a_value() -> None:
    inner = "{ type: 'object', properties: { d: { type: 'number', default: null } } }"
    parameters = f"a: {{ type: 'string', default: null }}, b: {{ type: ['string', 'null'], default: null }}, c: {inner}"
    code = (
        "module.exports = { getMetadata() { return { name: 'n', description: 'd' } }, execute() {}, "
        f"getSchema() {{ return {{ parameters: {{ type: 'object', properties: {{ {parameters} }} }} }} }} }};"
    )
    assert problems(code) == []
    kept = [json.dumps(each.schema) for each in definition(code).parameters]
    assert ["default" in each for each in kept] == [False, True, False]
