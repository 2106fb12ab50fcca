"""Memories, tasks, goals and the data vault: named entries, with every version kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, ToolError
from paperagents.storage.database import Database, StoredRow, readable
from paperagents.values import dataclass

FIELDS = ("heading", "content", "notes", "status", "type", "description")
_TEXTS = (*FIELDS, "definition_version")
Mode = Literal["create", "update", "upsert"]
_ENTRY = (
    "INSERT INTO entries (kind, identifier, version, created, updated, fields) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (kind, identifier) DO UPDATE SET version = excluded.version, created = excluded.created, "
    "updated = excluded.updated, fields = excluded.fields"
)
_VERSION = "INSERT INTO entry_versions (kind, identifier, version, changed, fields) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One thing that was stored."""

    kind: str
    identifier: str
    created: str
    updated: str
    version: int
    heading: str | None = None
    content: str = ""
    notes: str | None = None
    status: str | None = None
    type: str | None = None
    description: str | None = None
    attributes: Mapping[str, JsonValue] = field(default_factory=dict)
    """What an entry of a kind of one's own has besides."""
    definition_version: str | None = None
    """The version of the tag's definition that stored it."""

    def as_json(self) -> JsonObject:
        """The form of ``paper store … --json``."""
        own: JsonObject = {name: getattr(self, name) for name in ("identifier", *FIELDS)}
        kept: JsonObject = {"created": self.created, "updated": self.updated, "version": self.version}
        if self.definition_version is not None:
            kept["definition_version"] = self.definition_version
        return {**own, **self.attributes, **kept}

    def stored(self) -> JsonObject:
        """What a version of it keeps."""
        fields: JsonObject = {name: getattr(self, name) for name in FIELDS}
        more = {"attributes": dict(self.attributes), "definition_version": self.definition_version}
        return {**fields, **{name: value for name, value in more.items() if value}}


