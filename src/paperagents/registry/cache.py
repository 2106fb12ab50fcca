"""What a scan found, kept for the next command: unchanged files are not read again.

The cache is plain JSON, never code, and only ever decides what is listed: a tool is read from its own
file before it runs. It can be deleted at any time. A vault may come from a stranger, so nothing here
follows a link, waits for a pipe or believes what it reads.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Problem, Severity, Span
from paperagents.definitions.tool import AnswerReference, NearReference, Pieces, WrittenValue
from paperagents.registry.entry import CallSite, Entry
from paperagents.registry.folder_scan import FileRecord, Stamp
from paperagents.version import __version__

FORMAT = 8
LARGEST = 64 * 1024 * 1024
_DAMAGED = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def load_records(file: Path) -> dict[str, FileRecord]:
    """What the last scan found; nothing where there is none, or none of this version."""
    try:
        data = json.loads(read_content(file))
        if data["format"] != FORMAT or data["version"] != __version__:
            return {}
        records = {}
        for name, record in data["files"].items():
            # One damaged record is read again from its file; the others still count.
            with suppress(*_DAMAGED):
                records[name] = record_from_json(record, name)
    except (OSError, *_DAMAGED):
        return {}
    return records


def save_records(file: Path, records: dict[str, FileRecord]) -> None:
    """Keep what was found, in one step; a folder that cannot be written is no reason to fail."""
    with suppress(OSError, *_DAMAGED):
        kept = {name: record_to_json(record) for name, record in records.items() if record.stamp is not None}
        data = {"format": FORMAT, "version": __version__, "files": kept}
        replace_content(file, json.dumps(data, separators=(",", ":")).encode("ascii"))


def read_content(file: Path) -> bytes:
    """The bytes of the cache file. Raises ValueError where it is a pipe, a folder or absurdly large."""
    with open_folder(file.parent) as folder, open(os.open(file.name, _READ, dir_fd=folder), "rb") as opened:  # noqa: PTH123  by descriptor
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            raise ValueError(file)
        return opened.read(LARGEST)


def replace_content(file: Path, content: bytes) -> None:
    """Written beside and put in its place at once: a reader sees the old file or the new one."""
    with open_folder(file.parent, make=True) as folder:
        temporary = f"{file.name}.{secrets.token_hex(8)}"
        try:
            with open(os.open(temporary, _CREATE, 0o600, dir_fd=folder), "wb") as opened:  # noqa: PTH123  by descriptor
                opened.write(content)
            os.replace(temporary, file.name, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise


@contextmanager
def open_folder(folder: Path, *, make: bool = False) -> Iterator[int]:
    """The folder, opened so that neither it nor the one above can be a link."""
    above = os.open(folder.parent, _FOLDER)
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(folder.name, dir_fd=above)
        opened = os.open(folder.name, _FOLDER, dir_fd=above)
    finally:
        os.close(above)
    try:
        yield opened
    finally:
        os.close(opened)


# --- records as JSON and back; whatever is not exactly a record of ours is refused


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
    # What a tool refuses beyond its schema is code, and only built-in tools have it.
    entry = asdict(replace(record.entry, refuses={})) if record.entry is not None else None
    return [list(asdict(record.stamp).values()), entry, [asdict(problem) for problem in record.problems]]


def record_from_json(data: Any, file: str) -> FileRecord:
    """The record of this file. Raises KeyError, TypeError, ValueError or IndexError on anything else."""
    stamp, entry, problems = data
    size, modified, changed, inode = _all(int, stamp)
    return FileRecord(
        stamp=Stamp(size=size, modified=modified, changed=changed, inode=inode),
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
