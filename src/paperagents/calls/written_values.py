"""Is what a file writes for an argument what the called tool wants? Judged as a run would, without one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from paperagents.calls.arguments import describe_violation, make_sentence, stands_for_nothing
from paperagents.calls.conversion import CannotConvertError, convert_value, is_of_type
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Span
from paperagents.definitions.text import guess_name
from paperagents.definitions.tool import Parameter, Pieces, WrittenValue, value_path
from paperagents.messages import Sentence
from paperagents.reading.json_schema import NotASchemaError, Violation, compile_schema
from paperagents.values import dataclass

_SAYS_NOTHING = frozenset({"type", "description", "default", "title", "examples", "deprecated", "enum"})
_DECIDED_OUTSIDE = frozenset({
    "type", "minItems", "maxItems", "required", "additionalProperties", "minProperties", "maxProperties",
    "propertyNames",
})  # fmt: skip
"""Rules for a list or an object that hold whatever the references inside it stand for."""
_OF_NUMBERS = frozenset("0123456789.+-eE")
_OF_TRUTH = frozenset("truefalsTRUEFALS")


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why a run would refuse a value, and where in the file the value stands."""

    span: Span
    reason: Sentence
    suggestion: str | None = None


def find_refusals(written: WrittenValue, parameter: Parameter, schema: JsonObject) -> Iterator[Refusal]:
    """Everything the schema says against a value; ``schema`` has the parameter, and what it refers to."""
    pieces = written.templates.get("")
    if pieces is not None:
        yield from _judge_pieces(written, parameter, pieces)
        return
    if stands_for_nothing(written.value, parameter) or fits_plainly(written.value, parameter.schema):
        return
    try:
        value = convert_value(written.value, parameter.schema)
    except CannotConvertError:
        kind = parameter.schema.get("type")
        yield Refusal(span=written.span, reason=_reason("argument-type", parameter.name, kind=kind, rule=kind))
        return
    if fits_plainly(value, parameter.schema):
        return
    try:
        violations = compile_schema(json.dumps(schema)).violations({parameter.name: value})
    except NotASchemaError:
        return  # Told where the schema stands.
    for violation in violations:
        if violation.path[:1] == (parameter.name,) and _is_decided(violation, written.templates):
            yield _describe(violation, written, value)


def fits_plainly(value: JsonValue, schema: Mapping[str, JsonValue]) -> bool:
    """Whether a value is surely right; most are, and the schema library is not loaded for them."""
    kind = schema.get("type")
    if not isinstance(kind, str) or not is_of_type(value, kind) or not schema.keys() <= _SAYS_NOTHING:
        return False
    allowed = schema.get("enum")
    return not isinstance(allowed, list) or (isinstance(value, str) and value in allowed)


def _is_decided(violation: Violation, templates: Mapping[str, Pieces]) -> bool:
    """Whether it holds whatever the references in the value stand for."""
    here = value_path(violation.path[1:])
    if any(here == path or here.startswith(f"{path}/") for path in templates):
        return False
    return violation.keyword in _DECIDED_OUTSIDE or not any(path.startswith(f"{here}/") for path in templates)


def _describe(violation: Violation, written: WrittenValue, value: JsonValue) -> Refusal:
    code, path, values = describe_violation(violation, [])
    wrong = value
    for segment in violation.path[1:]:
        wrong = wrong[segment] if isinstance(wrong, list | dict) else None  # type: ignore[index]  # the library walked it
    near = None
    if violation.keyword == "enum" and isinstance(wrong, str) and isinstance(violation.limit, list):
        near = guess_word(wrong, [each for each in violation.limit if isinstance(each, str)])
    span = written.inner.get(value_path(violation.path[1:]), written.span)
    return Refusal(span=span, reason=make_sentence(code, path, values), suggestion=near)


def guess_word(word: str, allowed: list[str]) -> str | None:
    """The allowed word that was probably meant: in other capitals, or a slip of the finger away."""
    return next((each for each in allowed if each.casefold() == word.casefold()), None) or guess_name(word, allowed)


def _judge_pieces(written: WrittenValue, parameter: Parameter, pieces: Pieces) -> Iterator[Refusal]:
    """A text with references: judged only where its own letters decide."""
    letters = "".join(each for each in pieces if each is not None)
    if not letters:
        return
    kind, allowed = parameter.schema.get("type"), parameter.schema.get("enum")
    possible = {"number": _OF_NUMBERS, "integer": _OF_NUMBERS, "boolean": _OF_TRUTH}.get(str(kind))
    if possible is not None and not possible >= {*letters}:
        yield Refusal(span=written.span, reason=_reason("argument-type", parameter.name, kind=kind, rule=kind))
    elif isinstance(allowed, list) and kind == "string":
        first, last = pieces[0] or "", pieces[-1] or ""
        words = [each for each in allowed if isinstance(each, str)]
        if not any(each.startswith(first) and each.endswith(last) for each in words):
            reason = _reason("argument-rule", parameter.name, rule="enum", reason="", limit=allowed, names="")
            yield Refusal(span=written.span, reason=reason)


def _reason(code: str, parameter: str, **values: object) -> Sentence:
    return make_sentence(code, parameter, {"value": "", **values})
