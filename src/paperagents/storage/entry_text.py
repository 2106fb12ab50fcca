"""An entry as a text that can be compared and merged line by line, and read back.

Fields and attributes stand between two ``---``, one JSON value in a line, and the content follows as it is::

    ---
    heading: "Tea"
    "price": 4.5
    ---
    Green tea is in the cupboard.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from paperagents.storage.entries import Entry

_RULE = "---"
_IN_HEADER = ("heading", "notes", "status", "type", "description", "definition_version")


def format_entry(entry: Entry) -> str:
    """The text of an entry."""
    fields = {name: value for name in _IN_HEADER if (value := getattr(entry, name)) is not None}
    header = [f"{name}: {_to_json(value)}" for name, value in fields.items()]
    # Quoted: an attribute may have any name, also that of a field.
    header += [f"{_to_json(name)}: {_to_json(value)}" for name, value in entry.attributes.items()]
    if not header and not entry.content.startswith(_RULE):
        return entry.content
    return "\n".join((_RULE, *header, _RULE, entry.content))


def read_entry_text(text: str) -> dict[str, Any]:
    """The fields in the text of an entry, all of them. Raises ValueError where it is no such text."""
    fields: dict[str, Any] = dict.fromkeys(_IN_HEADER)
    attributes: dict[str, Any] = {}
    if not text.startswith(f"{_RULE}\n"):
        return {**fields, "content": text, "attributes": attributes}
    lines = text.split("\n")
    end = lines.index(_RULE, 1)
    for line in lines[1:end]:
        if line.startswith('"'):
            name, position = json.JSONDecoder().raw_decode(line)
            attributes[name] = _value_of(line[position:])
        else:
            name, colon, rest = line.partition(":")
            value = _value_of(colon + rest)
            if name not in _IN_HEADER or not isinstance(value, str):
                raise ValueError(line)
            fields[name] = value
    return {**fields, "content": "\n".join(lines[end + 1 :]), "attributes": attributes}


def keep_fields(written: str, text: str | None) -> str:
    """What somebody has written for an entry with this text: without fields it is the content alone, and they stay."""
    if text is None or not text.startswith(f"{_RULE}\n") or written.startswith(f"{_RULE}\n"):
        return written
    lines = text.split("\n")
    return "\n".join((*lines[: lines.index(_RULE, 1) + 1], written))


def text_of(entry: Entry | None) -> str | None:
    """The text of an entry; None where there is none."""
    return format_entry(entry) if entry is not None else None


def _value_of(rest: str) -> Any:
    if not rest.startswith(": "):
        raise ValueError(rest)
    return json.loads(rest[2:])


def _to_json(value: Mapping[str, Any] | Any) -> str:
    return json.dumps(value, ensure_ascii=False)
