"""Finds loops that can never end: a condition that is always true, and nothing inside that leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from paperagents.reading.javascript_syntax import FUNCTIONS, Finding, JavaScript

_LOOPS = frozenset({"while_statement", "do_statement", "for_statement", "for_in_statement"})
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
    enclosing: list[_Enclosing] = field(default_factory=list)


def endless_loops(script: JavaScript) -> Iterator[Finding]:
    """One walk over the tree: what leaves a loop is noted on the way, and judged when the loop is left."""
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
        stack.extend((child, False) for child in reversed(node.children))


def _enter(script: JavaScript, node: Node, functions: list[_Function]) -> bool:
    """Note the node; true where it encloses others and must be left again."""
    enclosing = functions[-1].enclosing
    if node.type in FUNCTIONS:
        functions.append(_Function())
        return True
    if node.type in _LOOPS or node.type == "switch_statement":
        enclosing.append(_Enclosing(node))
        return True
    if node.type == "labeled_statement":
        label = node.child_by_field_name("label")
        enclosing.append(_Enclosing(node, label=script.text(label) if label is not None else None))
        return True
    if enclosing:
        enclosing[-1].leaves_down_to = min(enclosing[-1].leaves_down_to, _jump(script, node, enclosing))
    return False


def _leave(script: JavaScript, node: Node, functions: list[_Function]) -> Node | None:
    """Close what was entered; the node itself where it is a loop without an end."""
    if node.type in FUNCTIONS:
        functions.pop()
        return None
    enclosing = functions[-1].enclosing
    closed = enclosing.pop()
    if enclosing:
        enclosing[-1].leaves_down_to = min(enclosing[-1].leaves_down_to, closed.leaves_down_to)
    endless = closed.leaves_down_to > len(enclosing) and _always_true(script, node)
    return node if endless else None


def _jump(script: JavaScript, node: Node, enclosing: list[_Enclosing]) -> int:
    """The place among the enclosing ones that this node leaves, with everything above it."""
    if node.type in ("return_statement", "throw_statement", "yield_expression"):
        return 0
    if node.type not in ("break_statement", "continue_statement"):
        return _NEVER
    goes_on = node.type == "continue_statement"
    label = node.child_by_field_name("label")
    if label is not None:
        # A continued label stays in the loop that directly follows it.
        return _place(enclosing, label=script.text(label)) + (2 if goes_on else 0)
    return _NEVER if goes_on else _place(enclosing, label=None)


def _place(enclosing: list[_Enclosing], label: str | None) -> int:
    for place in range(len(enclosing) - 1, -1, -1):
        candidate = enclosing[place]
        if candidate.label == label and (label is not None or candidate.node.type != "labeled_statement"):
            return place
    return _NEVER


def _always_true(script: JavaScript, loop: Node) -> bool:
    if loop.type not in _LOOPS or loop.type == "for_in_statement":
        return False
    condition = loop.child_by_field_name("condition")
    if condition is None or condition.type == "empty_statement":
        return loop.type == "for_statement"
    return _truth(script, condition) is True


def _truth(script: JavaScript, node: Node) -> bool | None:
    """What a literal is worth as a condition; None where only running tells."""
    turned = False
    while node.type in ("parenthesized_expression", "expression_statement", "unary_expression"):
        inner = [child for child in node.named_children if child.type != "comment"]
        if len(inner) != 1 or (node.type == "unary_expression" and not script.text(node).startswith("!")):
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
