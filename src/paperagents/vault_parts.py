"""What a vault is made of: its parts, each made when it is first needed, and let go of together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from paperagents.approval.question import ApprovalRequest, Approved, Decision
from paperagents.approval.question_links import LINKS_FILE, QuestionLinks
from paperagents.approval.rules import RuleBook
from paperagents.approval.signatures import Signatures
from paperagents.calls.arguments import read_variables, validate_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.definitions.tool import STORE_PREFIX, ToolDefinition
from paperagents.errors import EnvironmentChangedError, PaperError, ToolError, UnknownToolError, UsageError
from paperagents.files.folder import VaultFolder
from paperagents.http.addresses import leads_inside
from paperagents.known_settings import find_spec
from paperagents.messages import system_text
from paperagents.notes_folder import NotesFolder
from paperagents.npm.packages import packages_of
from paperagents.npm.tool_packages import NpmPackages
from paperagents.runs.all_tools import AllTools
from paperagents.runs.change_history import ChangeHistory, read_now
from paperagents.runs.changes import ChangeLog
from paperagents.runs.commit_markers import CommitMarkers
from paperagents.runs.continuation import Continuation
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.note_log import NoteLog
from paperagents.runs.notification import Notifier
from paperagents.runs.pending import PendingChanges, PendingRows, Prepare
from paperagents.runs.questions import Questions
from paperagents.runs.restoring import restoring_tools
from paperagents.runs.retention import Retention
from paperagents.runs.scripts import SECONDS as MODULE_SECONDS
from paperagents.runs.session import Services
from paperagents.runs.together import require_fitting
from paperagents.sandbox import Limits, Sandbox
from paperagents.secrets.environment import EnvironmentStore
from paperagents.secrets.redaction import Redaction, is_secret_name
from paperagents.settings import KEEPING_FOLDER, user_folder
from paperagents.shortages import find_shortage
from paperagents.storage.database import Database
from paperagents.storage.entries import EntryStore, ToolStorage
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.tools import effects_in
from paperagents.tools.built_in import ToolContext
from paperagents.tools.service_secrets import ServiceSecrets

if TYPE_CHECKING:
    from paperagents.agents.runner import AgentRunner
    from paperagents.mcp_client.connections import RemoteEffects
    from paperagents.tags import TagRegistry
    from paperagents.tools.own_stores import OwnStores

_OF_THE_SANDBOX = ("timezone", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb")


class VaultParts(NotesFolder):
    """The parts of a vault that runs stand on."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def database(self) -> Database:
        """What the program keeps."""
        url = self.settings.get("database_url")
        if not url:
            return SqliteDatabase(self.root / KEEPING_FOLDER / "paper.db")
        try:
            from paperagents.storage.postgres import PostgresDatabase  # noqa: PLC0415  an extra, and large
        except ImportError as error:
            raise UsageError("cluster-not-installed") from error
        # Whoever chose the address must not get what the user keeps for others.
        return PostgresDatabase(url, uses_defaults=not self.is_from_vault("database_url"))

    @cached_property
    def journal(self) -> Journal:
        """What is written of runs as they happen."""
        return Journal(self.database, self.signatures)

    @cached_property
    def signatures(self) -> Signatures:
        """What proves that runs and answers are the user's own; on a shared database also those of trusted others."""
        trust = self.trust
        return Signatures(self.user_key, lambda: self.database.shared_name() or trust.vault, trusts=trust.trusts_key)

    @cached_property
    def questions(self) -> Questions:
        """What runs have asked, and what was answered."""
        return Questions(self.journal)

    @cached_property
    def history(self) -> History:
        """Runs and open questions, to read."""
        return History(self.journal)

    @cached_property
    def change_history(self) -> ChangeHistory:
        """What runs have changed in notes and entries, to read."""
        return ChangeHistory(self.journal, partial(read_now, self.folder, self.entries))

    @cached_property
    def retention(self) -> Retention:
        """How long runs are kept."""
        # A limit in a vault's own file does not count for a database that other vaults may share.
        is_shared = bool(self.settings.get("database_url")) and not self.is_from_vault("database_url")
        names = ("history.keep_days", "history.keep_mb")
        days, megabytes = (0 if is_shared and self.is_from_vault(each) else self.settings.get(each) for each in names)
        return Retention(journal=self.journal, keep_days=days, keep_mb=megabytes)

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
        return RuleBook(
            user_folder() / "rules.json", Signatures(self.user_key, lambda: self.trust.vault), self.find_tool_or_none
        )

    def find_tool_or_none(self, name: str) -> ToolDefinition | None:
        """The tool, where it can be used."""
        try:
            return self.find_tool(name)
        except PaperError:
            return None

    @cached_property
    def environments(self) -> EnvironmentStore:
        """Settings and secrets of the vault's tools."""
        return EnvironmentStore(user_folder() / "environments.json", lambda: self.trust.vault, self._text_digest)

    def _text_digest(self, key: str) -> str | None:
        """Of the file of a tool as it is now; None where there is no such tool."""
        try:
            return self.find_tool(key).text_digest
        except PaperError:
            return None

    @cached_property
    def service_secrets(self) -> EnvironmentStore:
        """The same, of the services that tools of the vault talk to."""
        return EnvironmentStore(user_folder() / "services.json", lambda: self.trust.vault)

    @cached_property
    def secrets_in_use(self) -> ServiceSecrets:
        """Secrets of services that tools have been given, so that none is sent elsewhere."""
        return ServiceSecrets()

    def variables(self, tool: ToolDefinition) -> dict[str, str]:
        """What is set for a tool: its own values, else those of the service that a variable names."""
        values = self.environments.values(tool.id, tool.text_digest)
        for each in tool.environment:
            if each.service and each.name in (shared := self.service_secrets.values(each.service)):
                values.setdefault(each.name, shared[each.name])
        return values

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
            leads_inside=lambda host: leads_inside(host, self.settings.get("allowed_hosts")),
            rules=self.rules,
            limits=self.sandbox.limits,
            timezone=self.settings.get("timezone") or "",
        )

    @cached_property
    def remote_effects(self) -> RemoteEffects:
        """The tools of other MCP servers, and the connections to them."""
        from paperagents.agents.sampling import sample_model  # noqa: PLC0415  not for every run
        from paperagents.mcp_client.connections import RemoteEffects  # noqa: PLC0415  not for every run
        from paperagents.mcp_client.error_output import error_file  # noqa: PLC0415  not for every run
        from paperagents.mcp_client.transports import ClientDesk, find_secret  # noqa: PLC0415  not for every run

        desk = ClientDesk(
            find_secret=partial(find_secret, self.service_secrets, self._mask),
            error_file=lambda server: error_file(user_folder(), self.root, server.name),
            sample=partial(sample_model, self.settings, self.root),
        )
        return RemoteEffects(self.remote_servers, desk)

    def _mask(self, secrets: list[str]) -> None:
        self.services.redaction.learn(secrets)

    @cached_property
    def limits(self) -> Limits:
        """How much a block of JavaScript may take."""
        get = self.settings.get
        return Limits(
            seconds=get("sandbox.timeout"), memory_mb=get("sandbox.memory_mb"), output_mb=get("sandbox.output_mb")
        )

    @cached_property
    def redaction(self) -> Redaction:
        """Knows the secrets that nobody may be shown."""
        return Redaction(self._secrets())

    @cached_property
    def services(self) -> Services:
        """Everything a run stands on."""
        changes = ChangeLog(self.journal)
        return Services(
            find_tool=self.find_tool,
            file_content=self._file_content,
            folder=self.folder,
            built_in=self._built_in(self.folder, self.entries),
            sandbox=self.sandbox,
            packages=self.packages,
            limits=self.limits,
            module_limits=replace(self.limits, seconds=MODULE_SECONDS),
            rules=self.rules,
            asks_before_reads=self.settings.get("approval.reads"),
            redaction=self.redaction,
            clock=self._clock,
            environment=self._environment,
            confirm_environment=lambda tool: self.environments.confirm(tool.id, tool.text_digest),
            entries=self.entries,
            stored_entries=self.entries,
            storage=ToolStorage(self.database),
            vault_content=self.vault_content,
            note_log=NoteLog(self.folder, self.rules, changes, lambda: [each.file for each in self.registry.entries()]),
            agent=lambda pipeline, frame: self.agents(pipeline, frame),  # noqa: PLW0108  made for a call of an agent
            journal=self.journal,
            changes=changes,
            commit_markers=CommitMarkers(self.commits_folder, Signatures(self.user_key, lambda: self.trust.vault)),
            pending=self._make_pending(),
            pending_rows=PendingRows(self.journal),
            make_pending=self._make_pending,
            questions=self.questions,
            notifier=self.notifier,
            history=self.history,
        )

    @cached_property
    def notifier(self) -> Notifier:
        """Tells people who are elsewhere that a run waits for them."""
        get = self.settings.get
        make_link = self.question_links.create if get("notify.one_time_link") else None
        return Notifier(
            url=get("notify.url") or "", command=get("notify.command"), link=get("notify.link"), make_link=make_link
        )

    @cached_property
    def question_links(self) -> QuestionLinks:
        """The links in notifications that show one question without a login."""
        return QuestionLinks(user_folder() / LINKS_FILE, lambda: self.trust.vault)

    def _make_pending(self) -> PendingChanges:
        return PendingChanges(self.folder, self.entries, self._built_in)

    @cached_property
    def agents(self) -> AgentRunner:
        """Who answers calls of agents."""
        from paperagents.agents.runner import AgentRunner  # noqa: PLC0415  not for every run

        return AgentRunner(
            root=self.root,
            settings=self.settings,
            entries=self.registry.entries,
            tags=self.tag_registry,
            folder=lambda: self.folder,
        )

    def tag_registry(self) -> TagRegistry:
        """The tags of this vault: the built-in ones, those that notes define, and every tool under its id."""
        from paperagents.runs.tag_calls import vault_tags  # noqa: PLC0415  not for every run

        return vault_tags(self.registry.tags(), self.registry.entries(), self._evaluate)

    @cached_property
    def own_stores(self) -> OwnStores:
        """The tools of kinds of entries that tags of this vault define."""
        from paperagents.tools.own_stores import OwnStores  # noqa: PLC0415  not for every run

        return OwnStores(self.tag_registry)

    def find_tool(self, name: str) -> ToolDefinition:
        """The tool of this name; else the one that stores a kind of entries of one's own."""
        try:
            return self.registry.tool(name)
        except UnknownToolError:
            # Only tags of one's own store kinds of one's own: without any, no other tool needs to be known. Those that
            # a program has registered are called by their prefix.
            may_be_store = name.startswith(STORE_PREFIX) or self.registry.has_tags()
            if not may_be_store or (store := self.own_stores.find_tool(name)) is None:
                raise
            return store

    def entry_kinds(self) -> list[str]:
        """The kinds of entries: built-in ones, those that tags of one's own store, and those that were stored."""
        return list(dict.fromkeys([*ENTRY_KINDS, *self.tag_registry().own_kinds, *self.entries.counts()]))

    def _evaluate(self, script: Excerpt, names: JsonObject) -> JsonValue:
        return self.sandbox.run(script, names=names, limits=self.limits).value

    @cached_property
    def continuation(self) -> Continuation:
        """How questions are answered and runs go on, whoever works on them."""
        return Continuation(
            journal=self.journal,
            questions=self.questions,
            history=self.history,
            trusts_run=lambda run: self.trust.trusts(run.as_brought()),
            require_possible=self._require_possible,
        )

    def read_settings_again(self) -> None:
        """Take over settings that have been changed. Runs that go on keep theirs."""
        before = self.__dict__.get("settings")
        for part in ("settings", "limits", "redaction", "notifier", "services", "agents", "retention"):
            self.__dict__.pop(part, None)
        if before is not None and any(before.get(name) != self.settings.get(name) for name in _OF_THE_SANDBOX):
            self._retired += [self.__dict__.pop(part) for part in ("sandbox", "packages") if part in self.__dict__]

    def close(self) -> None:
        """End the sandbox's workers and let go of the files."""
        while self._retired:
            self._retired.pop().close()
        for part in ("agents", "notifier", "sandbox", "packages", "remote_effects", "folder", "journal", "database"):
            if part in self.__dict__:
                self.__dict__.pop(part).close()
        parts = ("services", "history", "change_history", "questions", "signatures", "continuation", "retention")
        for part in parts:
            self.__dict__.pop(part, None)

    def _require_possible(self, request: ApprovalRequest, decision: Decision) -> None:
        """A slip in an edit must not cost the run: it is told, and the question stays open."""
        if isinstance(decision, Approved):
            require_fitting(request, decision)
        if not isinstance(decision, Approved) or decision.arguments is None:
            return
        tool = self.find_tool(request.tool)
        complete = validate_arguments(tool, decision.arguments)
        if tool.kind == "store" or tool.id in self.services.built_in:
            self.services.built_in[tool.key](complete).require_possible()

    def _file_content(self, file: str) -> bytes:
        try:
            return (self.root / file).read_bytes()
        except OSError as error:
            raise ToolError(find_shortage(error) or "file-unreadable", reason=system_text(error)) from error

    def _built_in(self, folder: VaultFolder, entries: EntryStore) -> dict[str, Prepare]:
        hosts = self.settings.get("allowed_hosts")
        context = ToolContext(folder=folder, entries=entries, packages=self.packages, allowed_hosts=hosts)
        history = ChangeHistory(self.journal, partial(read_now, folder, entries))
        own = {**effects_in(context), **restoring_tools(history, self.history, entries, self.redaction)}
        return AllTools(
            own,
            lambda key: self.remote_effects.prepare(key),  # noqa: PLW0108  made when they are first needed
            lambda key, arguments: self.own_stores.prepare(context, key, arguments),
            self.secrets_in_use.guard,
        )

    def _clock(self) -> dict[str, str]:
        now = datetime.now(UTC).astimezone(self.settings.zone)
        return {"date": now.strftime("%Y-%m-%d"), "time": now.strftime("%H:%M:%S"), "random_id": str(uuid4())}

    def _environment(self, tool: ToolDefinition, stand_ins: Mapping[str, str] | None = None) -> dict[str, str]:
        if not tool.environment:
            return {}
        declared = {each.name for each in tool.environment} - (stand_ins or {}).keys()
        if stale := declared.intersection(self.environments.list_stale(tool.id, tool.text_digest)):
            raise EnvironmentChangedError(tool.id, sorted(stale))
        configured = self.variables(tool)
        for each in tool.environment:
            if each.service and each.name in configured:
                self.secrets_in_use.learn(configured[each.name], each.service)
        # Another process may have set them after this one began.
        self.services.redaction.learn(configured.values())
        return read_variables(tool, {**configured, **(stand_ins or {})})

    def _secrets(self) -> list[str]:
        secret = [each.value for name, each in self.settings.values.items() if find_spec(name).secret]
        # The words of a command are not all secret: its program may be named anywhere.
        tables = [each for value in secret if isinstance(value, dict) for each in value.items()]
        texts = [value for value in secret if value and isinstance(value, str)]
        texts += [each for name, each in tables if is_secret_name(name)]
        return [*texts, *self.environments.every_value(), *self.service_secrets.every_value()]
