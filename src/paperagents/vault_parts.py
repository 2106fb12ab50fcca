"""What a vault is made of: its database, its files, its sandbox and all else a run stands on, put together."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from uuid import uuid4

from paperagents.agents.runner import AgentRunner
from paperagents.approval.rules import RuleBook
from paperagents.calls.call import read_variables
from paperagents.definitions.tool import AgentDefinition, ToolDefinition, tool_of_agent
from paperagents.errors import BrokenFileError, ToolError
from paperagents.files.folder import VaultFolder
from paperagents.files.paths import join_path, split_path
from paperagents.known_settings import find_spec
from paperagents.mcp_client.connections import RemoteEffects
from paperagents.messages import system_text
from paperagents.notes_folder import KEEPING_FOLDER, NotesFolder
from paperagents.npm.packages import packages_of
from paperagents.npm.tool_packages import NpmPackages
from paperagents.reading.files import read_definition
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.note_log import append_log
from paperagents.runs.record import RunRecord
from paperagents.runs.scripts import SECONDS as MODULE_SECONDS
from paperagents.runs.session import Prepare, Services
from paperagents.runs.tag_calls import vault_tags
from paperagents.sandbox import Limits, Sandbox
from paperagents.secrets.environment import EnvironmentStore
from paperagents.secrets.redaction import Redaction
from paperagents.settings import user_folder
from paperagents.storage.choice import chosen_database
from paperagents.storage.database import Database
from paperagents.storage.entries import EntryStore, ToolStorage
from paperagents.tags import TagRegistry
from paperagents.tools import effects_in
from paperagents.tools.built_in import ToolContext

_LOGGING = threading.Lock()
"""What is added to a log depends on how the file ends: one after the other, also where steps run side by side."""
_OF_THE_SANDBOX = ("timezone", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb")


class VaultParts(NotesFolder):
    """The parts of a vault, each made when it is first needed."""

    @cached_property
    def database(self) -> Database:
        """What the program keeps."""
        file = self.root / KEEPING_FOLDER / "paper.db"
        return chosen_database(self.settings.get("database_url"), file, user_folder() / "databases")

    @cached_property
    def journal(self) -> Journal:
        """What is written of runs as they happen."""
        return Journal(self.database)

    @cached_property
    def history(self) -> History:
        """Runs and open questions, to read."""
        return History(self.journal)

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
        return RemoteEffects(self.remote_servers)

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
            redaction=Redaction(self._secrets()),
            clock=self._clock,
            environment=self._environment,
            entries=self.entries,
            storage=ToolStorage(self.database),
            vault_content=self.vault_content,
            write_log=self._write_log,
            agent=self.agents,
            journal=self.journal,
            history=self.history,
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

    def tag_registry(self) -> TagRegistry:
        """The tags of this vault: the built-in ones, those that notes define, and every tool under its id."""
        return vault_tags(self.registry.tags(), self.registry.entries())

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
        for part in ("agents", "sandbox", "packages", "remote_effects", "folder", "journal", "database"):
            if part in self.__dict__:
                self.__dict__.pop(part).close()
        for part in ("services", "history", "continuation"):
            self.__dict__.pop(part, None)

    @cached_property
    def _log_ends(self) -> dict[str, str]:
        """What was added last to each file that gets a log."""
        return {}

    def _write_log(self, tool: ToolDefinition, record: RunRecord) -> None:
        def read(path: str) -> str | None:
            found = self.folder.find_text(path)
            return found.content if found is not None else None

        def append(path: str, added: str) -> None:
            others = {entry.file for entry in self.registry.entries()} - {tool.file}
            if join_path(split_path(path)) in others:
                # It would be another tool afterwards.
                raise ToolError("invalid-log", path=path, case="tool")
            self.folder.write_text(path, added, append=True)

        with _LOGGING:
            append_log(tool, record, read, append, self._log_ends)

    def _file_content(self, file: str) -> bytes:
        try:
            return (self.root / file).read_bytes()
        except OSError as error:
            raise ToolError("file-unreadable", reason=system_text(error)) from error

    def _built_in(self, folder: VaultFolder, entries: EntryStore) -> dict[str, Prepare]:
        hosts = self.settings.get("allowed_hosts")
        context = ToolContext(folder=folder, entries=entries, packages=self.packages, allowed_hosts=hosts)
        return _WithRemoteTools(effects_in(context), self.remote_effects)

    def _clock(self) -> dict[str, str]:
        now = datetime.now(UTC).astimezone(self.settings.zone)
        return {"date": now.strftime("%Y-%m-%d"), "time": now.strftime("%H:%M:%S"), "random_id": str(uuid4())}

    def _environment(self, tool: ToolDefinition) -> dict[str, str]:
        if not tool.environment:
            return {}
        configured = self.environments.values(tool.id)
        # Another process may have set them after this one began.
        self.services.redaction.learn(configured.values())
        return read_variables(tool, configured)

    def _secrets(self) -> list[str]:
        secret = [each.value for name, each in self.settings.values.items() if find_spec(name).secret]
        # The words of a command are not all secret: its program may be named anywhere.
        texts = [value for value in secret if value and isinstance(value, str)]
        return [*texts, *self.environments.every_value()]


def _read_pinned(file: str, content: bytes) -> ToolDefinition:
    reading = read_definition(content, file)
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
