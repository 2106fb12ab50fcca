"""Where JavaScript uses fields of the objects it is given: ``input.url``, ``const { url } = input``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from tree_sitter import Node

from paperagents.reading.javascript_fields import named_children
from paperagents.reading.javascript_names import find_function, parameter_at
from paperagents.reading.javascript_scopes import Scopes, find_scope
from paperagents.reading.javascript_syntax import JavaScript, walk
from paperagents.values import dataclass

Owner = tuple[int, int] | None
_SAME_OBJECT = frozenset({"??", "||"})


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldUse:
    """The name of a field at one place of the code, by its offsets; without the quotes around it."""

    name: str
    start: int
    end: int
    form: Literal["member", "string", "key", "shorthand"] = "member"
    """How it is written; a shorthand is the name of a variable, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCallUse:
    """``callTool("id", { … })``: the id, and the names of the arguments."""

    tool: FieldUse
    arguments: tuple[FieldUse, ...]


class ScriptUses:
    """The uses of one piece of code."""

    def __init__(self, script: JavaScript) -> None:
        self.script = script
        self._scopes = Scopes(script)

    def fields_of(self, *path: str) -> list[FieldUse]:
        """The fields of an object that the code is given: ``input``, or ``context`` and in it ``steps``."""
        return self._collect(self._scopes.uses_of(path[0], None), path[1:])

    def names(self) -> list[FieldUse]:
        """Every name that the code does not define itself."""
        free = ((name, node) for name, node, scope in self._scopes.uses if find_scope(name, scope) is None)
        return [self._use(node, name) for name, node in free]

    def fields_of_argument(self, method: str) -> list[FieldUse]:
        """The fields of the first argument of a method or function of this name."""
        found: list[FieldUse] = []
        for function in self._functions(method):
            parameter = parameter_at(function, 0)
            if parameter is not None and parameter.type == "object_pattern":
                found += self._pattern(parameter)
            elif parameter is not None:
                name, owner = self.script.text(parameter), (function.start_byte, function.end_byte)
                found += self._collect(self._scopes.uses_of(name, owner), ())
        return found

    def tool_calls(self) -> Iterator[ToolCallUse]:
        """Calls of other tools by a written id."""
        for node in self.script.nodes:
            function = node.child_by_field_name("function") if node.type == "call_expression" else None
            arguments = node.child_by_field_name("arguments") if function is not None else None
            if function is None or arguments is None or self._last_name(function) != "callTool":
                continue
            given = named_children(arguments)
            if given and given[0].type == "string":
                keys = self._keys(given[1]) if len(given) > 1 and given[1].type == "object" else ()
                yield ToolCallUse(tool=self._string(given[0]), arguments=tuple(keys))

    def object_keys(self) -> frozenset[str]:
        """The keys of all objects that the code writes out."""
        objects = (node for node in self.script.nodes if node.type == "object")
        return frozenset(key.name for node in objects for key in self._keys(node))

    # --- what the methods of a tool's file answer

    def values_of(self, method: str, key: str) -> Iterator[FieldUse]:
        """The texts that a method gives under a key."""
        return (self._string(value) for name, value in self._pairs(method) if name == key and value.type == "string")

    def strings_in(self, method: str, key: str) -> Iterator[FieldUse]:
        """The texts in the lists that a method gives under a key."""
        lists = (value for name, value in self._pairs(method) if name == key and value.type == "array")
        return (self._string(each) for value in lists for each in named_children(value) if each.type == "string")

    def declared_in(self, method: str, holders: tuple[str, ...]) -> Iterator[FieldUse]:
        """The keys of the objects that a method gives under one of these keys; a JSON Schema has them deeper."""
        for name, value in self._pairs(method):
            if name in holders and value.type == "object":
                keys = list(self._keys(value))
                if all(key.name != "properties" for key in keys):
                    yield from keys

    def _pairs(self, method: str) -> Iterator[tuple[str, Node]]:
        for function in self._functions(method):
            for node in walk(function):
                key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
                if node.type == "pair" and key is not None and value is not None:
                    yield self.script.text(key).strip("'\""), value

    # --- following an object through the code

    def _collect(self, nodes: Iterable[Node], path: tuple[str, ...]) -> list[FieldUse]:
        """Follow an object through the code: its members, its other names, the functions that get it."""
        found: dict[int, FieldUse] = {}
        waiting = [(node, path) for node in nodes]
        seen: set[tuple[int, tuple[str, ...]]] = set()
        while waiting:
            node, rest = waiting.pop()
            if (node.id, rest) in seen:
                continue
            seen.add((node.id, rest))
            for use, inner in self._fields_at(node):
                if not rest:
                    found[use.start] = use
                elif use.name == rest[0] and inner is not None:
                    waiting.append((inner, rest[1:]))
            waiting += [(each, rest) for each in self._same_object(node)]
        return [found[start] for start in sorted(found)]

    def _fields_at(self, node: Node) -> Iterator[tuple[FieldUse, Node | None]]:
        """The field that is taken from an object here, and the expression that gives it."""
        parent = node.parent
        if parent is None:
            return
        if (
            parent.type in ("member_expression", "subscript_expression")
            and parent.child_by_field_name("object") == node
        ):
            name = self.script.member_name(parent)
            at = parent.child_by_field_name("property") or parent.child_by_field_name("index")
            if name is not None and at is not None:
                yield (self._string(at) if at.type in ("string", "template_string") else self._use(at, name)), parent
        elif parent.type in ("variable_declarator", "assignment_expression"):
            target = parent.child_by_field_name("name") or parent.child_by_field_name("left")
            if target is not None and target.type == "object_pattern" and target != node:
                yield from ((use, None) for use in self._pattern(target))
        elif parent.type == "binary_expression" and parent.children[1].type == "in":
            left = parent.child_by_field_name("left")
            if left is not None and left.type == "string" and parent.child_by_field_name("right") == node:
                yield self._string(left), None
        elif parent.type == "arguments":
            given = named_children(parent)
            if len(given) == 2 and given[0] == node and given[1].type == "string" and self._called(parent) == "hasOwn":
                yield self._string(given[1]), None

    def _same_object(self, node: Node) -> Iterator[Node]:
        """Other expressions that are the same object: another name for it, or the parameter that it is given as."""
        parent = node.parent
        if parent is None:
            return
        if parent.type == "parenthesized_expression":
            yield parent
        elif parent.type == "binary_expression" and parent.children[1].type in _SAME_OBJECT:
            if parent.child_by_field_name("left") == node:
                yield parent
        elif parent.type == "variable_declarator" and parent.child_by_field_name("value") == node:
            name = parent.child_by_field_name("name")
            if name is not None and name.type == "identifier":
                yield from self._uses_of_variable(name)
        elif parent.type == "arguments":
            yield from self._uses_in_function(node, parent)

    def _uses_of_variable(self, name: Node) -> Iterator[Node]:
        text = self.script.text(name)
        for used, node, scope in self._scopes.uses:
            declared = find_scope(used, scope) if used == text else None
            if declared is not None and declared.start <= name.start_byte < declared.end:
                yield node

    def _uses_in_function(self, node: Node, arguments: Node) -> Iterator[Node]:
        function = find_function(self.script, self._called(arguments))
        parameter = parameter_at(function, named_children(arguments).index(node))
        if function is not None and parameter is not None and parameter.type == "identifier":
            owner: Owner = (function.start_byte, function.end_byte)
            yield from self._scopes.uses_of(self.script.text(parameter), owner)

    def _called(self, arguments: Node) -> str:
        call = arguments.parent
        function = call.child_by_field_name("function") if call is not None else None
        return self._last_name(function) if function is not None else ""

    def _last_name(self, function: Node) -> str:
        """``callTool`` of ``this.api.callTool``."""
        if function.type == "member_expression":
            return self.script.member_name(function) or ""
        return self.script.text(function) if function.type == "identifier" else ""

    def _functions(self, name: str) -> Iterator[Node]:
        for node in self.script.nodes:
            key = node.child_by_field_name("name") or node.child_by_field_name("key")
            if key is None or self.script.text(key) != name:
                continue
            if node.type in ("method_definition", "function_declaration"):
                yield node
            value = node.child_by_field_name("value")
            if value is not None and value.type in ("function_expression", "arrow_function"):
                yield value

    def _pattern(self, pattern: Node) -> Iterator[FieldUse]:
        for part in named_children(pattern):
            key = part.child_by_field_name("key") or part.child_by_field_name("left") or part
            if key.type == "shorthand_property_identifier_pattern":
                yield self._use(key, self.script.text(key), "shorthand")
            elif key.type == "property_identifier":
                yield self._use(key, self.script.text(key), "key")
            elif key.type == "string":
                yield self._string(key)

    def _keys(self, node: Node) -> Iterator[FieldUse]:
        for part in named_children(node):
            key = part.child_by_field_name("key") or part.child_by_field_name("name")
            if part.type == "shorthand_property_identifier":
                yield self._use(part, self.script.text(part), "shorthand")
            elif key is not None and key.type == "property_identifier":
                yield self._use(key, self.script.text(key), "key")
            elif key is not None and key.type == "string":
                yield self._string(key)

    def _use(self, node: Node, name: str, form: Literal["member", "key", "shorthand"] = "member") -> FieldUse:
        found = self.script.finding(node, name)
        return FieldUse(name=name, start=found.start, end=found.end, form=form)

    def _string(self, node: Node) -> FieldUse:
        found = self.script.finding(node, self.script.text(node)[1:-1])
        return FieldUse(name=found.what, start=found.start + 1, end=found.end - 1, form="string")
