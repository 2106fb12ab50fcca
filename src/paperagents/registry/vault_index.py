"""The tools, agents and tags of a vault by file and by name, with what is wrong between files.

A change costs what it touches: the file itself, those that refer to it, and those that share its id or name. They are
checked again when somebody asks for them; all others stay as they were found.
"""

from __future__ import annotations

from bisect import insort
from collections import ChainMap, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from copy import copy
from dataclasses import replace
from itertools import chain, islice

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.source import Problem
from paperagents.definitions.text import closest
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.messages import language
from paperagents.registry.circles import Circles
from paperagents.registry.entry import CallSite, Entry, names_referred_to, serving_entry
from paperagents.registry.folder_scan import Changes, FileRecord, Stamp
from paperagents.registry.names import SortedNames
from paperagents.registry.vault_checks import (
    FileChecks,
    describe_circle,
    find_taken_words,
    fits_pattern,
    is_pattern,
    is_remote,
)

TOOL_ID, TOOL_NAME, AGENT_ID, AGENT_NAME, UNREAD_ID, UNREAD_NAME, TAG_ID = range(7)
"""What somebody may mean by a name, the strongest first; what cannot be read at all hides nothing."""
_IDS = (TOOL_ID, AGENT_ID, UNREAD_ID, TAG_ID)
_UNKNOWN = ("unknown-tool", "unknown-agent")
MOST_PATTERN_TESTS = 100_000
MOST_SUGGESTIONS = 500
"""So many unknown names get suggestions: a vault that is full of them must not wait for that."""
MANY = 100
"""From so many changes on, names are sorted anew."""


