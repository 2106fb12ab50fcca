"""The gate: what a call is about to do is shown, agreed on, and only then done. There is no other way to an effect.

    prepare    what the call will do, as an effect that can be shown
    recover    what the journal knows of it from before an interruption: Done, Unknown, Redo or Fresh
    decide     an answer to exactly this effect: stored, for the run, by a rule, or from a person
    perform    the one place where something happens, journaled before and after

A yes is bound to the digest of exactly what was shown; where the arguments or the file behind the diff have
changed, the person is asked again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from shlex import quote

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import Approved, Asking, Effect, can_ask, digest_of
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    CancelledError,
    FileChangedError,
    HttpStatusError,
    OutcomeUnknownError,
    PaperError,
    PlanEndsError,
    StorageError,
    ToolError,
    UsageError,
)
from paperagents.messages import text
from paperagents.runs.changes import Cause
from paperagents.runs.decisions import Decisions
from paperagents.runs.log import OpenEntry, RunContext
from paperagents.runs.pending import CollectedCall, Prepare
from paperagents.runs.record import Intent, Place
from paperagents.runs.session import Services, Session
from paperagents.runs.together import DATABASE_FULL, commit, complete, state_of
from paperagents.secrets.redaction import has_mask, secrets_of_request
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """This very change was made just before the program was killed; ``answer`` is what it gave."""

    effect: Effect
    answer: JsonValue
    approved: Approved | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Unknown:
    """A request was sent and the program killed before the answer came: it must not be sent again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Redo:
    """Exactly this was agreed on and about to be done when the program was killed."""

    effect: Effect
    approved: Approved | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fresh:
    """Nothing is known of it: it has to be decided on."""

    effect: Effect


Recovery = Done | Unknown | Redo | Fresh


