"""Questions about JavaScript, answered from its syntax tree. The parser is known in the modules ``javascript_…``."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from time import thread_time

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser, Point, Tree

from paperagents.patterns import late_pattern
from paperagents.values import dataclass

FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "generator_function", "generator_function_declaration",
    "arrow_function", "method_definition", "class_static_block", "field_definition",
})  # fmt: skip
LOOPS = frozenset({"while_statement", "do_statement", "for_statement", "for_in_statement"})
FORBIDDEN = frozenset({"require", "process", "fs", "eval", "Function"})
MAX_CHARACTERS = 100_000
"""Of one block. Nobody writes more by hand."""
PARSER_SECONDS = 0.3
"""Sound code of the greatest length takes a sixth of this; only recovering from errors takes longer."""

_FORBIDDEN_WORDS = late_pattern(r"\b(?:require|process|fs|eval|Function|import|export|constructor)\b|\\u")
_ESCAPE = late_pattern(r"\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")
_BINDING_PARENTS = {
    "variable_declarator": "name", "function_declaration": "name", "function_expression": "name",
    "generator_function_declaration": "name", "class_declaration": "name", "arrow_function": "parameter",
    "generator_function": "name", "class": "name", "catch_clause": "parameter", "pair_pattern": "value",
    "assignment_pattern": "left", "for_in_statement": "left",
}  # fmt: skip
_BINDING_LISTS = frozenset({
    "formal_parameters", "array_pattern", "rest_pattern", "import_clause", "import_specifier", "namespace_import",
})  # fmt: skip
_HOLD_STATEMENTS = frozenset({
    "program", "statement_block", "if_statement", "else_clause", "for_statement", "for_in_statement",
    "while_statement", "do_statement", "try_statement", "catch_clause", "finally_clause", "switch_statement",
    "switch_body", "switch_case", "switch_default", "labeled_statement", "with_statement",
})  # fmt: skip
_QUOTED = frozenset({"comment", "regex", "regex_pattern", "string", "string_fragment", "template_string"})
_GLOBALS = ("globalThis", "window", "self", "global")
_OPENERS = {"(": ")", "[": "]", "{": "}", "${": "}", "`": "`", '"': '"', "'": "'"}
_CLOSERS = frozenset({*_OPENERS.values(), ";"})
_OPERATOR = late_pattern(r"[=+*/%<>&|^.-]+")
_END_OF_EXPRESSION = late_pattern(r"\s*[;)\]}]")
_TOKEN = late_pattern(r"[\w$]{1,40}|\S")


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Something in the code: what it is, and its offsets."""

    what: str
    start: int
    end: int
    missing: str = ""
    """The sign that would put it right, where one is known."""


