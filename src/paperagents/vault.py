"""A vault whose tools can be run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from paperagents.agents.model import LanguageModel
from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    ApproveEverything,
    Approver,
    AskFunction,
    Decision,
    Pending,
    decision_as_json,
    decision_of,
)
from paperagents.calls.arguments import validate_arguments
from paperagents.calls.call import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Example
from paperagents.errors import UsageError
from paperagents.files.folder import VaultFolder
from paperagents.files.overlay import PlannedFolder
from paperagents.notes_folder import find_vault
from paperagents.runs.examples import ExampleResult, try_examples
from paperagents.runs.journal import EVERYTHING
from paperagents.runs.record import RunRecord
from paperagents.runs.run import Pipeline
from paperagents.runs.session import Event, Services, Session
from paperagents.runs.tag_calls import TagApplier
from paperagents.runs.tracing import traced
from paperagents.sandbox import Cancellation
from paperagents.storage.entries import PlannedEntries
from paperagents.tags import read_tags
from paperagents.tool_modes import Mode, in_mode
from paperagents.vault_parts import VaultParts

_LOOK_SECONDS = 0.1
_PATIENCE_SECONDS = 10.0
"""How long a question that a run has taken back is looked for."""


class Vault(VaultParts):
    """A folder of notes whose tools can be run."""

    def run(  # noqa: PLR0913  each may be said or left unsaid
        self,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
        run_id: str | None = None,
        mode: Mode = "execute",
    ) -> RunRecord:
        """Carry out a call; the answer is its record. Without an approver, what must be asked waits.

        ``run_id`` is for a caller who must know it before the run begins; it has to be a new one. ``model`` is what
        agents think with, instead of the one that their notes and the settings name. ``mode`` is ``execute``, or
        ``dryrun``, ``manual``, ``configure`` (the arguments are variables), ``log`` or ``rebuild``.
        """
        if mode != "execute":
            return in_mode(self, mode, tool, arguments or {}, approver)
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        session = self._session(approver, on_event, stop)
        session.model = model
        return Pipeline(self.services, session).run(call, run_id)

    def install(
        self,
        tool: str,
        *,
        rebuild: bool = False,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
    ) -> RunRecord:
        """Install the npm packages of a tool and agree on its grants: a call like any other."""
        wanted: JsonObject = {"tool": tool, "rebuild": rebuild}
        return self.run("install_packages", wanted, approver=approver, on_event=on_event, stop=stop)

    def plan(self, tool: str, arguments: Mapping[str, JsonValue] | None = None) -> RunRecord:
        """A dry run: what would happen and be asked. Changes nothing."""
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        with PlannedFolder(self.root) as folder:
            return Pipeline(self._without_trace(folder), Session(plan=[])).run(call)

    def resume(  # noqa: PLR0913  each may be said or left unsaid
        self,
        run_id: str,
        *,
        decisions: Mapping[str, Decision] | None = None,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
        unfinished_only: bool = False,
    ) -> RunRecord:
        """Go on with a run that waits or was interrupted; ``decisions`` answer by digest of what was asked.

        One that failed or was stopped goes on, too, unless ``unfinished_only``: that is for a person to wish. Answers
        to a run that somebody else is going on with are given when it is let go of.
        """

        def attempt() -> RunRecord:
            self._keep_answers(run_id, decisions or {})
            session = self._session_with_answers(run_id, approver, on_event, stop)
            session.model = model
            return Pipeline(self.services, session).resume(run_id, unfinished_only=unfinished_only)

        return self._in_turn(run_id, decisions, stop or Cancellation(), attempt) if decisions else attempt()

    def enqueue(self, tool: str, arguments: Mapping[str, JsonValue] | None = None, *, yes: bool = False) -> RunRecord:
        """Write a call down for ``paper worker`` or ``paper serve`` to carry out; ``yes`` agrees to all it will ask."""
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        approved = decision_as_json(Approved(by="--yes")) if yes else None
        return Pipeline(self.services, Session()).later(call, approved=approved)

    def answer(  # noqa: PLR0913  each may be said or left unsaid
        self,
        approval_id: str,
        decision: Decision,
        *,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
    ) -> RunRecord:
        """Answer an open question; the run it belongs to goes on."""
        root_run, decisions = self._checked_when_asked(approval_id, decision, stop or Cancellation())
        return self.resume(root_run, decisions=decisions, approver=approver, on_event=on_event, stop=stop, model=model)

    def checked_answer(self, approval_id: str, decision: Decision) -> tuple[str, dict[str, Decision]]:
        """The run that a question belongs to, and what to go on with. Raises UsageError for an impossible answer."""
        request, root_run = self.store.approval(approval_id)
        self.require_possible(request, decision)
        return root_run, {request.digest: decision}

    def leave_answer(self, approval_id: str, decision: Decision) -> str:
        """Answer an open question and leave it to a worker to go on; gives the run it belongs to."""
        root_run, decisions = self.checked_answer(approval_id, decision)
        self.database.take_over(root_run)
        for digest, each in decisions.items():
            self.store.answer(root_run, digest, decision_as_json(each), announce=True)
        return root_run

    def test(self, tool: str) -> list[ExampleResult]:
        """Try the examples in a tool's file, without touching anything."""
        definition = self.registry.tool(tool)

        def attempt(example: Example) -> RunRecord:
            with PlannedFolder(self.root) as folder:
                session = Session(plan=[], responses=example.responses)
                call = ToolCall(tool=definition.id, arguments=example.input)
                return Pipeline(self._without_trace(folder), session).run(call)

        return try_examples(definition, attempt)

    def apply(
        self,
        text: str,
        *,
        tool: str | None = None,
        all_or_nothing: bool = False,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None = None,
    ) -> list[JsonObject]:
        """Carry out the calls in a model's text, in its order; one result each."""
        registry = self.tag_registry()
        session = self._session(approver, None, None)
        applier = TagApplier(
            registry=registry,
            run=Pipeline(self.services, session).run,
            transaction=self.entries.together,
            vault_content=self.vault_content,
            asks_a_person=session.approver.takes_time,
            count=self.store.count_tag,
        )
        return applier.apply(read_tags(text, registry).operations, tool=tool, all_or_nothing=all_or_nothing)

    def require_possible(self, request: ApprovalRequest, decision: Decision) -> None:
        """A slip in an edit must not cost the run: it is told, and the question stays open."""
        if not isinstance(decision, Approved) or decision.arguments is None:
            return
        tool = self.registry.tool(request.tool)
        complete = validate_arguments(tool, decision.arguments)
        if tool.id in self.services.built_in:
            refusal = self.services.built_in[tool.id](complete).refusal
            if refusal is not None:
                raise refusal

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep_answers(self, run_id: str, decisions: Mapping[str, Decision]) -> None:
        """Before anything is done with them: an answer that was given is not asked for again."""
        self.database.take_over(run_id)
        for digest, decision in decisions.items():
            if not isinstance(decision, Pending):
                self.store.answer(run_id, digest, decision_as_json(decision))

    def _in_turn(
        self, run_id: str, decisions: Mapping[str, Decision], stop: Cancellation, attempt: Callable[[], RunRecord]
    ) -> RunRecord:
        """Go on with answers once nobody else works on the run; where it needs them no more, how it stands."""
        while True:
            try:
                return attempt()
            except UsageError as error:
                if error.code != "run-is-running" or not self._is_let_go(run_id, stop):
                    raise
            asked = {each.digest for each in self.store.approvals(run_id)} | self.store.answers(run_id).keys()
            if asked.isdisjoint(decisions):
                return self.store.record(run_id)

    def _is_let_go(self, run_id: str, stop: Cancellation) -> bool:
        """Wait for it; no where somebody does not want to wait any more."""
        while self.database.is_held(run_id):
            if stop.cancelled:
                return False
            time.sleep(_LOOK_SECONDS)
        return True

    def _checked_when_asked(
        self, approval_id: str, decision: Decision, stop: Cancellation
    ) -> tuple[str, dict[str, Decision]]:
        """A run that goes on has taken its questions back; what has no answer yet it asks again, by the same name."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return self.checked_answer(approval_id, decision)
            except UsageError as error:
                if error.code != "unknown-approval":
                    raise
            if (
                stop.cancelled
                or time.monotonic() > end
                or not any(map(self.database.is_held, self.store.interrupted()))
            ):
                # It may have asked again in this very moment.
                return self.checked_answer(approval_id, decision)
            time.sleep(_LOOK_SECONDS)

    def _session_with_answers(
        self,
        run_id: str,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None,
        on_event: Callable[[Event], None] | None,
        stop: Cancellation | None,
    ) -> Session:
        answers = {digest: decision_of(each) for digest, each in self.store.answers(run_id).items()}
        if isinstance(everything := answers.pop(EVERYTHING, None), Approved):
            approver = ApproveEverything(by=everything.by)
        session = self._session(approver, on_event, stop)
        session.decisions.update(answers)
        session.allowed_tools |= {(run_id, tool) for tool in self.store.allowed_tools(run_id)}
        return session

    def _session(
        self,
        approver: Approver | Callable[[ApprovalRequest], Decision] | None,
        on_event: Callable[[Event], None] | None,
        stop: Cancellation | None,
    ) -> Session:
        asked = approver if isinstance(approver, Approver) else AskFunction(approver) if approver else Approver()
        session = Session(approver=asked, stop=stop or Cancellation())
        session.on_event = traced(on_event or session.on_event, self.services.masking.text)
        return session

    def _without_trace(self, folder: VaultFolder) -> Services:
        entries = PlannedEntries(self.entries)
        return replace(
            self.services,
            store=None,
            entries=entries,
            vault_content=partial(entries.content, "datavault"),
            built_in=self._built_in(folder, entries),
            write_log=lambda tool, record: None,  # noqa: ARG005  a plan leaves no trace
        )


def open_vault(folder: str | os.PathLike[str] | None = None) -> Vault:
    """The vault in this folder; without one, the nearest upwards as the command line finds it."""
    return Vault(Path(folder) if folder is not None else find_vault())
