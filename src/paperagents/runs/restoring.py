"""Making an entry what it was in one of its versions; also one that was deleted.

An effect like any other: shown, asked, recorded, and undone where that is wanted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from paperagents.approval.diff import unified_diff
from paperagents.approval.question import Effect
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError
from paperagents.runs.change_history import ChangeHistory
from paperagents.runs.history import History
from paperagents.runs.pending import Prepare
from paperagents.runs.together import choose_part, state_of
from paperagents.runs.undo import UNDO, Undo, find_run_to_undo
from paperagents.secrets.redaction import Redaction
from paperagents.storage.entries import EntryStore
from paperagents.storage.entry_text import format_entry, text_of
from paperagents.values import dataclass

RESTORE_ENTRY = "restore_entry"


@dataclass(frozen=True, kw_only=True)
class Restore:
    """Prepares the restoring of entries of one vault."""

    entries: EntryStore
    redaction: Redaction

    def prepare(self, arguments: JsonObject) -> Effect:
        """What restoring an entry will change; nothing where it is so already."""
        kind, identifier, version = str(arguments["kind"]), str(arguments["identifier"]), arguments["version"]
        try:
            found = self.entries.at_version(kind, identifier, version)
        except ToolError as refusal:
            return Effect(tool=RESTORE_ENTRY, arguments=arguments, perform=dict, refusal=refusal, is_commit=True)
        before, after = text_of(self.entries.get(kind, identifier)), format_entry(found)
        change = Change(kind=kind, path=identifier, before=before, after=after)
        changes = (change,) if before != after else ()
        answer: JsonObject = {"kind": kind, "identifier": identifier, "version": version}
        effect = Effect(
            tool=RESTORE_ENTRY,
            arguments=arguments,
            needs_approval=bool(changes),
            preview=unified_diff(before, after, change.name),
            before=state_of(changes),
            changes=changes,
            answer=answer,
            is_commit=True,
            perform=lambda: answer,
        )
        return replace(effect, choose=lambda files: choose_part(effect, files, self.redaction))


def restoring_tools(
    changes: ChangeHistory, history: History, entries: EntryStore, redaction: Redaction
) -> dict[str, Prepare]:
    """The tools that bring back what was, on these entries and on the notes that the changes are read from."""
    undo = Undo(history=changes, find_run=partial(find_run_to_undo, changes, history), redaction=redaction)
    return {UNDO: undo.prepare, RESTORE_ENTRY: Restore(entries=entries, redaction=redaction).prepare}
