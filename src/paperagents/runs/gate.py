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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from shlex import quote

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    Asking,
    Decision,
    Denied,
    Effect,
    Pending,
    can_ask,
    digest_of,
    question_digest,
)
from paperagents.approval.rule_words import describe_rule
from paperagents.approval.rules import narrowest_rule
from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    CancelledError,
    DeniedError,
    FileChangedError,
    HttpStatusError,
    OutcomeUnknownError,
    PaperError,
    PlanEndsError,
    ToolError,
    UsageError,
    WaitingError,
)
from paperagents.messages import text
from paperagents.runs.changes import Cause
from paperagents.runs.log import OpenEntry, RunContext
from paperagents.runs.record import Intent, Place
from paperagents.runs.session import Prepare, Services, Session
from paperagents.secrets.redaction import has_mask, secrets_of_request


@dataclass(frozen=True, slots=True)
class Done:
    """This very change was made just before the program was killed; ``answer`` is what it gave."""

    effect: Effect
    answer: JsonValue
    approved: Approved | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A request was sent and the program killed before the answer came: it must not be sent again."""


@dataclass(frozen=True, slots=True)
class Redo:
    """Exactly this was agreed on and about to be done when the program was killed."""

    effect: Effect
    approved: Approved | None = None


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nothing is known of it: it has to be decided on."""

    effect: Effect


Recovery = Done | Unknown | Redo | Fresh


