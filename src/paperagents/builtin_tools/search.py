"""Searching the vault's notes.

``matches`` says what a query means; it is written to be obviously right and is the measure for any faster way
of finding the same notes. ``search_files`` looks at every file.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from paperagents.builtin_tools.file_listing import ListedFile
from paperagents.builtin_tools.file_reading import modified_time
from paperagents.builtin_tools.notes import Note, folded, note_of
from paperagents.builtin_tools.search_query import (
    And,
    Everything,
    InFileName,
    InPath,
    Not,
    Or,
    Pattern,
    Property,
    Query,
    Tag,
    Text,
    parse_query,
)
from paperagents.builtin_tools.vault_files import VaultFolder
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError

LARGEST_SEARCHED = 4 * 1024 * 1024
"""Larger files are found by name and path only."""

_SNIPPET = 200


def search_files(
    folder: VaultFolder, query: str, path: str = "/", limit: int = 100, *, seconds: float = 30.0
) -> JsonObject:
    """The notes that match, those with the word in their name first; ``count`` is the number of all."""
    parsed = parse_query(query)
    found = sorted(_found(folder, parsed, path, seconds))
    results: list[JsonValue] = [_result(parsed, folder, file) for *_, file in found[: max(limit, 0)]]
    return {"results": results, "count": len(found)}


def matches(query: Query, note: Note) -> bool:  # noqa: C901, PLR0911  one answer per kind of term
    """Whether a note is one the query asks for."""
    match query:
        case Everything():
            return True
        case Not(operand=operand):
            return not matches(operand, note)
        case And(operands=operands):
            return all(matches(operand, note) for operand in operands)
        case Or(operands=operands):
            return any(matches(operand, note) for operand in operands)
        case Text(text=text):
            return _mentions(note, folded(text))
        case Pattern(pattern=pattern):
            return pattern.is_found_in(note.text)
        case InPath(text=text):
            return folded(text.lstrip("/")) in note.folded_path
        case InFileName(text=text):
            return folded(text) in folded(note.name)
        case Tag(name=name):
            return any(_is_tag_or_below(folded(tag), folded(name)) for tag in note.tags)
        case Property(name=name, value=value):
            return any(
                folded(key) == folded(name) and (value is None or _has_value(found, value))
                for key, found in note.properties.items()
            )


def snippet(query: Query, note: Note) -> str:
    """The first line in which something the query asks for stands, cut to a readable length."""
    wanted = [term for term in _asked_for(query) if isinstance(term, Text | Pattern | Tag)]
    if not wanted or not note.text:
        return ""
    for line in note.text.splitlines():
        folded_line = folded(line)
        for term in wanted:
            if (position := _position(term, line, folded_line)) is not None:
                return _cut(line, position)
    return ""


def _found(folder: VaultFolder, query: Query, path: str, seconds: float) -> Iterator[tuple[bool, str, ListedFile]]:
    """What is needed to put the matches in order. Their texts are not kept: a vault may not fit in memory."""
    deadline = time.monotonic() + seconds
    for file in folder.list_files(path):
        if time.monotonic() > deadline:
            raise ToolError("search-timeout", seconds=f"{seconds:g}")
        note = _note(folder, file)
        if matches(query, note):
            yield not _is_named(query, note), file.path, file


def _note(folder: VaultFolder, file: ListedFile) -> Note:
    text = folder.read_listed(file, LARGEST_SEARCHED) if file.size <= LARGEST_SEARCHED else None
    return note_of(file.path, text)


def _result(query: Query, folder: VaultFolder, file: ListedFile) -> JsonObject:
    note = _note(folder, file)
    return {
        "name": note.name,
        "path": note.path,
        "size": file.size,
        "modified": modified_time(file.modified_ns),
        "tags": list(note.tags),
        "snippet": snippet(query, note),
    }


def _mentions(note: Note, text: str) -> bool:
    return text in note.folded_text or text in note.folded_path or any(text in folded(f"#{tag}") for tag in note.tags)


def _is_tag_or_below(tag: str, wanted: str) -> bool:
    return tag == wanted or tag.startswith(f"{wanted}/")


def _has_value(found: JsonValue, wanted: str) -> bool:
    if isinstance(found, list):
        return any(_has_value(each, wanted) for each in found)
    return folded(_written(found)).strip() == folded(wanted).strip()


def _written(value: JsonValue) -> str:
    """A property's value as it stands in the file: texts without quotes, nothing for null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _asked_for(query: Query) -> list[Query]:
    """The terms that a match should show; negated ones are by nature not to be seen."""
    match query:
        case And(operands=operands) | Or(operands=operands):
            return [term for operand in operands for term in _asked_for(operand)]
        case Not():
            return []
    return [query]


def _is_named(query: Query, note: Note) -> bool:
    """Whether something the query asks for stands in the file's name."""
    name = folded(note.name)
    return any(
        folded(term.text) in name for term in _asked_for(query) if isinstance(term, Text | InFileName) and term.text
    )


def _position(term: Text | Pattern | Tag, line: str, folded_line: str) -> int | None:
    """Where in a line a term stands; None where it does not."""
    if isinstance(term, Pattern):
        return 0 if term.pattern.is_found_in(line) else None
    wanted = folded(term.text if isinstance(term, Text) else f"#{term.name}")
    position = folded_line.find(wanted)
    return position if wanted and position >= 0 else None


def _cut(line: str, position: int) -> str:
    """About two hundred characters of a line around a position."""
    if len(line.strip()) <= _SNIPPET:
        return line.strip()
    start = max(0, min(position - _SNIPPET // 2, len(line) - _SNIPPET))
    end = start + _SNIPPET
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")
