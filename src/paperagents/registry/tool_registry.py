"""Which tools and agents there are, and how to find one by what a person or a model calls it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.builtin import builtin_tools
from paperagents.definitions.closest import closest
from paperagents.definitions.problem import Problem
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import BrokenFileError, UnknownToolError
from paperagents.messages import language
from paperagents.reading.file_reading import FileReading
from paperagents.registry.entry import Entry, entry_of_definition
from paperagents.registry.folder_scan import FolderScan, read_file
from paperagents.registry.scan_cache import load_records, save_records
from paperagents.registry.vault_checks import by_name, find_problems


class ToolRegistry:
    """The tools and agents of one vault folder, with the built-in ones.

    Every reader sees one complete state: a new one takes the old one's place in a single step.
    """

    def __init__(self, root: Path, *, cache_file: Path | None = None) -> None:
        self.root = root
        self._cache_file = cache_file
        self._scan = FolderScan(root=root)
        self._entries: tuple[Entry, ...] | None = None
        self._last_good: dict[str, FileReading] = {}
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
            self._judge()

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders of the vault."""
        with self._lock:
            self._scan.update(files)
            self._judge()

    def entries(self) -> tuple[Entry, ...]:
        """All tools and agents, built-in ones last."""
        if self._entries is None:
            self.refresh()
        assert self._entries is not None
        return (*self._entries, *builtin_entries())

    def loose_problems(self) -> tuple[Problem, ...]:
        """Problems of files that are no tools, but probably were meant to be."""
        self.entries()
        return tuple(problem for record in self._scan.records.values() for problem in record.problems)

    def find(self, name: str) -> Entry:
        """The tool with this id or name. Raises UnknownToolError with the nearest names."""
        found = by_name((*builtin_entries(), *self.entries())).get(name)
        if found is None:
            known = by_name(self.entries())
            raise UnknownToolError(name, list(dict.fromkeys(known[each].id for each in closest(name, known))))
        return found

    def find_agent(self, name: str) -> Entry:
        """The agent with this id or name. Raises UnknownToolError with the nearest names."""
        agents = [entry for entry in self.entries() if entry.kind == "agent"]
        for entry in agents:
            if name in (entry.id, entry.name):
                return entry
        raise UnknownToolError(name, closest(name, (entry.id for entry in agents)), code="unknown-agent")

    def tool(self, name: str) -> ToolDefinition:
        """The definition behind a name, as its file says now. Raises BrokenFileError where it cannot be used."""
        entry = self.find(name)
        if entry.kind == "builtin":
            return next(tool for tool in builtin_tools() if tool.id == entry.id)
        definition = self._definition(entry)
        assert isinstance(definition, ToolDefinition)
        return definition

    def agent(self, name: str) -> AgentDefinition:
        """The same for an agent."""
        definition = self._definition(self.find_agent(name))
        assert isinstance(definition, AgentDefinition)
        return definition

    def _definition(self, entry: Entry) -> ToolDefinition | AgentDefinition:
        assert entry.file is not None
        if entry.stale:
            return self._good(self._last_good[entry.file])
        if not entry.valid:
            raise BrokenFileError(entry.file, entry.problems)
        record = self._scan.records[entry.file]
        return self._good(record.reading or read_file(str(self.root / entry.file), entry.file))

    def _good(self, reading: FileReading) -> ToolDefinition | AgentDefinition:
        if not reading.valid or reading.definition is None:
            raise BrokenFileError(reading.file, reading.problems)
        return reading.definition

    def _judge(self) -> None:
        """Take over what the scan found: last good versions, and problems between files."""
        entries = [self._serving(file, record.entry) for file, record in self._scan.records.items() if record.entry]
        problems = find_problems(entries, builtin_entries())
        self._entries = tuple(entry.with_problems(problems.get(entry.file or "", ())) for entry in entries)
        for file, record in self._scan.records.items():
            if record.reading is not None and record.reading.valid:
                self._last_good[file] = record.reading
        for file in self._last_good.keys() - self._scan.records.keys():
            del self._last_good[file]

    def _serving(self, file: str, entry: Entry) -> Entry:
        """A file that has just been broken goes on as it was, and says so."""
        last_good = self._last_good.get(file)
        if entry.valid or last_good is None or last_good.definition is None:
            return entry
        return replace(entry_of_definition(last_good.definition), problems=entry.problems, stale=True)


def builtin_entries() -> tuple[Entry, ...]:
    """The built-in tools as entries, described in the current language."""
    return _builtin_entries(language())


@cache
def _builtin_entries(_spoken: str) -> tuple[Entry, ...]:
    return tuple(entry_of_definition(tool) for tool in builtin_tools())
