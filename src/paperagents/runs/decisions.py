"""Decisions about effects: an answer to exactly what was shown, from one of four sources.

    stored      what somebody answered to the question of this step, while the run stood still
    for the run what was allowed for the rest of this run
    by a rule   what the user has allowed from now on
    a person    whoever the session has to ask; where nobody is there, the question is kept and the run waits

A yes is bound to the digest of exactly what was shown; where the arguments or the file behind the diff have
changed, the person is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import NoReturn

from paperagents.approval.file_changes import choose_hunks, describe_change
from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    Decision,
    Denied,
    Effect,
    Pending,
    digest_of,
    question_digest,
)
from paperagents.approval.rule_words import describe_rule
from paperagents.approval.rules import narrowest_rule
from paperagents.calls.arguments import validate_arguments
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import CancelledError, DeniedError, PaperError, UsageError, WaitingError
from paperagents.messages import text
from paperagents.runs.log import OpenEntry, RunContext
from paperagents.runs.pending import Prepare
from paperagents.runs.record import Place
from paperagents.runs.session import Services, Session


class Decisions:
    """Finds or asks for the answer to an effect."""

    def __init__(self, services: Services, session: Session) -> None:
        self.services = services
        self.session = session

    def agree(self, effect: Effect, prepare: Prepare, place: Place, run: RunContext, entry: OpenEntry) -> Effect:
        """The effect that a person, or a rule, has said yes to. Raises DeniedError or WaitingError."""
        entry.hitl_required = effect.needs_approval
        while effect.require_possible().needs_approval:
            entry.parameters = effect.arguments
            with self.decide(effect, place, run) as (decision, took_time, is_repeated):
                match decision:
                    case Denied() as denied:
                        entry.hitl_confirmed, entry.denied = False, denied
                        raise DeniedError(denied.reason, tool=effect.tool)
                    case Pending():
                        raise WaitingError(effect.tool, question_id(effect, place, run), is_repeated=is_repeated)
                    case Approved() as approved:
                        shown, effect = effect, self._as_approved(effect, prepare, approved, took_time=took_time)
                        is_edited = approved.arguments is not None and not _has_moved_on(shown, effect)
                        if effect.digest == shown.digest or is_edited:
                            effect = self._choose_files(effect, approved, place, run, entry)
                            self._note_approval(approved, effect, entry, run)
                            return effect
                        run.log.warn(text("run.asked-again", target=effect.target or effect.tool))
                    case _:
                        # A function that forgot to return has said nothing, and nothing is no yes.
                        raise TypeError("an approver decides by Approved, Denied or Pending")
        return effect

    def _choose_files(
        self, effect: Effect, approved: Approved, place: Place, run: RunContext, entry: OpenEntry
    ) -> Effect:
        """Of several changes, those that the answer agrees to. Raises DeniedError where that is none."""
        if effect.choose is None or approved.files is None:
            return effect
        try:
            return effect.choose(approved.files)
        except DeniedError:
            entry.hitl_confirmed = False
            entry.denied = Denied(by=approved.by, via=approved.via, at=approved.at)
            raise
        except UsageError as error:
            self.keep_open(effect, place, run, error)

    @contextmanager
    def decide(self, effect: Effect, place: Place, run: RunContext) -> Iterator[tuple[Decision, bool, bool]]:
        """The first answer of these sources: stored for this step, for the run, by a rule, from the person.

        Also whether somebody thought about it, so that the world may have changed, and whether it is asked once more
        because it has. Inside, nobody is asked anything else: what is said to one question may hold for the next, too.
        """
        stored = self.services.questions.answer_at(run.run_id, place.path) if run.log.is_resumed else None
        if stored is None and (permission := self.find_permission(effect, run)) is not None:
            yield permission, False, False
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
                known = self.find_permission(effect, run)
            if known is not None:
                yield known, False, False
            else:
                yield self._ask(request, run, effect), self.session.approver.takes_time, stored is not None

    def find_permission(self, effect: Effect, run: RunContext) -> Approved | None:
        """The yes that covers more than one change, and this one, too."""
        if effect.must_be_seen:
            return None
        if effect.is_commit:
            parts = [self.find_permission(replace(effect, tool=tool, scope=scope, is_commit=False), run)
                     for tool, scope in effect.parts]  # fmt: skip
            return parts[0] if parts and None not in parts else None
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
            if self.services.questions.ask(request):
                self.services.notifier.tell(run.root_run, run.outermost.name, request.id)
        elif self.session.approver.takes_time and isinstance(decision, Approved | Denied):
            # A function may give back an answer that it has made long before.
            return replace(decision, at=datetime.now(UTC).isoformat(timespec="milliseconds"))
        return decision

    def _request(self, effect: Effect, place: Place, run: RunContext) -> ApprovalRequest:
        """What the person is shown. The digest names the change and what was shown of it."""
        arguments = self.services.redaction.value(effect.arguments)
        assert isinstance(arguments, dict)
        preview = escape_invisible(self.services.redaction.text(effect.preview))
        files, pending = self._shown_changes(effect)
        if pending:
            diffs = "\n".join(str(each["diff"]) for each in pending)
            preview = f"{preview}\n\n{text('ask.pending', count=len(pending))}\n{diffs}"
        return ApprovalRequest(
            id=question_id(effect, place, run),
            run_id=run.root_run,
            step=run.root_step or place.step,
            tool=effect.tool,
            arguments=arguments,
            preview=preview,
            digest=question_digest(effect.digest, effect.tool, arguments, preview, run_id=run.run_id, path=place.path,
                                   changes=(files, pending)),
            requested=datetime.now(UTC).isoformat(timespec="milliseconds"),
            scope=effect.scope,
            caller=run.outermost.key,
            asked_in=run.run_id,
            path=place.path,
            effect=effect.digest,
            files=files,
            pending=pending,
            new_text=partial(self._find_new_text, effect),
        )  # fmt: skip

    def _find_new_text(self, effect: Effect, name: str, hunks: frozenset[int]) -> str | None:
        """What a note or entry becomes with these hunks alone."""
        changes = (each for each in effect.changes if each.name == name and name not in effect.undoes)
        texts = (choose_hunks(each, hunks).after for each in changes)
        return None if (found := next(texts, None)) is None else self.services.redaction.text(found)

    def _shown_changes(self, effect: Effect) -> tuple[tuple[JsonObject, ...], tuple[JsonObject, ...]]:
        """The files of a question about several changes; beside any other one, what the run has collected so far."""
        is_other = bool(self.services.pending.owner) and not effect.is_commit
        files = effect.changes if effect.is_commit else ()
        pending = self.services.pending.net_changes() if is_other else ()
        redact = self.services.redaction.text
        return tuple(describe_change(each, redact) for each in files), tuple(
            describe_change(each, redact) for each in pending
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
        if approved.together:
            self.session.collecting.add(run.root_run)
            self.services.questions.collect_changes(run.root_run, approved.repeated)
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

    def keep_open(self, effect: Effect, place: Place, run: RunContext, error: PaperError) -> NoReturn:
        """Changes that could not be made, or an answer that does not fit: nothing is changed, the question stays."""
        run.log.warn(text("run.changes-not-made", reason=error.message))
        # The answer has had its effect, which is none: as long as it is there, the question is not open.
        self.services.questions.discard_answer(run.run_id, place.path)
        self.services.questions.ask(self._request(effect, place, run))
        raise WaitingError(effect.tool, question_id(effect, place, run))

    def ask_again(self, effect: Effect, place: Place, run: RunContext) -> None:
        """The same where the database takes nothing more of the run."""
        self.services.questions.ask_again(self._request(effect, place, run))


def question_id(effect: Effect, place: Place, run: RunContext) -> str:
    """The name of the question about this change at this place; asked again, it is the same question."""
    return digest_of([run.run_id, place.path, effect.digest])[:16]


def _has_moved_on(shown: Effect, effect: Effect) -> bool:
    """Whether the very thing that a person was shown has changed while they wrote their edit."""
    is_same_target = bool(shown.target) and effect.target == shown.target
    return effect.needs_approval and is_same_target and effect.before != shown.before
