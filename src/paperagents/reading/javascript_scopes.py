"""Which names JavaScript uses, and what defines each: the scopes of a block, found on its syntax tree.

One query finds scopes, declarations and names; one sweep from left to right puts them into each other. Declarations are
hoisted, so names are only looked up when the sweep is over. Where code can define names that nobody sees
(``with``, ``Object.assign(globalThis, …)``), nothing is called undefined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node, Query, QueryCursor

from paperagents.patterns import late_pattern
from paperagents.reading.javascript_syntax import Finding, JavaScript, javascript_language, unescape_name

SANDBOX_GLOBALS = frozenset({
    "AggregateError", "Array", "ArrayBuffer", "AsyncDisposableStack", "BigInt", "BigInt64Array", "BigUint64Array",
    "Boolean", "DOMException", "DataView", "Date", "DisposableStack", "Error", "EvalError", "Float16Array",
    "Float32Array", "Float64Array", "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "InternalError",
    "Iterator", "JSON", "Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "ReferenceError",
    "Reflect", "RegExp", "Set", "String", "SuppressedError", "Symbol", "SyntaxError", "TextDecoder", "TextEncoder",
    "TypeError", "URIError", "URL", "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray",
    "WeakMap", "WeakRef", "WeakSet", "arguments", "atob", "btoa", "console", "decodeURI", "decodeURIComponent",
    "encodeURI", "encodeURIComponent", "escape", "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt",
    "performance", "queueMicrotask", "structuredClone", "undefined", "unescape",
})  # fmt: skip
"""What every piece of JavaScript finds in the sandbox."""
MODULE_NAMES = frozenset({"module", "exports", "require", "importx", "loadModule"})
"""What a tool that is one file finds beside them."""
_HIDDEN = late_pattern(r"(?<![.\w$])with\s*\(|\bglobalThis\b(?!\s*\??\.)|\beval\b")
"""Where code may define names in a way that its syntax does not show."""
_ASKED = late_pattern(r"\btypeof[\s(]+([\w$]+)")
_GLOBAL_FIELD = late_pattern(r"\b(?:globalThis|this)\s*\??\.\s*([\w$]+)")
_ESCAPED = "\\"

_PLACES = """
[(function_expression) (generator_function) (arrow_function) (method_definition) (class_static_block)] @function
[(function_declaration) (generator_function_declaration)] @function
[(statement_block) (for_statement) (for_in_statement) (catch_clause) (switch_body) (class)] @block
(variable_declaration) @var
(for_in_statement kind: "var" left: (_) @var)
[(function_declaration name: (identifier) @outside) (generator_function_declaration name: (identifier) @outside)]
[(variable_declarator name: (identifier) @bound) (formal_parameters (identifier) @bound)
 (arrow_function parameter: (identifier) @bound) (catch_clause parameter: (identifier) @bound)
 (function_expression name: (identifier) @bound) (generator_function name: (identifier) @bound)
 (class_declaration name: (identifier) @bound) (class name: (identifier) @bound)
 (array_pattern (identifier) @bound) (pair_pattern value: (identifier) @bound) (rest_pattern (identifier) @bound)
 (assignment_pattern left: (identifier) @bound) (shorthand_property_identifier_pattern) @bound
 (for_in_statement kind: _ left: (identifier) @bound)
 (import_clause (identifier) @bound) (import_specifier (identifier) @bound) (namespace_import (identifier) @bound)
 (export_specifier (identifier) @bound)]
