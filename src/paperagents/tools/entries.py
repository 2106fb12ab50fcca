"""Memories, tasks, goals and the data vault as tools: the same operations that tags write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from paperagents.approval.effect import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.names import ENTRY_KINDS
from paperagents.errors import FileChangedError, InvalidArgumentsError, ToolError
from paperagents.storage.entries import Entry, EntryStore, Mode
from paperagents.tags import validate_operation

_SHOWN_LINES = 20


@dataclass(frozen=True, kw_only=True)
class EntryEffects:
    """What can be done to entries. Deleting asks; everything else can be undone and does not."""

    store: EntryStore

    def tools(self) -> dict[str, Callable[[JsonObject], Effect]]:
        """By the names under which they are called."""
        return {kind: partial(self._prepare, kind) for kind in ENTRY_KINDS}

    def _prepare(self, kind: str, arguments: JsonObject) -> Effect:
        values = _checked(kind, arguments)
        identifier = str(values.get("identifier") or values.get("id"))
        changes = {name: value for name, value in values.items() if arguments.get(name) is not None}
        action = "delete" if values.get("delete") else str(values.get("action") or "upsert")
        # There is nothing to ask about an entry that is not there; the attempt itself tells so.
        before = self.store.get(kind, identifier)
        asks = action == "delete" and before is not None
        return Effect(
            tool=kind,
            arguments=arguments,
            needs_approval=asks,
            preview=_preview(before) if asks and before else "",
            target=f"{kind}/{identifier}",
            # Once it is another version, it is another entry that would be lost.
            before=_state(before) if asks else "",
            runs_in_plan=action == "request_read" or self.store.forgets,
            after=_state(None) if action == "delete" else None,
            answer=_foreseen(before, identifier, action, changes),
            current=lambda: _state(self.store.get(kind, identifier)),
            transaction=self.store.together if action not in ("delete", "request_read") else None,
            perform=partial(self._delete, kind, identifier, _state(before))
            if action == "delete"
            else partial(self._perform, kind, identifier, action, changes, values.get("limit")),
        )

    def _perform(self, kind: str, identifier: str, action: str, changes: dict[str, Any], limit: object) -> JsonValue:
        if action == "request_read":
            return self._read(kind, identifier, limit)
        with self.store.together():
            existed = self.store.get(kind, identifier) is not None
            entry = self.store.put(kind, identifier, changes, mode=cast("Mode", action))
        return _answer(identifier, "updated" if existed else "created", entry.as_json())

    def _delete(self, kind: str, identifier: str, shown: str) -> JsonValue:
        with self.store.together():
            if _state(self.store.get(kind, identifier)) != shown:
                # Somebody was faster; the gate shows it again.
                raise FileChangedError(path=f"{kind}/{identifier}")
            self.store.delete(kind, identifier)
        return _answer(identifier, "deleted", None)

    def _read(self, kind: str, identifier: str, limit: object) -> JsonValue:
        entry = self.store.get(kind, identifier)
        if entry is None:
            raise ToolError("entry-not-found", kind=kind, id=identifier)
        shown = entry.as_json()
        if isinstance(limit, int | float) and not isinstance(limit, bool):
            shown["content"] = entry.content[: max(int(limit), 0)]
        return _answer(identifier, "read", shown)


def _checked(kind: str, arguments: JsonObject) -> JsonObject:
    """The arguments in their proper form, by the rules of the tag. Raises InvalidArgumentsError with every problem."""
    given = {name: value for name, value in arguments.items() if value is not None}
    checked = validate_operation({"tool_id": kind, "type": "self_closing", "attributes": given, "content": ""})
    if not checked["valid"]:
        problems = [
            {"parameter": each["attribute"], "code": each["code"], "message": each["message"]}
            for each in checked["errors"]
        ]
        raise InvalidArgumentsError(kind, problems)
    values: JsonObject = checked["normalized"]["attributes"]
    return values


def _foreseen(before: Entry | None, identifier: str, action: str, changes: dict[str, Any]) -> JsonValue:
    """The answer as it will be, for plans."""
    if action == "delete":
        return _answer(identifier, "deleted", None)
    entry: JsonObject = {**(before.as_json() if before else {"identifier": identifier}), **changes}
    return _answer(identifier, "updated" if before else "created", entry)


def _answer(identifier: str, action: str, entry: JsonObject | None) -> JsonObject:
    """The result of an operation, as tags have it, and the entry itself. What fails is an error, not an answer."""
    return {"id": identifier, "action": action, "status": "success", "error": None, "entry": entry}


def _preview(entry: Entry) -> str:
    lines = (entry.heading or "", *entry.content.split("\n")[:_SHOWN_LINES])
    return "\n".join([f"- {entry.kind}/{entry.identifier}", *(f"- {line}" for line in lines if line)])


def _state(entry: Entry | None) -> str:
    return f"version {entry.version}" if entry is not None else ""
