"""Mistakes that the parser forgives and no engine does: a name declared twice, ``const x;``, a stray ``break``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from tree_sitter import Node, Query, QueryCursor

from paperagents.reading.javascript_syntax import FUNCTIONS, LOOPS, Finding, JavaScript, javascript_language

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


def mistakes(script: JavaScript) -> Iterator[Finding]:
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
