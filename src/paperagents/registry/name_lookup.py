"""Finds one name in the cache, with whatever else must be known to check it: a few rows, and one look at each file."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.registry.cache import ScanCache
from paperagents.registry.entry import Entry, names_referred_to
from paperagents.registry.folder_scan import FileRecord, FolderScan, stamp_of
from paperagents.registry.vault_checks import is_pattern
from paperagents.registry.vault_index import VaultIndex


class Lookup(Enum):
    """What came of it."""

    FOUND = auto()
    """It is in the index and can be checked."""
    UNKNOWN = auto()
    """Nothing had this name at the last look at the folder."""
    OUTDATED = auto()
    """A file is not where it was."""
    INSUFFICIENT = auto()
    """It cannot be checked without all others: it names what is not known, or patterns, or gets into a circle."""


class NameLookup:
    """From the cache into the index of a vault."""

    def __init__(self, cache: ScanCache, scan: FolderScan, index: VaultIndex) -> None:
        self._cache = cache
        self._scan = scan
        self._index = index

    def look_up(self, name: str, *, agents_only: bool) -> Lookup:
        """Make sure that everything with this name is in the index as its file is now, and all that it refers to."""
        if not self._load_named({name}):
            return Lookup.OUTDATED
        entry = self._index.find(name, agents_only=agents_only)
        if entry is None:
            return Lookup.UNKNOWN
        # Who has the same id or name, or is the file that the log goes to, is told of.
        if not self._load_named({entry.id, entry.name}) or not self._load({entry.log} if entry.log else set()):
            return Lookup.OUTDATED
        names = set(names_referred_to(entry))
        if not self._load_named(names):
            return Lookup.OUTDATED
        if any(is_pattern(each) or self._is_missing(each) for each in names):
            return Lookup.INSUFFICIENT
        return self._follow_calls(entry, names)

    def _follow_calls(self, entry: Entry, names: set[str]) -> Lookup:
        """Whether the chain gets into a circle, through whatever it calls."""
        seen: set[str] = set()
        while names:
            seen |= names
            called = [found for each in names if (found := self._index.find(each)) is not None and found.file]
            chains = [each for each in called if each.kind != "agent"]
            names = {
                *(each.id for each in called),
                *(name for each in chains for name in names_referred_to(each)),
            } - seen
            if not self._load_named(names):
                return Lookup.OUTDATED
        return Lookup.INSUFFICIENT if self._index.gets_into_circle(entry) else Lookup.FOUND

    def _is_missing(self, name: str) -> bool:
        return self._index.find(name) is None and not self._index.is_foreign(name)

    def _load_named(self, names: set[str]) -> bool:
        names = names | {each.removeprefix(AGENT_PREFIX) for each in names}
        files = self._cache.files_named(names)
        # What another process has taken out of the cache is gone.
        gone = self._index.files_named(names) - files
        self._index.apply(dict.fromkeys(gone))
        return self._load(files)

    def _load(self, files: Iterable[str]) -> bool:
        """Whether these files are in the index as they are now; those that changed are read again, and kept."""
        stamps = {file: stamp_of(self._scan.root, file) for file in files}
        outdated = [file for file, stamp in stamps.items() if not self._index.is_current(file, stamp)]
        records = self._cache.load(outdated)
        if records is None:
            return False
        found: dict[str, FileRecord | None] = {}
        changed: dict[str, FileRecord | None] = {}
        for file in (each for each in outdated if each in records):
            record = records[file]
            if record is None or record.stamp is None or record.stamp != stamps[file]:
                record = changed[file] = self._scan.read_again(file)
            if record is None:
                return False
            found[file] = record
        self._index.apply(found)
        return not changed or self._cache.save(changed)
