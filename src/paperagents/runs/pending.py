"""What a run and everything below it have changed, and nobody has agreed on yet.

The run sees it in all it reads; nobody else does. It is kept with the journal until the run ends, so that a run that
waits, or was interrupted, finds it again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, field, replace
from functools import cached_property

from paperagents.approval.question import Effect, Scope, read_scope
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.files.folder import VaultFolder
from paperagents.files.overlay import OverlayFolder
from paperagents.runs.journal import Journal
from paperagents.storage.database import StoredRow, encode, readable
from paperagents.storage.entries import EntryStore, OverlayEntries
from paperagents.storage.entry_text import read_entry_text, text_of
from paperagents.values import dataclass

Prepare = Callable[[JsonObject], Effect]
"""A built-in tool: turns final arguments into the effect they will have, without having it yet."""
MakeTools = Callable[[VaultFolder, EntryStore], Mapping[str, Prepare]]
"""The built-in tools on these files and entries."""
_ROW = (
    "INSERT INTO pending_changes (owner, run_id, path, call, signature) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (run_id, path) DO UPDATE SET owner = excluded.owner, call = excluded.call, "
    "signature = excluded.signature"
)
_UNFINISHED = (
    "DELETE FROM pending_changes WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM journal WHERE "
    "journal.run_id = pending_changes.run_id AND journal.path = pending_changes.path AND journal.state <> 'open')"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectedCall:
    """One call whose changes are collected."""

    run_id: str
    path: str
    """The step of that run."""
    step: int
    """The number of the step of the run that somebody started."""
    tool: str
    scope: Scope | None
    changes: tuple[Change, ...]
    is_asked: bool
    """Whether it would have been asked about by itself, unless a rule allows it."""
    must_be_seen: bool = False
    undoes: Mapping[str, str] = field(default_factory=dict)
    """As in the effect of the call."""

    def as_json(self) -> JsonObject:
        """The form in which it is kept."""
        return {
            "step": self.step,
            "tool": self.tool,
            "scope": asdict(self.scope) if self.scope is not None else None,
            "changes": [asdict(each) for each in self.changes],
            "is_asked": self.is_asked,
            "must_be_seen": self.must_be_seen,
            "undoes": dict(self.undoes),
        }


class PendingChanges:
    """The pending changes of one run, as an overlay over the vault."""

    def __init__(self, folder: VaultFolder, entries: EntryStore, make_tools: MakeTools) -> None:
        self.folder = OverlayFolder(folder)
        self.entries = OverlayEntries(entries)
        self.owner = ""
        """The run that asks about them at its end; empty while changes are asked about one by one."""
        self.calls: list[CollectedCall] = []
        self.lock = threading.RLock()
        self._on_disk = folder
        self._stored = entries
        self._make_tools = make_tools

    @cached_property
    def tools(self) -> Mapping[str, Prepare]:
        """The built-in tools: what they read is what the run sees, what they change stays in memory."""
        return self._make_tools(self.folder, self.entries)

    def apply(self, changes: Iterable[Change]) -> None:
        """Let the run see these changes from now on."""
        for change in changes:
            if not change.kind:
                self.folder.set_pending(change.path, change.after)
            elif change.after is not None:
                self.entries.set_fields(change.kind, change.path, read_entry_text(change.after))
            elif self.entries.get(change.kind, change.path) is not None:
                self.entries.delete(change.kind, change.path)

    def net_changes(self) -> list[Change]:
        """What the calls come to, against what is there now: each note and entry once, by its name.

        What was taken back within the run is no change, nor what somebody else has made exactly so meanwhile.
        """
        changes = [
            replace(each, before=self.read_now(each.kind, each.path))
            for each in self._whole_changes()
            if each.before != each.after
        ]
        return sorted((each for each in changes if each.before != each.after), key=lambda each: each.name)

    def names_taken_back(self) -> set[str]:
        """What the run has changed and left as it was."""
        return {each.name for each in self._whole_changes() if each.before == each.after}

    def _whole_changes(self) -> Iterable[Change]:
        """All that the calls have made of each note and entry, as one change."""
        whole: dict[tuple[str, str], Change] = {}
        for change in (change for call in self.calls for change in call.changes):
            key = change.kind, change.path
            whole[key] = replace(whole.get(key, change), after=change.after)
        return whole.values()

    def undone_runs(self) -> dict[str, str]:
        """By the name of a change, the run that it takes back; where another call has changed the text, too, none."""
        runs: dict[str, list[str]] = {}
        for call in self.calls:
            for change in call.changes:
                runs.setdefault(change.name, []).append(call.undoes.get(change.name, ""))
        return {name: undone[0] for name, undone in runs.items() if len(undone) == 1 and undone[0]}

    def read_now(self, kind: str, path: str) -> str | None:
        """The text of a note, where ``kind`` is empty, or of an entry as everybody sees it."""
        if kind:
            return text_of(self._stored.get(kind, path))
        found = self._on_disk.find_text(path)
        return found.content if found is not None else None


class PendingRows:
    """Pending changes as they are kept with the journal; each call is signed, since a rule may agree to it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def add(self, owner: str, call: CollectedCall) -> None:
        """Keep a call; written with the entry of its step."""
        kept = encode(call.as_json())
        key = (owner, call.run_id, call.path, kept)
        self._journal.buffer(call.run_id, _ROW, (*key, self._journal.signatures.sign("pending", *key)))

    def load(self, owner: str) -> list[CollectedCall]:
        """The calls of a run that is resumed; one whose step has no result yet is made again, and so forgotten."""
        with self._journal.transaction(owner) as connection:
            connection.execute(_UNFINISHED, (owner,))
        rows = self._journal.database.rows("SELECT * FROM pending_changes WHERE owner = ? ORDER BY seq", (owner,))
        found = readable("pending_changes", rows, self._read)
        return [each for each in found if each is not None]

    def find_text(self, owner: str, name: str) -> str | None:
        """The text that a run wants a note or entry to have, by its name; None where it is to be deleted."""
        changes = [change for call in self.load(owner) for change in call.changes if change.name == name]
        return changes[-1].after if changes else None

    def drop(self, owner: str) -> None:
        """Forget what was never made; whoever would go on with the run must know that these results are none."""
        with self._journal.transaction(owner) as connection:
            connection.execute(
                "UPDATE journal SET state = 'dropped' WHERE EXISTS (SELECT 1 FROM pending_changes WHERE owner = ? "
                "AND pending_changes.run_id = journal.run_id AND pending_changes.path = journal.path)",
                (owner,),
            )
            connection.execute("DELETE FROM pending_changes WHERE owner = ?", (owner,))

    def amend_entry(self, run_id: str, path: str, fields: JsonObject) -> None:
        """Add to the entry of a step what was decided about its change later."""
        self._journal.flush(run_id)
        query = "SELECT seq, entry FROM journal WHERE run_id = ? AND path = ?"
        for row in self._journal.database.rows(query, (run_id, path)):
            entry = {**StoredRow("journal", row).object("entry"), **fields}
            self._journal.buffer(run_id, "UPDATE journal SET entry = ? WHERE seq = ?", (encode(entry), row["seq"]))

    def clear(self, owner: str) -> None:
        """Forget what was settled; written with the end of the run."""
        self._journal.buffer(owner, "DELETE FROM pending_changes WHERE owner = ?", (owner,))

    def has_dropped(self, root_run: str) -> bool:
        """Whether a run, or one below it, has results whose changes were dropped."""
        query = "SELECT 1 FROM journal WHERE state = 'dropped' AND (run_id = ? OR (run_id >= ? AND run_id < ?)) LIMIT 1"
        return bool(self._journal.database.rows(query, (root_run, f"{root_run}.", f"{root_run}/")))

    def _read(self, row: StoredRow) -> CollectedCall | None:
        key = [row.text(column) for column in ("owner", "run_id", "path", "call")]
        if not self._journal.signatures.is_valid(row.text("signature"), "pending", *key):
            return None
        return read_call(key[1], key[2], row)


def read_call(run_id: str, path: str, row: StoredRow) -> CollectedCall:
    """A call as it was kept. Raises DamagedRowError."""
    match row.object("call"):
        case {
            "step": int(step), "tool": str(tool), "changes": list(changes), "scope": scope, "is_asked": bool(is_asked),
            "must_be_seen": bool(must_be_seen), "undoes": dict(undoes),
        }:  # fmt: skip
            return CollectedCall(
                run_id=run_id,
                path=path,
                step=step,
                tool=tool,
                scope=read_scope(scope) if isinstance(scope, dict) else None,
                changes=tuple(read_change(each, row) for each in changes),
                is_asked=is_asked,
                must_be_seen=must_be_seen,
                undoes={name: str(run) for name, run in undoes.items()},
            )
    return row.refuse("call")


def read_change(kept: JsonValue, row: StoredRow) -> Change:
    """A change as it was kept. Raises DamagedRowError."""
    match kept:
        case {"path": str(path), "kind": str(kind), "before": str() | None as before, "after": str() | None as after}:
            return Change(path=path, kind=kind, before=before, after=after)
    return row.refuse("call")
