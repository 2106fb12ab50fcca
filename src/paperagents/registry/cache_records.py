"""What is kept of a file, as JSON and back.

The cache lies in the vault, and a vault may come from a stranger: whatever is not exactly a record of ours is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeVar

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.definitions.tool import AnswerReference, NearReference, Pieces, WrittenValue
from paperagents.registry.entry import CallSite, Entry
from paperagents.registry.folder_scan import FileRecord, Stamp

DAMAGED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What reading a damaged record can raise."""

Value = TypeVar("Value")
_TYPES_OF_KINDS = {
    "markdown": ("single", "chain", None),
    "javascript": ("single", None),
    "agent": ("agent",),
    "tag": ("tag",),
}
_SEVERITIES: Mapping[str, Severity] = {"error": "error", "warning": "warning"}


def format_record(record: FileRecord) -> str:
    """Everything but the stamp and the reading itself, with the values of sentences instead of sentences."""
    # What a tool refuses beyond its schema is code, and only built-in tools have it.
    entry = asdict(replace(record.entry, refuses={})) if record.entry is not None else None
    return json.dumps([entry, [asdict(problem) for problem in record.problems]], separators=(",", ":"))


def read_record(text: str, file: str, stamp: Stamp | None) -> FileRecord:
    """The record of this file. Raises one of DAMAGED on anything else."""
    entry, problems = json.loads(text)
    return FileRecord(
        stamp=stamp,
        entry=_entry(entry, file) if entry is not None else None,
        problems=_problems(problems, file),
    )


def _entry(data: Any, file: str) -> Entry:
    # A record copied to another name would lend one file the good reputation of another.
    if data["file"] != file or data["type"] not in _TYPES_OF_KINDS[data["kind"]]:
        raise ValueError(file)
    name, identifier, description = _all(str, (data["name"], data["id"], data["description"]))
    _all(str, (each for each in (data["category"], data["log"]) if each is not None))
    _all(str, data["aliases"].values())
    (strict,) = _all(bool, (data["strict"],))
    return Entry(
        id=identifier,
        name=name,
        kind=data["kind"],
        type=data["type"],
        description=description,
        category=data["category"],
        tags=_all(str, data["tags"]),
        file=file,
        span=_span(data["span"]) if data["span"] is not None else None,
        problems=_problems(data["problems"], file),
        calls=tuple(map(_call, data["calls"])),
        agents=tuple(map(_call, data["agents"])),
        required=_all(str, data["required"]),
        parameters=_all(str, data["parameters"]),
        aliases=dict(data["aliases"]),
        strict=strict,
        schema=_schema(data["schema"]),
        answer=dict(data["answer"]),
        example_values=tuple(map(_value, data["example_values"])),
        words=dict(zip(data["words"], map(_span, data["words"].values()), strict=True)),
        schedule=_schedule(data["schedule"]) if data["schedule"] is not None else None,
        log=data["log"],
    )


def _schedule(data: Any) -> str:
    from paperagents.reading.fields import is_schedule  # noqa: PLC0415  few tools have one

    if not is_schedule(*_all(str, (data,))):
        raise ValueError(data)
    return str(data)


def _call(data: Any) -> CallSite:
    (tool,), (conditional,) = _all(str, (data["tool"],)), _all(bool, (data["conditional"],))
    arguments = data["arguments"]
    spans = dict(zip(arguments, map(_span, arguments.values()), strict=True))
    return CallSite(
        tool=tool,
        span=_span(data["span"]),
        arguments=spans,
        conditional=conditional,
        values=tuple(map(_value, data["values"])),
        near_references=tuple(map(_near_reference, data["near_references"])),
        answer_references=tuple(map(_answer_reference, data["answer_references"])),
    )


def _value(data: Any) -> WrittenValue:
    _all(str, (data["name"], *data["inner"], *data["templates"]))
    inner = data["inner"]
    return WrittenValue(
        name=data["name"],
        value=data["value"],
        span=_span(data["span"]),
        inner=dict(zip(inner, map(_span, inner.values()), strict=True)) if inner else {},
        templates={path: _pieces(pieces) for path, pieces in data["templates"].items()} if data["templates"] else {},
    )


def _pieces(data: Any) -> Pieces:
    if not {*map(type, data)} <= {str, type(None)}:
        raise TypeError
    return tuple(data)


def _near_reference(data: Any) -> NearReference:
    _all(str, (data["text"], data["suggestion"]))
    return NearReference(text=data["text"], suggestion=data["suggestion"], span=_span(data["span"]))


def _answer_reference(data: Any) -> AnswerReference:
    _all(str, (data["tool"], data["text"]))
    if not {*map(type, data["path"])} <= {str, int}:
        raise TypeError
    span = _span(data["span"])
    return AnswerReference(tool=data["tool"], path=tuple(data["path"]), text=data["text"], span=span)


def _schema(data: Any) -> JsonObject:
    """A schema of which each property is one; a damaged type would stop those who convert values."""
    schema: JsonObject = dict(data)
    for each in _all(dict, data["properties"].values()) if data else ():
        kinds = each.get("type", "")
        _all(str, kinds if isinstance(kinds, list) else (kinds,))
    return schema


def _problems(data: Any, file: str) -> tuple[Problem, ...]:
    return tuple(_problem(each, file) for each in data) if data else ()


def _problem(data: Any, file: str) -> Problem:
    if data["file"] != file:
        raise ValueError(file)
    (code,) = _all(str, (data["code"],))
    severity, span = _SEVERITIES[data["severity"]], _span(data["span"])
    problem = Problem(code=code, severity=severity, file=file, span=span, values=dict(data["values"]))
    problem.as_json()  # A sentence that cannot be said is no sentence of ours: this raises KeyError.
    return problem


def _span(data: Any) -> Span:
    _all(int, data.values())
    return Span(**data)


def _all(kind: type[Value], values: Iterable[Any]) -> tuple[Value, ...]:
    """The values, each of exactly this type. Raises TypeError."""
    # Without a call for each value: every command reads the records of the whole vault.
    found = tuple(values)
    if not {*map(type, found)} <= {kind}:
        raise TypeError
    return found
