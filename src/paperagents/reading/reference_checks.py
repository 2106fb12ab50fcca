"""Whether what a reference in a file leads to can exist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from paperagents.definitions.shapes import (
    ANY_SHAPE,
    Missing,
    Shape,
    describe_missing,
    find_answer,
    shape_at,
    walk_shape,
)
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tool import AnswerReference
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import BUILT_IN_NAMES, Malformed, Reference, read_template
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What a value at one place of a tool can refer to. Shapes are JSON Schemas; an empty one is anything."""

    arguments: Mapping[str, Shape]
    input: Shape
    previous: Shape | None = None
    """The output of the step before; None where there is none."""
    labels: Mapping[str, Shape] = field(default_factory=dict)
    in_loop: bool = False
    item: Shape = field(default_factory=dict)
    """An entry of the list that the loop goes through."""
    environment: frozenset[str] = frozenset()
    strict: bool = False
    """Whether arguments that are not declared are refused."""
    answers: Mapping[str, Shape] = field(default_factory=dict)
    """What tools answer that are known before any file is read."""
    input_has_arguments: bool = True
    """Whether preprocessing hands on the arguments, those that are not declared too."""
    input_fields: frozenset[str] | None = None
    """What is declared or made by preprocessing; None where that can be anything."""

    def after(self, label: str, output: Shape) -> Scope:
        """The scope of the step that follows one with this label and output."""
        return replace(self, previous=output, labels={**self.labels, label: output})

    def names(self) -> list[str]:
        """Everything a reference may start with."""
        fields = self.input.get("properties")
        loop = ("item", "index") if self.in_loop else ()
        previous = ("prev_step",) if self.previous is not None else ()
        inputs = tuple(fields) if isinstance(fields, dict) else ()
        return list(dict.fromkeys((*self.arguments, *inputs, *self.labels, *loop, *previous, "input", *BUILT_IN_NAMES)))

    def find_missing(self, reference: Reference) -> Missing | None:
        """Why a reference cannot exist; None where it can."""
        root, rest = reference.root, reference.path[1:]
        if not rest and root in self.arguments:
            return None
        if root in ("prev_step", "output"):
            return self._missing_previous(root, rest)
        if root == "steps":
            return self._missing_label(rest)
        if root in ("input", "preprocess"):
            return self._missing_input(rest)
        if root == "env" and rest:
            known = rest[0] in self.environment
            return None if known else Missing(case="env", names=sorted(self.environment), wanted=str(rest[0]))
        return self._missing_name(root, rest)

    def _missing_previous(self, root: str, rest: Sequence[str | int]) -> Missing | None:
        if self.previous is None:
            return Missing(case="first-step")
        return walk_shape(self.previous, rest) if root == "output" else _walk_output(root, self.previous, rest)

    def _missing_label(self, rest: Sequence[str | int]) -> Missing | None:
        if not self.labels:
            return Missing(case="first-step")
        if not rest or rest[0] not in self.labels:
            return Missing(case="label", names=list(self.labels), wanted=str(rest[0]) if rest else "steps")
        return _walk_output(f"steps.{rest[0]}", self.labels[str(rest[0])], rest[1:])

    def _missing_input(self, rest: Sequence[str | int]) -> Missing | None:
        missing = walk_shape(self.input, rest)
        if missing is None or self.strict or not self.input_has_arguments:
            return missing
        properties = self.input.get("properties")
        is_first = missing.case == "field" and isinstance(properties, dict) and str(rest[0]) not in properties
        return replace(missing, may_be_given=is_first)

    def _missing_name(self, root: str, rest: Sequence[str | int]) -> Missing | None:
        if root in self.labels and rest and rest[0] == "output":
            return walk_shape(self.labels[root], rest[1:])
        if self.in_loop and root in ("item", "index"):
            return walk_shape(self.item if root == "item" else {"type": "integer"}, rest)
        if root in BUILT_IN_NAMES and root not in self.arguments:
            return Missing(case="value", wanted=str(rest[0])) if rest else None
        known = root in self.arguments
        missing = walk_shape(self.arguments[root], rest) if known else walk_shape(self.input, (root, *rest))
        if known or missing is None or missing.wanted != root:
            return missing
        if root in self.labels:
            return Missing(case="output", wanted=root)
        # The output of a step and the values of a loop have forms of their own: nobody means an argument by them.
        is_form = rest[:1] == ("output",) or root in ("item", "index")
        return Missing(case="name", names=self.names(), wanted=root, may_be_given=not self.strict and not is_form)

    def find_shape(self, reference: Reference) -> Shape:
        """What is known of the value that a reference stands for."""
        root, rest = reference.root, reference.path[1:]
        if root in ("input", "preprocess"):
            return shape_at(self.input, rest)
        if root == "output":
            return shape_at(self.previous or ANY_SHAPE, rest)
        step, after = (rest[0], rest[1:]) if root == "steps" and rest else (root, rest)
        if after[:1] == ("output",):
            output = self.previous if root == "prev_step" else self.labels.get(str(step))
            return shape_at(output or ANY_SHAPE, after[1:])
        return shape_at(self.item if root == "item" else self.arguments.get(root, ANY_SHAPE), rest)

    def find_answer(self, reference: Reference) -> tuple[str, tuple[str | int, ...]] | None:
        """The tool into whose answer a reference leads, and where in it; None where that is known already."""
        root, rest = reference.root, reference.path[1:]
        if root == "output" and self.previous is not None:
            return find_answer(self.previous, rest)
        step, rest = (rest[0], rest[1:]) if root == "steps" and rest else (root, rest)
        output = self.previous if root == "prev_step" else self.labels.get(str(step))
        return find_answer(output, rest[1:]) if output is not None and rest[:1] == ("output",) else None


