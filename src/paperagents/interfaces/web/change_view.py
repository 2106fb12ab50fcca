"""What a run has changed, as its page shows it: each note with its sums, whether it was taken back, and by what."""

from __future__ import annotations

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.interfaces.web.texts import Diff, read_diff
from paperagents.runs.undo import UNDO
from paperagents.values import dataclass

SHOWN = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangesView:
    """The changes of one run."""

    files: tuple[JsonObject, ...]
    """The first of them, in the form of ``paper changes list --json``."""
    count: int
    undone_by: str | None
    """The run that took them back; undoing it is redoing."""
    is_undo: bool
    """Whether the run is an undo itself."""

    @property
    def is_undone(self) -> bool:
        """Whether nothing is left to take back."""
        return all(each["undone"] for each in self.files)


def changes_view(live: LiveRuns, run_id: str, tool: str) -> ChangesView | None:
    """What a run that somebody started has changed; None where that is nothing."""
    history = live.vault.change_history
    found = history.of_run(run_id)
    if not found:
        return None
    files = tuple(history.as_json(each) for each in found[:SHOWN])
    undone_by = history.undoing_run(run_id) if any(each["undone"] for each in files) else None
    return ChangesView(files=files, count=len(found), undone_by=undone_by, is_undo=tool == UNDO)


def read_change(live: LiveRuns, run_id: str, path: str) -> list[Diff]:
    """What a run has changed in one note or entry; empty where the texts are not kept any more.

    Between two parts, somebody else has changed the text.
    """
    history = live.vault.change_history
    redact = live.vault.services.redaction.text
    shown = [history.show(each, redact) for each in history.of_run(run_id) if each.name == path]
    diffs = [read_diff(f"--- a/{path}\n+++ b/{path}\n{hunk}") for each in shown for hunk in hunks_of(each)]
    return [each for each in diffs if each is not None]


def hunks_of(change: JsonObject) -> list[str]:
    """The hunks of a change, each as it is written in its diff."""
    hunks = change["hunks"]
    assert isinstance(hunks, list)
    return [str(each["diff"]).removesuffix("\n") for each in hunks if isinstance(each, dict)]
