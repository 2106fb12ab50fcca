"""The npm packages of a tool's file: those it declares, and those it loads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tree_sitter import Node

from paperagents.definitions.npm_name import is_of_registry
from paperagents.definitions.source import Excerpt, Span
from paperagents.reading.javascript_syntax import JavaScript, walk
from paperagents.reading.module_imports import imported_names
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.tool_javascript_fields import SHOWN

_LOADERS = ("require", "import", "importx", "loadModule", "api.importx", "this.api.importx")
_NODE_MODULES = frozenset({
    "assert", "async_hooks", "buffer", "console", "constants", "crypto", "dgram", "diagnostics_channel", "dns",
    "events", "fs", "http", "http2", "https", "net", "os", "path", "perf_hooks", "process", "punycode", "querystring",
    "readline", "stream", "string_decoder", "sys", "timers", "tls", "tty", "url", "util", "v8", "vm", "zlib",
})  # fmt: skip
_NODE_PROCESSES = frozenset({"child_process", "cluster", "inspector", "module", "repl", "worker_threads"})


def check_dependencies(tool: str, dependencies: Mapping[str, Any], span: Span, problems: ProblemList) -> None:
    """What is declared must come from the registry."""
    for name, wanted in dependencies.items():
        if not is_of_registry(name, str(wanted)):
            problems.error("npm-name", span, tool=tool, name=f"{name}@{wanted}"[:SHOWN])


def check_requires(dependencies: Mapping[str, Any], code: JavaScript, source: Excerpt, problems: ProblemList) -> None:
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
