"""Which tools and agents there are, and how to find one by what a person or a model calls it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from paperagents.definitions.source import Problem
from paperagents.definitions.tag import TagNote
from paperagents.definitions.text import closest
from paperagents.definitions.tool import AGENT_PREFIX, AgentDefinition, ToolDefinition, tool_of_agent
from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.messages import language
from paperagents.registry.cache import load_records, save_records
from paperagents.registry.entry import Entry, describe_definition, make_entry
from paperagents.registry.folder_scan import FileRecord, FolderScan, read_file, stamp_of
from paperagents.registry.vault_checks import find_problems, index_by_name, is_remote, keep_doubtful_values

if TYPE_CHECKING:
    # Its libraries are loaded when a file must be read.
    from paperagents.reading.files import FileReading


FindProblems = Callable[["str | None"], Mapping[str, tuple[Problem, ...]]]
"""The problems between files, by file: of the one that is named, else of all."""


MOST_SINGLE_CHECKS = 2


class VaultChecks:
    """The entries with what is wrong between files, found when asked: of one file to use it, of all to list them."""

    def __init__(self, unchecked: Iterable[Entry], find: FindProblems) -> None:
        self._unchecked = tuple(unchecked)
        self._find = find
        self._by_file: dict[str, Entry] = {}

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All of them."""
        problems = self._find(None)
        return tuple(entry.with_problems(problems.get(entry.file or "", ())) for entry in self._unchecked)

    def check(self, entry: Entry) -> Entry:
        """One of them; what has no file is nobody's to check."""
        if entry.file is None:
            return entry
        if entry.file not in self._by_file and ("entries" in self.__dict__ or len(self._by_file) >= MOST_SINGLE_CHECKS):
            # Whoever asks for many wants them all: to check each alone goes through the whole vault each time.
            self._by_file = {each.file: each for each in self.entries if each.file is not None}
        if entry.file not in self._by_file:
            self._by_file[entry.file] = entry.with_problems(self._find(entry.file).get(entry.file, ()))
        return self._by_file[entry.file]