class EntryStore:
    """The entries of one vault."""

    forgets = False
    """Whether what is done here leaves no trace."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, kind: str, identifier: str) -> Entry | None:
        """One entry, or None."""
        rows = self._rows("SELECT * FROM entries WHERE kind = ? AND identifier = ?", (kind, identifier))
        return _entry(StoredRow("entries", rows[0])) if rows else None

    def entries(self, kind: str, *, search: str | None = None) -> list[Entry]:
        """All entries of a kind by their names; only those that mention a text where one is given."""
        rows = self._rows("SELECT * FROM entries WHERE kind = ? ORDER BY identifier", (kind,))
        found = readable("entries", rows, _entry)
        return [entry for entry in found if search is None or _mentions(entry, search.casefold())]

    def counts(self) -> dict[str, int]:
        """The kinds of which there are entries, and how many."""
        rows = self._rows("SELECT kind, COUNT(*) AS entries FROM entries GROUP BY kind ORDER BY kind", ())
        return {str(row["kind"]): int(row["entries"]) for row in rows}

    def content(self, kind: str, identifier: str) -> str | None:
        """The content of an entry; None where there is none."""
        entry = self.get(kind, identifier)
        return entry.content if entry is not None else None

    def put(self, kind: str, identifier: str, changes: Mapping[str, Any], *, mode: Mode = "upsert") -> Entry:
        """Create or change an entry; a change touches just what it names.

        What is no field of every entry stands in ``attributes``.
        """
        with self.together():
            before = self.get(kind, identifier)
            if mode == "create" and before is not None:
                raise ToolError("entry-exists", kind=kind, id=identifier)
            if mode == "update" and before is None:
                raise ToolError("entry-not-found", kind=kind, id=identifier)
            return self._keep(change_entry(before or new_entry(kind, identifier), changes))

    def delete(self, kind: str, identifier: str) -> Entry:
        """Remove an entry; its versions stay, so that it can be brought back."""
        with self.together() as connection:
            before = self.get(kind, identifier)
            if before is None:
                raise ToolError("entry-not-found", kind=kind, id=identifier)
            version = self._last_version(kind, identifier) + 1
            connection.execute("DELETE FROM entries WHERE kind = ? AND identifier = ?", (kind, identifier))
            connection.execute(
                "INSERT INTO entry_versions (kind, identifier, version, changed) VALUES (?, ?, ?, ?)",
                (kind, identifier, version, _now()),
            )
            return before

    def versions(self, kind: str, identifier: str) -> list[JsonObject]:
        """What an entry was, the oldest first; a deletion has no fields."""
        rows = self._rows(
            "SELECT version, changed, fields FROM entry_versions WHERE kind = ? AND identifier = ? ORDER BY version",
            (kind, identifier),
        )
        return readable("entry_versions", rows, _version)

    def at_version(self, kind: str, identifier: str, version: JsonValue) -> Entry:
        """An entry as it was. Raises ToolError where there is no such version, or it was deleted then."""
        found = next((each for each in self.versions(kind, identifier) if each["version"] == version), None)
        if found is None or not isinstance(found["fields"], dict):
            raise ToolError("entry-version-not-found", kind=kind, id=identifier, version=version)
        fields: Mapping[str, Any] = found["fields"]
        return replace(new_entry(kind, identifier), **fields)

    def set_fields(self, kind: str, identifier: str, fields: Mapping[str, Any]) -> Entry:
        """Make an entry exactly this, as a new version: every field, also those that are empty."""
        with self.together():
            before = self.get(kind, identifier) or new_entry(kind, identifier)
            return self._keep(replace(before, **{"attributes": {}, "definition_version": None, **fields}))

    @contextmanager
    def together(self) -> Iterator[Any]:
        """Everything inside happens at once or not at all."""
        with self._database.transaction(durable=True, alone="entries") as connection:
            yield connection

    def _keep(self, entry: Entry) -> Entry:
        """Write an entry as its next version."""
        now, version = _now(), self._last_version(entry.kind, entry.identifier) + 1
        kept = replace(entry, created=entry.created if entry.version else now, updated=now, version=version)
        self._write(kept)
        return kept

    def _write(self, entry: Entry) -> None:
        fields = json.dumps(entry.stored())
        key = (entry.kind, entry.identifier, entry.version)
        with self.together() as connection:
            connection.execute(_ENTRY, (*key, entry.created, entry.updated, fields))
            connection.execute(_VERSION, (*key, entry.updated, fields))

    def _last_version(self, kind: str, identifier: str) -> int:
        query = "SELECT MAX(version) AS last FROM entry_versions WHERE kind = ? AND identifier = ?"
        return self._rows(query, (kind, identifier))[0]["last"] or 0

    def _rows(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        try:
            return self._database.rows(query, values) if self._database.exists() else []
        except UnicodeEncodeError:
            # Half a character: nothing can be stored under such a name.
            return []


class OverlayEntries(EntryStore):
    """The entries as one run sees them: what it changes stays in memory, and nobody else sees it."""

    forgets = True

    def __init__(self, kept: EntryStore) -> None:
        self._kept = kept
        self._pending: dict[tuple[str, str], Entry | None] = {}

    def get(self, kind: str, identifier: str) -> Entry | None:
        """One entry as it would be, or None."""
        key = (kind, identifier)
        return self._pending[key] if key in self._pending else self._kept.get(kind, identifier)

    def entries(self, kind: str, *, search: str | None = None) -> list[Entry]:
        """All entries of a kind as they would be."""
        kept: dict[str, Entry | None] = {entry.identifier: entry for entry in self._kept.entries(kind)}
        pending = {identifier: entry for (of, identifier), entry in self._pending.items() if of == kind}
        found = [entry for _, entry in sorted({**kept, **pending}.items()) if entry is not None]
        return [entry for entry in found if search is None or _mentions(entry, search.casefold())]

    def counts(self) -> dict[str, int]:
        """The kinds of which there would be entries, and how many."""
        kinds = sorted({*self._kept.counts(), *(kind for kind, _ in self._pending)})
        return {kind: count for kind in kinds if (count := len(self.entries(kind)))}

    def delete(self, kind: str, identifier: str) -> Entry:
        """Do without an entry from here on."""
        before = self.get(kind, identifier)
        if before is None:
            raise ToolError("entry-not-found", kind=kind, id=identifier)
        self._pending[kind, identifier] = None
        return before

    def versions(self, kind: str, identifier: str) -> list[JsonObject]:
        """What an entry has been so far."""
        return self._kept.versions(kind, identifier)

    @contextmanager
    def together(self) -> Iterator[Any]:
        """Nothing has to be kept together that is forgotten anyway."""
        yield None

    def _write(self, entry: Entry) -> None:
        self._pending[entry.kind, entry.identifier] = entry

    def _last_version(self, kind: str, identifier: str) -> int:
        before = self.get(kind, identifier)
        return before.version if before is not None else len(self.versions(kind, identifier))


def _entry(row: StoredRow) -> Entry:
    return Entry(
        kind=row.text("kind"),
        identifier=row.text("identifier"),
        created=row.text("created"),
        updated=row.text("updated"),
        version=row.whole("version"),
        **_fields(row),
    )


def _version(row: StoredRow) -> JsonObject:
    fields = None if row.text_or_none("fields") is None else _fields(row)
    return {"version": row.whole("version"), "changed": row.text("changed"), "fields": fields}


def _fields(row: StoredRow) -> dict[str, Any]:
    fields = row.object("fields")
    texts = {name: value for name, value in fields.items() if name != "attributes"}
    possible = all(name in _TEXTS and isinstance(value, str | None) for name, value in texts.items())
    are_objects = isinstance(fields.get("attributes", {}), dict) and isinstance(fields.get("content", ""), str)
    return fields if possible and are_objects else row.refuse("fields")


def change_entry(entry: Entry, changes: Mapping[str, Any]) -> Entry:
    """The entry with what the changes name; None stands for what is left as it is."""
    named = {name: changes[name] for name in (*FIELDS, "definition_version") if changes.get(name) is not None}
    attributes = {**entry.attributes, **(changes.get("attributes") or {})}
    # One that was a number and is a text now is no longer there twice.
    named["attributes"] = {name: value for name, value in attributes.items() if name not in named}
    return replace(entry, **named)


def new_entry(kind: str, identifier: str) -> Entry:
    """An entry that nothing was stored in yet."""
    now = _now()
    return Entry(
        kind=kind,
        identifier=identifier,
        created=now,
        updated=now,
        version=0,
        status="pending" if kind == "task" else None,
        type="text" if kind == "datavault" else None,
    )


def _mentions(entry: Entry, wanted: str) -> bool:
    texts = (str(value or "") for value in (entry.identifier, *entry.stored().values()))
    return any(wanted in each.casefold() for each in texts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, kw_only=True)
class KindStore:
    """The entries of one kind, for a handler of a tag of one's own."""

    kind: str
    entries: EntryStore

    def load(self) -> dict[str, JsonObject]:
        """All of them by their identifiers."""
        return {entry.identifier: entry.as_json() for entry in self.entries.entries(self.kind)}

    def get(self, identifier: str) -> JsonObject | None:
        """One of them, or None."""
        entry = self.entries.get(self.kind, identifier)
        return entry.as_json() if entry is not None else None

    def save(self, identifier: str, values: Mapping[str, Any]) -> JsonObject:
        """Create or change one; a change touches just what it names."""
        return self.entries.put(self.kind, identifier, split_values(values)).as_json()

    def delete(self, identifier: str) -> None:
        """Remove one; its versions stay."""
        self.entries.delete(self.kind, identifier)


def split_values(values: Mapping[str, Any]) -> JsonObject:
    """Values of any names as an entry holds them: texts of its fields, and its attributes."""
    fields = {name: value for name, value in values.items() if name in _TEXTS and isinstance(value, str | None)}
    return {**fields, "attributes": {name: value for name, value in values.items() if name not in fields}}


# --- what tools keep for themselves between runs, each its own


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
