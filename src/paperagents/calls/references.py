"""Puts values in the place of references, in one pass: what was put in is never read again."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import closest, is_javascript_variable
from paperagents.errors import ReferenceMissingError
from paperagents.reading.references import Malformed, Reference, read_template
from paperagents.values import dataclass


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
        return resolve_text(value, names)
    if isinstance(value, dict):
        return {key: resolve(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [resolve(each, names) for each in value]
    return value


def look_up(reference: Reference, names: Names) -> JsonValue:
    """The value a reference stands for. Raises ReferenceMissingError with the nearest names."""
    return _Lookup(reference=reference, names=names).find()


def format_value(value: JsonValue) -> str:
    """A value inside a text: texts as they are, null as nothing, everything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def fill_script(script: Excerpt, names: Names) -> Excerpt:
    """Fill in the placeholders of a block of JavaScript.

    Date, time and id are plain text. An argument may be anything, so everything in it that is not a
    letter or digit is written as an escape: inside a string it is the same text, and it can never leave it.
    """
    if "{{" not in script.text:
        return script
    from paperagents.reading.javascript_syntax import find_placeholders  # noqa: PLC0415  its libraries are slow to load

    own = names.own()
    found = find_placeholders(script.text, {**names.arguments, **own})
    return script.fill(
        (each.start, each.end, own[each.what] if each.what in own else escape_literal(names.arguments[each.what]))
        for each in found
    )


def resolve_text(text: str, names: Names) -> JsonValue:
    """The text with its references filled in; one that is the entire text keeps the type of its value."""
    # Read once: a value that looks like a reference is a value.
    template = read_template(text)
    if template.whole is not None:
        return look_up(template.whole, names)
    pieces = []
    for piece in template.pieces:
        if isinstance(piece, Malformed):
            raise ReferenceMissingError("invalid-reference", reference=piece.text)
        pieces.append(piece if isinstance(piece, str) else format_value(look_up(piece, names)))
    return "".join(pieces)


@dataclass(frozen=True, kw_only=True)
class _Lookup:
    """One reference among the names in sight."""

    reference: Reference
    names: Names

    def find(self) -> JsonValue:
        names, root, rest = self.names, self.reference.root, self.reference.path[1:]
        if root in ("input", "preprocess") and (rest or root not in names.arguments):
            # A declared argument that was not given is null, also by this way.
            not_given = {name: None for name, value in names.arguments.items() if value is None}
            return self.walk({**not_given, **names.input}, rest)
        if root in ("prev_step", "output") and (rest or root not in names.arguments):
            if not names.has_previous:
                raise self.missing("", [], case="first-step")
            return self.walk(names.previous, rest) if root == "output" else self.output(root, names.previous, rest)
        if root == "steps" and rest:
            return self.labelled(str(rest[0]), rest[1:])
        if root == "env" and rest:
            return self.walk(dict(names.environment), rest)
        return self.by_name(root, rest)

    def labelled(self, label: str, rest: Sequence[str | int]) -> JsonValue:
        if not self.names.labels:
            raise self.missing("", [], case="first-step")
        if label not in self.names.labels:
            raise self.missing(label, list(self.names.labels), case="label")
        return self.output(f"steps.{label}", self.names.labels[label], rest)

    def output(self, step: str, output: JsonValue, rest: Sequence[str | int]) -> JsonValue:
        if rest and rest[0] != "output":
            raise self.missing(step, [], case="output")
        return self.walk({"output": output}, rest)

    def by_name(self, root: str, rest: Sequence[str | int]) -> JsonValue:
        names = self.names
        if root in names.labels and rest and rest[0] == "output":
            return self.walk(names.labels[root], rest[1:])
        for known in (names.loop, names.own(), names.arguments, names.input):
            if root in known:
                return self.walk(known[root], rest)
        if root in names.labels:
            raise self.missing(root, [], case="output")
        every = [*names.loop, *names.arguments, *names.input, *names.labels, *names.built_in]
        raise self.missing(root, every, case="names")

    def walk(self, value: JsonValue, path: Sequence[str | int]) -> JsonValue:
        for segment in path:
            is_index = isinstance(segment, int) or (segment.isascii() and segment.isdigit())
            if isinstance(value, dict) and str(segment) in value:
                value = value[str(segment)]
            elif isinstance(value, list) and is_index and int(segment) < len(value):
                value = value[int(segment)]
            elif isinstance(value, list | str) and segment == "length":
                value = len(value)
            elif isinstance(value, dict):
                raise self.missing(str(segment), list(value), case="names")
            elif isinstance(value, list):
                raise self.missing(str(segment), [], case="index" if is_index else "list", count=len(value))
            else:
                raise self.missing(str(segment), [], case="null" if value is None else "value")
        return value

    def missing(self, wanted: str, known: list[str], *, case: str, count: int = 0) -> ReferenceMissingError:
        near = closest(wanted, known)
        if near:
            case = "suggestion"
        elif self.reference.may_be_file:
            case = "file"
        return ReferenceMissingError(
            "unknown-reference",
            reference=self.reference.text,
            wanted=wanted,
            names=", ".join(dict.fromkeys(known)),
            suggestion=", ".join(f"'{name}'" for name in near),
            count=count,
            case=case if known or case != "names" else None,
        )


def escape_literal(value: JsonValue) -> str:
    """A value as text inside a literal of JavaScript, which it can never leave."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return re.sub("[^A-Za-z0-9]", _escape, format_value(value))


def _escape(character: re.Match[str]) -> str:
    # In UTF-16 units, as JavaScript counts: the form \\u{…} is not known inside every kind of literal.
    units = character[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{int.from_bytes(units[at : at + 2], 'big'):04x}" for at in range(0, len(units), 2))
