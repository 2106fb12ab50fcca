"""What is wrong with JavaScript before it ever runs: loops without an end, mistakes that no engine forgives."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice

from tree_sitter import Node, Query, QueryCursor

from paperagents.definitions.source import Excerpt, Span
from paperagents.patterns import late_pattern
from paperagents.reading.javascript_names import Surroundings, check_module_names, check_names
from paperagents.reading.javascript_syntax import (
    FUNCTIONS,
    LOOPS,
    MAX_CHARACTERS,
    Finding,
    JavaScript,
    javascript_language,
)
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import BUILT_IN_NAMES

MAX_FINDINGS = 20
"""Of one kind in one block: enough to act on."""
_OF_MODULES = ("require", "import", "export")


def check_block(script: Excerpt, around: Surroundings, problems: ProblemList) -> JavaScript | None:
    """Check a block that is a function's body and must return something; None where it cannot be read."""
    if is_too_long(script, problems):
        return None
    arguments = tuple(around.arguments)
    code = JavaScript(script.text, placeholders=(*arguments, *BUILT_IN_NAMES))
    written = (each for each in code.placeholders if each.what in arguments and code.kind_at(each.start) != "comment")
    for finding in islice(written, MAX_FINDINGS):
        problems.warning("argument-in-javascript", span_of(script, finding), name=finding.what)
    if report_syntax_errors(code, script, problems):
        return None
    if next(code.returns(), None) is None:
        problems.error("missing-return", script.span(*first_words(script.text)))
    for finding in islice(code.forbidden(), MAX_FINDINGS):
        problems.error("forbidden-javascript", span_of(script, finding), name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.error("endless-loop", span_of(script, finding))
    check_names(code, script, around, problems)
    return code


def check_expression(
    script: Excerpt, references: Iterable[tuple[int, int]], around: Surroundings, problems: ProblemList
) -> JavaScript | None:
    """Check a small expression, the condition of a step; where a reference in braces stands, a value will.

    What was read has one character more at its beginning than the file; None where it cannot be read.
    """
    if is_too_long(script, problems):
        return None
    text, references = script.text, tuple(references)
    for start, end in references:
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
    # In brackets it must be an expression; the line break ends a comment at its end.
    code = JavaScript(f"({text}\n)")
    error = code.syntax_error()
    if error is not None:
        start = min(max(error.start - 1, 0), len(script.text))
        report_syntax_error(error, script.span(start, start + 1), problems)
        return None
    for finding in islice(code.forbidden(around.names), MAX_FINDINGS):
        span = script.span(finding.start - 1, finding.end - 1)
        problems.error("forbidden-javascript", span, name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.error("endless-loop", script.span(finding.start - 1, finding.end - 1))
    filled_in = {"_" * (end - start) for start, end in references}
    check_names(code, script, replace(around, names={*around.names, *filled_in}), problems, offset=1)
    return code


def check_module(code: JavaScript, script: Excerpt, problems: ProblemList, *, confined: bool) -> None:
    """Warn of what will fail in a whole file; it may be ready for that, so the file can still be used.

    A file with packages is not ``confined`` to the small sandbox. What it loads by name is judged elsewhere.
    """
    missing = (each for each in code.forbidden() if each.what not in _OF_MODULES) if confined else ()
    for finding in islice(missing, MAX_FINDINGS):
        problems.warning("forbidden-javascript", span_of(script, finding), name=finding.what)
    for finding in islice(find_endless_loops(code), MAX_FINDINGS):
        problems.warning("endless-loop", span_of(script, finding))
    check_module_names(code, script, problems, confined=confined)


def is_too_long(script: Excerpt, problems: ProblemList) -> bool:
    """Report a block that nobody writes by hand; whether it is one."""
    size = len(script.text)
    if size > MAX_CHARACTERS:
        problems.error("javascript-too-long", script.span(*first_words(script.text)), size=size, limit=MAX_CHARACTERS)
    return size > MAX_CHARACTERS


def report_syntax_errors(code: JavaScript, script: Excerpt, problems: ProblemList) -> bool:
    """Report what no engine can read; whether there is any."""
    error = code.syntax_error()
    errors = [error] if error is not None else list(islice(find_mistakes(code), MAX_FINDINGS))
    for each in errors:
        report_syntax_error(each, span_of(script, each), problems)
    return bool(errors)


def report_syntax_error(error: Finding, span: Span, problems: ProblemList) -> None:
    """Report it in the words of JavaScript engines, which people look up, with the sign that is missing."""
    case = "unclosed" if error.missing else None
    problems.error("javascript-syntax", span, reason=error.what, missing=error.missing, case=case)


def span_of(script: Excerpt, finding: Finding) -> Span:
    """Where the file has it; at least one character, unless its line ends there."""
    is_line_end = script.text.startswith("\n", finding.start)
    return script.span(finding.start, max(finding.end, finding.start + (not is_line_end)))


def first_words(text: str) -> tuple[int, int]:
    """The first line that says something, to point at a block as a whole."""
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    return start, len(text) if end < 0 else end


# --- loops that can never end: a condition that is always true, and nothing inside that leaves


_LOOP_WORDS = late_pattern(r"\b(?:while|for)\b")
_TRUTH = {"true": True, "false": False, "null": False, "undefined": False, "object": True, "array": True}
_ZERO = late_pattern(r"0[xob]?0*n?|0*\.?0*(e\d+)?")
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
        self.pass_on(closed.leaves_down_to)
        return closed

    def pass_on(self, place: int) -> None:
        """Something inside jumps out of this place, and so out of everything between."""
        if self.enclosing:
            self.enclosing[-1].leaves_down_to = min(self.enclosing[-1].leaves_down_to, place)

    def find_place(self, label: str | None) -> int:
        return self.places[label][-1] if self.places[label] else _NEVER


def find_endless_loops(script: JavaScript) -> Iterator[Finding]:
    """One walk over the tree: what leaves a loop is noted on the way, and judged when the loop is left."""
    if _LOOP_WORDS.search(script.code) is None:
        return
    functions = [_Function()]
    stack: list[tuple[Node, bool]] = [(script.root, False)]
    while stack:
        node, leaving = stack.pop()
        if not leaving:
            if enter_node(script, node, functions):
                stack.append((node, True))
            stack += [(child, False) for child in reversed(node.named_children)]
        elif node.type in FUNCTIONS:
            functions.pop()
        else:
            closed = functions[-1].leave()
            if closed.leaves_down_to > len(functions[-1].enclosing) and is_always_true(script, node):
                yield script.finding(node, node.type)


def enter_node(script: JavaScript, node: Node, functions: list[_Function]) -> bool:
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
        function.pass_on(find_jump(script, node, function))
        return False
    return True


def find_jump(script: JavaScript, node: Node, function: _Function) -> int:
    """The place among the enclosing ones that this node leaves, with everything above it."""
    if node.type in ("return_statement", "throw_statement", "yield_expression"):
        return 0
    if node.type not in ("break_statement", "continue_statement"):
        return _NEVER
    goes_on = node.type == "continue_statement"
    label = node.child_by_field_name("label")
    if label is not None:
        # A continued label stays in the loop that directly follows it.
        return function.find_place(script.text(label)) + (2 if goes_on else 0)
    return _NEVER if goes_on else function.find_place(None)


def is_always_true(script: JavaScript, loop: Node) -> bool:
    """Whether the condition of a loop holds whatever happens."""
    if loop.type not in LOOPS or loop.type == "for_in_statement":
        return False
    condition = loop.child_by_field_name("condition")
    if condition is None or condition.type == "empty_statement":
        return loop.type == "for_statement"
    return find_truth(script, condition) is True


def find_truth(script: JavaScript, node: Node) -> bool | None:
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
    truth = _TRUTH.get(node.type)
    if node.type == "number":
        truth = _ZERO.fullmatch(script.text(node).lower().replace("_", "")) is None
    elif node.type == "string":
        truth = len(script.text(node)) > 2
    return None if truth is None else truth != turned


# --- mistakes that the parser forgives and no engine does


_PLACES = """
[(program) (statement_block)] @block
(lexical_declaration kind: "const") @const
(try_statement) @try
(object) @object
(regex) @regex
[(jsx_element) (jsx_self_closing_element)] @markup
"""
_WORTH_A_LOOK = late_pattern(
    r"\b(?:let|const|class|try|await|break|continue)\b|<[A-Za-z>]|[{,]\s*(?:/\*|//|,)|(?<![/*])/(?![/*])"
)
_JUMPS = late_pattern(r"\b(?:await|break|continue)\b")
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_JUMP_WORDS = {"await_expression": "await", "break_statement": "break", "continue_statement": "continue"}
_TOP = frozenset({"await"})
_NAMED = frozenset({"class_declaration", "function_declaration", "generator_function_declaration"})
_REGEX_PART = late_pattern(r"\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)?|.", re.DOTALL)


def find_mistakes(script: JavaScript) -> Iterator[Finding]:
    """Everything an engine would refuse, as far as a look at single places tells."""
    if _WORTH_A_LOOK.search(script.code) is None:
        return
    # One query for all kinds of places: a walk over the tree in Python takes longer.
    found = QueryCursor(_query()).captures(script.root)
    for block in found.get("block", ()):
        yield from find_declared_twice(script, block)
    for declaration in found.get("const", ()):
        yield from find_missing_values(script, declaration)
    for statement in found.get("try", ()):
        if not any(child.type in ("catch_clause", "finally_clause") for child in statement.named_children):
            yield script.finding(statement.children[0], "Missing catch or finally after try")
    for literal in found.get("object", ()):
        yield from find_doubled_commas(script, literal)
    for regex in found.get("regex", ()):
        if (reason := find_regex_mistake(script.text(regex))) is not None:
            yield script.finding(regex, reason)
    for markup in found.get("markup", ())[:1]:
        yield script.finding(markup, "Unexpected token '<'")
    yield from find_misplaced(script)


def find_declared_twice(script: JavaScript, block: Node) -> Iterator[Finding]:
    """A name that ``let``, ``const`` or ``class`` declares may not be declared again in the same block."""
    seen: dict[str, bool] = {}
    for statement in block.named_children:
        lexical = statement.type in ("lexical_declaration", "class_declaration")
        for name in _declared(statement):
            text = script.text(name)
            if text in seen and (lexical or seen[text]):
                yield script.finding(name, f"Identifier '{text}' has already been declared")
            seen[text] = lexical or seen.get(text, False)


def _declared(statement: Node) -> Iterator[Node]:
    declarators = statement.named_children if statement.type in _DECLARATIONS else []
    for declarator in declarators if declarators else [statement] if statement.type in _NAMED else []:
        name = declarator.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            yield name


def find_missing_values(script: JavaScript, declaration: Node) -> Iterator[Finding]:
    """Constants that are never given a value."""
    for declarator in declaration.named_children:
        if declarator.type == "variable_declarator" and declarator.child_by_field_name("value") is None:
            yield script.finding(declarator, "Missing initializer in const declaration")


def find_doubled_commas(script: JavaScript, literal: Node) -> Iterator[Finding]:
    """Commas of an object with nothing between them."""
    before = "{"
    for child in literal.children:
        if child.type == "," and before in ("{", ","):
            yield script.finding(child, "Unexpected token ','")
        before = child.type if child.type != "comment" else before


def find_misplaced(script: JavaScript) -> Iterator[Finding]:
    """An ``await`` where nothing waits, a ``break`` or ``continue`` with nothing to leave. Labels are not looked at."""
    stack = [(script.root, _TOP)] if _JUMPS.search(script.code) else []
    while stack:
        node, here = stack.pop()
        word = _JUMP_WORDS.get(node.type)
        if word is not None and word not in here and node.child_by_field_name("label") is None:
            yield script.finding(node.children[0], f"Unexpected token '{word}'")
        inside = _allowed_inside(node, here)
        stack += [(child, inside) for child in reversed(node.named_children)]


def _allowed_inside(node: Node, here: frozenset[str]) -> frozenset[str]:
    if node.type in FUNCTIONS:
        return _TOP if any(child.type == "async" for child in node.children) else frozenset()
    if node.type in LOOPS:
        return here | {"break", "continue"}
    return here | {"break"} if node.type == "switch_statement" else here


def find_regex_mistake(regex: str) -> str | None:
    """What is wrong with a regular expression, as far as its brackets and repetitions tell."""
    pattern, _, flags = regex[1:].rpartition("/")
    if len(set(flags)) != len(flags) or not set(flags) <= set("dgimsuvy"):
        return f"Invalid regular expression flags '{flags}'"
    # Sets inside sets, which the flag v allows, are beyond this look.
    return None if "v" in flags else find_pattern_mistake(pattern)


def find_pattern_mistake(pattern: str) -> str | None:
    """The same for what stands between the slashes."""
    depth, nothing_before = 0, True
    for part in _REGEX_PART.findall(pattern):
        if part in ("*", "+", "?") and nothing_before:
            return "Invalid regular expression: Nothing to repeat"
        depth += part.startswith("(") - (part == ")")
        if depth < 0:
            return "Invalid regular expression: Unmatched ')'"
        nothing_before = part == "|" or part.startswith("(")
    return "Invalid regular expression: Unterminated group" if depth else None


@cache
def _query() -> Query:
    return Query(javascript_language(), _PLACES)
