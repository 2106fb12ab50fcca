"""A vault whose tools can be run. The one place that puts the parts together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

from paperagents.agents.agent_runner import AgentRunner
from paperagents.agents.language_model import LanguageModel
from paperagents.approval.decision import (
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
from paperagents.approval.rules import RuleBook
from paperagents.builtin_tools.effects import FileEffects, WebEffects
from paperagents.builtin_tools.entries import EntryEffects
from paperagents.builtin_tools.packages import NpmPackages
from paperagents.builtin_tools.planned_folder import PlannedFolder
from paperagents.builtin_tools.vault_files import VaultFolder
from paperagents.calls.argument_validation import validated
from paperagents.calls.tool_call import ToolCall
from paperagents.calls.variables import variables_of
from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.agent_tool import tool_of_agent
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import Example, ToolDefinition
from paperagents.errors import BrokenFileError, ToolError
from paperagents.execution.applying import TagApplier, tag_of_tool
from paperagents.execution.examples import ExampleResult, try_examples
from paperagents.execution.module_tool import SECONDS as MODULE_SECONDS
from paperagents.execution.note_log import append_log
from paperagents.execution.pipeline import Pipeline
from paperagents.execution.session import Event, Prepare, Services, Session
from paperagents.execution.tracing import traced
from paperagents.notes_folder import KEEPING_FOLDER, NotesFolder, find_vault
from paperagents.reading.file_reading import read_markdown, read_script
from paperagents.records.database import Database
from paperagents.records.database_choice import chosen_database
from paperagents.records.entry_store import EntryStore, PlannedEntries
from paperagents.records.environment_store import EnvironmentStore
from paperagents.records.masking import Masking
from paperagents.records.record import RunRecord
from paperagents.records.run_store import EVERYTHING, RunStore
from paperagents.records.tool_storage import ToolStorage
from paperagents.remote_tools.effects import RemoteEffects
from paperagents.sandbox import Cancellation, Limits, Sandbox
from paperagents.sandbox.npm_packages import packages_of
from paperagents.settings import known_setting, user_folder
from paperagents.tags import TagRegistry, read_tags
from paperagents.tags.registry import DEFAULT_REGISTRY
from paperagents.tags.vault_lookup import use_vault_lookup
from paperagents.tool_modes import Mode, in_mode

_OF_THE_SANDBOX = ("timezone", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb")


class Vault(NotesFolder):
    """A folder of notes whose tools can be run."""

    # --- running

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

        One that failed or was stopped goes on, too, unless ``unfinished_only``: that is for a person to wish.
        """
        for digest, decision in (decisions or {}).items():
            if not isinstance(decision, Pending):
                # Before anything is done with it: an answer that was given is not asked for again.
                self.store.answer(run_id, digest, decision_as_json(decision))
        answers = {digest: decision_of(each) for digest, each in self.store.answers(run_id).items()}
        if isinstance(everything := answers.pop(EVERYTHING, None), Approved):
            approver = approver or ApproveEverything(by=everything.by)
        session = self._session(approver, on_event, stop)
        session.decisions.update(answers)
        session.allowed_tools |= self.store.allowed_tools(run_id)
        session.model = model
        return Pipeline(self.services, session).resume(run_id, unfinished_only=unfinished_only)

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
        root_run, decisions = self.checked_answer(approval_id, decision)
        return self.resume(root_run, decisions=decisions, approver=approver, on_event=on_event, stop=stop, model=model)

    def checked_answer(self, approval_id: str, decision: Decision) -> tuple[str, dict[str, Decision]]:
        """The run that a question belongs to, and what to go on with. Raises UsageError for an impossible answer."""
        request, root_run = self.store.approval(approval_id)
        self.require_possible(request, decision)
        return root_run, {request.digest: decision}

    def leave_answer(self, approval_id: str, decision: Decision) -> str:
        """Answer an open question and leave it to a worker to go on; gives the run it belongs to."""
        root_run, decisions = self.checked_answer(approval_id, decision)
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
            together=self.entries.together,
            asks_a_person=session.approver.takes_time,
            count=self.store.count_tag,
        )
        operations = read_tags(text, registry).operations
        chosen = [each for each in operations if tool is None or each["tool_id"] == tool]
        return applier.apply(chosen, all_or_nothing=all_or_nothing)

    def tag_registry(self) -> TagRegistry:
        """The tags of this vault: the built-in ones, those that notes define, and every tool under its id."""
        registry = TagRegistry(DEFAULT_REGISTRY)
        for tag in self.registry.tags():
            if registry.get(tag.id) is None:
                registry.register(tag.fields)
        for entry in self.registry.entries():
            callable_ = entry.kind != "tag" and entry.valid
            if callable_ and registry.get(entry.id) is None and registry.find(entry.id) is None:
                registry.register(tag_of_tool(entry.id, entry.name, entry.description))
        return registry

    def read_settings_again(self) -> None:
        """Take over settings that have been changed. Runs that go on keep theirs."""
        before = self.__dict__.get("settings")
        for part in ("settings", "limits", "services", "agents"):
            self.__dict__.pop(part, None)
        if before is not None and any(before.get(name) != self.settings.get(name) for name in _OF_THE_SANDBOX):
            self._retired += [self.__dict__.pop(part) for part in ("sandbox", "packages") if part in self.__dict__]

    def close(self) -> None:
        """End the sandbox's workers and let go of the files."""
        while self._retired:
            self._retired.pop().close()
        for part in ("agents", "sandbox", "packages", "remote_effects", "folder", "database"):
            if part in self.__dict__:
                self.__dict__.pop(part).close()
        self.__dict__.pop("services", None)

    def __enter__(self) -> Vault:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the parts

    @cached_property
    def database(self) -> Database:
        """What the program keeps."""
        file = self.root / KEEPING_FOLDER / "paper.db"
        return chosen_database(self.settings.get("database_url"), file, user_folder() / "databases")

    @cached_property
    def store(self) -> RunStore:
        """Runs, their journal, and open questions."""
        return RunStore(self.database)

    @cached_property
    def entries(self) -> EntryStore:
        """Memories, tasks, goals and the data vault."""
        return EntryStore(self.database)

    def vault_content(self, identifier: str) -> str | None:
        """The content of an entry of the data vault; None where there is none."""
        return self.entries.content("datavault", identifier)

    @cached_property
    def rules(self) -> RuleBook:
        """What the user has allowed from now on."""
        return RuleBook(user_folder() / "rules.json", self.root)

    @cached_property
    def environments(self) -> EnvironmentStore:
        """Settings and secrets of the vault's tools."""
        return EnvironmentStore(user_folder() / "environments.json", self.root)

    @cached_property
    def folder(self) -> VaultFolder:
        """The vault's files."""
        return VaultFolder(self.root)

    @cached_property
    def sandbox(self) -> Sandbox:
        """Where JavaScript runs."""
        return Sandbox(
            limits=replace(self.limits, seconds=max(self.limits.seconds, MODULE_SECONDS)),
            timezone=self.settings.get("timezone"),
        )

    @cached_property
    def _retired(self) -> list[Sandbox | NpmPackages]:
        """Made with older settings; runs that were begun with them may still go on."""
        return []

    @cached_property
    def packages(self) -> NpmPackages:
        """Npm packages of tools, and where tools that have some run."""
        return NpmPackages(
            root=self.root,
            cache=packages_of(self.root),
            find_tool=self.registry.tool,
            grants=self.npm_grants,
            rules=self.rules,
            limits=self.sandbox.limits,
            timezone=self.settings.get("timezone") or "",
        )

    @cached_property
    def remote_effects(self) -> RemoteEffects:
        """The tools of other MCP servers, and the connections to them."""
        return RemoteEffects(known=self.remote_servers)

    @cached_property
    def limits(self) -> Limits:
        """How much a block of JavaScript may take."""
        get = self.settings.get
        return Limits(
            seconds=get("sandbox.timeout"), memory_mb=get("sandbox.memory_mb"), output_mb=get("sandbox.output_mb")
        )

    @cached_property
    def services(self) -> Services:
        """Everything a run stands on."""
        return Services(
            find_tool=self.registry.tool,
            read_pinned=_read_pinned,
            file_content=self._file_content,
            built_in=self._built_in(self.folder, self.entries),
            sandbox=self.sandbox,
            packages=self.packages,
            limits=self.limits,
            module_limits=replace(self.limits, seconds=MODULE_SECONDS),
            rules=self.rules,
            masking=Masking(self._secrets()),
            clock=self._clock,
            environment=self._environment,
            entries=self.entries,
            storage=ToolStorage(self.database),
            vault_content=self.vault_content,
            write_log=self._write_log,
            agent=self.agents,
            store=self.store,
        )

    @cached_property
    def agents(self) -> AgentRunner:
        """Who answers calls of agents."""
        return AgentRunner(
            root=self.root,
            settings=self.settings,
            entries=self.registry.entries,
            tags=self.tag_registry,
            read_note=lambda path: self.folder.read_text(path).content,
        )

    def require_possible(self, request: ApprovalRequest, decision: Decision) -> None:
        """A slip in an edit must not cost the run: it is told, and the question stays open."""
        if not isinstance(decision, Approved) or decision.arguments is None:
            return
        tool = self.registry.tool(request.tool)
        complete = validated(tool, decision.arguments)
        if tool.id in self.services.built_in:
            refusal = self.services.built_in[tool.id](complete).refusal
            if refusal is not None:
                raise refusal

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

    def _write_log(self, tool: ToolDefinition, record: RunRecord) -> None:
        def read(path: str) -> str | None:
            found = self.folder.find_text(path)
            return found.content if found is not None else None

        others = {entry.file for entry in self.registry.entries()} - {tool.file}
        if tool.log in others:
            # Another tool's file is no place for a log: it would be another tool afterwards.
            return
        append_log(tool, record, read, lambda path, added: self.folder.write_text(path, added, append=True))

    def _file_content(self, file: str) -> bytes:
        try:
            return (self.root / file).read_bytes()
        except OSError as error:
            raise ToolError("file-unreadable", reason=error.strerror or str(error)) from error

    def _built_in(self, folder: VaultFolder, entries: EntryStore) -> dict[str, Prepare]:
        web = WebEffects(allowed_hosts=self.settings.get("allowed_hosts"))
        entry_tools = EntryEffects(store=entries).tools()
        own = {**FileEffects(folder=folder).tools(), **web.tools(), **entry_tools, **self.packages.tools()}
        return _WithRemoteTools(own, self.remote_effects)

    def _clock(self) -> dict[str, str]:
        zone = self.settings.get("timezone")
        now = datetime.now(ZoneInfo(zone) if zone else None).astimezone(ZoneInfo(zone) if zone else None)
        return {"date": now.strftime("%Y-%m-%d"), "time": now.strftime("%H:%M:%S"), "random_id": str(uuid4())}

    def _environment(self, tool: ToolDefinition) -> dict[str, str]:
        if not tool.environment:
            return {}
        configured = self.environments.values(tool.id)
        # Another process may have set them after this one began.
        self.services.masking.learn(configured.values())
        return variables_of(tool, configured)

    def _secrets(self) -> list[str]:
        secret = [each.value for name, each in self.settings.values.items() if known_setting(name).secret]
        # The words of a command are not all secret: its program may be named anywhere.
        texts = [value for value in secret if value and isinstance(value, str)]
        return [*texts, *self.environments.every_value()]


def _read_pinned(file: str, content: bytes) -> ToolDefinition:
    reading = read_script(content, file) if file.lower().endswith(".tool.js") else read_markdown(content, file)
    if reading.valid and isinstance(reading.definition, AgentDefinition):
        return tool_of_agent(reading.definition)
    if not reading.valid or not isinstance(reading.definition, ToolDefinition):
        raise BrokenFileError(file, reading.problems)
    return reading.definition


class _WithRemoteTools(dict[str, Prepare]):
    """What the program can do itself; everything else with a name of that kind is another server's."""

    def __init__(self, own: dict[str, Prepare], remote: RemoteEffects) -> None:
        super().__init__(own)
        self._remote = remote

    def __missing__(self, tool_id: str) -> Prepare:
        return self._remote.prepare(tool_id)


def open_vault(folder: str | os.PathLike[str] | None = None) -> Vault:
    """The vault in this folder; without one, the nearest upwards as the command line finds it."""
    vault = Vault(Path(folder) if folder is not None else find_vault())
    # From here on, references to the data vault are looked up in the vault that is open.
    use_vault_lookup(vault.vault_content)
    return vault
