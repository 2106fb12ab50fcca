"""Memories, tasks, goals and the data vault as tools: the same operations that tags write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from paperagents.approval.effect import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import InvalidArgumentsError, ToolError
from paperagents.records.entry_store import EntryStore, Mode
from paperagents.tags import validate_operation


@dataclass(frozen=True, kw_only=True)
class EntryEffects:
    """What can be done to entries. Deleting asks; everything else can be undone and does not."""

    store: EntryStore

    def tools(self) -> dict[str, Callable[[JsonObject], Effect]]:
        """By the names under which they are called."""
        return {kind: partial(self._prepare, kind) for kind in ("memory", "task", "goal", "datavault")}

    def _prepare(self, kind: str, arguments: JsonObject) -> Effect:
        given = {name: value for name, value in arguments.items() if value is not None}
        checked = validate_operation({"tool_id": kind, "type": "self_closing", "attributes": given, "content": ""})
        if not checked["valid"]:
            problems = [
                {"parameter": each["attribute"], "code": each["code"], "message": each["message"]}
                for each in checked["errors"]
            ]
            raise InvalidArgumentsError(kind, problems)
        values = checked["normalized"]["attributes"]
        identifier = str(values.get("identifier") or values.get("id"))
        changes = {name: value for name, value in values.items() if name in given}
        action = "delete" if values.get("delete") else str(values.get("action") or "upsert")
        # There is nothing to ask about an entry that is not there; the attempt itself tells so.
        asks = action == "delete" and self.store.get(kind, identifier) is not None
        return Effect(
            tool=kind,
            arguments=arguments,
            asks=asks,
            preview=self._preview(kind, identifier) if asks else "",
            target=f"{kind}/{identifier}",
            harmless_in_plans=action == "request_read",
            after="" if action == "delete" else None,
            answer=self._foreseen(kind, identifier, action, changes),
            current=lambda: "x" if self.store.get(kind, identifier) else "",
            perform=partial(self._perform, kind, identifier, action, changes, values.get("limit")),
        )

    def _foreseen(self, kind: str, identifier: str, action: str, changes: dict[str, Any]) -> JsonValue:
        """The answer as it will be, for plans."""
        if action == "delete":
            return {"id": identifier, "action": "deleted", "entry": None}
        before = self.store.get(kind, identifier)
        entry: JsonObject = {**(before.as_json() if before else {"identifier": identifier}), **changes}
        return {"id": identifier, "action": "updated" if before else "created", "entry": entry}

    def _preview(self, kind: str, identifier: str) -> str:
        entry = self.store.get(kind, identifier)
        shown = [f"- {kind}/{identifier}"]
        if entry is not None:
            shown += [f"- {line}" for line in (entry.heading or "", *entry.content.split("\n")[:20]) if line]
        return "\n".join(shown)

    def _perform(self, kind: str, identifier: str, action: str, changes: dict[str, Any], limit: object) -> JsonValue:
        if action == "request_read":
            return self._read(kind, identifier, limit)
        if action == "delete":
            self.store.delete(kind, identifier)
            return {"id": identifier, "action": "deleted", "entry": None}
        with self.store.together():
            existed = self.store.get(kind, identifier) is not None
            entry = self.store.put(kind, identifier, changes, mode=cast("Mode", action))
        return {"id": identifier, "action": "updated" if existed else "created", "entry": entry.as_json()}

    def _read(self, kind: str, identifier: str, limit: object) -> JsonValue:
        entry = self.store.get(kind, identifier)
        if entry is None:
            raise ToolError("entry-not-found", kind=kind, id=identifier)
        shown = entry.as_json()
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            shown["content"] = entry.content[: max(int(limit), 0)]
        return {"id": identifier, "action": "read", "entry": shown}
