"""Puts values in the place of references, in one pass: what was put in is never read again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import closest, is_javascript_variable
from paperagents.errors import ReferenceMissingError
from paperagents.reading.javascript_syntax import find_placeholders
from paperagents.reading.references import Malformed, Reference, read_template


@dataclass(frozen=True, kw_only=True)
class Names:
    """Everything that can be referred to at one place of a run."""

    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    """As given, with defaults; declared ones that were not given are null."""
    declared: frozenset[str] = frozenset()
    """Arguments that the tool names: only these take the place of what is built in."""
    input: Mapping[str, JsonValue] = field(default_factory=dict)
    """After preprocessing."""
    built_in: Mapping[str, str] = field(default_factory=dict)
    """``date``, ``time`` and ``random_id``, fixed for the run."""
    previous: JsonValue = None
    has_previous: bool = False
    labels: Mapping[str, JsonValue] = field(default_factory=dict)
    loop: Mapping[str, JsonValue] = field(default_factory=dict)
    """``item`` and ``index`` inside a loop."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def after(self, label: str, output: JsonValue) -> Names:
        """The names in sight of the step that follows one with this label and output."""
        return replace(self, previous=output, has_previous=True, labels={**self.labels, label: output})

    def context(self) -> JsonObject:
        """What JavaScript sees as ``context``."""
        return {**self.built_in, "parameters": dict(self.arguments), "steps": self._step_outputs()}

    def _step_outputs(self) -> JsonObject:
        return {label: {"output": output} for label, output in self.labels.items()}

    def own(self) -> dict[str, str]:
        """What is built in and has no declared argument in its place."""
        return {name: value for name, value in self.built_in.items() if name not in self.declared}

    def for_script(self) -> JsonObject:
        """What a small expression sees by name."""
        context = self.context()
        by_name: JsonObject = {**self._step_outputs(), **self.arguments, **self.own()}
        return {
            **{name: value for name, value in by_name.items() if is_javascript_variable(name)},
            **self.loop,
            "input": dict(self.input),
            "preprocess": dict(self.input),
            "prev_step": {"output": self.previous} if self.has_previous else None,
            "output": self.previous,
            "steps": context["steps"],
            "context": context,
        }