class Gate:
    """Stands before every effect of a session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session

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
            case Done(effect, answer, approved):
                entry.message, entry.parameters = text("run.done-before"), effect.arguments
                # All but what is kept in the journal's own database is journaled only once it is agreed on.
                is_asked = effect.transaction is None
                entry.hitl_required, entry.hitl_confirmed = is_asked, True if is_asked else None
                entry.approved = approved
                self.services.changes.mark_made(run.run_id, place.path)
                return answer
            case Unknown():
                raise OutcomeUnknownError(effect.tool)
            case Redo(effect, approved):
                entry.message, entry.parameters = text("run.agreed-before"), effect.arguments
                entry.hitl_required, entry.hitl_confirmed, entry.approved = True, True, approved
            case Fresh(effect):
                effect = self.agree(effect, prepare, place, run, entry)
        return self._perform_what_was_shown(effect, prepare, place, run, entry)

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
            else:
                entry.warning = effect.warn_of(answer)
                return answer
            effect = self.agree(effect, prepare, place, run, entry)

    # --- recover

    def recover(self, effect: Effect, prepare: Prepare, place: Place, run: RunContext) -> Recovery:
        """Compare the effect with what was journaled before a kill."""
        # A deletion that was done has nothing left to ask about.
        leaves_intent = effect.needs_approval or effect.transaction is not None or effect.after is not None
        intent = self.services.journal.intent(run.run_id, place.path) if run.log.is_resumed and leaves_intent else None
        if intent is None:
            return Fresh(effect)
        effect = self._with_agreed_arguments(effect, prepare, intent)
        is_same = intent.is_agreed and intent.digest == effect.digest
        if effect.transaction is not None:
            # Performed and journaled in one transaction: where the intent is, the change is.
            return Done(effect, intent.answer) if is_same else Fresh(effect)
        if intent.after is None and not (effect.is_idempotent and is_same):
            return Unknown()
        if intent.after is not None and effect.current() == intent.after:
            return Done(effect, intent.answer, intent.approved)
        return Redo(effect, intent.approved) if is_same and effect.refusal is None else Fresh(effect)

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

    # --- decide

    def agree(self, effect: Effect, prepare: Prepare, place: Place, run: RunContext, entry: OpenEntry) -> Effect:
        """The effect that a person, or a rule, has said yes to. Raises DeniedError or WaitingError."""
        entry.hitl_required = effect.needs_approval
        while effect.require_possible().needs_approval:
            entry.parameters = effect.arguments
            with self.decide(effect, place, run) as (decision, took_time):
                match decision:
                    case Denied(reason=reason):
                        entry.hitl_confirmed = False
                        raise DeniedError(reason, tool=effect.tool)
                    case Pending():
                        raise WaitingError(effect.tool, question_id(effect, place, run))
                    case Approved() as approved:
                        shown, effect = effect, self._as_approved(effect, prepare, approved, took_time=took_time)
                        is_edited = approved.arguments is not None and not _has_moved_on(shown, effect)
                        if effect.digest == shown.digest or is_edited:
                            self._note_approval(approved, effect, entry, run)
                            return effect
                    case _:
                        # A function that forgot to return has said nothing, and nothing is no yes.
                        raise TypeError("an approver decides by Approved, Denied or Pending")
        return effect

    @contextmanager
    def decide(self, effect: Effect, place: Place, run: RunContext) -> Iterator[tuple[Decision, bool]]:
        """The first answer of these sources: stored for this step, for the run, by a rule, from the person.

        Also whether somebody thought about it, so that the world may have changed. Inside, nobody is asked anything
        else: what is said to one question may hold for the next, too.
        """
        stored = self.services.questions.answer_at(run.run_id, place.path) if run.log.is_resumed else None
        if stored is None and (permission := self._find_permission(effect, run)) is not None:
            yield permission, False
            return
        with self.session.not_counting_time(), self.session.lock:
            request = self._request(effect, place, run)
            if stored is not None:
                # A no holds for this step whatever has changed; a yes only for exactly what was shown.
                known = stored.decision if stored.holds_for(request.digest) else None
                if known is None:
                    # It would be a reason to resume the run for ever.
                    self.services.questions.discard_answer(run.run_id, place.path)
            else:
                # Somebody may have said "for the rest of the run" or "always" while this step waited for its turn.
                known = self._find_permission(effect, run)
            if known is not None:
                yield known, False
            else:
                yield self._ask(request, run, effect), self.session.approver.takes_time

    def _find_permission(self, effect: Effect, run: RunContext) -> Approved | None:
        """The yes that covers more than one change, and this one, too."""
        if effect.must_be_seen:
            return None
        if (run.root_run, effect.tool) in self.session.allowed_tools:
            return self.session.allowed_tools[run.root_run, effect.tool]
        rule = self.services.rules.find_allowing(effect.tool, effect.scope, run.outermost)
        return Approved(by=rule.allowed_by, via="rule", rule=rule.id) if rule is not None else None

    def _ask(self, request: ApprovalRequest, run: RunContext, effect: Effect) -> Decision:
        """What the person says; where nobody is there, the question is kept."""
        if self.session.cancellation.cancelled:
            raise CancelledError
        self.session.on_event({"type": "approval-requested", "run_id": run.root_run, "approval": request.as_json()})
        is_unseen = effect.must_be_seen and self.session.approver.decides_unseen
        decision = Pending() if is_unseen else self.session.approver.decide(request)
        if isinstance(decision, Pending):
            self.services.questions.ask(request)
        elif isinstance(decision, Approved) and self.session.approver.takes_time:
            # A function may give back a yes that it has made long before.
            return replace(decision, at=datetime.now(UTC).isoformat(timespec="milliseconds"))
        return decision

    def _request(self, effect: Effect, place: Place, run: RunContext) -> ApprovalRequest:
        """What the person is shown. The digest names the change and what was shown of it."""
        arguments = self.services.redaction.value(effect.arguments)
        assert isinstance(arguments, dict)
        preview = escape_invisible(self.services.redaction.text(effect.preview))
        return ApprovalRequest(
            id=question_id(effect, place, run),
            run_id=run.root_run,
            step=run.root_step or place.step,
            tool=effect.tool,
            arguments=arguments,
            preview=preview,
            digest=question_digest(effect.digest, effect.tool, arguments, preview, run_id=run.run_id, path=place.path),
            requested=datetime.now(UTC).isoformat(timespec="milliseconds"),
            scope=effect.scope,
            caller=run.outermost.key,
            asked_in=run.run_id,
            path=place.path,
            effect=effect.digest,
        )

    def _as_approved(self, effect: Effect, prepare: Prepare, approved: Approved, *, took_time: bool) -> Effect:
        """The effect with the person's own arguments, or as it is now that the person has thought about it."""
        if approved.arguments is not None:
            arguments = self.services.redaction.restore(approved.arguments, effect.arguments)
            assert isinstance(arguments, dict)
            return prepare(validate_arguments(self.services.find_tool(effect.tool), arguments)).require_possible()
        return prepare(effect.arguments) if took_time else effect

    def _note_approval(self, approved: Approved, effect: Effect, entry: OpenEntry, run: RunContext) -> None:
        entry.hitl_confirmed, entry.approved = True, approved
        entry.parameters = effect.arguments
        way = text("run.by-rule", id=approved.rule) if approved.rule else approved.via
        words = "run.edited" if approved.arguments is not None else "run.approved"
        entry.message = text(words, by=escape_invisible(approved.by), way=escape_invisible(way))
        if approved.for_run:
            self.session.allowed_tools[run.root_run, effect.tool] = approved.repeated
            self.services.questions.allow_tool(run.root_run, effect.tool, approved.repeated)
        if approved.always and effect.scope is not None:
            try:
                wanted = narrowest_rule(
                    effect.tool, effect.scope, run.outermost, path=approved.path, until=approved.until
                )
                rule = self.services.rules.allow(replace(wanted, allowed_by=approved.by))
            except PaperError as error:
                # The yes to this one change holds all the same.
                entry.message = f"{entry.message} {error.message}"
            else:
                self.session.on_event(
                    {
                        "type": "rule-made",
                        "run_id": run.root_run,
                        "rule": self.services.rules.as_json(rule),
                        "words": describe_rule(rule),
                    }
                )

    # --- perform

    def perform(self, effect: Effect, place: Place, run: RunContext, approved: Approved | None = None) -> JsonValue:
        """The one place where something really happens; a change is journaled before it is made."""
        journal = self.services.journal
        if self.session.cancellation.cancelled:
            raise CancelledError
        if effect.needs_approval:
            # Before anything happens: a kill from here on leaves the intent, and resuming finds out what came of it.
            with journal.transaction(run.run_id, durable=True):
                journal.intend(run.run_id, place.path, self._intent(effect, approved))
                self.services.changes.intend(effect.changes, _cause(place, run, approved), undoes=effect.undoes)
        elif effect.leaves_the_vault:
            # It may take long, and others see it: what happened so far must not happen again after a kill.
            journal.flush(run.run_id)
        try:
            who = Asking(approver=self.session.approver, run_id=run.root_run, step=run.root_step or place.step)
            with self.session.cancellation.stopping(effect.cancel), can_ask(who):
                if effect.perform_as is not None and effect.needs_approval:
                    # The same at each attempt of this step.
                    return effect.perform_as(digest_of([run.run_id, place.path])[:32])
                if effect.transaction is None:
                    answer = effect.perform()
                    if effect.changes:
                        self.services.changes.mark_made(run.run_id, place.path)
                    return answer
                with effect.transaction():
                    answer = effect.perform()
                    intent = replace(self._intent(effect), answer=answer)
                    journal.intend(run.run_id, place.path, intent, was_asked=False)
                    self.services.changes.intend(effect.changes, _cause(place, run), made=True)
                    return answer
        except PaperError:
            if effect.needs_approval:
                # It is known how this ended: another attempt is a new one.
                journal.forget_intent(run.run_id, place.path)
                self.services.changes.forget(run.run_id, place.path)
            if self.session.cancellation.cancelled:
                raise CancelledError from None
            raise

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
        self.add_to_plan(run, place, effect.tool, effect.arguments, preview=effect.preview, asks=effect.needs_approval)
        if self.session.responses is not None and effect.leaves_the_vault:
            raise ToolError("example-needs-response", tool=effect.tool)
        is_script = run.in_script or run.tool.module is not None
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


def question_id(effect: Effect, place: Place, run: RunContext) -> str:
    """The name of the question about this change at this place; asked again, it is the same question."""
    return digest_of([run.run_id, place.path, effect.digest])[:16]


def _cause(place: Place, run: RunContext, approved: Approved | None = None) -> Cause:
    by = approved.by if approved is not None else None
    return Cause(run_id=run.run_id, step_path=place.path, step=run.root_step or place.step, approved_by=by)


def _has_moved_on(shown: Effect, effect: Effect) -> bool:
    """Whether the very thing that a person was shown has changed while they wrote their edit."""
    is_same_target = bool(shown.target) and effect.target == shown.target
    return effect.needs_approval and is_same_target and effect.before != shown.before
