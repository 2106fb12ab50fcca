"""What the built-in tools want and answer. How they do it stands in ``builtin_tools``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.messages import in_language, language, text

_ANY: JsonObject = {}
_TEXT: JsonObject = {"type": "string"}
_WHOLE: JsonObject = {"type": "integer"}
_FLAG: JsonObject = {"type": "boolean"}
_ALWAYS: Mapping[str, frozenset[str]] = {}
READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
"""The methods of HTTP by which nothing is changed."""


def builtin_tools() -> tuple[ToolDefinition, ...]:
    """The tools every vault has, described in the current language."""
    return _builtin_tools(language())


@cache
def _builtin_tools(spoken: str) -> tuple[ToolDefinition, ...]:
    with in_language(spoken):
        return (
            _search_files(),
            _read_file(),
            _write_file(),
            _rest_request(),
            _web_search(),
            _entry_tool("memory"),
            _entry_tool("task", _optional("status", _TEXT)),
            _entry_tool("goal"),
            _datavault(),
            _js_execute(),
            _install_packages(),
        )


def _search_files() -> ToolDefinition:
    found = _object(name=_TEXT, path=_TEXT, size=_WHOLE, modified=_TEXT, tags=_list(_TEXT), snippet=_TEXT)
    return _tool(
        "search_files",
        _required("query", _TEXT),
        _optional("path", _TEXT, default="/"),
        _optional("limit", {"type": "integer", "minimum": 1, "maximum": 100_000}, default=100),
        _optional("sort", {"type": "string", "enum": ["relevance", "modified", "path"]}, default="relevance"),
        answer=_object(results=_list(found), count=_WHOLE),
        reads_when=_ALWAYS,
        leaves_the_vault=False,
    )


def _read_file() -> ToolDefinition:
    answer = _object(filePath=_TEXT, path=_TEXT, content=_TEXT, size=_WHOLE, modified=_TEXT, frontmatter=_ANY)
    return _tool(
        "read_file",
        _required("filePath", _TEXT),
        aliases={"path": "filePath"},
        answer=answer,
        reads_when=_ALWAYS,
        leaves_the_vault=False,
    )


def _write_file() -> ToolDefinition:
    return _tool(
        "write_file",
        _required("filePath", _TEXT),
        _required("content", _TEXT),
        _optional("overwrite", _FLAG, default=False),
        _optional("append", _FLAG, default=False),
        aliases={"path": "filePath"},
        answer=_object(filePath=_TEXT, size=_WHOLE, created=_FLAG),
        leaves_the_vault=False,
    )


def _rest_request() -> ToolDefinition:
    return _tool(
        "rest_request",
        _required("url", _TEXT),
        _optional("method", _TEXT, default="GET"),
        _optional("headers", {"type": "object"}),
        _optional("body", _ANY),
        _optional("timeout", {"type": "number", "exclusiveMinimum": 0}),
        answer=_object(status=_WHOLE, headers=_ANY, body=_TEXT, json=_ANY, ok=_FLAG),
        reads_when={"method": READING_METHODS},
    )


def _web_search() -> ToolDefinition:
    parameters = (_required("url", _TEXT), _optional("method", _TEXT, default="GET"))
    return _tool("web_search", *parameters, reads_when=_ALWAYS)


def _entry_tool(name: str, *more: Parameter) -> ToolDefinition:
    shared = [_optional(field, _TEXT) for field in ("identifier", "heading", "content", "notes")]
    parameters = (*shared, _optional("delete", _FLAG, default=False), *more)
    return _tool(name, *parameters, answer=_operation_result(), leaves_the_vault=False)


def _datavault() -> ToolDefinition:
    return _tool(
        "datavault",
        _optional("id", _TEXT),
        _optional("action", _TEXT),
        _optional("type", _TEXT),
        _optional("description", _TEXT),
        _optional("content", _TEXT),
        _optional("limit", {"type": ["integer", "string"]}),
        _optional("delete", _FLAG, default=False),
        aliases={"identifier": "id"},
        answer=_operation_result(),
        reads_when={"action": frozenset({"REQUEST_READ"}), "delete": frozenset({"FALSE"})},
        leaves_the_vault=False,
    )


def _operation_result() -> JsonObject:
    return _object(id=_TEXT, action=_TEXT, status=_TEXT, error=_ANY, entry=_ANY)


def _js_execute() -> ToolDefinition:
    return _tool("js_execute", _required("code", _TEXT), aliases={"content": "code"})


def _install_packages() -> ToolDefinition:
    answer = _object(tool=_TEXT, packages=_list(_TEXT), grants=_ANY)
    return _tool(
        "install_packages", _required("tool", _TEXT), _optional("rebuild", _FLAG, default=False), answer=answer
    )


def _tool(
    name: str,
    *parameters: Parameter,
    aliases: dict[str, str] | None = None,
    answer: JsonObject | None = None,
    reads_when: Mapping[str, frozenset[str]] | None = None,
    leaves_the_vault: bool = True,
) -> ToolDefinition:
    described = tuple(_described(name, parameter) for parameter in parameters)
    return ToolDefinition(
        id=name,
        name=name,
        kind="builtin",
        description=text(f"builtin.{name}"),
        parameters=described,
        strict=True,
        aliases=aliases or {},
        answer=answer or {},
        reads_when=reads_when,
        leaves_the_vault=leaves_the_vault,
        category="builtin",
    )


def _described(tool: str, parameter: Parameter) -> Parameter:
    schema = {**parameter.schema, "description": text(f"builtin.{tool}.{parameter.name}")}
    return Parameter(name=parameter.name, required=parameter.required, schema=schema)


def _required(name: str, schema: JsonObject) -> Parameter:
    return Parameter(name=name, schema=schema)


def _optional(name: str, schema: JsonObject, default: JsonValue = None) -> Parameter:
    with_default: JsonObject = schema if default is None else {**schema, "default": default}
    return Parameter(name=name, schema=with_default, required=False)


def _object(**properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {**properties}, "additionalProperties": False}


def _list(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}