class VaultIndex:
    """Everything that files of the vault define. Who uses it from several threads locks it."""

    def __init__(
        self,
        given: Callable[[], Iterable[Entry]] = tuple,
        is_foreign: Callable[[str], bool] = is_remote,
        is_file: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._given = given
        """What is there without a file."""
        self.is_foreign = is_foreign
        """Of such names nobody knows yet whether they exist."""
        self.is_file = is_file
        """Knows the names of files, which may look like references."""
        self.records: dict[str, FileRecord] = {}
        """Of the files that define something, or were probably meant to."""
        self.last_good: dict[str, FileReading] = {}
        self._entries: MutableMapping[str, Entry] = {}
        self._holders: MutableMapping[str, list[tuple[int, str]]] = {}
        self._callers: defaultdict[str, set[str]] = defaultdict(set)
        self._loggers: defaultdict[str, set[str]] = defaultdict(set)
        self._chains: set[str] = set()
        self._tags: set[str] = set()
        self._scheduled: set[str] = set()
        self._volatile: set[str] = set()
        """Files whose problems depend on more than files that define something."""
        self._names: SortedNames | None = None
        self._tried: tuple[str, ...] = ()
        """Names that are not in force, of a preview."""
        self._forget_results()

    def _forget_results(self) -> None:
        self._checked: dict[str, Entry] = {}
        self._listed: tuple[Entry, ...] | None = None
        self._unresolved: set[str] = set()
        """Files whose problems depend on every name there is."""
        self._suggestions: dict[tuple[str, bool], str] = {}
        self._first_files: dict[tuple[int, str], dict[str, str]] = {}
        self._circles: Circles | None = None
        self._taken_words: dict[str, list[Problem]] | None = None
        self._given_names: dict[str, dict[str, tuple[int, Entry]]] = {}

    # --- what is there

    def entries(self) -> tuple[Entry, ...]:
        """All of them, in the order of their files, with everything that is wrong."""
        if self._listed is None:
            # Who wants them all looks for circles once, instead of from each.
            self._circles = self._circles or Circles(calls=dict(self._call_graph(self._chains)))
            self._listed = tuple(self.check(file) for file in sorted(self._entries))
        return self._listed

    def check(self, file: str) -> Entry:
        """One of them, with everything that is wrong."""
        found = self._checked.get(file)
        if found is None:
            entry = self._entries[file]
            problems = tuple(FileChecks(self, entry).find_problems())
            if any(each.code in _UNKNOWN for each in problems) or any(map(is_pattern, names_referred_to(entry))):
                self._unresolved.add(file)
            found = self._checked[file] = entry.with_problems(problems)
        # Not kept with the others: a change anywhere in a circle is one for all that are in it.
        may_circle = file in self._chains and not found.stale
        return found.with_problems(tuple(self._find_circle(found))) if may_circle else found

    def loose_problems(self) -> tuple[Problem, ...]:
        """Problems of files that are no tools, but probably were meant to be."""
        loose = (file for file, record in self.records.items() if record.problems)
        return tuple(problem for file in sorted(loose) for problem in self.records[file].problems)

    def has_entry(self, file: str | None) -> bool:
        """Whether a file defines something."""
        return file in self._entries

    def has_tags(self) -> bool:
        """Whether a file defines a tag."""
        return bool(self._tags)

    def tags(self) -> list[Entry]:
        """The tags that files define, in their order."""
        return [self.check(file) for file in sorted(self._tags)]

    def scheduled(self) -> list[Entry]:
        """What runs by itself, in the order of its files."""
        return [self.check(file) for file in sorted(self._scheduled)]

    def is_current(self, file: str, stamp: Stamp | None) -> bool:
        """Whether a file is known as it is with this stamp; one that is too new to tell is not."""
        record = self.records.get(file)
        return record is not None and stamp is not None and record.stamp == stamp

    def files_named(self, names: Iterable[str]) -> set[str]:
        """The files of everything that has one of these ids or names."""
        return {file for name in names for _, file in self._holders.get(name, ())}

    def find(self, name: str, *, agents_only: bool = False) -> Entry | None:
        """What can be called by this id, or by this name where no other has that as its id.

        A tool goes before an agent of the same name; such an agent is called with ``agent:`` before its id.
        """
        if agents_only:
            files = [file for rank, file in self._holders.get(name, ()) if rank in (AGENT_ID, AGENT_NAME)]
            return self._entries[min(files)] if files else None
        rank, found = self._find(name, TOOL_ID, TAG_ID)
        if rank >= UNREAD_ID and name.startswith(AGENT_PREFIX):
            agent = self._find(name.removeprefix(AGENT_PREFIX), AGENT_ID, UNREAD_ID)[1]
            return agent or found
        return found

    def _find(self, name: str, strongest: int, end: int) -> tuple[int, Entry | None]:
        rank, entry = self._named_given().get(name, (TAG_ID, None))
        if not strongest <= rank < end:
            rank, entry = TAG_ID, None
        for held, file in self._holders.get(name, ()):
            if strongest <= held < end:
                return (rank, entry) if rank <= held else (held, self._entries[file])
        return rank, entry

    # --- what changed

    def apply(self, changes: Changes) -> None:
        """Put what a look at the folder found in the place of what was known."""
        if len(changes) > MANY:
            self._names = None
            self._forget_results()
        for file, record in changes.items():
            outdated = self._replace(file, record)
            if len(changes) <= MANY:
                self._forget_referring(file, outdated)
        self._given_names.clear()
        # Whether a name is that of a file, or of another server's tool, may have changed with or without a change here.
        self._forget(self._volatile)

    def complete(self, reading: FileReading) -> None:
        """Keep what a file says that was only known from the cache."""
        self.records[reading.file] = replace(self.records[reading.file], reading=reading)
        if reading.valid:
            self.last_good[reading.file] = reading

    def unchecked(self) -> Iterable[tuple[str, Entry]]:
        """Every file and what it defines, without the problems between files."""
        return self._entries.items()

    def preview(self, unsaved: Mapping[str, Entry | None]) -> VaultIndex:
        """The index as it would be if these files said so; None is a file that defines nothing."""
        self._names = self._names or SortedNames(self._holders)
        tried = copy(self)
        for file, entry in unsaved.items():
            tried.overlay(file, entry)
        return tried

    def overlay(self, file: str, entry: Entry | None) -> None:
        """Put an entry over what is known; what is shared with the index this is a copy of stays as it is."""
        before = self._entries.get(file)
        names = {name for each in (before, entry) if each is not None for _, name in _ranks(each)}
        held = {name: [each for each in self._holders.get(name, ()) if each[1] != file] for name in names}
        for rank, name in _ranks(entry) if entry is not None else ():
            insort(held[name], (rank, file))
        self._holders = ChainMap(held, self._holders)
        self._chains = self._chains | {file} if entry is not None and entry.calls else self._chains - {file}
        self._tags = self._tags | {file} if entry is not None and entry.kind == "tag" else self._tags - {file}
        if entry is not None:
            self._entries = ChainMap({file: entry}, self._entries)
            self._tried = (*self._tried, entry.id, entry.name)
        elif before is not None:
            self._entries = {name: each for name, each in self._entries.items() if name != file}
        self._forget_results()

    def _replace(self, file: str, record: FileRecord | None) -> set[str]:
        """The names it had or has."""
        before, after = self._entries.get(file), None
        if record is None:
            self.last_good.pop(file, None)
        elif record.entry is not None:
            after = serving_entry(record.entry, self.last_good.get(file))
        if record is not None and (record.entry is not None or record.problems):
            self.records[file] = record
        else:
            self.records.pop(file, None)
        if record is not None and record.reading is not None and record.reading.valid:
            self.last_good[file] = record.reading
        if before is not None:
            self._remove(file, before)
        if after is not None:
            self._add(file, after)
        return {name for each in (before, after) if each is not None for _, name in _ranks(each)}

    def _add(self, file: str, entry: Entry) -> None:
        self._entries[file] = entry
        for rank, name in _ranks(entry):
            if self._names is not None and name not in self._holders:
                self._names.add(name)
            insort(self._holders.setdefault(name, []), (rank, file))
        for call in (*entry.calls, *entry.agents):
            self._callers[call.tool].add(file)
        if entry.log is not None:
            self._loggers[entry.log].add(file)
        if entry.calls and entry.kind != "agent":
            self._chains.add(file)
        if entry.kind == "tag":
            self._tags.add(file)
        if entry.schedule is not None:
            self._scheduled.add(file)
        if any(call.near_references or is_remote(call.tool) for call in entry.calls):
            self._volatile.add(file)

    def _remove(self, file: str, entry: Entry) -> None:
        del self._entries[file]
        for rank, name in _ranks(entry):
            self._holders[name].remove((rank, file))
            if not self._holders[name]:
                del self._holders[name]
                if self._names is not None:
                    self._names.remove(name)
        for call in (*entry.calls, *entry.agents):
            _discard(self._callers, call.tool, file)
        if entry.log is not None:
            _discard(self._loggers, entry.log, file)
        for files in (self._chains, self._tags, self._scheduled, self._volatile, self._unresolved):
            files.discard(file)

    def _forget_referring(self, file: str, names: set[str]) -> None:
        """Whatever was found about a file of these names, and those that refer to it, is found again when asked for."""
        if not names:
            return
        outdated = {file, *self._unresolved, *self._tags, *self._loggers.get(file, ())}
        for name in names:
            outdated |= self._callers.get(name, set()) | self._callers.get(f"{AGENT_PREFIX}{name}", set())
            outdated |= {holder for _, holder in self._holders.get(name, ())}
            for rank in (TOOL_NAME, AGENT_NAME):
                self._first_files.pop((rank, name), None)
        if not self._chains.isdisjoint(outdated):
            # Whom a name means may have changed, and with that who calls whom.
            self._circles = None
        self._forget(outdated)
        self._unresolved.clear()
        self._suggestions.clear()
        self._taken_words = None
        self._listed = None

    def _forget(self, files: Iterable[str]) -> None:
        for file in files:
            if self._checked.pop(file, None) is not None:
                self._listed = None

    # --- what the checks ask for

    def is_given(self, identifier: str) -> bool:
        """Whether something that has no file has this id."""
        found = self._named_given().get(identifier)
        return found is not None and found[1].id == identifier

    def files_with_id(self, entry: Entry) -> Iterator[str]:
        """The files of everything of the same kind with the same id, in order."""
        rank = TAG_ID if entry.kind == "tag" else AGENT_ID if entry.kind == "agent" else TOOL_ID
        return (file for held, file in self._holders.get(entry.id, ()) if held == rank)

    def first_files_by_id(self, entry: Entry) -> dict[str, str]:
        """Of everything of the same kind with the same name: the first file of each id."""
        rank = TOOL_NAME if entry.is_tool else AGENT_NAME
        if (rank, entry.name) not in self._first_files:
            files = [file for held, file in self._holders.get(entry.name, ()) if held == rank]
            firsts = {self._entries[file].id: file for file in reversed(files)}
            self._first_files[rank, entry.name] = dict(sorted(firsts.items(), key=lambda each: each[1]))
        return self._first_files[rank, entry.name]

    def taken_words(self) -> dict[str, list[Problem]]:
        """By file, the words of tags that others have."""
        if self._taken_words is None:
            tags = [self._entries[file] for file in sorted(self._tags)]
            tools = (self._entries[file] for file in sorted(self._entries))
            self._taken_words = {}
            for problem in find_taken_words(tags, tools, self._given()):
                self._taken_words.setdefault(problem.file, []).append(problem)
        return self._taken_words

    def suggest(self, name: str, *, agents_only: bool = False) -> str:
        """The nearest names, as sentences show them."""
        known = self._suggestions.get((name, agents_only))
        if known is None and len(self._suggestions) < MOST_SUGGESTIONS:
            known = ", ".join(f"'{each}'" for each in self.closest(name, agents_only=agents_only))
            self._suggestions[name, agents_only] = known
        return known or ""

    def closest(self, name: str, near: Iterable[str] | None = None, *, agents_only: bool = False) -> list[str]:
        """The names most like this one; ``near`` are those to compare with, where not all are known."""
        near = self._names_near(name) if near is None else near
        found = {each: self.find(each) for each in (*near, *self._named_given())}
        known = {each: entry for each, entry in found.items() if entry and (entry.kind == "agent" or not agents_only)}

        def strength(each: str) -> tuple[bool, bool, bool]:
            return known[each].type is not None, known[each].is_tool, each.endswith(known[each].id)

        # Of two that differ in nothing but capitals the stronger is told: the one that comes last.
        return closest(name, sorted(known, key=strength))

    def _names_near(self, name: str) -> list[str]:
        self._names = self._names or SortedNames(self._holders)
        near = {*self._names.near(name), *self._names.near(name.removeprefix(AGENT_PREFIX)), *self._tried}
        return [*near, *(f"{AGENT_PREFIX}{each}" for each in near)]

    def matches_any(self, pattern: str, *, agents_only: bool = False) -> bool:
        """Whether a pattern stands for anything there is."""
        names = islice(chain(self._named_given(), self._holders), MOST_PATTERN_TESTS)
        for name in names:
            for each in (name, f"{AGENT_PREFIX}{name}"):
                found = self.find(each) if fits_pattern(pattern, each) else None
                if found is not None and (found.kind == "agent" or not agents_only):
                    return True
        return False

    def _find_circle(self, entry: Entry) -> Iterator[Problem]:
        """Whether a chain calls itself through steps that are always taken."""
        if self._circles is None and self.gets_into_circle(entry):
            self._circles = Circles(calls=dict(self._call_graph(self._chains)))
        if self._circles is not None and entry.id in self._circles.circling and self._file_of(entry.id) == entry.file:
            yield describe_circle(entry, self._circles)

    def gets_into_circle(self, entry: Entry) -> bool:
        """Whether a circle can be reached from a chain; who only wants to know of one need not look at all."""
        reached: dict[str, Mapping[str, CallSite]] = {}
        waiting = [entry.file]
        while waiting:
            found = dict(self._call_graph(waiting))
            reached |= found
            targets = {target for calls in found.values() for target in calls} - reached.keys()
            waiting = [self._file_of(target) for target in targets]
        return bool(Circles(calls=reached).circling)

    def _call_graph(self, files: Iterable[str | None]) -> Iterator[tuple[str, Mapping[str, CallSite]]]:
        """Whom those chains always call, as far as it is something of the vault."""
        for file in files:
            entry = self._entries[file or ""]
            if self._file_of(entry.id) == file:
                called = {
                    found.id: call
                    for call in entry.calls
                    if not call.conditional and (found := self.find(call.tool)) is not None
                }
                yield entry.id, {each: call for each, call in called.items() if each in self._holders}

    def _file_of(self, identifier: str) -> str | None:
        """The first file of that id, whatever it defines."""
        return min((file for rank, file in self._holders.get(identifier, ()) if rank in _IDS), default=None)

    def _named_given(self) -> dict[str, tuple[int, Entry]]:
        """What is there without a file, by every name, described in the current language."""
        spoken = language()
        if spoken not in self._given_names:
            # The strongest last, and among equals the first: it takes the place of the others.
            named = [(rank, name, entry) for entry in self._given() for rank, name in _ranks(entry)]
            named.sort(key=lambda each: each[0])
            self._given_names[spoken] = {name: (rank, entry) for rank, name, entry in reversed(named)}
        return self._given_names[spoken]


def _ranks(entry: Entry) -> Iterator[tuple[int, str]]:
    """By which names an entry is known, and how strongly."""
    if entry.kind == "tag":
        yield TAG_ID, entry.id
        return
    rank = AGENT_ID if entry.kind == "agent" else TOOL_ID if entry.type is not None else UNREAD_ID
    yield rank, entry.id
    yield rank + 1, entry.name


def _discard(files: dict[str, set[str]], key: str, file: str) -> None:
    files[key].discard(file)
    if not files[key]:
        del files[key]