class JavaScript:
    """One block of code with its syntax tree.

    Placeholders such as ``{{date}}`` are filled in before the code runs; they are masked here by names of
    the same length, so that every position stays true.
    """

    def __init__(self, code: str, placeholders: Iterable[str] = ()) -> None:
        self.code = code
        self.placeholders = list(find_placeholders(code, placeholders))
        self._bytes = replace_by_words(code, self.placeholders).encode("utf-8", "surrogatepass")
        self._ascii = len(self._bytes) == len(code)
        self._tree, self.was_cut = _parse(self._bytes)
        self.root = self._tree.root_node

    def syntax_error(self) -> Finding | None:
        """The first place the parser stumbled over, or None."""
        if self.root.has_error:
            for node in walk(self.root, enter=lambda each: each.has_error):
                if node.is_missing and node.type not in _CLOSERS:
                    return self._unexpected_after(node)
                if node.is_missing:
                    return replace(self.finding(node, f"missing {node.type}"), missing=node.type)
                if node.type == "string" and node.has_error and node.start_point.row < node.end_point.row:
                    return self._unclosed_finding(node.children[0], "Invalid or unexpected token")
                if node.is_error:
                    return self._error_finding(node)
        return Finding(what="Unexpected token", start=0, end=1) if self.was_cut else None

    def returns(self) -> Iterator[Node]:
        """The return statements of the block itself; those of functions inside it do not count."""
        statements = walk(self.root, enter=lambda node: node.type in _HOLD_STATEMENTS)
        return (node for node in statements if node.type == "return_statement")

    def forbidden(self, given: Iterable[str] = ()) -> Iterator[Finding]:
        """Uses of what the sandbox does not have. A name that the code declares or is ``given`` is its own business."""
        if _FORBIDDEN_WORDS.search(self.code) is None:
            return  # Most blocks; the tree is only asked about words that are there at all.
        declared = {self.text(node) for node in self.nodes if self._is_binding(node)}.union(given)
        for node in self.nodes:
            name = self._forbidden_name(node, declared)
            if name is not None:
                yield self.finding(node, name)

    def text(self, node: Node) -> str:
        """The code of a node."""
        return self._bytes[node.start_byte : node.end_byte].decode("utf-8", "surrogatepass")

    def kind_at(self, offset: int) -> str:
        """What the code is at an offset: the type of the innermost node there."""
        # The parser counts bytes, an offset counts characters.
        start = len(self.code[:offset].encode("utf-8", "surrogatepass"))
        node = self.root.descendant_for_byte_range(start, start + 1)
        return node.type if node is not None else ""

    def parent(self, node: Node) -> Node | None:
        """The node around a node. The library climbs down from the root each time it is asked; this remembers."""
        return self._parents.get(node.id)

    @cached_property
    def nodes(self) -> list[Node]:
        """Every node in the order of the code."""
        return list(walk(self.root))

    @cached_property
    def _parents(self) -> dict[int, Node]:
        return {child.id: node for node in self.nodes for child in node.children}

    @cached_property
    def _first_named(self) -> dict[str, Node]:
        names = [node for node in self.nodes if node.type in ("property_identifier", "identifier")]
        return {self.text(node): node for node in reversed(names)}

    def find_name(self, name: str) -> Finding | None:
        """Where the code first names something."""
        node = self._first_named.get(name)
        return None if node is None else self.finding(node, name)

    def finding(self, node: Node, what: str) -> Finding:
        """A node as an offset into the code."""
        return Finding(what=what, start=self._offset(node.start_byte), end=self._offset(node.end_byte))

    def _offset(self, byte: int) -> int:
        return byte if self._ascii else len(self._bytes[:byte].decode("utf-8", "surrogatepass"))

    def _error_finding(self, node: Node) -> Finding:
        opener = find_unclosed(node)
        if opener is not None:
            return self._unclosed_finding(opener, "Unexpected end of input")
        if _OPERATOR.fullmatch(self.text(node)) and _END_OF_EXPRESSION.match(self.code, self._offset(node.end_byte)):
            # The operator is right; what it needs is not there.
            return self._unexpected_after(node)
        return self.finding(node, f"Unexpected token '{self.text(node).strip().split(chr(10), 1)[0][:40]}'")

    def _unexpected_after(self, node: Node) -> Finding:
        found = _TOKEN.search(self.code, self._offset(node.end_byte))
        if found is None:
            return self.finding(node, "Unexpected end of input")
        return Finding(what=f"Unexpected token '{found[0]}'", start=found.start(), end=found.end())

    def _unclosed_finding(self, opener: Node, what: str) -> Finding:
        return replace(self.finding(opener, what), missing=_OPENERS[opener.type])

    def _is_binding(self, node: Node) -> bool:
        if node.type == "shorthand_property_identifier_pattern":
            return True
        if node.type != "identifier":
            return False
        parent = self.parent(node)
        if parent is None or parent.type in _BINDING_LISTS:
            return parent is not None
        field = _BINDING_PARENTS.get(parent.type)
        return field is not None and parent.child_by_field_name(field) == node

    def _forbidden_name(self, node: Node, declared: set[str]) -> str | None:
        if node.type in ("import_statement", "import", "export_statement"):
            return self._keyword_of_module(node)
        if node.type in ("identifier", "shorthand_property_identifier"):
            name = unescape_name(self.text(node))
            if name in FORBIDDEN and name not in declared and not self._is_harmless(node):
                return name
        if node.type in ("member_expression", "subscript_expression"):
            return self._forbidden_member(node)
        return None

    def _keyword_of_module(self, node: Node) -> str | None:
        if node.type == "import":
            # The bare keyword: import(...) or import.meta; inside a statement the statement is reported.
            parent = self.parent(node)
            return "import" if parent is not None and parent.type not in ("import_statement", "import") else None
        return node.type.removesuffix("_statement")

    def _is_harmless(self, node: Node) -> bool:
        """``typeof require``, ``x instanceof Function`` and ``Function.prototype`` look but do not touch."""
        parent = self.parent(node)
        if parent is None:
            return False
        if parent.type == "unary_expression":
            return self.text(parent).startswith("typeof")
        if parent.type == "binary_expression":
            operator = parent.child_by_field_name("operator")
            return operator is not None and operator.type == "instanceof"
        return parent.type == "member_expression" and self.member_name(parent) == "prototype"

    def _forbidden_member(self, node: Node) -> str | None:
        owner = node.child_by_field_name("object")
        name = self.member_name(node)
        if owner is None or name is None:
            return None
        if name in FORBIDDEN and owner.type == "identifier" and self.text(owner) in _GLOBALS:
            return name
        if name == "constructor" and owner.type in ("member_expression", "subscript_expression"):
            return "Function" if self.member_name(owner) == "constructor" else None
        if name == "constructor" and owner.type == "parenthesized_expression":
            return "Function" if any(child.type in FUNCTIONS for child in owner.named_children) else None
        return None

    def member_name(self, node: Node) -> str | None:
        """The name in ``x.name`` or ``x["name"]``; None where it is computed."""
        if node.type == "member_expression":
            named = node.child_by_field_name("property")
            return self.text(named) if named is not None else None
        index = node.child_by_field_name("index")
        if index is None or index.type not in ("string", "template_string"):
            return None
        return (
            None if any(child.type == "template_substitution" for child in index.children) else self.text(index)[1:-1]
        )