@dataclass(frozen=True, kw_only=True, slots=True)
class _State:
    """What was found at one moment. Never changed."""

    checks: VaultChecks
    by_name: Mapping[str, Entry]
    """Without the problems between files."""
    records: Mapping[str, FileRecord]
    last_good: Mapping[str, FileReading]
    folders: frozenset[str]


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
    ) -> None:
        self.root = root
        self._built_in = built_in
        self._builtin_entries: dict[str, dict[str, Entry]] = {}
        self._cache_file = cache_file
        self._remote = remote
        self._scan = FolderScan(root=root, answers={tool.id: tool.answer for tool in built_in()}, keep=self._keep)
        self._found: _State | None = None
        self._lock = threading.RLock()

    @property
    def files_read(self) -> int:
        """How many files were opened so far; unchanged ones are not opened again."""
        return self._scan.files_read

    def refresh(self) -> None:
        """Look at the whole folder again."""
        with self._lock:
            if self._cache_file is not None and not self._scan.records:
                self._scan.records = load_records(self._cache_file)
            before = self._scan.records
            self._scan.refresh()
            if self._cache_file is not None and self._scan.records != before:
                save_records(self._cache_file, self._scan.records)
            self._publish()

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders of the vault."""
        with self._lock:
            self._scan.update(files)
            self._publish()

    def entries(self) -> tuple[Entry, ...]:
        """All tools and agents, those of other servers and built-in ones last."""
        return (*self._state().checks.entries, *self._given())

    def loose_problems(self) -> tuple[Problem, ...]:
        """Problems of files that are no tools, but probably were meant to be."""
        return tuple(problem for record in self._state().records.values() for problem in record.problems)

    def folders(self) -> frozenset[str]:
        """The folders in which files are looked for, as paths in the vault; the root is the empty text."""
        return self._state().folders

    def find(self, name: str) -> Entry:
        """The tool with this id or name, as the folder is now. Raises UnknownToolError with the nearest names."""
        if (built_in := self._builtin_by_id().get(name)) is not None:
            return built_in
        found = self._state().by_name.get(name)
        # A name that is not known may have been written a moment ago, in any file.
        if found is None:
            self.refresh()
        elif found.file is not None and not self._is_current(found.file):
            self.update([found.file])
        state = self._state()
        known = state.by_name
        if name not in known and name.startswith(AGENT_PREFIX):
            return self.find_agent(name.removeprefix(AGENT_PREFIX))
        if name not in known:
            raise UnknownToolError(name, list(dict.fromkeys(known[each].id for each in closest(name, known))))
        return state.checks.check(known[name])

    def id_of(self, name: str) -> str:
        """The id of the tool with this id or name; what is not known may have been deleted, and stays as it is."""
        try:
            return name if name.startswith(AGENT_PREFIX) else self.find(name).id
        except UnknownToolError:
            return name

    def find_agent(self, name: str) -> Entry:
        """The agent with this id or name. Raises UnknownToolError with the nearest names."""
        self.refresh()
        agents = [entry for entry in self.entries() if entry.kind == "agent"]
        for entry in agents:
            if name in (entry.id, entry.name):
                return entry
        raise UnknownToolError(name, closest(name, (entry.id for entry in agents)), code="unknown-agent")

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
            others = [entry for entry in self.entries() if not entry.is_tool and name in (entry.id, entry.name)]
            if not others:
                raise unknown from None
            return self._definition(others[0])
        return found.agent or found

    def tags(self) -> list[TagNote]:
        """The tags that notes of the vault define; broken ones are left out."""
        usable = [entry for entry in self.entries() if entry.kind == "tag" and (entry.valid or entry.stale)]
        return [tag for tag in map(self._definition, usable) if isinstance(tag, TagNote)]

    def preview(self, file: str, content: bytes) -> FileReading:
        """What a file would be with this content: its definition and every problem, those between files too."""
        from paperagents.reading.files import check_with_engine, read_definition  # noqa: PLC0415  only where files are read

        reading = check_with_engine(read_definition(content, file, self._scan.answers))
        entry = make_entry(reading)
        if entry is None:
            return reading
        others = [each for each in self._state().checks.entries if each.file != file]
        between = self._find_problems((*others, entry), file).get(file, ())
        return replace(reading, problems=entry.with_problems(between).problems)

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

    def _state(self) -> _State:
        if self._found is None:
            self.refresh()
        assert self._found is not None
        return self._found

    def _is_current(self, file: str) -> bool:
        """Whether a file is still the one that was read; one look at its stamps, for every use of a tool."""
        record = self._state().records.get(file)
        return record is not None and record.stamp is not None and record.stamp == stamp_of(self.root, file)

    def _definition(self, entry: Entry) -> ToolDefinition | AgentDefinition | TagNote:
        assert entry.file is not None
        state = self._state()
        record = state.records.get(entry.file)
        if not entry.valid and not entry.stale:
            # What is broken is read as well: its definition says which block the error stands in.
            broken = (record and record.reading) or self._read(entry.file, record)
            raise BrokenFileError(entry.file, entry.problems, definition=_tool_in(broken))
        known = state.last_good.get(entry.file) if entry.stale else record and record.reading
        reading = known or self._read(entry.file, record)
        if not reading.valid or reading.definition is None:
            raise BrokenFileError(reading.file, reading.problems, definition=_tool_in(reading))
        return reading.definition

    def _read(self, file: str, record: FileRecord | None) -> FileReading:
        """Read a file that is only known from the cache, and keep what it says for as long as it stays the same."""
        reading = read_file(self.root, file, self._scan.answers)
        # Another thread may have scanned meanwhile: only the very record that was read is completed.
        with self._lock:
            state = self._state()
            if record is not None and state.records.get(file) is record and self._is_current(file):
                self._scan.records = {**state.records, file: replace(record, reading=reading)}
                self._found = replace(state, records=self._scan.records)
        return reading

    def _find_problems(self, entries: Iterable[Entry], only: str | None) -> dict[str, tuple[Problem, ...]]:
        return find_problems(entries, self._given(), self._is_foreign, only=only, is_file=self._is_file)

    def _keep(self, entry: Entry) -> Entry:
        return keep_doubtful_values(entry, self._builtin_by_id())

    def _is_file(self, name: str) -> bool:
        return "\0" not in name and (self.root / name.lstrip("/")).is_file()

    def _publish(self) -> None:
        """Put what the scan found in the place of the state before, with the last good version of each file."""
        records = self._scan.records
        good = dict(self._found.last_good) if self._found is not None else {}
        entries = [_serving(record.entry, good.get(file)) for file, record in records.items() if record.entry]
        good |= {file: each.reading for file, each in records.items() if each.reading and each.reading.valid}
        self._found = _State(
            checks=VaultChecks(entries, partial(self._find_problems, entries)),
            by_name=index_by_name((*self._builtin_by_id().values(), *entries)),
            records=records,
            last_good={file: good[file] for file in records if file in good},
            folders=self._scan.folders,
        )


def _tool_in(reading: FileReading) -> ToolDefinition | None:
    return reading.definition if isinstance(reading.definition, ToolDefinition) else None


def _serving(entry: Entry, last_good: FileReading | None) -> Entry:
    """A file that has just been broken goes on as it was, and says so."""
    if entry.valid or last_good is None or last_good.definition is None:
        return entry
    return replace(describe_definition(last_good.definition), problems=entry.problems, stale=True)
