"""Changes that are made together: collected while a run goes on, asked about once, and made all or none.

collect     a call inside a run that collects: the run sees its change, nobody else does
settle      one question at the end of the run, with an answer for each file or hunk
commit      intents and texts are journaled first, then the files are changed, then the entries with the mark that
all is done, in one transaction; whoever is killed in between is completed by ``complete``
drop        a run that fails or is cancelled has changed nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paperagents.approval.file_changes import Refusal, choose_changes, describe_change, require_choice
from paperagents.approval.question import ApprovalRequest, Approved, Effect, digest_of
from paperagents.approval.rule_words import require_rule
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    DeniedError,
    FileChangedError,
    PaperError,
    PlanEndsError,
    StorageError,
    ToolError,
    UsageError,
    WaitingError,
)
from paperagents.files.commit import commit_changes, complete_changes, digest_text, in_order, take_back
from paperagents.files.folder import LARGEST_FILE
from paperagents.files.writing import encode_text
from paperagents.messages import text
from paperagents.runs.log import RunContext
from paperagents.runs.record import TOGETHER, Place, StepPath, root_of
from paperagents.runs.session import Services, Session
from paperagents.secrets.redaction import Redaction
from paperagents.storage.entry_text import keep_fields, read_entry_text, text_of
from paperagents.values import dataclass

if TYPE_CHECKING:
    from paperagents.runs.gate import Gate

DATABASE_FULL = "database-full"
"""The code of an error after which nothing of a transaction is written."""
_MOST_NAMED = 10
"""Files that one sentence names."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """What became of the changes that a run has collected."""

    agreed: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    failure: DeniedError | None = None
    """Where all of them were refused."""

    def as_json(self) -> JsonObject:
        """The output of the step that asks."""
        return {"agreed": [*self.agreed], "refused": [each.as_json() for each in self.refused]}

    def describe(self) -> str:
        """For the model: what was refused, and why; empty where nothing was."""
        reason = str(self.failure.details.get("reason") or "") if self.failure is not None else ""
        lines = [f"- {describe_refusal(each)}" for each in self.refused]
        told = text("run.changes-refused.reason" if reason else "run.changes-refused", reason=reason)
        return "\n".join([told, *lines])


def describe_refusal(refusal: Refusal) -> str:
    """One sentence for the record and the model."""
    case = "hunk" if refusal.hunk is not None else "file-reason" if refusal.reason else "file"
    return text(f"run.change-refused.{case}", path=refusal.path, hunk=refusal.hunk, reason=refusal.reason)


class Collector:
    """Collects the changes of one run, and settles them at its end."""

    def __init__(self, services: Services, session: Session, gate: Gate) -> None:
        self._services = services
        self._session = session
        self._gate = gate
        self._settled: Settlement | None = None

    @contextmanager
    def collecting(self, run: RunContext) -> Iterator[None]:
        """Around a run: one that collects finds again what it has collected, and drops it where it fails."""
        pending, is_root = self._services.pending, run.run_id == run.root_run
        wants = run.tool.approval == "together" or (is_root and run.run_id in self._session.collecting)
        if self._session.plan is None and wants and not pending.owner:
            pending.owner = run.run_id
        if pending.owner == run.run_id and run.log.is_resumed:
            pending.calls = self._services.pending_rows.load(run.run_id)
            pending.apply(change for call in pending.calls for change in call.changes)
        try:
            yield
        except (WaitingError, StorageError, PlanEndsError):
            raise
        except BaseException:
            self._drop(run)
            raise

    def settle(self, run: RunContext) -> Settlement | None:
        """Ask about everything that the run has collected, and change it. None where there is nothing."""
        pending = self._services.pending
        if pending.owner != run.run_id or self._settled is not None:
            return self._settled
        step = max((int(str(entry["step"])) for entry in run.log.entries), default=0) + 1
        place = Place(path=TOGETHER, step=step, block="tool", name=run.tool.id)
        entry = run.log.replay(place)
        # What was made before a kill is no change any more, but it was agreed on: the record has to say by whom.
        was_begun = run.log.is_resumed and self._services.journal.intent(run.run_id, TOGETHER) is not None
        if entry is None and not was_begun and not pending.net_changes():
            self._note_decisions(run, Settlement(), None)
            self._services.pending_rows.clear(pending.owner)
            return None
        self._settled = self._ask(run, place) if entry is None else read_settlement(entry)
        self._finish(run, self._settled)
        return self._settled

    def find_refusals(self, run: RunContext) -> str:
        """The same before the last word of an agent: what was refused and why, for the model; empty for nothing."""
        settled = self.settle(run)
        return settled.describe() if settled is not None and settled.refused else ""

    def _ask(self, run: RunContext, place: Place) -> Settlement:
        names = [change.name for change in self._services.pending.net_changes()]

        def prepare(arguments: JsonObject) -> Effect:
            return self._effect(run, arguments)

        output: JsonObject = {}
        try:
            with run.log.block(place, run.arguments, failures_are_results=lambda: True) as entry:
                try:
                    entry.output = self._gate.carry_out(prepare, run.arguments, place, run, entry)
                except DeniedError as denied:
                    refused = denied.details.pop("refused", None) or [Refusal(path=name).as_json() for name in names]
                    entry.output = output = {"agreed": [], "refused": refused}
                    raise
                return read_settlement({"output": entry.output})
        except DeniedError as denied:
            return replace(read_settlement({"output": output}), failure=denied)

    def _effect(self, run: RunContext, arguments: JsonObject) -> Effect:
        """The change of everything that is pending, against what is there now."""
        changes, calls = tuple(self._services.pending.net_changes()), self._services.pending.calls
        redact = self._services.redaction.text
        effect = Effect(
            tool=run.tool.key,
            arguments=arguments,
            perform=lambda: None,
            needs_approval=bool(changes),
            preview="\n".join(str(describe_change(each, redact)["diff"]) for each in changes),
            before=state_of(changes),
            changes=changes,
            answer=Settlement(agreed=tuple(each.name for each in changes)).as_json(),
            is_commit=True,
            parts=tuple((call.tool, call.scope) for call in calls if call.is_asked),
            steps={change.name: call.step for call in calls for change in call.changes},
            must_be_seen=any(call.must_be_seen for call in calls),
            undoes=self._services.pending.undone_runs(),
        )
        return replace(effect, choose=lambda files: self._choose(effect, files))

    def _choose(self, effect: Effect, files: JsonObject) -> Effect:
        """The part of the changes that an answer agrees to. Raises UsageError, or DeniedError where that is none."""
        agreed, refused = agree_to(effect, files, self._services.redaction)
        settlement = Settlement(agreed=tuple(each.name for each in agreed), refused=tuple(refused))
        return replace(effect, changes=tuple(agreed), before=state_of(agreed), answer=settlement.as_json(), choose=None)

    def _finish(self, run: RunContext, settlement: Settlement) -> None:
        """Tell what was refused, and note in the log of each call what became of it."""
        for refusal in settlement.refused:
            run.log.warn(describe_refusal(refusal))
        self._note_decisions(run, settlement, run.log.entry_at(TOGETHER))
        self._services.pending_rows.clear(run.run_id)

    def _note_decisions(self, run: RunContext, settlement: Settlement, asked: JsonObject | None) -> None:
        """Each call, and each run above it, says in its entry whether it was agreed to, by whom, when and how.

        What nobody was asked about, because nothing was left of it, was neither agreed to nor refused.
        """
        unasked = self._services.pending.names_taken_back() if asked else {*self._names()}
        refused = {each.path for each in settlement.refused if each.path not in settlement.agreed}
        decisions: dict[tuple[str, str], list[bool]] = {}
        for call in self._services.pending.calls:
            names = {each.name for each in call.changes}
            for place in places_up_to(run.run_id, call.run_id, call.path):
                decisions.setdefault(place, []).extend([] if names <= unasked else [refused.isdisjoint(names)])
        calls = {(call.run_id, call.path) for call in self._services.pending.calls}
        by_whom = {name: asked[name] for name in ("approved_by", "approved_at", "approved_via")} if asked else {}
        for (run_id, path), answers in decisions.items():
            fields: JsonObject = {"hitl_confirmed": all(answers), **by_whom} if answers else {"hitl_required": False}
            if (run_id, path) in calls:
                became = "nothing" if not answers else "agreed" if all(answers) else "refused"
                fields["message"] = text(f"run.collected-{became}")
            self._services.pending_rows.amend_entry(run_id, path, fields)
            if run_id == run.run_id and (entry := run.log.entry_at(path)) is not None:
                entry.update(fields)

    def _names(self) -> list[str]:
        return [*dict.fromkeys(change.name for call in self._services.pending.calls for change in call.changes)]

    def _drop(self, run: RunContext) -> None:
        """A run that fails or is cancelled has changed nothing of what it has collected, and says so."""
        pending = self._services.pending
        if pending.owner != run.run_id or not pending.calls or self._settled is not None:
            return
        names = self._names()
        more = len(names) - _MOST_NAMED
        named = ", ".join(names[:_MOST_NAMED]) + (f" (+{more})" if more > 0 else "")
        run.log.warn(text("run.changes-dropped", paths=named))
        self._services.pending_rows.drop(run.run_id)


def read_settlement(entry: JsonObject) -> Settlement:
    """What became of the changes, as the entry of the step that asked says."""
    output = entry.get("output")
    output = output if isinstance(output, dict) else {}
    agreed, refused = output.get("agreed"), output.get("refused")
    settlement = Settlement(
        agreed=tuple(map(str, agreed)) if isinstance(agreed, list) else (),
        refused=tuple(map(read_refusal, refused)) if isinstance(refused, list) else (),
    )
    if entry.get("status") != "denied":
        return settlement
    return replace(settlement, failure=DeniedError(join_reasons(settlement.refused), tool=str(entry.get("name"))))


def agree_to(effect: Effect, files: JsonObject, redaction: Redaction) -> tuple[list[Change], list[Refusal]]:
    """What an answer for each file agrees to, and what it refuses.

    Raises UsageError where it does not fit, and DeniedError where it agrees to nothing.
    """

    def restore(written: str, real: str) -> str:
        return str(redaction.restore(written, real))

    described = [describe_change(each) for each in effect.changes]
    require_choice(described, files)
    require_texts(described, files)
    agreed, refused = choose_changes(effect.changes, {**files, **dict(_with_fields(effect.changes, files))}, restore)
    if refused and not agreed:
        denied = DeniedError(join_reasons(refused), tool=effect.tool)
        denied.details["refused"] = [each.as_json() for each in refused]
        raise denied
    return agreed, refused


def _with_fields(changes: Iterable[Change], files: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """The new texts of entries, each with its fields."""
    for each in changes:
        match files[each.name]:
            case {"content": str(written)} if each.kind:
                yield each.name, {"content": keep_fields(written, each.before if each.after is None else each.after)}


def choose_part(effect: Effect, files: JsonObject, redaction: Redaction) -> Effect:
    """The part of several changes that an answer agrees to, with a warning of each no. Raises as ``agree_to`` does."""
    agreed, refused = agree_to(effect, files, redaction)
    return replace(
        effect,
        changes=tuple(agreed),
        before=state_of(agreed),
        warn_of=lambda _: [*map(describe_refusal, refused)],
        choose=None,
    )


def require_fitting(request: ApprovalRequest, approved: Approved) -> None:
    """Make sure that what an answer says beyond a yes fits its question: files, or a rule. Raises UsageError."""
    require_rule(request, approved)
    if request.files and approved.arguments is not None:
        raise UsageError("edit-of-files")
    if approved.files is not None and not request.files:
        raise UsageError("files-not-asked")
    if approved.files is not None:
        require_choice(request.files, approved.files)
        require_texts(request.files, approved.files)


def require_texts(files: Sequence[JsonObject], choice: JsonObject) -> None:
    """Raise UsageError where a text that somebody has written cannot be that of its note or entry."""
    for file in files:
        match choice[path := str(file["path"])]:
            case {"content": str(written)}:
                try:
                    encode_text(written, path, LARGEST_FILE)
                    if "kind" in file:
                        read_entry_text(written)
                except ToolError as error:
                    values: Any = error.values
                    raise UsageError(error.code, **values) from None
                except (ValueError, RecursionError):
                    raise UsageError("files-no-entry", path=path) from None


def join_reasons(refused: Iterable[Refusal]) -> str:
    """Why something was refused, each reason once."""
    return "; ".join(dict.fromkeys(each.reason for each in refused if each.reason))


def read_refusal(kept: JsonValue) -> Refusal:
    """A refusal as the record has it."""
    kept = kept if isinstance(kept, dict) else {}
    hunk, reason = kept.get("hunk"), kept.get("reason")
    return Refusal(path=str(kept.get("path")), hunk=hunk if isinstance(hunk, int) else None, reason=str(reason or ""))


def places_up_to(owner: str, run_id: str, path: str) -> Iterator[tuple[str, str]]:
    """The place of a step, and of each run above it that is a step of another, up to the run that collects."""
    yield run_id, path
    while run_id != owner:
        run_id, _, path = run_id.rpartition(".")
        yield run_id, StepPath(path)


def state_of(changes: Iterable[Change]) -> str:
    """Names exactly these changes: what each note and entry is now, and what it will be."""
    return digest_of([[each.name, digest_text(each.before), digest_text(each.after)] for each in in_order(changes)])


# --- making the changes


def commit(services: Services, changes: Sequence[Change], place: Place, run: RunContext) -> None:
    """Make all changes, or none. They have been journaled before.

    Raises FileChangedError where one is not what was shown, ToolError where one cannot be made.
    """
    notes = [each for each in changes if not each.kind]
    # Looked at first: a file that was changed for nothing would have to be changed back.
    require_unchanged(services, changes)
    commit_changes(services.folder, notes, commit_name(run.run_id, place.path))
    try:
        commit_entries(services, changes, run.run_id, place.path)
    except (ToolError, StorageError) as error:
        if isinstance(error, StorageError) and error.code != DATABASE_FULL:
            # It may be written all the same, as where a connection broke: the next start looks, and completes it.
            raise
        take_back(services.folder, in_order(notes))
        raise


def complete(services: Services, changes: Sequence[Change], run_id: str, path: str) -> bool:
    """After a kill: make what is missing. False, and nothing is made, where somebody has changed something since."""
    notes = [each for each in changes if not each.kind]
    try:
        if not complete_changes(services.folder, notes, commit_name(run_id, path)):
            return False
        commit_entries(services, changes, run_id, path)
    except FileChangedError:
        take_back(services.folder, in_order(notes))
        return False
    return True


def complete_interrupted(services: Services) -> None:
    """At the start of the program: whatever a killed one was about to change together is changed, or nothing of it."""
    journal = services.journal
    for marker in services.commit_markers.find():
        run_id, path = marker.run_id, marker.path
        # Whoever has the run is alive, and does it. What cannot be completed now is tried again at the next start.
        with suppress(PaperError), journal.lock_run(root_of(run_id)):
            intent, changes = journal.intent(run_id, path), services.changes.intended(run_id, path)
            is_agreed = intent is not None and intent.is_agreed and intent.digest == state_of(changes)
            is_open = is_agreed and not services.changes.is_made(run_id, path)
            if is_open and not complete(services, changes, run_id, path):
                journal.forget_intent(run_id, path)
                services.changes.forget(run_id, path)
            marker.remove()


def commit_entries(services: Services, changes: Sequence[Change], run_id: str, path: str) -> None:
    """Change the entries, and mark that everything is made, in one transaction."""
    with services.stored_entries.together():
        require_unchanged(services, [each for each in changes if each.kind])
        for each in changes:
            if each.kind and each.after is not None:
                services.stored_entries.set_fields(each.kind, each.path, read_entry_text(each.after))
            elif each.kind:
                services.stored_entries.delete(each.kind, each.path)
        services.changes.mark_made(run_id, path)
        services.journal.flush(run_id, durable=True)


def require_unchanged(services: Services, changes: Iterable[Change]) -> None:
    """Raise FileChangedError where an entry is not what the change was made from."""
    for each in changes:
        if each.kind and text_of(services.stored_entries.get(each.kind, each.path)) != each.before:
            raise FileChangedError(path=each.name)


def commit_name(run_id: str, path: str) -> str:
    """The name of a commit: the same again after a kill, and nobody else's."""
    return f"{run_id} {path}"