[(assignment_expression left: (identifier) @assigned) (for_in_statement !kind left: (identifier) @assigned)]
[(identifier) (shorthand_property_identifier)] @name
"""


MOST_IN_ERROR = 5_000
"""Where more stands in a place that could not be parsed, nothing is said about names."""


@dataclass(slots=True)
class _Scope:
    """A stretch of code with names of its own."""

    start: int
    end: int
    around: _Scope | None
    function: _Scope | None = None
    """The nearest function around, where ``var`` declares; None: it is one itself."""
    is_declaration: bool = False
    """No scope at all, but a ``var``: what is bound in it belongs to the function."""
    names: set[str] = field(default_factory=set)


class Scopes:
    """The names of one piece of code."""

    def __init__(self, script: JavaScript) -> None:
        self.script = script
        self.uses: list[tuple[str, Node, _Scope]] = []
        """Every use of a name, in the order of the code."""
        self.assigned: list[tuple[str, _Scope]] = []
        self.top = _Scope(start=0, end=1 << 62, around=None)
        # A query takes time with the square of what stands in one place that could not be parsed.
        is_hopeless = script.root.has_error and any(
            each.is_error and each.child_count > MOST_IN_ERROR for each in script.nodes
        )
        self._sweep({} if is_hopeless else QueryCursor(_query()).captures(script.root))
        # Without a declaration it becomes a global, also for what stands before it.
        self.top.names |= {name for name, scope in self.assigned if find_scope(name, scope) is None}

    def find_undefined(self, known: Collection[str]) -> Iterator[Finding]:
        """Uses of names that neither the code nor its surroundings define, each name once."""
        code = self.script.code
        unknown = [(name, node) for name, node, scope in self.uses if name not in known and not find_scope(name, scope)]
        if not unknown or _HIDDEN.search(code) is not None:
            return
        seen = {*_GLOBAL_FIELD.findall(code), *_ASKED.findall(code)}
        for name, node in unknown:
            if name in seen:
                continue
            seen.add(name)
            found = self.script.finding(node, name)
            if not any(each.start <= found.start < each.end for each in self.script.placeholders):
                yield found

    def uses_of(self, name: str, owner: tuple[int, int] | None = None) -> Iterator[Node]:
        """Where a name stands for what the code is given, or for what the scope at ``owner`` declares."""
        for used, node, scope in self.uses:
            if used == name and place_of(find_scope(name, scope)) == owner:
                yield node

    def is_assigned(self, name: str, owner: tuple[int, int]) -> bool:
        """Whether a name of the scope at ``owner`` ever gets another value."""
        return any(name == each and place_of(find_scope(name, scope)) == owner for each, scope in self.assigned)

    def _sweep(self, found: dict[str, list[Node]]) -> None:
        """Everything from left to right, what is around before what is in it; open scopes are on a stack."""
        text = self.script.text
        # The same identifier is found as a name and as what it binds; the last role stands.
        roles: dict[int, tuple[int, str, Node]] = {}
        for role in ("name", "bound", "assigned", "outside"):
            roles.update((each.start_byte, (each.end_byte, role, each)) for each in found.get(role, ()))
        opened = [
            (node.start_byte, -node.end_byte, 0, role, node)
            for role in ("function", "block", "var")
            for node in found.get(role, ())
        ]
        named = [(start, -end, 1, role, node) for start, (end, role, node) in roles.items()]
        here = self.top
        for start, end, _, role, node in sorted(opened + named, key=_order):
            while start >= here.end:
                assert here.around is not None
                here = here.around
            if role in ("function", "block", "var"):
                function = None if role == "function" else here.function or here
                here = _Scope(start=start, end=-end, around=here, function=function, is_declaration=role == "var")
                continue
            name = text(node)
            self._note(unescape_name(name) if _ESCAPED in name else name, role, node, here)

    def _note(self, name: str, role: str, node: Node, here: _Scope) -> None:
        match role:
            case "name":
                self.uses.append((name, node, here))
            case "assigned":
                self.assigned.append((name, here))
            case "outside":
                # Functions inside a block are, outside of strict mode, also names of the function around.
                assert here.around is not None
                around = here.around
                around.names.add(name)
                (around.function or around).names.add(name)
            case _:
                scope = here.function if here.is_declaration and here.function is not None else here
                scope.names.add(name)


def find_scope(name: str, scope: _Scope | None) -> _Scope | None:
    """The innermost scope that defines a name; None where no scope of the code does."""
    while scope is not None and name not in scope.names:
        scope = scope.around
    return scope


def place_of(scope: _Scope | None) -> tuple[int, int] | None:
    """Where a scope begins and ends."""
    return None if scope is None else (scope.start, scope.end)


def _order(place: tuple[int, int, int, str, Node]) -> tuple[int, int, int]:
    return place[:3]


@cache
def _query() -> Query:
    return Query(javascript_language(), _PLACES)
