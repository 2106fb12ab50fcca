"""Which fields the input can have after preprocessing, as far as the code itself tells.

Where the code does something this module does not follow (a helper that returns the object, a computed
key), the answer is "anything": a reference is only called wrong when it surely is.
"""

from __future__ import annotations

from dataclasses import field

from tree_sitter import Node

from paperagents.reading.javascript_syntax import JavaScript
from paperagents.values import dataclass

MAX_NAMES = 200
"""Beyond these nobody is told about one that is missing."""
_LOOKING = frozenset({"Object.keys", "Object.values", "Object.entries", "JSON.stringify", "String", "structuredClone"})


@dataclass(frozen=True, kw_only=True, slots=True)
class ProducedFields:
    """The names a returned object can have."""

    names: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()
    """Names that the code only looks for: arguments that nobody declared pass through."""
    keeps_arguments: bool = False
    """The arguments themselves are still there."""
    anything: bool = False

    def __or__(self, other: ProducedFields) -> ProducedFields:
        if len(self.names) + len(self.read) > MAX_NAMES:
            return ANYTHING
        return ProducedFields(
            names=self.names | other.names,
            read=self.read | other.read,
            keeps_arguments=self.keeps_arguments or other.keeps_arguments,
            anything=self.anything or other.anything,
        )


ANYTHING = ProducedFields(anything=True)


def find_produced_fields(script: JavaScript) -> ProducedFields:
    """What the block's own return statements can hand on; where they were forgotten, ``input`` was meant."""
    variables = _Variables(script)
    returned = [named_children(node) for node in script.returns()]
    if not returned:
        return variables.known["input"]
    result = ProducedFields()
    for values in returned:
        result |= variables.fields_of(values[0]) if values else ANYTHING
    return result


@dataclass()
class _Variables:
    """The objects that names stand for in a block."""

    script: JavaScript
    known: dict[str, ProducedFields] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known["input"] = ProducedFields(keeps_arguments=True)
        nodes = [(node.type, node) for node in self.script.nodes]
        # All declarations first: a function above them may already change what they declare.
        for kind, node in nodes:
            if kind == "variable_declarator":
                self.declare(node)
        for kind, node in nodes:
            if kind in ("assignment_expression", "augmented_assignment_expression"):
                self.assign(node)
            elif kind in ("member_expression", "subscript_expression"):
                self.mention(node)
            elif kind == "identifier" and self.script.text(node) in self.known:
                self.watch(node)

    def fields_of(self, node: Node) -> ProducedFields:
        """The fields of the object an expression gives. Without recursion: code can be nested as deep as it is long."""
        result, waiting = ProducedFields(), [node]
        while waiting:
            each = waiting.pop()
            parts = find_parts(each)
            if parts is None:
                result |= self.fields_of_one(each)
            else:
                waiting += parts
        return result

    def fields_of_one(self, node: Node) -> ProducedFields:
        """What a single variable or member of an object adds."""
        if node.type == "identifier":
            return self.known.get(self.script.text(node), ANYTHING)
        if node.type == "shorthand_property_identifier":
            return ProducedFields(names=frozenset({self.script.text(node)}))
        key = node.child_by_field_name("key") or node.child_by_field_name("name")
        if node.type not in ("pair", "method_definition") or key is None or key.type == "computed_property_name":
            return ANYTHING
        text = self.script.text(key)
        return ProducedFields(names=frozenset({text[1:-1] if key.type == "string" else text}))

    def declare(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or name.type != "identifier":
            return
        text = self.script.text(name)
        # A second variable of that name, or one without a plain object, is beyond this module.
        plain = value is not None and value.type == "object" and text not in self.known
        self.known[text] = self.fields_of(value) if plain and value is not None else ANYTHING

    def assign(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        if left is None:
            return
        if left.type == "identifier":
            self.forget(self.script.text(left))
        owner = left.child_by_field_name("object")
        if owner is None or owner.type != "identifier" or self.script.text(owner) not in self.known:
            return
        name = self.script.member_name(left)
        if name is None:
            self.forget(self.script.text(owner))
        else:
            self.known[self.script.text(owner)] |= ProducedFields(names=frozenset({name}))

    def mention(self, node: Node) -> None:
        """A field that is read, or changed."""
        owner, name = node.child_by_field_name("object"), self.script.member_name(node)
        if owner is not None and owner.type == "identifier" and name is not None:
            known = self.known.get(self.script.text(owner))
            if known is not None and name not in known.read:
                self.known[self.script.text(owner)] = known | ProducedFields(read=frozenset({name}))

    def watch(self, node: Node) -> None:
        """An object that is handed to others can get any field there."""
        parent = self.script.parent(node)
        if parent is None or parent.type in (
            "member_expression", "subscript_expression", "return_statement", "spread_element", "variable_declarator",
            "assignment_expression", "parenthesized_expression", "ternary_expression", "unary_expression",
            "binary_expression", "template_substitution", "for_in_statement", "if_statement",
        ):  # fmt: skip
            if parent is not None and self.is_alias(node, parent):
                self.forget(self.script.text(node))
            return
        if parent.type != "arguments" or not self.only_looks(parent):
            self.forget(self.script.text(node))

    def is_alias(self, node: Node, parent: Node) -> bool:
        """``const copy = input`` gives the object a second name; ``const {a} = input`` does not."""
        if parent.type == "variable_declarator":
            name = parent.child_by_field_name("name")
            return parent.child_by_field_name("value") == node and name is not None and name.type == "identifier"
        return parent.type == "assignment_expression" and parent.child_by_field_name("right") == node

    def only_looks(self, arguments: Node) -> bool:
        call = self.script.parent(arguments)
        function = call.child_by_field_name("function") if call is not None else None
        if function is None or function.end_byte - function.start_byte > 40:
            return False
        name = self.script.text(function)
        return name in _LOOKING or name.startswith("console.")

    def forget(self, name: str) -> None:
        if name in self.known:
            self.known[name] = ANYTHING


def find_parts(node: Node) -> list[Node] | None:
    """The branches or members that an object comes from; None where the node is no more than itself."""
    if node.type == "object":
        return named_children(node)
    if node.type == "ternary_expression":
        return [each for name in ("consequence", "alternative") if (each := node.child_by_field_name(name)) is not None]
    values = named_children(node) if node.type in ("parenthesized_expression", "spread_element") else []
    return values if len(values) == 1 else None


def named_children(node: Node) -> list[Node]:
    """The parts of a node without comments."""
    return [child for child in node.named_children if child.type != "comment"]
