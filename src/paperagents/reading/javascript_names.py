"""Names in JavaScript that nothing defines, and fields of ``input`` that nothing gives it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from itertools import islice

from tree_sitter import Node

from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.text import closest, guess_name
from paperagents.reading.javascript_fields import named_children
from paperagents.reading.javascript_scopes import MODULE_NAMES, SANDBOX_GLOBALS, Scopes, find_scope
from paperagents.reading.javascript_syntax import FORBIDDEN, FUNCTIONS, Finding, JavaScript
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import Reference
from paperagents.values import dataclass

MAX_FINDINGS = 20
"""Of one kind in one block: enough to act on."""
DENO_GLOBALS = frozenset({
    "AbortController", "AbortSignal", "Atomics", "Blob", "BroadcastChannel", "Buffer", "ByteLengthQueuingStrategy",
    "Cache", "CacheStorage", "CloseEvent", "CompressionStream", "CountQueuingStrategy", "Crypto", "CryptoKey",
    "CustomEvent", "DecompressionStream", "Deno", "ErrorEvent", "Event", "EventSource", "EventTarget", "File",
    "FileReader", "FinalizationRegistry", "FormData", "Headers", "ImageBitmap", "ImageData", "Intl", "Location",
    "MessageChannel", "MessageEvent", "MessagePort", "Navigator", "Performance", "PerformanceEntry",
    "PerformanceMark", "PerformanceMeasure", "PerformanceObserver", "ProgressEvent", "PromiseRejectionEvent",
    "ReadableStream", "ReadableStreamDefaultReader", "Request", "Response", "SharedArrayBuffer", "Storage",
    "SubtleCrypto", "Temporal", "TextDecoderStream", "TextEncoderStream", "TransformStream", "URLPattern",
    "WebAssembly", "WebSocket", "Window", "Worker", "WritableStream", "__dirname", "__filename", "alert", "caches",
    "clearImmediate", "clearInterval", "clearTimeout", "close", "closed", "confirm", "crypto", "fetch", "global",
    "localStorage", "location", "name", "navigator", "process", "prompt", "reportError", "self", "sessionStorage",
    "setImmediate", "setInterval", "setTimeout",
})  # fmt: skip
"""What a tool with npm packages finds beside what every tool does, as far as people use it."""
_OF_BROWSERS = DENO_GLOBALS | {"XMLHttpRequest", "alert", "document", "requestAnimationFrame", "window"}
_IN_BLOCKS = SANDBOX_GLOBALS | FORBIDDEN
_IN_CONTEXT = frozenset({"date", "time", "random_id", "steps", "parameters"})
_OF_OBJECTS = frozenset({
    "__proto__", "constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "toString", "valueOf",
})  # fmt: skip
_LOOKING = frozenset({
    "Array.isArray", "Boolean", "JSON.stringify", "Object.entries", "Object.freeze", "Object.fromEntries",
    "Object.hasOwn", "Object.keys", "Object.values", "String", "structuredClone",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a block finds beside the globals of its sandbox."""

    names: Collection[str] = ("input", "context")
    arguments: Collection[str] = ()
    """The declared arguments, which a block reads as fields of ``input``."""
    input_fields: Collection[str] | None = None
    """What ``input`` can have; None where that is not known."""
    is_condition: bool = False
    """A single expression, which can declare nothing."""


def check_names(
    code: JavaScript, script: Excerpt, around: Surroundings, problems: ProblemList, *, offset: int = 0
) -> None:
    """Warn of names that nothing defines, and of fields of ``input`` that nothing gives it.

    The code may have ``offset`` more characters at its beginning than the file.
    """
    scopes = Scopes(code)
    known = _IN_BLOCKS.union(around.names)
    for found in islice(scopes.find_undefined(known), MAX_FINDINGS):
        span = script.span(found.start - offset, found.end - offset)
        report_undefined(found.what, span, scopes.top.names, around, problems)
    if around.input_fields is None:
        return
    for found in islice(find_undeclared_fields(scopes, around.input_fields), MAX_FINDINGS):
        near = closest(found.what, around.input_fields, count=1)
        values = {"reference": f"input.{found.what}", "name": found.what, "suggestion": "".join(near)}
        span = script.span(found.start - offset, found.end - offset)
        problems.warning("undeclared-input", span, **values, case="suggestion" if near else None)


