"""Can this reference exist? Judged by declared arguments, preprocessing, earlier steps and known answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from paperagents.definitions.closest import closest
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.reading.problem_list import ProblemList
from paperagents.reading.reference_syntax import BUILT_IN_NAMES, Malformed, Reference, read_template
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

Shape = Mapping[str, JsonValue]
ANY_SHAPE: JsonObject = {}
MAX_NAMES = 100
"""As many names are compared and told; nor is a longer name a slip of the finger."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scope:
    """What a value at one place of a tool can refer to. Shapes are JSON Schemas; an empty one is anything."""

    arguments: Mapping[str, Shape]
    input: Shape
    previous: Shape | None = None
    """The output of the step before; None where there is none."""
    labels: Mapping[str, Shape] = field(default_factory=dict)
    in_loop: bool = False
    environment: frozenset[str] = frozenset()
    strict: bool = False
    """Whether arguments that are not declared are refused."""
    input_has_arguments: bool = True
    """Whether preprocessing hands on the arguments, those that are not declared too."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """Why a reference cannot exist, and what there is instead."""

    case: str
    names: Sequence[str] = ()
    wanted: str = ""
    """The name that is not there; where only its output is missing, the step."""
    may_be_given: bool = False
    """Whether a caller can bring it along as an argument that is not declared."""


def check_values(node: YamlNode, scope: Scope, problems: ProblemList) -> None:
    """Check every reference in a value, at any depth."""
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
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
        elif isinstance(piece, Reference) and (missing := find_missing(piece, scope)) is not None:
            _report(piece, missing, text, problems)


def find_missing(reference: Reference, scope: Scope) -> Missing | None:
    """None where the reference can exist."""
    root, rest = reference.root, reference.path[1:]
    if not rest and root in scope.arguments:
        return None
    if root in ("prev_step", "output"):
        return _in_previous(root, rest, scope)
    if root == "steps":
        return _in_labels(rest, scope)
    if root in ("input", "preprocess"):
        return _in_input(rest, scope)
    if root == "env" and rest:
        known = rest[0] in scope.environment
        return None if known else Missing(case="env", names=sorted(scope.environment), wanted=str(rest[0]))
    return _by_name(root, rest, scope)


def walk_shape(shape: Shape, path: Sequence[str | int]) -> Missing | None:
    """Follow a path into a shape as far as the shape is known."""
    for segment in path:
        kind = shape.get("type")
        if kind == "object" and "properties" in shape:
            properties = shape["properties"]
            assert isinstance(properties, dict)
            below = properties.get(str(segment))
            if below is None and shape.get("additionalProperties", True) is False:
                return Missing(case="field", names=list(properties), wanted=str(segment))
            shape = below if isinstance(below, dict) else ANY_SHAPE
        elif kind == "array":
            if not _is_index(segment) and segment != "length":
                return Missing(case="list", wanted=str(segment))
            items = shape.get("items")
            shape = items if isinstance(items, dict) else ANY_SHAPE
        elif kind in ("string", "number", "integer", "boolean"):
            return None if kind == "string" and segment == "length" else Missing(case="value", wanted=str(segment))
        else:
            return None
    return None


def _in_input(rest: Sequence[str | int], scope: Scope) -> Missing | None:
    missing = walk_shape(scope.input, rest)
    if missing is None or scope.strict or not scope.input_has_arguments:
        return missing
    properties = scope.input.get("properties")
    is_first = missing.case == "field" and isinstance(properties, dict) and str(rest[0]) not in properties
    return replace(missing, may_be_given=is_first)


def _in_previous(root: str, rest: Sequence[str | int], scope: Scope) -> Missing | None:
    if scope.previous is None:
        return Missing(case="first-step")
    if root == "output":
        return walk_shape(scope.previous, rest)
    return _in_output(root, scope.previous, rest)


def _in_labels(rest: Sequence[str | int], scope: Scope) -> Missing | None:
    if not scope.labels:
        return Missing(case="first-step")
    if not rest or rest[0] not in scope.labels:
        return Missing(case="label", names=list(scope.labels), wanted=str(rest[0]) if rest else "steps")
    return _in_output(f"steps.{rest[0]}", scope.labels[str(rest[0])], rest[1:])


def _in_output(step: str, output: Shape, rest: Sequence[str | int]) -> Missing | None:
    return walk_shape(output, rest[1:]) if rest and rest[0] == "output" else Missing(case="output", wanted=step)


def _by_name(root: str, rest: Sequence[str | int], scope: Scope) -> Missing | None:
    if root in scope.labels and rest and rest[0] == "output":
        return walk_shape(scope.labels[root], rest[1:])
    if scope.in_loop and root in ("item", "index"):
        return None
    if root in scope.arguments:
        return walk_shape(scope.arguments[root], rest)
    if root in BUILT_IN_NAMES:
        return Missing(case="value", wanted=str(rest[0])) if rest else None
    missing = walk_shape(scope.input, (root, *rest))
    if missing is None or missing.wanted != root:
        return missing
    return _unknown_name(root, rest, scope)


def _unknown_name(root: str, rest: Sequence[str | int], scope: Scope) -> Missing:
    if root in scope.labels:
        return Missing(case="output", wanted=root)
    # The output of a step and the values of a loop have forms of their own: nobody means an argument by them.
    is_form = rest[:1] == ("output",) or root in ("item", "index")
    return Missing(case="name", names=scope.names(), wanted=root, may_be_given=not scope.strict and not is_form)


def _is_index(segment: str | int) -> bool:
    return isinstance(segment, int) or segment.isdigit()


def _report(reference: Reference, missing: Missing, text: Excerpt, problems: ProblemList) -> None:
    names = missing.names[:MAX_NAMES]
    near = closest(missing.wanted, names) if len(missing.wanted) <= MAX_NAMES else []
    if missing.may_be_given and not near:
        span = text.span(reference.start, reference.end)
        problems.warning("undeclared-input", span, reference=reference.text, name=missing.wanted)
        return
    case = missing.case
    if case == "first-step" and not text.text.startswith("{{", reference.start):
        case = "first-step-bare"
    elif near:
        case = "suggestion"
    elif names and case in ("field", "name"):
        case = "names"
    problems.error(
        "unknown-reference",
        text.span(reference.start, reference.end),
        reference=reference.text,
        case=case,
        suggestion=", ".join(f"'{name}'" for name in near),
        names=", ".join(names),
        wanted=missing.wanted,
    )
