"""A file ``NAME.tool.js`` becomes a tool definition.

What the file says about itself is found out by evaluating it in the plain sandbox: no modules, no
effects, a short time. Nothing of it gets a capability by being listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from tree_sitter import Node

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.npm_name import is_of_registry
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.problem import Problem
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tool import Example, NamedFailure, ToolDefinition
from paperagents.errors import SandboxError
from paperagents.reading.javascript_syntax import JavaScript, walk
from paperagents.reading.json_schema import NotASchemaError, Schema
from paperagents.reading.module_imports import as_function_body, imported_names
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.script_checks import check_module, report_syntax_errors
from paperagents.reading.tool_markdown import IDENTIFIER, id_of_file
from paperagents.sandbox import Limits, run_javascript
from paperagents.sandbox.tool_module import with_module

ENDING = ".tool.js"
REQUIRED_METHODS = ("getMetadata", "getSchema", "execute")
_LOADERS = ("require", "import", "importx", "loadModule", "api.importx", "this.api.importx")
_NODE_MODULES = frozenset({
    "assert", "async_hooks", "buffer", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
    "events", "fs", "http", "http2", "https", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring",
    "readline", "stream", "string_decoder", "sys", "timers", "tls", "tty", "url", "util", "v8", "vm", "zlib",
})  # fmt: skip
_NODE_PROCESSES = frozenset({"child_process", "cluster", "inspector", "module", "repl", "worker_threads"})
_SHOWN = 200
_LIMITS = Limits(seconds=1.0, memory_mb=64, output_mb=2)
_QUESTIONS = """
const has = name => typeof tool[name] === 'function';
const told = {}, failed = {};
for (const name of ['getMetadata', 'getSchema', 'getDependencies', 'getExamples']) {
  if (!has(name)) continue;
  try { told[name] = structuredClone(await tool[name]()); }
  catch (error) { failed[name] = String(error?.message ?? error); }
}
const described = ({ code, description, solution, retryable }) => ({ code: String(code),
  description: String(description ?? ''), solution: String(solution ?? ''), retryable: Boolean(retryable) });
let failures = [];
// What they match can be code of their own; a mistake in the list is told when it is needed.
try { if (has('getBusinessErrors')) failures = [...await tool.getBusinessErrors()].map(described); } catch {}
const methods = ['getMetadata', 'getSchema', 'execute'].filter(has);
return { told, failed, failures, methods };
"""


def read_tool_javascript(data: bytes, file: str) -> tuple[ToolDefinition | None, tuple[Problem, ...]]:
    """The definition, where the file can be understood, and everything wrong with it."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    problems = ProblemList(file, text.split("\n"))
    source = Excerpt(text=text, file=file)
    code = JavaScript(text)
    if report_syntax_errors(code, source, problems):
        return None, problems.in_order()
    runnable = replace(source, text=as_function_body(code))
    answers = _answers(runnable, problems)
    if answers is None:
        return None, problems.in_order()
    definition = _definition(answers, source, code, sha256(data).hexdigest(), problems)
    check_module(code, source, problems, confined=not definition.dependencies)
    definition = replace(definition, module=runnable)
    return definition, problems.in_order()


def _answers(source: Excerpt, problems: ProblemList) -> dict[str, Any] | None:
    """What the file answers when it is asked about itself."""
    try:
        answers = run_javascript(with_module(source, _QUESTIONS, packages="pretended"), limits=_LIMITS)
    except SandboxError as error:
        stack = error.details.get("stack") or [{}]
        line, column = stack[0].get("line") or 1, stack[0].get("column") or 1
        span = Span(line=line, column=column, end_line=line, end_column=column + 1)
        if error.code == "sandbox-syntax":
            problems.error("javascript-syntax", span, reason=error.details["message"])
        else:
            problems.error("tool-not-evaluated", span, reason=error.message)
        return None
    assert isinstance(answers, dict)
    return answers


def _definition(
    answers: dict[str, Any], source: Excerpt, code: JavaScript, digest: str, problems: ProblemList
) -> ToolDefinition:
    told: dict[str, Any] = answers["told"]
    _report_methods(answers, code, source, problems)
    metadata = _object(told, "getMetadata", code, source, problems)
    schema = _object(told, "getSchema", code, source, problems)
    dependencies = _object(told, "getDependencies", code, source, problems)
    identifier = _identifier(metadata.get("id"), _method_span(code, source, "getMetadata"), problems)
    flat = {key: value for key, value in schema.items() if key != "environment"}
    where = _method_span(code, source, "getSchema")
    arguments = _checked_schema(schema.get("parameters", flat), where, problems)
    environment = _checked_schema(schema.get("environment"), where, problems)
    _check_dependencies(identifier, dependencies, _method_span(code, source, "getDependencies"), problems)
    _check_requires(dependencies, code, source, problems)
    if not metadata.get("description"):
        problems.warning("missing-description", _method_span(code, source, "getMetadata"))
    return ToolDefinition(
        id=identifier,
        name=str(metadata.get("name") or identifier),
        kind="javascript",
        description=str(metadata.get("description") or ""),
        parameters=_parameters(arguments),
        # Clients of all kinds refuse a schema of arguments that does not say so.
        own_schema={"type": "object", "properties": {}, **arguments},
        environment=_parameters(environment),
        module=source,
        dependencies={str(name): str(version) for name, version in dependencies.items()},
        failures=tuple(NamedFailure(**each) for each in answers["failures"]),
        examples=_examples(told.get("getExamples")),
        version=_text(metadata.get("version")),
        category=_text(metadata.get("category")),
        tags=tuple(map(str, metadata["tags"])) if isinstance(metadata.get("tags"), list) else (),
        author=_text(metadata.get("author")),
        file=problems.file,
        span=_method_span(code, source, "getMetadata"),
        digest=digest,
    )


