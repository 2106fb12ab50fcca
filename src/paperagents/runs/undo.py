"""Taking back what a run changed, and only that: later edits elsewhere in the same text stay.

An undo is an effect like any other: shown, asked, recorded, and undone itself where that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from paperagents.approval.diff import compare, unified_diff
from paperagents.approval.question import Effect
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError, UsageError
from paperagents.messages import text
from paperagents.runs.change_history import ChangeHistory, RunChange
from paperagents.runs.history import LAST, History
from paperagents.runs.merge import Conflict, merge, split
from paperagents.runs.record import root_of
from paperagents.runs.together import choose_part, state_of
from paperagents.secrets.redaction import Redaction
from paperagents.storage.entry_text import read_entry_text
from paperagents.values import dataclass

UNDO = "undo"
_MOST_NAMED = 20
Lines = tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True)
class Undo:
    """Prepares the undoing of runs of one vault."""

    history: ChangeHistory
    find_run: Callable[[str], str | None]
    """A run by its id, the beginning of it, or ``last``; None where nothing is left to undo."""
    redaction: Redaction

    def prepare(self, arguments: JsonObject) -> Effect:
        """What undoing a run will change; where that is not possible, why."""
        run = self.find_run(str(arguments["run"]))
        if run is None:
            return refuse(arguments, ToolError("nothing-to-undo", case="none"))
        files = arguments.get("files")
        wanted = [str(each) for each in files] if isinstance(files, list) else []
        # Which run is the last one may be another question once it is undone.
        arguments = {**arguments, "run": run}
        chosen = choose_files(self.history.of_run(run), wanted)
        try:
            texts = self._take_back(run, chosen)
        except ToolError as refusal:
            return refuse(arguments, refusal)
        # What somebody has taken back by hand is as it was before the run.
        changes = [each for each in texts if each.before != each.after]
        diffs = [unified_diff(each.before, each.after, each.name) for each in changes]
        is_own = all(self.history.is_own(row) for each in chosen for row in each.rows)
        answer: JsonObject = {"run": run, "files": [each.name for each in changes]}
        effect = Effect(
            tool=UNDO,
            arguments=arguments,
            needs_approval=True,
            preview="\n".join(diffs if is_own else [text("undo.not-own"), *diffs]),
            must_be_seen=not is_own,
            before=state_of(changes),
            changes=tuple(changes),
            undoes={each.name: run for each in changes},
            answer=answer,
            # The gate makes all of them or none, also where the program is killed in between.
            is_commit=True,
            perform=lambda: answer,
        )
        return replace(effect, choose=lambda files: self._choose(effect, run, files))

    def _choose(self, effect: Effect, run: str, files: JsonObject) -> Effect:
        """The part of an undo that an answer agrees to."""
        part = choose_part(effect, files, self.redaction)
        return replace(part, answer={"run": run, "files": [each.name for each in part.changes]})

    def _take_back(self, run: str, chosen: Sequence[RunChange]) -> list[Change]:
        """The texts without what the run changed. Raises ToolError with everything that is in the way."""
        texts: list[Change] = []
        conflicts: list[tuple[str, Lines]] = []
        for each in chosen:
            now = self.history.read_now(each.first.kind, each.first.path)
            match self._without(each, now):
                case Conflict(lines=lines):
                    conflicts.append((each.name, lines))
                case After(text=after):
                    texts.append(Change(kind=each.first.kind, path=each.first.path, before=now, after=after))
        if conflicts:
            raise conflict_error(run, conflicts)
        if all(each.before == each.after for each in texts):
            raise ToolError("nothing-to-undo", run=run, case="run" if not chosen else "undone")
        return texts

    def _without(self, change: RunChange, now: str | None) -> After | Conflict:
        """A text as it is now without the changes of a run, the last one first."""
        result = now
        for span in reversed(change.spans):
            texts = self.history.texts(span)
            if texts is None:
                raise ToolError("change-not-kept", path=change.name, run=change.first.root_run)
            match take_back(result, *texts):
                case Conflict() as conflict:
                    return conflict
                case After(text=result):
                    pass
        if change.first.kind and result is not None and not is_entry(result):
            return Conflict(lines=((1, len(split(now or ""))),))
        return After(text=result)


def refuse(arguments: JsonObject, refusal: ToolError) -> Effect:
    """An undo that is not possible as things stand; one that was killed when it was made finds that out by this."""
    return Effect(tool=UNDO, arguments=arguments, perform=dict, needs_approval=True, refusal=refusal, is_commit=True)


def find_run_to_undo(changes: ChangeHistory, history: History, run: str) -> str | None:
    """A run that somebody started, by its id or the beginning of it.

    ``last`` is the newest that changed something and is not undone, None where there is none. Raises UnknownRunError.
    """
    if run == LAST:
        return changes.newest_run(even_undone=False)
    return root_of(history.record(run).run_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class After:
    """The text that is left; None for none."""

    text: str | None


def take_back(now: str | None, before: str | None, after: str | None) -> After | Conflict:
    """The text as it is now without a change from ``before`` to ``after``."""
    if now in (before, after):
        return After(text=before)
    if now is None or after is None:
        # It is gone, or there again: with other text than the run knows.
        return Conflict(lines=((1, len(split(now))),) if now is not None else ())
    if before is None:
        return Conflict(lines=changed_lines(after, now))
    merged = merge(after, now, before)
    return merged if isinstance(merged, Conflict) else After(text=merged.text)


def changed_lines(before: str, now: str) -> Lines:
    """The lines of a text that are not those it had before."""
    parts = [part for part in compare(split(before), split(now)) if part[0] != "equal"]
    return tuple((start + 1, max(end, start + 1)) for *_, start, end in parts)


def choose_files(changes: Sequence[RunChange], wanted: Sequence[str]) -> list[RunChange]:
    """The changes of these files alone, or all. Raises UsageError for a file that the run did not change."""
    names = {each.name for each in changes}
    if names and (unknown := [each for each in wanted if each not in names]):
        told = ", ".join(sorted(names)[:_MOST_NAMED])
        raise UsageError("undo-unknown-file", path=unknown[0], paths=told)
    return [each for each in changes if not wanted or each.name in wanted]


def conflict_error(run: str, conflicts: Sequence[tuple[str, Lines]]) -> ToolError:
    """What was changed since, file by file and line by line."""
    told = [f"{path}:{_format(lines)}" if lines else text("undo.gone", path=path) for path, lines in conflicts]
    details: JsonObject = {
        "conflicts": [{"path": path, "lines": [[*each] for each in lines]} for path, lines in conflicts]
    }
    return ToolError("undo-conflict", run=run, where=", ".join(told[:_MOST_NAMED]), details=details)


def is_entry(written: str) -> bool:
    """Whether a text is that of an entry."""
    try:
        read_entry_text(written)
    except ValueError:
        return False
    return True


def _format(lines: Lines) -> str:
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in lines)