def find_answer_references(node: YamlNode, scope: Scope) -> Iterator[AnswerReference]:
    """The references of a value that lead into answers of other files' tools."""
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        for piece in read_template(node.value).pieces:
            if isinstance(piece, Reference) and (found := scope.find_answer(piece)) is not None:
                span = node.excerpt().span(piece.start, piece.end)
                yield AnswerReference(tool=found[0], path=found[1], text=piece.text, span=span)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from find_answer_references(item, scope)
    elif isinstance(node, YamlMapping):
        for _, value in node.entries.values():
            yield from find_answer_references(value, scope)


def check_values(node: YamlNode, scope: Scope, problems: ProblemList) -> None:
    """Check every reference in a value, at any depth."""
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        # Where each line stands is only worth finding out for a text that refers to something.
        if any(not isinstance(piece, str) for piece in read_template(node.value).pieces):
            check_text(node.excerpt(), scope, problems)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            check_values(item, scope, problems)
    elif isinstance(node, YamlMapping):
        for _, value in node.entries.values():
            check_values(value, scope, problems)


def check_text(text: Excerpt, scope: Scope, problems: ProblemList) -> None:
    """Check the references in one text."""
    for piece in read_template(text.text).pieces:
        if problems.is_full():
            return
        if isinstance(piece, Malformed):
            problems.error("invalid-reference", text.span(piece.start, piece.end), reference=piece.text)
        elif isinstance(piece, Reference):
            check_reference(piece, text, scope, problems)


def _walk_output(step: str, output: Shape, rest: Sequence[str | int]) -> Missing | None:
    return walk_shape(output, rest[1:]) if rest and rest[0] == "output" else Missing(case="output", wanted=step)


def check_reference(reference: Reference, text: Excerpt, scope: Scope, problems: ProblemList) -> None:
    """Check one reference, which stands in this text."""
    missing = scope.find_missing(reference)
    if missing is None:
        return
    span = text.span(reference.start, reference.end)
    if missing.may_be_given and not missing.near():
        case = "file" if reference.may_be_file else None
        problems.warning("undeclared-input", span, reference=reference.text, name=missing.wanted, case=case)
        return
    values = describe_missing(reference.text, missing)
    if missing.case == "first-step" and reference.text == text.text:
        values["case"] = "first-step-bare"
    elif reference.may_be_file and not missing.near():
        values["case"] = "file"
    problems.error("unknown-reference", span, **values)
