"""A file ``NAME.tool.js`` becomes a tool definition.

What the file says about itself is found out by evaluating it in the plain sandbox: no modules, no
effects, a short time. Nothing of it gets a capability by being listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Excerpt, Problem, Span
from paperagents.definitions.text import is_registry_package
from paperagents.definitions.tool import Example, NamedFailure, ToolDefinition
from paperagents.errors import SandboxError, ScriptSyntaxError
from paperagents.reading.fields import LONG_NAME
from paperagents.reading.javascript_checks import check_module, report_syntax_errors
from paperagents.reading.javascript_modules import find_loaded_modules, to_function_body
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.problems import ProblemList, check_encoding, decode_text
from paperagents.reading.tool_javascript_fields import (
    SHOWN,
    Metadata,
    Places,
    parameters_of,
    read_schemas,
    warn_of_slips,
)
from paperagents.reading.tool_markdown import IDENTIFIER, id_of_file
from paperagents.sandbox import Limits, run_javascript
from paperagents.sandbox.values import with_module

ENDING = ".tool.js"
REQUIRED_METHODS = ("getMetadata", "getSchema", "execute")
METHODS = (
    *REQUIRED_METHODS, "getDependencies", "getBusinessErrors", "getExamples", "getBridges", "getMockArgs", "init",
    "cleanup",
)  # fmt: skip
_LIMITS = Limits(seconds=1.0, memory_mb=64, output_mb=2)
_QUESTIONS = """
const has = name => typeof tool[name] === 'function', told = {}, failed = {};
const ask = async (name, take) => {
  if (!has(name)) return;
  try { told[name] = take(await tool[name]()); } catch (error) { failed[name] = String(error?.message ?? error); }
};
for (const name of ['getMetadata', 'getSchema', 'getDependencies', 'getExamples']) await ask(name, structuredClone);
// What they match can be code of their own, which cannot be told.
const described = ({ code, description, solution, retryable }) => ({ code: String(code),
  description: String(description ?? ''), solution: String(solution ?? ''), retryable: Boolean(retryable) });
const all = list => list.map(each => each?.code == null ? null : described(each));
await ask('getBusinessErrors', list => Array.isArray(list) ? all(list) : list == null ? [] : [null]);
const names = new Set();
for (let each = tool; each && each !== Object.prototype; each = Object.getPrototypeOf(each))
  for (const name of Object.getOwnPropertyNames(each)) if (name.length < 100 && names.size < 1000) names.add(name);
const methods = known_.filter(has), odd = known_.filter(name => tool[name] != null && !has(name));
return { told, failed, methods, odd, names: [...names] };
"""


def read_tool_javascript(data: bytes, file: str) -> tuple[ToolDefinition | None, tuple[Problem, ...]]:
    """The definition, where the file can be understood, and everything wrong with it."""
    text = decode_text(data)
    problems = ProblemList(file, text.split("\n"))
    check_encoding(data, problems)
    source = Excerpt(text=text, file=file)
    code = JavaScript(text)
    if report_syntax_errors(code, source, problems):
        return None, problems.in_order()
    runnable = replace(source, text=to_function_body(code))
    answers = ask_tool(runnable, problems)
    if answers is None:
        return None, problems.in_order()
    definition = _definition(answers, source, code, sha256(data).hexdigest(), problems)
    check_module(code, source, problems, confined=not definition.needs_deno)
    definition = replace(definition, module=runnable)
    return definition, problems.in_order()


def ask_tool(source: Excerpt, problems: ProblemList) -> dict[str, Any] | None:
    """What the file answers when it is asked about itself."""
    try:
        # Packages are only pretended: listing a tool must not run anything that it would load.
        asked = with_module(source, _QUESTIONS, packages="pretended")
        answers = run_javascript(asked, names={"known_": [*METHODS]}, limits=_LIMITS)
    except SandboxError as error:
        stack = error.details.get("stack") or [{}]
        line, column = stack[0].get("line") or 1, stack[0].get("column") or 1
        span = Span(line=line, column=column, end_line=line, end_column=column + 1)
        if isinstance(error, ScriptSyntaxError):
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
    places = Places(code, source)
    _report_methods(answers, places, problems)
    metadata = Metadata(_object(told, "getMetadata", places, problems), places, problems)
    arguments, environment, returns = read_schemas(_object(told, "getSchema", places, problems), places, problems)
    dependencies = _object(told, "getDependencies", places, problems)
    identifier = _identifier(metadata.word("id"), metadata.span, problems)
    check_dependencies(identifier, dependencies, places.of("getDependencies"), problems)
    loads_node_modules = check_requires(dependencies, code, source, problems)
    return ToolDefinition(
        id=identifier,
        name=metadata.text("name") or identifier,
        kind="javascript",
        description=metadata.text("description") or "",
        parameters=parameters_of(arguments),
        # Clients of all kinds refuse a schema of arguments that does not say so.
        own_schema={"type": "object", "properties": {}, **arguments},
        environment=parameters_of(environment),
        answer=returns,
        module=source,
        dependencies={str(name): str(version) for name, version in dependencies.items()},
        loads_node_modules=loads_node_modules,
        failures=_failures(told, places, problems),
        timeout=metadata.seconds("timeout"),
        approval=metadata.choice("approval", "always", "together"),
        examples=_examples(told, places, problems),
        version=metadata.word("version"),
        category=metadata.word("category"),
        tags=metadata.texts("tags"),
        author=metadata.word("author"),
        file=problems.file,
        span=metadata.span,
        digest=digest,
        text_digest=digest,
    )


def _identifier(written: str | None, span: Span, problems: ProblemList) -> str:
    """The id as told, else a slug of the file's stem."""
    if written and IDENTIFIER.fullmatch(written):
        return written
    if written:
        problems.error("invalid-id", span, id=written[:SHOWN])
    return id_of_file(problems.file.rsplit("/", 1)[-1][: -len(ENDING)])


