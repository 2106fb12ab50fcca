"""Finds loops that can never end: a condition that is always true, and nothing inside that leaves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from paperagents.reading.javascript_syntax import FUNCTIONS, LOOPS, Finding, JavaScript

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


def endless_loops(script: JavaScript) -> Iterator[Finding]:
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
