"""The kinds of entries that the store keeps. Each is a tool, a tag and a word of ``paper store`` by the same name."""

from __future__ import annotations

from typing import Literal, get_args

from paperagents.definitions.json_value import JsonObject

EntryKind = Literal["memory", "task", "goal", "datavault"]
ENTRY_KINDS: tuple[EntryKind, ...] = get_args(EntryKind)


def identifying_argument(kind: str, identifier: str) -> JsonObject:
    """The argument by which the tool of this kind is told which entry is meant."""
    return {"id" if kind == "datavault" else "identifier": identifier}
