"""A vault whose tools can be run: everything that a caller can do with it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING

from paperagents.approval.question import (
    ApprovalRequest,
    Approved,
    ApproveEverything,
    Approver,
    AskFunction,
    Decision,
)
from paperagents.calls.arguments import ToolCall, variable_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import AGENT_PREFIX, QUERY, AgentDefinition, Example, ToolDefinition
from paperagents.errors import BrokenFileError, PaperError, StorageError, ToolError, UsageError
from paperagents.files.folder import VaultFolder
from paperagents.files.safe_open import join_path, split_file_path
from paperagents.notes_folder import find_vault
from paperagents.runs.history import LAST
from paperagents.runs.record import RunRecord, root_of
from paperagents.runs.run import Runner
from paperagents.runs.session import Event, Services, Session
from paperagents.runs.together import complete_interrupted
from paperagents.runs.tracing import traced
from paperagents.runs.undo import UNDO, choose_files, find_run_to_undo
from paperagents.sandbox import Cancellation
from paperagents.secrets.redaction import MASK
from paperagents.vault_parts import VaultParts

if TYPE_CHECKING:
    from paperagents.agents.evals import Attempt, EvalReport
    from paperagents.agents.model import LanguageModel
    from paperagents.definitions.agent import Eval
    from paperagents.runs.examples import ExampleResult
    from paperagents.tool_modes import Mode

Person = Approver | Callable[[ApprovalRequest], Decision | Awaitable[Decision]] | None
"""Who is asked: an approver, a function, a coroutine function, or nobody."""

_RUNS_PER_STEP = 32


class Vault(VaultParts):
    """A folder of notes whose tools can be run."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._complete_interrupted()

    def run(  # noqa: PLR0913  each may be said or left unsaid
        self,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        approver: Person = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
        run_id: str | None = None,
        together: bool = False,
        mode: Mode = "execute",
    ) -> RunRecord:
        """Carry out a call; the answer is its record. Without an approver, what must be asked waits.

        ``run_id`` is for a caller who must know it before the run begins; it has to be a new one. ``model`` is what
        agents think with, instead of the one that their notes and the settings name. ``together``: changes are
        collected, and asked about once, at the end. ``mode`` is ``execute``, or
        ``dryrun``, ``manual``, ``configure`` (the arguments are variables), ``log`` or ``rebuild``.
        """
        if mode != "execute":
            from paperagents.tool_modes import in_mode  # noqa: PLC0415  not for every run

            return in_mode(self, mode, tool, arguments or {}, approver)
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        session = self._session(approver, on_event, stop)
        session.model = model
        record = Runner(self.services, session).run(call, run_id, together=together)
        self._tidy()
        return record

    def install(
        self,
        tool: str,
        *,
        rebuild: bool = False,
        approver: Person = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
    ) -> RunRecord:
        """Install the npm packages of a tool and agree on its grants: a call like any other."""
        wanted: JsonObject = {"tool": tool, "rebuild": rebuild}
        return self.run("install_packages", wanted, approver=approver, on_event=on_event, stop=stop)

    def plan(self, tool: str, arguments: Mapping[str, JsonValue] | None = None) -> RunRecord:
        """A dry run: what would happen and be asked. Changes nothing."""
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        return Runner(self._without_trace(), Session(plan=[])).run(call)

    def resume(  # noqa: PLR0913  each may be said or left unsaid
        self,
        run_id: str,
        *,
        approver: Person = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
        unfinished_only: bool = False,
    ) -> RunRecord:
        """Resume a run that waits or was interrupted.

        One that failed or was stopped is resumed, too, unless ``unfinished_only``: that is for a person to wish.
        Raises RunBusyError where somebody else works on it.
        """
        self.continuation.require_own(run_id)
        if isinstance(everything := self.questions.general_answer(run_id), Approved):
            approver = ApproveEverything(everything)
        session = self._session(approver, on_event, stop)
        session.allowed_tools |= {(run_id, tool): yes for tool, yes in self.questions.allowed_tools(run_id).items()}
        session.collecting |= {run_id} if self.questions.are_collected(run_id) else set()
        session.model = model
        record = Runner(self.services, session).resume(run_id, unfinished_only=unfinished_only)
        self._tidy()
        return record

    def _tidy(self) -> None:
        """Now and then, a little of what keeps the history small: a step costs more than a small run."""
        if randbelow(_RUNS_PER_STEP) == 0:
            # The run is over and its record is kept, whatever becomes of older ones.
            with suppress(StorageError):
                self.retention.step()

    def confirm_done(self, run_id: str, output: JsonValue = None, *, approved: Approved | None = None) -> None:
        """A step of the run that ended with outcome-unknown was done, and gave this; ``resume`` goes on after it."""
        self.continuation.require_own(run_id)
        self.questions.confirm_done(run_id, output, approved or Approved())

    def enqueue(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue] | None = None,
        *,
        yes: bool = False,
        together: bool = False,
    ) -> RunRecord:
        """Write a call down for ``paper worker`` or ``paper serve`` to carry out; ``yes`` agrees to all it will ask."""
        call = ToolCall(tool=tool, arguments=dict(arguments or {}))
        approved = Approved(via="--yes") if yes else None
        return Runner(self.services, Session()).enqueue(call, approved=approved, together=together)

    def answer(  # noqa: PLR0913  each may be said or left unsaid
        self,
        approval_id: str,
        decision: Decision,
        *,
        approver: Person = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
        model: LanguageModel | str | None = None,
    ) -> RunRecord:
        """Answer an open question; the run it belongs to goes on."""
        stop = stop or Cancellation()
        run_id = self.continuation.answer(approval_id, decision)
        resume = partial(self.resume, run_id, approver=approver, on_event=on_event, stop=stop, model=model)
        return self.continuation.resume_answered(run_id, resume, stop)

    def proposed_text(self, approval_id: str, file: str) -> str:
        """What a file of a question about several is to become. Raises UsageError where it has no text to show."""
        request = self.history.question(approval_id)
        # What was masked in the question stays so: this process need not know the secrets of that run.
        is_plain = any(each["path"] == file and MASK not in str(each["diff"]) for each in request.files)
        content = self.services.pending_rows.find_text(request.asked_in, file) if is_plain else None
        if content is None:
            raise UsageError("files-no-text", path=file)
        return self.services.redaction.text(content)

    def test(self, tool: str | None = None) -> list[ExampleResult]:
        """Try the examples in a tool's file, or in all files, without touching anything.

        A file that cannot be used fails.
        """
        from paperagents.runs.examples import run_examples, unusable_file  # noqa: PLC0415  not for every run

        if tool is not None:
            try:
                return run_examples(self.registry.tool(tool), self._try_example)
            except BrokenFileError as error:
                return [unusable_file(self.registry.id_of(tool), error.problems)]
        self.registry.refresh()
        files = [entry for entry in self.registry.entries() if entry.file is not None]
        broken = [entry for entry in files if not entry.valid]
        tools = [entry for entry in files if entry.valid and entry.is_tool]
        failed = [unusable_file(entry.id, entry.problems) for entry in broken]
        return [*failed, *(result for entry in tools for result in self.test(entry.id))]

    def evaluate(self, agent: str, *, models: Sequence[str] = (), repeat: int = 1) -> list[EvalReport]:
        """Ask the questions under ``evals`` of an agent's note, with each of the models, without touching anything.

        Without models, with the one that the agent thinks with.
        """
        from paperagents.agents.evals import evaluate_model  # noqa: PLC0415  not for every run

        definition = self.registry.agent(agent)
        reports = []
        for model in models or (None,):
            name = self.agents.choose_model(model, definition)
            thinks_with = self.agents.open_script(name, by_person=model is not None) or name
            attempt = partial(self._try_eval, definition, thinks_with)
            reports.append(evaluate_model(model or name, definition.evals, repeat, attempt, self._evaluate))
        return reports

    def _try_eval(self, agent: AgentDefinition, model: LanguageModel | str, wanted: Eval) -> Attempt:
        from paperagents.agents.evals import Attempt, Observer  # noqa: PLC0415  not for every run

        observer = Observer()
        pending = self.services.make_pending()
        session = Session(plan=[], responses=wanted.responses, is_eval=True, on_event=observer.on_event)
        session.model = model
        call = ToolCall(tool=f"{AGENT_PREFIX}{agent.id}", arguments={QUERY: wanted.question})
        record = Runner(replace(self._without_trace(), make_pending=lambda: pending), session).run(call)
        held = {path: self._held_text(pending.folder, path) for path in wanted.changes or ()}
        return Attempt(
            record=record, calls=observer.calls, unanswered=observer.unanswered,
            changed=sorted(pending.folder.pending_files), read=held.get,
        )  # fmt: skip

    def _held_text(self, folder: VaultFolder, path: str) -> str | None:
        try:
            found = folder.find_text(path)
        except ToolError:
            return None
        return found.content if found is not None else None

    def _try_example(self, tool: ToolDefinition, example: Example) -> RunRecord:
        stand_ins = {name: variable_text(value) for name, value in example.environment.items()}
        services = replace(self._without_trace(), environment=lambda each: self._environment(each, stand_ins))
        session = Session(plan=[], responses=example.responses)
        return Runner(services, session).run(ToolCall(tool=tool.id, arguments=example.input))

    def apply(
        self,
        text: str,
        *,
        tool: str | None = None,
        all_or_nothing: bool = False,
        approver: Person = None,
    ) -> list[JsonObject]:
        """Carry out the calls in a model's text, in its order; one result each."""
        from paperagents.runs.statistics import count_tag  # noqa: PLC0415  not for every run
        from paperagents.runs.tag_calls import TagApplier  # noqa: PLC0415  not for every run
        from paperagents.tags import read_tags  # noqa: PLC0415  not for every run

        registry = self.tag_registry()
        session = self._session(approver, None, None)
        applier = TagApplier(
            registry=registry,
            run=Runner(self.services, session).run,
            transaction=self.entries.together,
            vault_content=self.vault_content,
            entries=self.entries,
            asks_a_person=session.approver.takes_time,
            count=partial(count_tag, self.database),
        )
        return applier.apply(read_tags(text, registry).operations, tool=tool, all_or_nothing=all_or_nothing)

    # --- what runs have changed

    def changes(self, *, file: str | None = None, run: str | None = None, limit: int | None = None) -> list[JsonObject]:
        """What runs have changed in notes and entries, the newest first: in one file, by one run, or all."""
        wanted = self._find_place(file) if file is not None else None
        found = self.change_history.changes(
            file=wanted, run=self.find_changing_run(run) if run is not None else None, limit=limit
        )
        return [self.change_history.as_json(each) for each in found]

    def show_changes(self, run: str) -> list[JsonObject]:
        """What one run has changed, each note and entry with its diff; by id, the beginning of one, or ``last``."""
        found = self.change_history.of_run(self.find_changing_run(run))
        return [self.change_history.show(each, self.services.redaction.text) for each in found]

    def blame(self, file: str) -> list[JsonObject]:
        """For each line of a note the run that wrote it; None where it came from outside."""
        from paperagents.runs.blame import blame, blame_as_json  # noqa: PLC0415  not for every run

        path = self._find_place(file)
        now = self.folder.read_text(path).content
        authored = blame(self.change_history.rows_of("", path), self.change_history.texts, now)
        return blame_as_json(authored, self.services.redaction.text)

    def undo(  # noqa: PLR0913  each may be said or left unsaid
        self,
        run: str = LAST,
        *,
        files: Sequence[str] = (),
        dry_run: bool = False,
        approver: Person = None,
        on_event: Callable[[Event], None] | None = None,
        stop: Cancellation | None = None,
    ) -> RunRecord:
        """Take back what a run changed, or only in these files: a call like any other, shown, asked and recorded.

        ``last`` is the newest run that changed something and is not undone. Undoing an undo is redoing. Raises
        UnknownRunError, and UsageError for a file that the run did not change.
        """
        arguments = self.undo_arguments(run, files)
        if dry_run:
            return self.plan(UNDO, arguments)
        return self.run(UNDO, arguments, approver=approver, on_event=on_event, stop=stop)

    def undo_arguments(self, run: str, files: Sequence[str] = ()) -> JsonObject:
        """The arguments of ``undo``, checked: with the id of the run and the real places of the files."""
        found = find_run_to_undo(self.change_history, self.history, run)
        places = [self._find_place(each) for each in files]
        if found is not None:
            choose_files(self.change_history.of_run(found), places)
        named: JsonObject = {"files": [*places]} if places else {}
        return {"run": found or run, **named}

    def find_changing_run(self, run: str) -> str:
        """A run that somebody started, by its id or the beginning of it; ``last`` is the newest that changed something.

        Raises UnknownRunError.
        """
        if run == LAST and (newest := self.change_history.newest_run(even_undone=True)) is not None:
            return newest
        return root_of(self.history.record(run).run_id)

    def _find_place(self, file: str) -> str:
        """Where a file really is in the vault; what can be no path is the name of an entry."""
        try:
            return join_path(self.folder.resolve(split_file_path(file)))
        except ToolError:
            return file

    def _session(
        self,
        approver: Person,
        on_event: Callable[[Event], None] | None,
        stop: Cancellation | None,
    ) -> Session:
        self._complete_interrupted()
        asked = approver if isinstance(approver, Approver) else AskFunction(approver) if approver else Approver()
        session = Session(approver=asked, stop=stop or Cancellation())
        session.on_event = traced(on_event or session.on_event, self.services.redaction.text)
        return session

    def _complete_interrupted(self) -> None:
        """Complete what a killed program was about to change together; mostly there is nothing."""
        if self.has_commit_markers():
            # With parts of its own: nothing of this vault is settled before the user has been asked about its settings.
            with suppress(PaperError), VaultParts(self.root) as parts:
                complete_interrupted(parts.services)

    def _without_trace(self) -> Services:
        from paperagents.runs.null_journal import NullJournal  # noqa: PLC0415  not for every run

        return replace(self.services, journal=NullJournal())


def open_vault(folder: str | os.PathLike[str] | None = None) -> Vault:
    """The vault in this folder; without one, the nearest upwards as the command line finds it."""
    return Vault(Path(folder) if folder is not None else find_vault())