def resolve(value: JsonValue, names: Names) -> JsonValue:
    """The value with every reference in it replaced, at any depth. Raises ReferenceMissingError."""
    if isinstance(value, str):
        return _resolve_text(value, names)
    if isinstance(value, dict):
        return {key: resolve(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [resolve(each, names) for each in value]
    return value


def look_up(reference: Reference, names: Names) -> JsonValue:
    """The value a reference stands for. Raises ReferenceMissingError with the nearest names."""
    root, rest = reference.root, reference.path[1:]
    if root in ("input", "preprocess") and (rest or root not in names.arguments):
        # A declared argument that was not given is null, also by this way.
        not_given = {name: None for name, value in names.arguments.items() if value is None}
        return _walk({**not_given, **names.input}, rest, reference)
    if root in ("prev_step", "output") and (rest or root not in names.arguments):
        return _previous(root, rest, reference, names)
    if root == "steps" and rest:
        return _labelled(str(rest[0]), rest[1:], reference, names)
    if root == "env" and rest:
        return _walk(dict(names.environment), rest, reference)
    return _by_name(root, rest, reference, names)


def format_value(value: JsonValue) -> str:
    """A value inside a text: texts as they are, null as nothing, everything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def fill_script(code: str, names: Names) -> str:
    """Fill in the placeholders of a block of JavaScript.

    Date, time and id are plain text. An argument may be anything, so everything in it that is not a
    letter or digit is written as an escape: inside a string it is the same text, and it can never leave it.
    """
    own = names.own()
    pieces, end = [], 0
    for found in find_placeholders(code, {**names.arguments, **own}):
        filled = own[found.what] if found.what in own else escape_literal(names.arguments[found.what])
        pieces += [code[end : found.start], filled]
        end = found.end
    return "".join([*pieces, code[end:]])


def _resolve_text(text: str, names: Names) -> JsonValue:
    template = read_template(text)
    if template.whole is not None:
        return look_up(template.whole, names)
    pieces = []
    for piece in template.pieces:
        if isinstance(piece, Malformed):
            raise ReferenceMissingError("invalid-reference", reference=piece.text)
        pieces.append(piece if isinstance(piece, str) else format_value(look_up(piece, names)))
    return "".join(pieces)


def _previous(root: str, rest: Sequence[str | int], reference: Reference, names: Names) -> JsonValue:
    if not names.has_previous:
        raise ReferenceMissingError("unknown-reference", reference=reference.text, case="first-step")
    if root == "output":
        return _walk(names.previous, rest, reference)
    return _output(root, names.previous, rest, reference)


def _labelled(label: str, rest: Sequence[str | int], reference: Reference, names: Names) -> JsonValue:
    if not names.labels:
        raise ReferenceMissingError("unknown-reference", reference=reference.text, case="first-step")
    if label not in names.labels:
        raise _missing(label, list(names.labels), reference, case="label")
    return _output(f"steps.{label}", names.labels[label], rest, reference)


def _output(step: str, output: JsonValue, rest: Sequence[str | int], reference: Reference) -> JsonValue:
    if rest and rest[0] != "output":
        raise _only_output(step, reference)
    return _walk({"output": output}, rest, reference)


def _only_output(step: str, reference: Reference) -> ReferenceMissingError:
    return ReferenceMissingError("unknown-reference", reference=reference.text, wanted=step, case="output")


def _by_name(root: str, rest: Sequence[str | int], reference: Reference, names: Names) -> JsonValue:
    if root in names.labels and rest and rest[0] == "output":
        return _walk(names.labels[root], rest[1:], reference)
    for known in (names.loop, names.own(), names.arguments, names.input):
        if root in known:
            return _walk(known[root], rest, reference)
    if root in names.labels:
        raise _only_output(root, reference)
    every = [*names.loop, *names.arguments, *names.input, *names.labels, *names.built_in]
    raise _missing(root, every, reference, case="names")


def _walk(value: JsonValue, path: Sequence[str | int], reference: Reference) -> JsonValue:
    for segment in path:
        if isinstance(value, dict) and str(segment) in value:
            value = value[str(segment)]
        elif isinstance(value, list) and _is_index(segment) and int(segment) < len(value):
            value = value[int(segment)]
        elif isinstance(value, list | str) and segment == "length":
            value = len(value)
        else:
            known = list(value) if isinstance(value, dict) else []
            count = len(value) if isinstance(value, list) else 0
            raise _missing(str(segment), known, reference, case=_case(value, segment), count=count)
    return value


def _is_index(segment: str | int) -> bool:
    return isinstance(segment, int) or (segment.isascii() and segment.isdigit())


def _case(value: JsonValue, segment: str | int) -> str:
    if isinstance(value, dict):
        return "names"
    if isinstance(value, list):
        return "index" if _is_index(segment) else "list"
    return "value"


def _missing(
    wanted: str, known: list[str], reference: Reference, *, case: str, count: int = 0
) -> ReferenceMissingError:
    near = closest(wanted, known)
    return ReferenceMissingError(
        "unknown-reference",
        reference=reference.text,
        wanted=wanted,
        names=", ".join(dict.fromkeys(known)),
        suggestion=", ".join(f"'{name}'" for name in near),
        count=count,
        case="suggestion" if near else case,
    )


def escape_literal(value: JsonValue) -> str:
    """A value as text inside a literal of JavaScript, which it can never leave."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return "".join(each if each.isascii() and each.isalnum() else _escape(each) for each in format_value(value))


def _escape(character: str) -> str:
    # In UTF-16 units, as JavaScript counts: the form \u{…} is not known inside every kind of literal.
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2))
