"""What tools keep for themselves between runs, each its own."""

from __future__ import annotations

import json

from paperagents.definitions.json_value import JsonObject
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


def _read(content: str, tool: str) -> JsonObject:
    """What is damaged is reported and kept: the tool does not run, so nothing is written over it."""
    try:
        kept = json.loads(content)
    except (ValueError, RecursionError, TypeError) as error:
        raise PaperError("storage-unreadable", tool=tool, reason=str(error)) from error
    if not isinstance(kept, dict):
        raise PaperError("storage-unreadable", tool=tool, reason="not an object")
    return kept
