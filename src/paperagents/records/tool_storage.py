"""What tools keep for themselves between runs, each its own."""

from __future__ import annotations

import json

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError
from paperagents.records.database import Database


class ToolStorage:
    """One object of values for each tool."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, tool: str) -> JsonObject:
        """What the tool has kept; empty at first."""
        if not self._database.exists():
            return {}
        rows = self._database.rows("SELECT content FROM tool_storage WHERE tool = ?", (tool,))
        return _read(rows[0]["content"], tool) if rows else {}

    def save(self, tool: str, content: JsonObject) -> None:
        """Keep all of it, in one step."""
        with self._database.transaction(durable=True) as connection:
            connection.execute(
                "INSERT INTO tool_storage (tool, content) VALUES (?, ?) "
                "ON CONFLICT (tool) DO UPDATE SET content = excluded.content",
                (tool, json.dumps(content)),
            )

    def change(self, tool: str, before: JsonObject, after: JsonObject) -> None:
        """Keep what one run has changed; what others have kept meanwhile stays."""
        changed = {name: value for name, value in after.items() if not _is_same(before, name, value)}
        gone = before.keys() - after.keys()
        if not changed and not gone:
            return
        with self._database.transaction(durable=True, alone=f"storage of {tool}"):
            kept = {name: value for name, value in self.load(tool).items() if name not in gone}
            self.save(tool, {**kept, **changed})


def _is_same(before: JsonObject, name: str, value: JsonValue) -> bool:
    """As JSON, where 1 is neither true nor 1.0."""
    return name in before and json.dumps(before[name]) == json.dumps(value)


def _read(content: str, tool: str) -> JsonObject:
    """What is damaged is reported and kept: the tool does not run, so nothing is written over it."""
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError, TypeError) as error:
        raise PaperError("storage-unreadable", tool=tool, reason=str(error)) from error
    if not isinstance(kept, dict):
        raise PaperError("storage-unreadable", tool=tool, reason="not an object")
    return kept
