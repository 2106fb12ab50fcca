"""Which tools and agents there are, and how to find one by what a person or a model calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.source import Problem
from paperagents.definitions.tag import TagNote
from paperagents.definitions.text import closest
from paperagents.definitions.tool import AGENT_PREFIX, AgentDefinition, ToolDefinition, tool_of_agent
from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.messages import language
from paperagents.registry.cache import ScanCache
from paperagents.registry.entry import Entry, describe_definition, make_entry
from paperagents.registry.folder_scan import FileRecord, FolderScan, read_file
from paperagents.registry.sealed_readings import SealedReadings
from paperagents.registry.vault_checks import is_remote, keep_doubtful_values
from paperagents.registry.vault_index import VaultIndex
from paperagents.registry.vault_state import VaultState


class RemoteTools(Protocol):
    """The tools of other servers, as far as they are known without asking them."""

    def tools(self) -> Iterable[ToolDefinition]:
        """Every one of them."""

    def names_server_of(self, tool_id: str) -> bool:
        """Whether a server of this tool's name is known, whatever it offers."""


class ToolRegistry:
    """The tools and agents of one vault folder, with the built-in ones.

    Every reader sees one complete state: a new one takes the old one's place in a single step.
    """

    def __init__(
        self,
        root: Path,
        *,
        built_in: Callable[[], tuple[ToolDefinition, ...]] = tuple,
        cache_file: Path | None = None,
        remote: Callable[[], RemoteTools] | None = None,
        seal: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """``seal`` makes of bytes what only this user can make; without it, what was read is not kept in the cache."""
        self.root = root
        self._built_in = built_in
        self._builtin_entries: dict[str, dict[str, Entry]] = {}
        self._remote = remote
        self._listed: tuple[tuple[Entry, ...], tuple[Entry, ...], tuple[Entry, ...]] | None = None
        self._scan = FolderScan(root=root, answers={tool.id: tool.answer for tool in built_in()}, keep=self._keep)
        cache = ScanCache(cache_file) if cache_file is not None else None
        self._state = VaultState(
            self._scan,
            VaultIndex(self._given, self._is_foreign, self._is_file),
            cache,
        )
        self._sealed = SealedReadings(cache, seal) if cache is not None and seal is not None else None

    @property
    def files_read(self) -> int:
        """How many files were opened so far; unchanged ones are not opened again."""
        return self._scan.files_read

    def refresh(self) -> None:
        """Look at the whole folder again."""
        self._state.refresh()

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders of the vault."""
        self._state.update(files)

    def follow(self, *, is_followed: bool) -> None:
        """Whether somebody tells of every change, so that nothing needs to be looked for."""
        self._state.is_followed = is_followed

    def entries(self) -> tuple[Entry, ...]:
        """All tools and agents, those of other servers and built-in ones last."""
        given = self._given()
        with self._state.whole_index() as index:
            listed = index.entries()
            # The very same as long as nothing changes: who makes something of them may keep it.
            if self._listed is None or self._listed[0] is not listed or self._listed[1] != given:
                self._listed = listed, given, (*listed, *given)
            return self._listed[2]

    def loose_problems(self) -> tuple[Problem, ...]:
        """Problems of files that are no tools, but probably were meant to be."""
        with self._state.whole_index() as index:
            return index.loose_problems()

    def folders(self) -> frozenset[str]:
        """The folders in which files are looked for, as paths in the vault; the root is the empty text."""
        with self._state.whole_index():
            return frozenset(self._scan.folders)

    def find(self, name: str) -> Entry:
        """The tool with this id or name, as the folder is now. Raises UnknownToolError with the nearest names."""
        if (built_in := self._builtin_by_id().get(name)) is not None:
            return built_in
        if (found := self._state.find(name)) is not None:
            return found
        if name.startswith(AGENT_PREFIX):
            return self.find_agent(name.removeprefix(AGENT_PREFIX))
        raise UnknownToolError(name, [each for each in self._state.nearest_ids(name) if not is_remote(each)])

    def id_of(self, name: str) -> str:
        """The id of the tool with this id or name; what is not known may have been deleted, and stays as it is."""
        try:
            return name if name.startswith(AGENT_PREFIX) else self.find(name).id
        except UnknownToolError:
            return name

    def find_agent(self, name: str) -> Entry:
        """The agent with this id or name. Raises UnknownToolError with the nearest names."""
        if (found := self._state.find(name, agents_only=True)) is not None:
            return found
        raise UnknownToolError(name, self._state.nearest_ids(name, agents_only=True), code="unknown-agent")

    def tool(self, name: str) -> ToolDefinition:
        """The definition behind a name, as its file says now. Raises BrokenFileError where it cannot be used."""
        if is_remote(name) and self._remote is not None:
            return self._remote_tool(name, self._remote())
        entry = self.find(name)
        if entry.kind == "builtin":
            return next(tool for tool in self._built_in() if tool.id == entry.id)
        definition = self._definition(entry)
        if isinstance(definition, AgentDefinition):
            return tool_of_agent(definition)
        if not isinstance(definition, ToolDefinition):
            # The file has become something else since it was listed.
            raise UnknownToolError(name)
        return definition

    def _remote_tool(self, name: str, remote: RemoteTools) -> ToolDefinition:
        tools = {tool.id: tool for tool in remote.tools()}
        if name in tools:
            return tools[name]
        code = "unknown-remote-tool" if remote.names_server_of(name) else "unknown-tool"
        raise UnknownToolError(name, closest(name, tools), code=code)

    def agent(self, name: str) -> AgentDefinition:
        """The same for an agent."""
        definition = self._definition(self.find_agent(name))
        if not isinstance(definition, AgentDefinition):
            raise UnknownToolError(name, code="unknown-agent")
        return definition

    def find_definition(self, name: str) -> ToolDefinition | AgentDefinition | TagNote:
        """The tool, else the agent, else the tag of this name."""
        try:
            found = self.tool(name)
        except UnknownToolError as unknown:
            with self._state.whole_index() as index:
                tags = [tag for tag in index.tags() if name in (tag.id, tag.name)]
            if not tags:
                raise unknown from None
            return self._definition(tags[0])
        return found.agent or found

    def describe(self, definition: ToolDefinition | TagNote) -> Entry:
        """A definition as it is listed, with everything that is wrong."""
        with self._state.whole_index() as index:
            if definition.file is not None and index.has_entry(definition.file):
                return index.check(definition.file)
        # Without a file, or of one that has just gone.
        return describe_definition(definition)

    def names_of(self, identifiers: Iterable[str]) -> dict[str, str]:
        """The names of tools and agents by these ids, as far as they are known without a look at the folder."""
        with self._state.whole_index() as index:
            found = {each: index.find(each) for each in identifiers}
        return {identifier: entry.name for identifier, entry in found.items() if entry and entry.id == identifier}

    def scheduled(self) -> list[Entry]:
        """The tools of the vault that run by themselves; broken ones are left out."""
        with self._state.whole_index() as index:
            return [entry for entry in index.scheduled() if entry.valid]

    def has_tags(self) -> bool:
        """Whether notes of the vault define tags, as far as was found at the last look."""
        return self._state.has_tags()

    def tags(self) -> list[TagNote]:
        """The tags that notes of the vault define; broken ones are left out."""
        with self._state.whole_index() as index:
            usable = [entry for entry in index.tags() if entry.valid or entry.stale]
        return [tag for tag in map(self._definition, usable) if isinstance(tag, TagNote)]

    def preview(self, file: str, content: bytes) -> FileReading:
        """What a file would be with this content: its definition and every problem, those between files too."""
        reading = self.read(file, content)
        return replace(reading, problems=self.judge(file, {file: reading}))

    def read(self, file: str, content: bytes) -> FileReading:
        """What a file would be with this content, seen by itself."""
        from paperagents.reading.files import check_with_engine, read_definition  # noqa: PLC0415  only where files are read

        (reading,) = check_with_engine([read_definition(content, file, self._scan.answers)])
        return reading

    def judge(self, file: str, unsaved: Mapping[str, FileReading]) -> tuple[Problem, ...]:
        """Every problem of a file, where these files are as they stand in an editor and not as the folder has them."""
        with self._state.whole_index() as index:
            tried = index.preview({name: make_entry(each) for name, each in unsaved.items()})
            if tried.has_entry(file):
                return tried.check(file).problems
        return unsaved[file].problems if file in unsaved else ()

    def overlay(self, unsaved: Mapping[str, FileReading]) -> list[Entry]:
        """What there is where these files are unsaved: by file, then what has none; without problems between files."""
        with self._state.whole_index() as index:
            entries: dict[str, Entry | None] = dict(index.unchecked())
        entries |= {file: make_entry(each) for file, each in unsaved.items()}
        return [*(entry for file in sorted(entries) if (entry := entries[file]) is not None), *self._given()]

    def _given(self) -> tuple[Entry, ...]:
        """What is there without a file."""
        remote = (describe_definition(tool) for tool in self._remote().tools()) if self._remote is not None else ()
        return (*remote, *self._builtin_by_id().values())

    def _builtin_by_id(self) -> dict[str, Entry]:
        """The built-in tools, described in the current language."""
        spoken = language()
        if spoken not in self._builtin_entries:
            self._builtin_entries[spoken] = {tool.id: describe_definition(tool) for tool in self._built_in()}
        return self._builtin_entries[spoken]

    def _is_foreign(self, name: str) -> bool:
        """Whether only another server knows if there is a tool of this name."""
        return is_remote(name) and (self._remote is None or self._remote().names_server_of(name))

    def _definition(self, entry: Entry) -> ToolDefinition | AgentDefinition | TagNote:
        assert entry.file is not None
        record, last_good = self._state.record(entry.file)
        if not entry.valid and not entry.stale:
            # What is broken is read as well: its definition says which block the error stands in.
            broken = (record and record.reading) or self._read(entry.file, record)
            raise BrokenFileError(entry.file, entry.problems, definition=_tool_in(broken))
        known = last_good if entry.stale else record and record.reading
        reading = known or self._read(entry.file, record)
        if not reading.valid or reading.definition is None:
            raise BrokenFileError(reading.file, reading.problems, definition=_tool_in(reading))
        if reading.definition.id != entry.id:
            # The cache has lied, or the file has just become something else: nobody gets another tool by this name.
            raise UnknownToolError(entry.id)
        return reading.definition

    def _read(self, file: str, record: FileRecord | None) -> FileReading:
        """Read a file that is only known from the cache, and keep what it says for as long as it stays the same."""

        def read_content(content: bytes) -> FileReading:
            from paperagents.reading.files import read_definition  # noqa: PLC0415  its libraries are slow to load

            return read_definition(content, file, self._scan.answers)

        sealed = self._sealed
        read = partial(sealed.read, file, read=read_content) if sealed is not None else read_content
        reading = read_file(self.root, file, read)
        if record is not None:
            self._state.complete(record, reading)
        return reading

    def _keep(self, entry: Entry) -> Entry:
        return keep_doubtful_values(entry, self._builtin_by_id())

    def _is_file(self, name: str) -> bool:
        return "\0" not in name and (self.root / name.lstrip("/")).is_file()


def _tool_in(reading: FileReading) -> ToolDefinition | None:
    return reading.definition if isinstance(reading.definition, ToolDefinition) else None
