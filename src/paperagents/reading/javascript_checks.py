"""Finds loops that can never end: a condition that is always true, and nothing inside that leaves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Node, Query, QueryCursor

from paperagents.reading.javascript_syntax import FUNCTIONS, LOOPS, Finding, JavaScript, javascript_language

_LOOP_WORDS = re.compile(r"\b(?:while|for)\b")
_TRUTH = {"true": True, "false": False, "null": False, "undefined": False, "object": True, "array": True}
_NEVER = 1 << 30


@dataclass(slots=True)
class _Enclosing:
    """A loop, switch or label around the current place."""

    node: Node
    label: str | None = None
    leaves_down_to: int = _NEVER
    """The lowest place among the enclosing ones that something inside jumps out of."""


@dataclass(slots=True)
class _Function:
    """What encloses the current place inside one function, and where each label stands in it.

    Loops and switches, which a plain break leaves, stand under the label None.
    """

    enclosing: list[_Enclosing] = field(default_factory=list)
    places: defaultdict[str | None, list[int]] = field(default_factory=lambda: defaultdict(list))

    def enter(self, node: Node, label: str | None = None) -> None:
        self.places[label].append(len(self.enclosing))
        self.enclosing.append(_Enclosing(node, label=label))

    def leave(self) -> _Enclosing:
        closed = self.enclosing.pop()
        self.places[closed.label].pop()
        return closed

    def place(self, label: str | None) -> int:
        return self.places[label][-1] if self.places[label] else _NEVER


def find_endless_loops(script: JavaScript) -> Iterator[Finding]:
    """One walk over the tree: what leaves a loop is noted on the way, and judged when the loop is left."""
    if _LOOP_WORDS.search(script.code) is None:
        return
    functions = [_Function()]
    stack: list[tuple[Node, bool]] = [(script.root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            if (loop := _leave(script, node, functions)) is not None:
                yield script.finding(loop, loop.type)
            continue
        if _enter(script, node, functions):
            stack.append((node, True))
        stack += [(child, False) for child in reversed(node.named_children)]


def _enter(script: JavaScript, node: Node, functions: list[_Function]) -> bool:
    """Note the node; true where it encloses others and must be left again."""
    function = functions[-1]
    if node.type in FUNCTIONS:
        functions.append(_Function())
    elif node.type in LOOPS or node.type == "switch_statement":
        function.enter(node)
    elif node.type == "labeled_statement":
        label = node.child_by_field_name("label")
        function.enter(node, label=script.text(label) if label is not None else "")
    else:
        if function.enclosing:
            inner = function.enclosing[-1]
            inner.leaves_down_to = min(inner.leaves_down_to, _jump(script, node, function))
        return False
    return True


def _leave(script: JavaScript, node: Node, functions: list[_Function]) -> Node | None:
    """Close what was entered; the node itself where it is a loop without an end."""
    if node.type in FUNCTIONS:
        functions.pop()
        return None
    closed = functions[-1].leave()
    enclosing = functions[-1].enclosing
    if enclosing:
        enclosing[-1].leaves_down_to = min(enclosing[-1].leaves_down_to, closed.leaves_down_to)
    endless = closed.leaves_down_to > len(enclosing) and _always_true(script, node)
    return node if endless else None


def _jump(script: JavaScript, node: Node, function: _Function) -> int:
    """The place among the enclosing ones that this node leaves, with everything above it."""
    if node.type in ("return_statement", "throw_statement", "yield_expression"):
        return 0
    if node.type not in ("break_statement", "continue_statement"):
        return _NEVER
    goes_on = node.type == "continue_statement"
    label = node.child_by_field_name("label")
    if label is not None:
        # A continued label stays in the loop that directly follows it.
        return function.place(script.text(label)) + (2 if goes_on else 0)
    return _NEVER if goes_on else function.place(None)


def _always_true(script: JavaScript, loop: Node) -> bool:
    if loop.type not in LOOPS or loop.type == "for_in_statement":
        return False
    condition = loop.child_by_field_name("condition")
    if condition is None or condition.type == "empty_statement":
        return loop.type == "for_statement"
    return _truth(script, condition) is True


def _truth(script: JavaScript, node: Node) -> bool | None:
    """What a literal is worth as a condition; None where only running tells."""
    turned = False
    for _ in range(20):
        if node.type not in ("parenthesized_expression", "expression_statement", "unary_expression"):
            break
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1 or (node.type == "unary_expression" and node.children[0].type != "!"):
            return None
        turned ^= node.type == "unary_expression"
        node = inner[0]
    truth = _literal_truth(script, node)
    return None if truth is None else truth != turned


def _literal_truth(script: JavaScript, node: Node) -> bool | None:
    if node.type == "number":
        return re.fullmatch(r"0[xob]?0*n?|0*\.?0*(e\d+)?", script.text(node).lower().replace("_", "")) is None
    if node.type == "string":
        return len(script.text(node)) > 2
    return _TRUTH.get(node.type)


# --- mistakes that the parser forgives and no engine does: a name declared twice, ``const x;``, a stray ``break``


_PLACES = """
[(program) (statement_block)] @block
(lexical_declaration kind: "const") @const
(try_statement) @try
(object) @object
(regex) @regex
[(jsx_element) (jsx_self_closing_element)] @markup
"""
_WORTH_A_LOOK = re.compile(
    r"\b(?:let|const|class|try|await|break|continue)\b|<[A-Za-z>]|[{,]\s*(?:/\*|//|,)|(?<![/*])/(?![/*])"
)
_JUMPS = re.compile(r"\b(?:await|break|continue)\b")
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_JUMP_WORDS = {"await_expression": "await", "break_statement": "break", "continue_statement": "continue"}
_TOP = frozenset({"await"})
_NAMED = frozenset({"class_declaration", "function_declaration", "generator_function_declaration"})
_REGEX_PART = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)?|.", re.DOTALL)


def find_mistakes(script: JavaScript) -> Iterator[Finding]:
    """Everything an engine would refuse, as far as a look at single places tells."""
    if _WORTH_A_LOOK.search(script.code) is None:
        return
    found = QueryCursor(_query()).captures(script.root)
    for block in found.get("block", ()):
        yield from _declared_twice(script, block)
    for declaration in found.get("const", ()):
        yield from _without_value(script, declaration)
    for statement in found.get("try", ()):
        if not any(child.type in ("catch_clause", "finally_clause") for child in statement.named_children):
            yield script.finding(statement.children[0], "try without catch or finally")
    for literal in found.get("object", ()):
        yield from _doubled_commas(script, literal)
    for regex in found.get("regex", ()):
        if (reason := _regex_mistake(script.text(regex))) is not None:
            yield script.finding(regex, reason)
    for markup in found.get("markup", ())[:1]:
        yield script.finding(markup, "unexpected <")
    yield from _misplaced(script)


def _declared_twice(script: JavaScript, block: Node) -> Iterator[Finding]:
    """A name that ``let``, ``const`` or ``class`` declares may not be declared again in the same block."""
    seen: dict[str, bool] = {}
    for statement in block.named_children:
        lexical = statement.type in ("lexical_declaration", "class_declaration")
        for name in _declared(statement):
            text = script.text(name)
            if text in seen and (lexical or seen[text]):
                yield script.finding(name, f"'{text}' is declared twice")
            seen[text] = lexical or seen.get(text, False)


def _declared(statement: Node) -> Iterator[Node]:
    declarators = statement.named_children if statement.type in _DECLARATIONS else []
    for declarator in declarators if declarators else [statement] if statement.type in _NAMED else []:
        name = declarator.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            yield name


def _without_value(script: JavaScript, declaration: Node) -> Iterator[Finding]:
    for declarator in declaration.named_children:
        if declarator.type == "variable_declarator" and declarator.child_by_field_name("value") is None:
            yield script.finding(declarator, "a const needs a value")


def _doubled_commas(script: JavaScript, literal: Node) -> Iterator[Finding]:
    before = "{"
    for child in literal.children:
        if child.type == "," and before in ("{", ","):
            yield script.finding(child, "unexpected ,")
        before = child.type if child.type != "comment" else before


def _misplaced(script: JavaScript) -> Iterator[Finding]:
    """An ``await`` where nothing waits, a ``break`` or ``continue`` with nothing to leave. Labels are not looked at."""
    stack = [(script.root, _TOP)] if _JUMPS.search(script.code) else []
    while stack:
        node, here = stack.pop()
        word = _JUMP_WORDS.get(node.type)
        if word is not None and word not in here and node.child_by_field_name("label") is None:
            yield script.finding(node.children[0], f"unexpected {word}")
        inside = _allowed_inside(node, here)
        stack += [(child, inside) for child in reversed(node.named_children)]


def _allowed_inside(node: Node, here: frozenset[str]) -> frozenset[str]:
    if node.type in FUNCTIONS:
        return _TOP if any(child.type == "async" for child in node.children) else frozenset()
    if node.type in LOOPS:
        return here | {"break", "continue"}
    return here | {"break"} if node.type == "switch_statement" else here


def _regex_mistake(regex: str) -> str | None:
    pattern, _, flags = regex[1:].rpartition("/")
    if len(set(flags)) != len(flags) or not set(flags) <= set("dgimsuvy"):
        return f"unknown flags of a regular expression: {flags}"
    # Sets inside sets, which the flag v allows, are beyond this look.
    return None if "v" in flags else _pattern_mistake(pattern)


def _pattern_mistake(pattern: str) -> str | None:
    depth, nothing_before = 0, True
    for part in _REGEX_PART.findall(pattern):
        if part in ("*", "+", "?") and nothing_before:
            return f"nothing to repeat before {part} in a regular expression"
        depth += part.startswith("(") - (part == ")")
        if depth < 0:
            return "unexpected ) in a regular expression"
        nothing_before = part == "|" or part.startswith("(")
    return "unclosed ( in a regular expression" if depth else None


@cache
def _query() -> Query:
    return Query(javascript_language(), _PLACES)