def check_module_names(code: JavaScript, script: Excerpt, problems: ProblemList, *, confined: bool) -> None:
    """The same for a whole file; one with packages is not ``confined`` to the small sandbox."""
    more = FORBIDDEN if confined else FORBIDDEN | DENO_GLOBALS
    scopes, around = Scopes(code), Surroundings(names=MODULE_NAMES)
    for found in islice(scopes.find_undefined(SANDBOX_GLOBALS | MODULE_NAMES | more), MAX_FINDINGS):
        report_undefined(found.what, script.span(found.start, found.end), scopes.top.names, around, problems)


def report_undefined(name: str, span: Span, own: Iterable[str], around: Surroundings, problems: ProblemList) -> None:
    """One name, with what was probably meant."""
    near = closest(name, {*own, *around.names}, count=1) or [guess_name(name, SANDBOX_GLOBALS) or ""]
    case: str | None
    if name in around.arguments:
        case = "argument"
    elif name in _IN_CONTEXT and "context" in around.names:
        case = "context"
    elif name in _OF_BROWSERS:
        case = "elsewhere"
    else:
        case = "suggestion" if near[0] else "condition" if around.is_condition else None
    problems.warning("undefined-name", span, name=name, suggestion=near[0], case=case)


def find_step_paths(code: JavaScript, labels: Collection[str], *, offset: int) -> Iterator[Reference]:
    """What an expression reads of earlier steps: their outputs. What it asks for by ``?.`` need not be there."""
    for root, node, scope in Scopes(code).uses:
        if (root not in ("steps", "prev_step") and root not in labels) or find_scope(root, scope) is not None:
            continue
        path, length = [root], 3 if root == "steps" else 2
        while len(path) < length and (name := _read_member(code, node)) is not None and node.parent is not None:
            node = node.parent  # noqa: PLW2901  outwards, from the name to all that is read of it
            path.append(name)
        if len(path) == length:
            found = code.finding(node, code.text(node))
            yield Reference(path=tuple(path), text=found.what, start=found.start - offset, end=found.end - offset)


def _read_member(code: JavaScript, node: Node) -> str | None:
    """The name that is read of a node; None where it may be missing, or is no plain name."""
    member = node.parent
    if member is None or member.type not in ("member_expression", "subscript_expression"):
        return None
    if member.child_by_field_name("object") != node or any(each.type == "optional_chain" for each in member.children):
        return None
    return code.member_name(member)


# --- fields of ``input``


def find_undeclared_fields(scopes: Scopes, known: Collection[str]) -> Iterator[Finding]:
    """Fields that the code reads and that neither it nor ``known`` gives, each once, at its name."""
    if "input" not in scopes.script.code:
        return
    reading = _Reading(scopes)
    reading.follow("input", None)
    if reading.is_open:
        return
    seen = {*known, *reading.given, *_OF_OBJECTS}
    for found in sorted(reading.reads, key=lambda each: each.start):
        if found.what not in seen:
            seen.add(found.what)
            yield found


