"""The record of a file as JSON and back. Whatever is not exactly a record of ours is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from paperagents.definitions.problem import Problem, Severity
from paperagents.definitions.source import Span
from paperagents.registry.entry import CallSite, Entry
from paperagents.registry.folder_scan import FileRecord, Stamp

Value = TypeVar("Value")
_TYPES_OF_KINDS = {
    "markdown": ("single", "chain", None),
    "javascript": ("single", None),
    "agent": ("agent",),
    "tag": ("tag",),
}
_SEVERITIES: Mapping[str, Severity] = {"error": "error", "warning": "warning"}


def record_to_json(record: FileRecord) -> list[Any]:
    """Everything but the reading itself, with the values of sentences instead of sentences."""
    assert record.stamp is not None
    entry = asdict(record.entry) if record.entry is not None else None
    return [list(asdict(record.stamp).values()), entry, [asdict(problem) for problem in record.problems]]


def record_from_json(data: Any, file: str) -> FileRecord:
    """The record of this file. Raises KeyError, TypeError, ValueError or IndexError on anything else."""
    stamp, entry, problems = data
    size, modified, changed, inode = [_whole(number) for number in stamp]
    return FileRecord(
        stamp=Stamp(size=size, modified=modified, changed=changed, inode=inode),
        entry=_entry(entry, file) if entry is not None else None,
        problems=tuple(_problem(each, file) for each in problems),
    )


def _entry(data: Any, file: str) -> Entry:
    if data["file"] != file or data["type"] not in _TYPES_OF_KINDS[data["kind"]]:
        raise ValueError(file)
    return Entry(
        id=_text(data["id"]),
        name=_text(data["name"]),
        kind=data["kind"],
        type=data["type"],
        description=_text(data["description"]),
        category=_optional(_text, data["category"]),
        file=file,
        span=_optional(_span, data["span"]),
        problems=tuple(_problem(each, file) for each in data["problems"]),
        calls=tuple(_call(each) for each in data["calls"]),
        agents=tuple(_call(each) for each in data["agents"]),
        required=tuple(_text(each) for each in data["required"]),
        parameters=tuple(_text(each) for each in data["parameters"]),
        aliases={name: _text(each) for name, each in data["aliases"].items()},
        strict=_flag(data["strict"]),
        words={word: _span(each) for word, each in data["words"].items()},
        schedule=_optional(_schedule, data["schedule"]),
        log=_optional(_text, data["log"]),
    )


def _schedule(data: Any) -> str:
    from paperagents.reading.cron import is_schedule  # noqa: PLC0415  few tools have one

    if not is_schedule(_text(data)):
        raise ValueError(data)
    return str(data)


def _call(data: Any) -> CallSite:
    return CallSite(
        tool=_text(data["tool"]),
        span=_span(data["span"]),
        arguments={name: _span(each) for name, each in data["arguments"].items()},
        conditional=_flag(data["conditional"]),
    )


def _problem(data: Any, file: str) -> Problem:
    if data["file"] != file:
        raise ValueError(file)
    severity = _SEVERITIES[data["severity"]]
    span = _span(data["span"])
    problem = Problem(code=_text(data["code"]), severity=severity, file=file, span=span, values=dict(data["values"]))
    problem.as_json()  # A sentence that cannot be said is no sentence of ours: this raises KeyError.
    return problem


def _span(data: Any) -> Span:
    return Span(**{name: _whole(number) for name, number in data.items()})


def _optional(read: Callable[[Any], Value], data: Any) -> Value | None:
    return None if data is None else read(data)


def _text(data: Any) -> str:
    if not isinstance(data, str):
        raise TypeError
    return data


def _whole(data: Any) -> int:
    if type(data) is not int:
        raise TypeError
    return data


def _flag(data: Any) -> bool:
    if not isinstance(data, bool):
        raise TypeError
    return data
