"""The tool note of one operation: frontmatter, a script that makes the address, the request, and its answer."""

from __future__ import annotations

import json
import re
from typing import Any

from paperagents.definitions.names import slug
from paperagents.definitions.text import without_surrogates
from paperagents.interfaces.importing.openapi_document import Argument, Operation, Service

_SEGMENT = (
    "const segment = value => {",
    # Two dots would lead to another place of the service than the one the tool is about.
    '  if (/^\\.{1,2}$/.test(value)) throw new Error("A part of the path cannot be " + value);',
    "  return encodeURIComponent(value);",
    "};",
)
SECRET = "API_TOKEN"  # noqa: S105  the name of a variable


def note_of(operation: Operation, service: Service, *, plain: bool = False) -> str:
    """The whole note; ``plain`` leaves out what a schema says beyond types."""
    return "\n".join(
        [
            "---",
            *_frontmatter(operation, service, plain=plain),
            "---",
            "",
            f"# {_prose(operation.name)}",
            "",
            f"{operation.method} `{operation.server}{operation.path}`",
            "",
            *_fence("javascript", _preprocess(operation)),
            *_fence("yaml", _request(operation)),
            *_fence("javascript", "// @postprocess\nreturn output.json ?? output.body;"),
        ]
    )


def path_of(operation: Operation, service: Service, folder: str | None) -> str:
    """Where in the vault it is written."""
    return f"{folder or f'tools/{category(service)}'}/{operation.id}.md".lstrip("/")


def category(service: Service) -> str:
    """The service as one word."""
    return slug(service.title) or "api"


def _frontmatter(operation: Operation, service: Service, *, plain: bool) -> list[str]:
    lines = [
        "tool: true",
        f"id: {_scalar(operation.id)}",
        f"name: {_scalar(operation.name)}",
        f"description: {_scalar(operation.description)}",
        f"category: {_scalar(category(service))}",
    ]
    if operation.arguments:
        lines += ["parameters:", *(line for each in operation.arguments for line in _parameter(each, plain=plain))]
    if operation.secrets:
        lines += ["environment:", f"  - name: {SECRET}", "    type: string",
                  f"    description: {_scalar(service.title)}"]  # fmt: skip
    return lines


def _parameter(argument: Argument, *, plain: bool) -> list[str]:
    lines = [
        f"  - name: {_scalar(argument.name)}",
        f"    type: {argument.schema['type']}",
        f"    description: {_scalar(argument.description)}",
    ]
    if not argument.required:
        lines.append("    required: false")
    more = {} if plain else {key: value for key, value in argument.schema.items() if key != "type"}
    return lines + [f"    {key}: {_scalar(value)}" for key, value in more.items()]


def _preprocess(operation: Operation) -> str:
    """The address, put together by code that quotes every value."""
    lines = ["// @preprocess", f"let path = {_literal(operation.path)};"]
    if parts := _at(operation, "path"):
        lines += _SEGMENT
        lines += [f"path = path.replace({_literal('{' + each.name + '}')}, segment({_input(each)}));" for each in parts]
    query = _at(operation, "query")
    if query:
        names = ", ".join(_literal(each.name) for each in query)
        lines += [
            "const query = new URLSearchParams();",
            f"for (const name of [{names}]) {{",
            "  for (const value of [input[name]].flat()) {",
            "    if (value !== undefined && value !== null) query.append(name, String(value));",
            "  }",
            "}",
            'if (query.toString()) path += "?" + query.toString();',
        ]
    extra = "".join(
        f", header_{number}: String({_input(each)})" for number, each in enumerate(_at(operation, "header"), 1)
    )
    lines.append(f"return {{ ...input, request_url: {_literal(operation.server)} + path{extra} }};")
    return "\n".join(lines)


def _request(operation: Operation) -> str:
    lines = ["tool: rest_request", "parameters:", '  url: "{{request_url}}"', f"  method: {operation.method}"]
    headers = {"Accept": "application/json"}
    headers |= {name: f"{begins}{{{{env.{SECRET}}}}}" for name, begins in operation.secrets.items()}
    for number, each in enumerate(_at(operation, "header"), 1):
        headers[each.name] = f"{{{{header_{number}}}}}"
    lines += ["  headers:", *(f"    {_scalar(name)}: {_scalar(value)}" for name, value in headers.items())]
    if _at(operation, "body"):
        lines.append('  body: "{{body}}"')
    return "\n".join(lines)


def _at(operation: Operation, place: str) -> list[Argument]:
    return [each for each in operation.arguments if each.place == place]


def _input(argument: Argument) -> str:
    return f"input[{_literal(argument.name)}]"


def _fence(language: str, content: str) -> list[str]:
    return [f"```{language}", content, "```", ""]


def _scalar(value: Any) -> str:
    """A value as YAML takes it in one line. JSON is YAML, but for halves of characters, which no note can hold."""
    written = without_surrogates(json.dumps(value, ensure_ascii=False))
    return written if written.isprintable() else "".join(map(_printable, written))


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return f"\\U{ord(character):08x}"


def _literal(value: str) -> str:
    """A text of JavaScript in which no placeholder can stand."""
    return json.dumps(value, ensure_ascii=True).replace("{{", "{\\u007b")


def _prose(words: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#{}|])", r"\\\1", words)