def _report_methods(answers: dict[str, Any], places: Places, problems: ProblemList) -> None:
    for name in REQUIRED_METHODS:
        if name not in (*answers["methods"], *answers["odd"]):
            problems.error("missing-method", places.of("exports"), name=name)
    for name in answers["odd"]:
        problems.error("wrong-type", places.of(name), field=name, case="function")
    for name, reason in answers["failed"].items():
        # Without names for its failures a tool works all the same.
        tell = problems.warning if name == "getBusinessErrors" else problems.error
        tell("method-failed", places.of(name), name=name, reason=reason)
    warn_of_slips(answers["names"], [name for name in METHODS if len(name) >= LONG_NAME], "exports", places, problems)


def _object(told: Mapping[str, Any], method: str, places: Places, problems: ProblemList) -> dict[str, Any]:
    value = told.get(method)
    if isinstance(value, dict):
        return value
    if value is None and (method not in told or method != "getMetadata"):
        return {}
    problems.error("method-wrong-answer", places.of(method), name=method)
    return {}


def _failures(told: Mapping[str, Any], places: Places, problems: ProblemList) -> tuple[NamedFailure, ...]:
    described = told.get("getBusinessErrors", [])
    if None in described:
        problems.warning("method-wrong-answer", places.of("getBusinessErrors"), name="getBusinessErrors", case="codes")
    return tuple(NamedFailure(**each) for each in described if each is not None)


def _examples(told: Mapping[str, Any], places: Places, problems: ProblemList) -> tuple[Example, ...]:
    listed = told.get("getExamples")
    listed = [] if listed is None else listed
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        problems.error("method-wrong-answer", places.of("getExamples"), name="getExamples", case="objects")
        return ()
    return tuple(
        Example(
            input=_mapping(each.get("input")),
            name=None if each.get("name") is None else str(each["name"]),
            expects={key: each[key] for key in ("output", "output_contains", "error") if key in each},
            responses=_mapping(each.get("responses")),
            environment=_mapping(each.get("environment")),
        )
        for each in listed
    )


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


# --- npm packages


_NODE_MODULES = frozenset({
    "assert", "async_hooks", "buffer", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
    "events", "fs", "http", "http2", "https", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring",
    "readline", "stream", "string_decoder", "sys", "timers", "tls", "tty", "url", "util", "v8", "vm", "zlib",
})  # fmt: skip
_NODE_PROCESSES = frozenset({"child_process", "cluster", "inspector", "module", "repl", "worker_threads"})


def check_dependencies(tool: str, dependencies: Mapping[str, Any], span: Span, problems: ProblemList) -> None:
    """What is declared must come from the registry."""
    for name, wanted in dependencies.items():
        if not is_registry_package(name, str(wanted)):
            problems.error("npm-name", span, tool=tool, name=f"{name}@{wanted}"[:SHOWN])


def check_requires(dependencies: Mapping[str, Any], code: JavaScript, source: Excerpt, problems: ProblemList) -> bool:
    """Packages that are loaded by a fixed name must be declared; whether some are Node's own, which need not be."""
    loads_node_modules = False
    for found in find_loaded_modules(code):
        name, first = found.what, found.what.removeprefix("node:").partition("/")[0]
        # ``lodash/fp`` belongs to ``lodash``, ``@scope/name/x`` to ``@scope/name``.
        package = "/".join(name.split("/")[: 2 if name.startswith("@") else 1])
        if package in dependencies:
            continue
        if first in _NODE_MODULES:
            loads_node_modules = True
        else:
            case = "process" if first in _NODE_PROCESSES else None
            problems.error("undeclared-dependency", source.span(found.start, found.end), name=name, case=case)
    return loads_node_modules