@dataclass(slots=True)
class _Reading:
    """What a block does with an object: directly, and in functions of its own that it is handed to."""

    scopes: Scopes
    reads: list[Finding] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    """Fields that are set, or asked for before they are read."""
    is_open: bool = False
    """It goes where fields can be added unseen."""
    _followed: set[tuple[str, tuple[int, int] | None]] = field(default_factory=set)

    def follow(self, name: str, owner: tuple[int, int] | None) -> None:
        """Every use of the object by this name, which the scope at ``owner`` declares."""
        if (name, owner) in self._followed:
            return
        self._followed.add((name, owner))
        for node in self.scopes.uses_of(name, owner):
            self.look_at(node, name, owner)

    def look_at(self, node: Node, name: str, owner: tuple[int, int] | None) -> None:
        parent = node.parent
        if parent is None:
            return
        match parent.type:
            case "member_expression" | "subscript_expression" if parent.child_by_field_name("object") == node:
                self.look_at_member(parent)
            case "variable_declarator" | "assignment_expression":
                target = parent.child_by_field_name("name") or parent.child_by_field_name("left")
                self.take_apart(target)
            case "arguments":
                self.look_at_call(node, parent, name, owner)
            case "binary_expression":
                left = parent.child_by_field_name("left")
                if left is not None and left.type == "string":
                    self.given.add(self.scopes.script.text(left)[1:-1])

    def look_at_member(self, member: Node) -> None:
        script, around = self.scopes.script, member.parent
        name = script.member_name(member)
        is_set = around is not None and is_target(member, around)
        if name is None:
            self.is_open = self.is_open or is_set
        elif is_set:
            self.given.add(name)
        else:
            field_name = member.child_by_field_name("property") or member.child_by_field_name("index")
            assert field_name is not None
            found = script.finding(field_name, name)
            inside = field_name.type in ("string", "template_string")
            self.reads.append(Finding(what=name, start=found.start + inside, end=found.end - inside))

    def take_apart(self, target: Node | None) -> None:
        """``const { a, b: c } = input`` reads a and b; a plain second name can do anything."""
        if target is None or target.type != "object_pattern":
            self.is_open = True
            return
        for part in named_children(target):
            key = part.child_by_field_name("key") or part.child_by_field_name("left") or part
            if key.type in ("property_identifier", "shorthand_property_identifier_pattern"):
                self.reads.append(self.scopes.script.finding(key, self.scopes.script.text(key)))

    def look_at_call(self, node: Node, arguments: Node, name: str, owner: tuple[int, int] | None) -> None:
        """A function of the block itself is followed, as long as nothing else is handed to it."""
        call, given = arguments.parent, named_children(arguments)
        called = call.child_by_field_name("function") if call is not None else None
        place, text = given.index(node), self.scopes.script.text
        written = text(called) if called is not None and called.end_byte - called.start_byte < 80 else ""
        if written in _LOOKING or written.startswith("console.") or (written == "Object.assign" and place):
            if written == "Object.hasOwn" and len(given) > 1 and given[1].type == "string":
                self.given.add(text(given[1])[1:-1])
            return
        function = find_function(self.scopes.script, written)
        others = [
            each for each in self.scopes.uses_of(written, (0, 1 << 62)) if not self.gets(each, place, name, owner)
        ]
        parameter = parameter_at(function, place)
        if function is None or parameter is None or others:
            self.is_open = True
        elif parameter.type == "identifier":
            inside = (function.start_byte, function.end_byte)
            self.is_open = self.is_open or self.scopes.is_assigned(text(parameter), inside)
            self.follow(text(parameter), inside)
        else:
            self.take_apart(parameter)

    def gets(self, called: Node, place: int, name: str, owner: tuple[int, int] | None) -> bool:
        """Whether this use of a function is a call that hands it the same object."""
        call = called.parent
        arguments = (
            call.child_by_field_name("arguments") if call is not None and call.type == "call_expression" else None
        )
        given = named_children(arguments) if arguments is not None else []
        return len(given) > place and given[place] in self.scopes.uses_of(name, owner)


def is_target(member: Node, around: Node) -> bool:
    """Whether the member gets a value, is asked for by ``typeof`` or taken away: it need not be there before."""
    match around.type:
        case "assignment_expression" | "assignment_pattern":
            return around.child_by_field_name("left") == member
        case (
            "pair_pattern" | "array_pattern" | "rest_pattern" | "update_expression" | "augmented_assignment_expression"
        ):
            return around.child_by_field_name("right") != member
        case "unary_expression":
            return around.children[0].type in ("typeof", "delete")
    return False


def find_function(script: JavaScript, name: str) -> Node | None:
    """The function of this name that the code declares at its top."""
    for statement in script.root.named_children:
        declarators = [each for each in statement.named_children if each.type == "variable_declarator"]
        for each in declarators or [statement]:
            named = each.child_by_field_name("name")
            if named is None or script.text(named) != name:
                continue
            function = each.child_by_field_name("value") if declarators else each
            return function if function is not None and function.type in FUNCTIONS else None
    return None


def parameter_at(function: Node | None, place: int) -> Node | None:
    """The parameter that takes the argument at a place, where it is a name or a pattern of fields."""
    if function is None:
        return None
    alone = function.child_by_field_name("parameter")
    listed = function.child_by_field_name("parameters")
    parameters = [alone] if alone is not None else named_children(listed) if listed is not None else []
    found = parameters[place] if place < len(parameters) else None
    return found if found is not None and found.type in ("identifier", "object_pattern") else None