def find_placeholders(code: str, names: Iterable[str]) -> Iterator[Finding]:
    """The ``{{name}}`` in a block whose name is one that will be filled in; any other braces are JavaScript."""
    known = frozenset(names)
    for match in re.finditer(r"(?<!\\)\{\{\s*([^\s{}]+)\s*\}\}", code) if "{{" in code else ():
        if match[1] in known:
            yield Finding(what=match[1], start=match.start(), end=match.end())


def find_quoted(expression: str, places: Iterable[tuple[int, int]]) -> set[int]:
    """Which of these stretches, by their start, stand in a text, a regular expression or a comment."""
    findings = [Finding(what="", start=start, end=end) for start, end in places]
    # In brackets it is read as an expression.
    code = JavaScript(f"({replace_by_words(expression, findings)}\n)")
    return {each.start for each in findings if code.kind_at(each.start + 1) in _QUOTED}


def mask_placeholders(code: str, names: Iterable[str]) -> str:
    """The code with a word of the same length in the place of each placeholder."""
    return replace_by_words(code, find_placeholders(code, names)) if "{{" in code else code


def replace_by_words(code: str, placeholders: Iterable[Finding]) -> str:
    """The code with a word in the place of each finding; every position stays true."""
    pieces, end = [], 0
    for finding in placeholders:
        pieces += [code[end : finding.start], "_" * (finding.end - finding.start)]
        end = finding.end
    return "".join([*pieces, code[end:]])


def walk(root: Node, enter: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Every node below and including the root, in the order of the code, without recursion."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        if enter is None or enter(node):
            stack += node.children[::-1]


def _parse(code: bytes) -> tuple[Tree, bool]:
    """The tree, and whether the parser was told that the text ends early.

    Recovering from errors takes more than linear time. Once the time is over, the first error is long
    known, and what comes after it changes nothing.
    """
    # Short code cannot take long, and a callback for its bytes would cost more than parsing it.
    if len(code) <= 8_000:
        return _parser().parse(code), False
    deadline = thread_time() + PARSER_SECONDS
    was_cut = False

    def read(offset: int, _: Point) -> bytes:
        nonlocal was_cut
        was_cut = was_cut or thread_time() > deadline
        return b"" if was_cut else code[offset : offset + 1024]

    tree = _parser().parse(read)
    return tree, was_cut


@cache
def javascript_language() -> Language:
    """The grammar."""
    return Language(tree_sitter_javascript.language())


@cache
def _parser() -> Parser:
    return Parser(javascript_language())


def find_unclosed(error: Node) -> Node | None:
    """The last bracket or quote in the error that nothing closes."""
    open_tokens: list[Node] = []
    for child in error.children:
        if open_tokens and child.type == _OPENERS[open_tokens[-1].type]:
            open_tokens.pop()
        elif child.type in _OPENERS:
            open_tokens.append(child)
    return open_tokens[-1] if open_tokens else None


def unescape_name(name: str) -> str:
    """A name with the letters that its escapes stand for."""
    return _ESCAPE.sub(unescape, name)


def unescape(escape: re.Match[str]) -> str:
    """The letter of an escape in a name."""
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= sys.maxunicode else escape[0]