def _identifier(told: Any, span: Span, problems: ProblemList) -> str:
    """The id as told, else a slug of the file's stem."""
    written = str(told or "")
    if IDENTIFIER.fullmatch(written):
        return written
    if written:
        problems.error("invalid-id", span, id=written[:_SHOWN])
    return id_of_file(problems.file.rsplit("/", 1)[-1][: -len(ENDING)])


def _report_methods(answers: dict[str, Any], code: JavaScript, source: Excerpt, problems: ProblemList) -> None:
    for name in REQUIRED_METHODS:
        if name not in answers["methods"]:
            problems.error("missing-method", _method_span(code, source, "exports"), name=name)
    for name, reason in answers["failed"].items():
        problems.error("method-failed", _method_span(code, source, name), name=name, reason=reason)


def _object(
    told: Mapping[str, Any], method: str, code: JavaScript, source: Excerpt, problems: ProblemList
) -> dict[str, Any]:
    value = told.get(method)
    if isinstance(value, dict):
        return value
    if value is None and (method not in told or method != "getMetadata"):
        return {}
    problems.error("method-wrong-answer", _method_span(code, source, method), name=method)
    return {}


def _checked_schema(told: Any, span: Span, problems: ProblemList) -> dict[str, Any]:
    """The schema of an object, where it is one and its defaults fit; an empty one where nothing is told."""
    schema: dict[str, Any] = told if isinstance(told, dict) else {}
    try:
        # What is no schema at all is judged inside one.
        Schema(schema if told is None or schema else {"properties": {"getSchema": told}})
    except NotASchemaError as error:
        name = ".".join(map(str, error.path[-1:] if not schema else error.path)) or "getSchema"
        problems.error("invalid-schema", span, name=name, reason=error.reason)
        return {}
    for parameter in _parameters(schema):
        _check_default(parameter, schema, span, problems)
    return schema


def _check_default(parameter: Parameter, schema: Mapping[str, Any], span: Span, problems: ProblemList) -> None:
    default = parameter.schema.get("default")
    if default is None:
        return
    own = Schema({**schema, "required": [], "properties": {parameter.name: dict(parameter.schema)}})
    for violation in [each for each in own.violations({parameter.name: default}) if each.path][:1]:
        problems.error("invalid-default", span, name=parameter.name, reason=violation.message)


def _check_dependencies(tool: str, dependencies: Mapping[str, Any], span: Span, problems: ProblemList) -> None:
    for name, wanted in dependencies.items():
        if not is_of_registry(name, str(wanted)):
            problems.error("npm-name", span, tool=tool, name=f"{name}@{wanted}"[:_SHOWN])


def _check_requires(dependencies: Mapping[str, Any], code: JavaScript, source: Excerpt, problems: ProblemList) -> None:
    """Packages that are loaded by a fixed name must be declared; what Node brings along needs no declaration."""
    for node in (*_loaded_names(code), *imported_names(code)):
        name = code.text(node)[1:-1]
        built_in = name.startswith("node:") or (bool(dependencies) and name.partition("/")[0] in _NODE_MODULES)
        if _package(name) not in dependencies and not built_in:
            found = code.finding(node, name)
            case = _kind_of_node_module(name.partition("/")[0])
            problems.error("undeclared-dependency", source.span(found.start, found.end), name=name, case=case)


def _kind_of_node_module(name: str) -> str | None:
    """Declaring one of these would bring a package that happens to have its name."""
    return "node" if name in _NODE_MODULES else "process" if name in _NODE_PROCESSES else None


def _loaded_names(code: JavaScript) -> Iterator[Node]:
    for node in walk(code.root):
        if node.type != "call_expression":
            continue
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        loads = function is not None and code.text(function) in _LOADERS
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        if loads and first is not None and first.type == "string":
            yield first


def _package(name: str) -> str:
    """``lodash/fp`` belongs to ``lodash``, ``@scope/name/x`` to ``@scope/name``."""
    return "/".join(name.split("/")[: 2 if name.startswith("@") else 1])


def _parameters(schema: Mapping[str, Any]) -> tuple[Parameter, ...]:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict):
        return ()
    named = required if isinstance(required, list) else []
    return tuple(
        Parameter(name=name, schema=value if isinstance(value, dict) else {}, required=name in named)
        for name, value in properties.items()
    )


def _examples(told: Any) -> tuple[Example, ...]:
    found = [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []
    return tuple(
        Example(
            input=_mapping(each.get("input")),
            name=_text(each.get("name")),
            expects={key: each[key] for key in ("output", "output_contains", "error") if key in each},
            responses=_mapping(each.get("responses")),
        )
        for each in found
    )


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _method_span(code: JavaScript, source: Excerpt, name: str) -> Span:
    """Where the file names a method; its first line where it does not."""
    for node in walk(code.root):
        if node.type in ("property_identifier", "identifier") and code.text(node) == name:
            found = code.finding(node, name)
            return source.span(found.start, found.end)
    return Span(line=1, column=1, end_line=1, end_column=2)