class Gate:
    """Stands before every effect of a session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session
        self.decisions = Decisions(services, session)

    def carry_out(
        self, prepare: Prepare, arguments: JsonObject, place: Place, run: RunContext, entry: OpenEntry
    ) -> JsonValue:
        """Take a call through the gate; the answer is the tool's."""
        # A server may send back what it was sent.
        self.services.redaction.learn(secrets_of_request(arguments))
        if run.replays and has_mask(arguments) and self.services.journal.lacks_secrets(run.root_run):
            # What a step gave before the interruption is kept without secrets; a mask is no key to send.
            root = self.services.history.run(run.root_run)
            tool = root.tool if root is not None else run.tool.id
            raise UsageError("secrets-not-kept", id=run.root_run, tool=quote(tool))
        if self.services.asks_before_reads:
            prepare = partial(self._prepare_asking, prepare)
        effect = prepare(arguments)
        entry.leaves_the_vault = effect.leaves_the_vault
        if self.session.plan is not None:
            return self.plan(effect, place, run, entry)
        match self.recover(effect, prepare, place, run):
            case Done(effect=effect, answer=answer, approved=approved):
                entry.message, entry.parameters = text("run.done-before"), effect.arguments
                # All but what is kept in the journal's own database is journaled only once it is agreed on.
                is_asked = effect.transaction is None
                entry.hitl_required, entry.hitl_confirmed = is_asked, True if is_asked else None
                entry.approved = approved
                self.services.changes.mark_made(run.run_id, place.path)
                return answer
            case Unknown():
                raise OutcomeUnknownError(effect.tool)
            case Redo(effect=effect, approved=approved):
                entry.message, entry.parameters = text("run.agreed-before"), effect.arguments
                entry.hitl_required, entry.hitl_confirmed, entry.approved = True, True, approved
            case Fresh(effect=effect):
                effect = self.decisions.agree(effect, prepare, place, run, entry)
        return self._perform_what_was_shown(effect, prepare, place, run, entry)

    def call_tool(self, key: str, arguments: JsonObject, place: Place, run: RunContext, entry: OpenEntry) -> JsonValue:
        """Take the call of a built-in tool through the gate; a run that collects its changes only collects it."""
        pending = self.services.pending
        if self.session.plan is None and not pending.owner and run.root_run in self.session.collecting:
            pending.owner = run.root_run
        if self.session.plan is not None:
            return self.carry_out(pending.tools[key], arguments, place, run, entry)
        if not pending.owner or self._was_agreed_on(place, run):
            return self.carry_out(self.services.built_in[key], arguments, place, run, entry)
        return self._collect(pending.tools[key], arguments, place, run, entry)

    def _was_agreed_on(self, place: Place, run: RunContext) -> bool:
        """Whether this call was asked about by itself, before the run began to collect."""
        if not run.log.is_resumed:
            return False
        stored = self.services.questions.answer_at(run.run_id, place.path)
        return stored is not None or self.services.journal.intent(run.run_id, place.path) is not None

    def _collect(
        self, prepare: Prepare, arguments: JsonObject, place: Place, run: RunContext, entry: OpenEntry
    ) -> JsonValue:
        """Let the run see its change, and nobody else. What changes nothing, or leaves the vault, has its own time."""
        pending = self.services.pending
        # Of several that run side by side, one looks and changes at a time.
        with pending.lock:
            effect = prepare(arguments)
            if effect.changes and not effect.leaves_the_vault:
                if self.session.cancellation.cancelled:
                    raise CancelledError
                answer = effect.answer if effect.require_possible().is_commit else effect.perform()
                pending.apply(effect.changes if effect.is_commit else ())
                call = CollectedCall(run_id=run.run_id, path=place.path, step=run.root_step or place.step,
                                     tool=effect.tool, scope=effect.scope, changes=effect.changes,
                                     is_asked=effect.needs_approval, must_be_seen=effect.must_be_seen,
                                     undoes=effect.undoes)  # fmt: skip
                pending.calls.append(call)
                self.services.pending_rows.add(pending.owner, call)
                entry.parameters, entry.message = effect.arguments, text("run.collected")
                entry.hitl_required = entry.is_collected = True
                entry.warnings += effect.warn_of(answer)
                return answer
        return self.carry_out(prepare, arguments, place, run, entry)

    def _prepare_asking(self, prepare: Prepare, arguments: JsonObject) -> Effect:
        """The effect; one that only reads is asked like a change. To do it again changes nothing, so it may be."""
        effect = prepare(arguments)
        if effect.needs_approval or not self.services.find_tool(effect.tool).only_reads(arguments):
            return effect
        shown = effect.preview or json.dumps(arguments, ensure_ascii=False, indent=2)
        return replace(effect, needs_approval=True, preview=shown, is_idempotent=True)

    def _perform_what_was_shown(
        self, effect: Effect, prepare: Prepare, place: Place, run: RunContext, entry: OpenEntry
    ) -> JsonValue:
        """Perform it; where it is no longer what the person saw, or the person wants another attempt, ask again."""
        while True:
            entry.is_recognisable = effect.after is not None
            try:
                answer = self.perform(effect, place, run, entry.approved)
            except FileChangedError:
                effect = prepare(effect.arguments)
            except HttpStatusError as error:
                if not self.session.approver.try_again(error):
                    raise
            except ToolError as error:
                if not effect.is_commit:
                    raise
                self.decisions.keep_open(prepare(effect.arguments), place, run, error)
            except StorageError as error:
                if effect.is_commit and error.code == DATABASE_FULL:
                    self.decisions.ask_again(prepare(effect.arguments), place, run)
                raise
            else:
                entry.warnings += effect.warn_of(answer)
                return answer
            effect = self.decisions.agree(effect, prepare, place, run, entry)

    # --- recover

    def recover(self, effect: Effect, prepare: Prepare, place: Place, run: RunContext) -> Recovery:
        """Compare the effect with what was journaled before a kill."""
        # A deletion that was done has nothing left to ask about.
        leaves_intent = effect.needs_approval or effect.transaction is not None or effect.after is not None
        leaves_intent = leaves_intent or effect.is_commit
        intent = self.services.journal.intent(run.run_id, place.path) if run.log.is_resumed and leaves_intent else None
        if intent is None:
            return Fresh(effect=effect)
        # Not whether the effect is one: what was made in part may leave nothing to do, or not be possible any more.
        if intent.is_commit:
            return self._recover_commit(effect, prepare, place, run, intent)
        effect = self._with_agreed_arguments(effect, prepare, intent)
        is_same = intent.is_agreed and intent.digest == effect.digest
        if effect.transaction is not None:
            # Performed and journaled in one transaction: where the intent is, the change is.
            return Done(effect=effect, answer=intent.answer) if is_same else Fresh(effect=effect)
        if intent.after is None and not (effect.is_idempotent and is_same):
            return Unknown()
        is_made = intent.after is not None and effect.current() == intent.after
        # Another run may have changed it since.
        if is_made or self.services.changes.was_found(run.run_id, place.path):
            return Done(effect=effect, answer=intent.answer, approved=intent.approved)
        can_redo = is_same and effect.refusal is None
        return Redo(effect=effect, approved=intent.approved) if can_redo else Fresh(effect=effect)

    def _recover_commit(
        self, effect: Effect, prepare: Prepare, place: Place, run: RunContext, intent: Intent
    ) -> Recovery:
        """Changes that were agreed on together are completed; where somebody was in between, they are asked again."""
        changes = self.services.changes.intended(run.run_id, place.path)
        is_agreed = intent.is_agreed and intent.digest == state_of(changes)
        is_made = self.services.changes.is_made(run.run_id, place.path)
        try:
            is_made = is_agreed and (is_made or complete(self.services, changes, run.run_id, place.path))
        except ToolError as error:
            # A part of them is made: the run must not end before the others are, or that part is taken back.
            raise StorageError("changes-unfinished", reason=error.message) from error
        if is_made:
            return Done(effect=replace(effect, changes=tuple(changes)), answer=intent.answer, approved=intent.approved)
        self.services.journal.forget_intent(run.run_id, place.path)
        self.services.changes.forget(run.run_id, place.path)
        return Fresh(effect=prepare(effect.arguments))

    def _with_agreed_arguments(self, effect: Effect, prepare: Prepare, intent: Intent) -> Effect:
        """The effect as it was about to be performed: a person may have edited its arguments."""
        try:
            arguments = self.services.redaction.restore(intent.arguments, effect.arguments)
        except UsageError:
            # A secret that only the edit had is not kept.
            return effect
        assert isinstance(arguments, dict)
        if not intent.is_agreed or replace(effect, arguments=arguments, before=intent.before).digest != intent.digest:
            return effect
        return prepare(arguments)

    # --- perform

    def perform(self, effect: Effect, place: Place, run: RunContext, approved: Approved | None = None) -> JsonValue:
        """The one place where something really happens; a change is journaled before it is made."""
        if not effect.is_commit:
            return self._perform_journaled(effect, place, run, approved)
        # Marked before it is journaled: whoever is killed from here on is completed at the next start.
        with self.services.commit_markers.marking(run.run_id, place.path):
            return self._perform_journaled(effect, place, run, approved)

    def _perform_journaled(
        self, effect: Effect, place: Place, run: RunContext, approved: Approved | None = None
    ) -> JsonValue:
        journal = self.services.journal
        if self.session.cancellation.cancelled:
            raise CancelledError
        if effect.needs_approval:
            # Before anything happens: a kill from here on leaves the intent, and resuming finds out what came of it.
            with journal.transaction(run.run_id, durable=True):
                journal.intend(run.run_id, place.path, self._intent(effect, approved))
                cause = _cause(place, run, approved)
                self.services.changes.intend(effect.changes, cause, steps=effect.steps, undoes=effect.undoes)
        elif effect.leaves_the_vault:
            # It may take long, and others see it: what happened so far must not happen again after a kill.
            journal.flush(run.run_id)
        try:
            who = Asking(approver=self.session.approver, run_id=run.root_run, step=run.root_step or place.step)
            with self.session.cancellation.stopping(effect.cancel), can_ask(who):
                return self._perform(effect, place, run)
        except PaperError as error:
            # Where nobody knows what was written, resuming finds out.
            is_known = not isinstance(error, StorageError) or error.code == DATABASE_FULL
            if effect.needs_approval and is_known:
                self._forget(effect, place, run, error)
            if self.session.cancellation.cancelled:
                raise CancelledError from None
            raise

    def _forget(self, effect: Effect, place: Place, run: RunContext, error: PaperError) -> None:
        """It is known how this ended: another attempt is a new one. What was changed all the same is a change."""
        self.services.journal.forget_intent(run.run_id, place.path)
        is_made = effect.after is not None and not isinstance(error, FileChangedError)
        if is_made and effect.current() == effect.after != effect.before:
            self.services.changes.mark_made(run.run_id, place.path)
        else:
            self.services.changes.forget(run.run_id, place.path)

    def _perform(self, effect: Effect, place: Place, run: RunContext) -> JsonValue:
        if effect.perform_as is not None and effect.needs_approval:
            # The same at each attempt of this step.
            return effect.perform_as(digest_of([run.run_id, place.path])[:32])
        if effect.is_commit:
            commit(self.services, effect.changes, place, run)
            return effect.answer
        if effect.transaction is None:
            answer = effect.perform()
            if effect.changes:
                self.services.changes.mark_made(run.run_id, place.path)
            return answer
        with effect.transaction():
            answer = effect.perform()
            intent = replace(self._intent(effect), answer=answer)
            self.services.journal.intend(run.run_id, place.path, intent, was_asked=False)
            self.services.changes.intend(effect.changes, _cause(place, run), made=True)
            return answer

    def _intent(self, effect: Effect, approved: Approved | None = None) -> Intent:
        arguments = self.services.redaction.value(effect.arguments)
        assert isinstance(arguments, dict)
        return Intent(digest=effect.digest, before=effect.before, after=effect.after, answer=effect.answer,
                      arguments=arguments, approved=approved)  # fmt: skip

    # --- plan

    def plan(self, effect: Effect, place: Place, run: RunContext, entry: OpenEntry) -> JsonValue:
        """A dry run: listed; what only reads, or writes to the plan's own copy, is performed as well.

        The requests of a ``.tool.js`` are only shown, also those that read: what comes after them is code, not a plan.
        """
        entry.hitl_required = effect.require_possible().needs_approval
        asks = effect.needs_approval and self.decisions.find_permission(effect, run) is None
        self.add_to_plan(run, place, effect.tool, effect.arguments, preview=effect.preview, asks=asks)
        if self.session.responses is not None and effect.leaves_the_vault:
            raise ToolError("example-needs-response", tool=effect.tool)
        is_script = run.in_script or run.tool.module is not None
        if effect.is_commit:
            self.services.pending.apply(effect.changes)
            return effect.answer
        if effect.runs_in_plan and not (effect.leaves_the_vault and is_script):
            return effect.perform()
        if effect.answer is not None:
            return effect.answer
        if self.session.is_eval:
            raise ToolError("example-needs-response", tool=effect.tool)
        raise PlanEndsError

    def add_to_plan(  # noqa: PLR0913  everything a plan says of a call
        self, run: RunContext, place: Place, tool: str, arguments: JsonObject, *, preview: str = "", asks: bool = False
    ) -> None:
        """List a call as a dry run shows it; where none is made, nothing."""
        if self.session.plan is not None:
            self.session.plan.append(
                {
                    "step": run.root_step or place.step,
                    "tool": tool,
                    "arguments": self.services.redaction.value(arguments),
                    "preview": escape_invisible(self.services.redaction.text(preview)),
                    "would_ask": asks,
                }
            )


def _cause(place: Place, run: RunContext, approved: Approved | None = None) -> Cause:
    by = approved.by if approved is not None else None
    return Cause(run_id=run.run_id, step_path=place.path, step=run.root_step or place.step, approved_by=by)
