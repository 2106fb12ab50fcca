"""The gate: what a call is about to do is shown, agreed on, and only then done.

There is no other way to an effect. A yes is bound to the digest of exactly what was shown; where the
arguments or the file behind the diff have changed, the person is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

from paperagents.approval.effect import Effect, digest_of
from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    Decision,
    Denied,
    Pending,
    asked_about,
    asked_at,
    question_digest,
)
from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import (
    CancelledError,
    DeniedError,
    PaperError,
    PlanEndsError,
    ToolError,
    UsageError,
    WaitingError,
)
from paperagents.messages import text
from paperagents.runs.history import Intent
from paperagents.runs.log import Frame, OpenEntry, Place
from paperagents.runs.session import Prepare, Services, Session
from paperagents.secrets.redaction import has_mask, secrets_of_request


class Gate:
    """Stands before every effect of a session."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session
        self._answered: dict[tuple[str, str], str] = {}
        """Which stored answer let a change at this place of a run pass."""

    def carry_out(
        self, prepare: Prepare, arguments: JsonObject, place: Place, run: Frame, entry: OpenEntry
    ) -> JsonValue:
        """Show it, ask where that must be, do it; the answer is the tool's."""
        # A server may send back what it was sent.
        self.services.masking.learn(secrets_of_request(arguments))
        if run.replays and has_mask(arguments) and self._lost_secrets(run):
            # What a step gave before the interruption is kept without secrets; a mask is no key to send.
            raise UsageError("secrets-not-kept", id=run.root_run)
        effect = prepare(arguments)
        if self.session.plan is not None:
            return self._planned(effect, place, run, entry)
        effect = self._as_intended(effect, prepare, place, run)
        if (done := self._done_before(effect, place, run)) is not None:
            entry.message = text("run.done-before")
            entry.parameters = effect.arguments
            # All but what is kept where the runs are is written down only once it is agreed on.
            entry.hitl_required, entry.hitl_confirmed = (True, True) if effect.transaction is None else (False, None)
            return done[0]
        while True:
            if self._agreed_before(effect, place, run):
                entry.parameters = effect.arguments
                entry.hitl_required, entry.hitl_confirmed = True, True
                entry.message = text("run.agreed-before")
            else:
                effect = self._agreed(effect, prepare, place, run, entry)
            entry.recognisable = effect.after is not None
            try:
                return self._perform(effect, place, run)
            except ToolError as error:
                if error.code == "file-changed" and effect.needs_approval:
                    # The file is no longer what the person saw: show it again.
                    effect = prepare(effect.arguments)
                elif not (error.code == "http-status" and self.session.approver.try_again(error)):
                    raise

    def _agreed(self, effect: Effect, prepare: Prepare, place: Place, run: Frame, entry: OpenEntry) -> Effect:
        """The effect that a person, or a rule, has said yes to. Raises DeniedError or WaitingError."""
        entry.hitl_required = effect.needs_approval
        while _possible(effect).needs_approval:
            entry.parameters = effect.arguments
            with self._decided(effect, place, run) as decision:
                match decision:
                    case Denied(reason=reason):
                        entry.hitl_confirmed = False
                        raise DeniedError(reason, tool=effect.tool)
                    case Pending():
                        raise WaitingError(effect.tool)
                    case Approved() as approved:
                        shown = effect
                        effect = self._as_approved(effect, prepare, approved)
                        edited = approved.arguments is not None and not _moved_on(shown, effect)
                        if effect.digest == shown.digest or edited:
                            self._note(approved, effect, entry, run)
                            return effect
                    case _:
                        # A function that forgot to return has said nothing, and nothing is no yes.
                        raise TypeError("an approver decides by Approved, Denied or Pending")
        return effect

    def _as_approved(self, effect: Effect, prepare: Prepare, approved: Approved) -> Effect:
        """The effect as it would be now: with the person's own arguments, or on a file that has changed."""
        if approved.arguments is None:
            return prepare(effect.arguments)
        arguments = self.services.masking.restore(approved.arguments, effect.arguments)
        assert isinstance(arguments, dict)
        return _possible(prepare(validate_arguments(self.services.find_tool(effect.tool), arguments)))

    def _note(self, approved: Approved, effect: Effect, entry: OpenEntry, run: Frame) -> None:
        entry.hitl_confirmed = True
        entry.parameters = effect.arguments
        entry.message = text("run.edited" if approved.arguments is not None else "run.approved", by=approved.by)
        if approved.for_run:
            self.session.allowed_tools.add((run.root_run, effect.tool))
            if self.services.store is not None:
                self.services.store.allow_for_run(run.root_run, effect.tool)
        if approved.always and effect.target:
            try:
                self.services.rules.allow(effect.tool, effect.target)
            except PaperError as error:
                # The yes to this one change holds all the same.
                entry.message = f"{entry.message} {error.message}"

    @contextmanager
    def _decided(self, effect: Effect, place: Place, run: Frame) -> Iterator[Decision]:
        """The answer: given earlier, for this run, by a rule, or from the person; in this order.

        Inside, nobody is asked anything else: what is said to one question may hold for the next, too.
        """
        allowed = None if self._has_answer(place, run) else self._allowed(effect, run)
        if allowed is not None:
            yield allowed
            return
        with self.session.not_counting_time(), self.session.lock:
            request = self._request(effect, place, run)
            given = self._given(request, place, run)
            yield given or self._allowed(effect, run) or self._asked(request, run)

    def _has_answer(self, place: Place, run: Frame) -> bool:
        return bool(asked_at(_name(place, run), list(self.session.decisions)))

    def _given(self, request: ApprovalRequest, place: Place, run: Frame) -> Decision | None:
        """What somebody has answered to this very question, or said of the tool to another one that is yet to come.

        A no needs no equal picture: it holds for this place.
        """
        decisions = self.session.decisions
        here = asked_at(_name(place, run), decisions)
        fitting = [digest for digest in here if digest == request.digest or isinstance(decisions[digest], Denied)]
        if fitting:
            self._answered[run.run_id, place.path] = fitting[0]
            return decisions.pop(fitting[0])
        elsewhere = (decisions[digest] for digest in asked_about(request.tool, decisions) if digest not in here)
        for_run = any(isinstance(decision, Approved) and decision.for_run for decision in elsewhere)
        return Approved(by=text("run.by-run")) if for_run else None

    def _allowed(self, effect: Effect, run: Frame) -> Approved | None:
        """The yes that covers more than one change, and this one, too."""
        if (run.root_run, effect.tool) in self.session.allowed_tools:
            return Approved(by=text("run.by-run"))
        rule = self.services.rules.allowing(effect.tool, effect.target)
        return Approved(by=text("run.by-rule", id=rule.id)) if rule is not None else None

    def _asked(self, request: ApprovalRequest, run: Frame) -> Decision:
        """What the person says; where nobody is there, the question is kept."""
        if self.session.cancellation.cancelled:
            raise CancelledError
        self.session.on_event({"type": "approval-requested", "run_id": run.root_run, "approval": request.as_json()})
        decision = self.session.approver.decide(request)
        if isinstance(decision, Pending) and self.services.store is not None:
            self.services.store.ask(replace(request, run_id=run.run_id), run.root_run)
        return decision

    def _request(self, effect: Effect, place: Place, run: Frame) -> ApprovalRequest:
        """What the person is shown. The digest names the change and what was shown of it."""
        arguments = self.services.masking.value(effect.arguments)
        assert isinstance(arguments, dict)
        preview = self.services.masking.text(effect.preview)
        return ApprovalRequest(
            id=digest_of([run.run_id, place.path, effect.digest])[:16],
            run_id=run.root_run,
            step=run.root_step or place.step,
            tool=effect.tool,
            arguments=arguments,
            preview=preview,
            digest=question_digest(effect.digest, effect.tool, arguments, preview, place=_name(place, run)),
            requested=datetime.now(UTC).isoformat(timespec="milliseconds"),
            target=effect.target,
        )

    def _perform(self, effect: Effect, place: Place, run: Frame) -> JsonValue:
        """The one place where something really happens; a change is written down before it is made."""
        if self.session.cancellation.cancelled:
            raise CancelledError
        if effect.needs_approval and self.services.store is not None:
            answered = self._answered.pop((run.run_id, place.path), None)
            self.services.store.intend(run.run_id, place.path, self._intention(effect), answered=answered)
        try:
            with self.session.cancellation.stopping(effect.cancel):
                return self._written_down_with_it(effect, place, run)
        except PaperError:
            if self.services.store is not None and effect.needs_approval:
                # It is known how this ended: another attempt is a new one.
                self.services.store.forget_intent(run.run_id, place.path)
            if self.session.cancellation.cancelled:
                raise CancelledError from None
            raise

    def _written_down_with_it(self, effect: Effect, place: Place, run: Frame) -> JsonValue:
        """Do it; what is kept where the runs are is done and known to be done in the same moment."""
        store = self.services.store
        if effect.transaction is None or store is None:
            return effect.perform()
        with effect.transaction():
            answer = effect.perform()
            store.intend(run.run_id, place.path, replace(self._intention(effect), answer=answer))
            return answer

    def _intention(self, effect: Effect) -> Intent:
        arguments = self.services.masking.value(effect.arguments)
        assert isinstance(arguments, dict)
        return Intent(digest=effect.digest, before=effect.before, after=effect.after, answer=effect.answer,
                      arguments=arguments)  # fmt: skip

    def _as_intended(self, effect: Effect, prepare: Prepare, place: Place, run: Frame) -> Effect:
        """The effect as it was about to be had when the program was killed: a person may have edited its arguments."""
        intent = self._intent(effect, place, run)
        if intent is None:
            return effect
        try:
            arguments = self.services.masking.restore(intent.arguments, effect.arguments)
        except UsageError:
            # A secret that only the edit had is not kept.
            return effect
        assert isinstance(arguments, dict)
        intended = replace(effect, arguments=arguments, before=intent.before)
        return prepare(arguments) if intended.digest == intent.digest else effect

    def _done_before(self, effect: Effect, place: Place, run: Frame) -> tuple[JsonValue] | None:
        """Whether this very change was made just before the program was killed."""
        intent = self._intent(effect, place, run)
        if intent is None:
            return None
        if effect.transaction is not None:
            return (intent.answer,) if intent.digest == effect.digest else None
        if intent.after is None:
            if effect.is_idempotent and intent.digest == effect.digest:
                return None
            raise ToolError("outcome-unknown", tool=effect.tool)
        return (intent.answer,) if effect.current() == intent.after else None

    def _agreed_before(self, effect: Effect, place: Place, run: Frame) -> bool:
        """Whether exactly this was agreed on and about to be done when the program was killed."""
        intent = self._intent(effect, place, run)
        return intent is not None and intent.digest == effect.digest and effect.refusal is None

    def _lost_secrets(self, run: Frame) -> bool:
        return self.services.store is not None and self.services.store.lost_secrets(run.root_run)

    def _intent(self, effect: Effect, place: Place, run: Frame) -> Intent | None:
        store = self.services.store
        # A deletion that was done has nothing left to ask about.
        leaves_one = effect.needs_approval or effect.transaction is not None or effect.after is not None
        return store.intent(run.run_id, place.path) if store is not None and run.log.goes_on and leaves_one else None

    def note_in_plan(  # noqa: PLR0913  everything a plan says of a call
        self, run: Frame, place: Place, tool: str, arguments: JsonObject, *, preview: str = "", asks: bool = False
    ) -> None:
        """A call as a dry run shows it; where none is made, nothing."""
        if self.session.plan is None:
            return
        self.session.plan.append(
            {
                "step": run.root_step or place.step,
                "tool": tool,
                "arguments": self.services.masking.value(arguments),
                "preview": self.services.masking.text(preview),
                "would_ask": asks,
            }
        )

    def _planned(self, effect: Effect, place: Place, run: Frame, entry: OpenEntry) -> JsonValue:
        """A dry run: written down; what only reads, or writes to the plan's own copy, is done as well.

        The requests of a ``.tool.js`` are only shown, also those that read: what comes after them is code, not a plan.
        """
        entry.hitl_required = _possible(effect).needs_approval
        self.note_in_plan(run, place, effect.tool, effect.arguments, preview=effect.preview, asks=effect.needs_approval)
        if self.session.responses is not None and effect.leaves_the_vault:
            raise ToolError("example-needs-response", tool=effect.tool)
        is_script = run.in_script or run.tool.module is not None
        if effect.runs_in_plan and not (effect.leaves_the_vault and is_script):
            return effect.perform()
        if effect.answer is not None:
            return effect.answer
        raise PlanEndsError


def _name(place: Place, run: Frame) -> str:
    """A place among those of all runs."""
    return f"{run.run_id} {place.path}"


def _moved_on(shown: Effect, effect: Effect) -> bool:
    """Whether the very thing that a person was shown has changed while they wrote their edit."""
    return (
        effect.needs_approval and bool(shown.target) and effect.target == shown.target and effect.before != shown.before
    )


def _possible(effect: Effect) -> Effect:
    if effect.refusal is not None:
        raise effect.refusal
    return effect
