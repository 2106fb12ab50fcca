"""Keeps what is known of a vault in step with its folder, in memory and in the cache.

A new process that wants one name of a large vault finds it in the cache and looks at that file, not at the others. Who
wants all of them, or a name that nobody knows, walks the folder; only what changed is read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.text import closest
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.registry.cache import ScanCache
from paperagents.registry.entry import Entry
from paperagents.registry.folder_scan import Changes, FileRecord, FolderScan, stamp_of
from paperagents.registry.name_lookup import Lookup, NameLookup
from paperagents.registry.vault_index import VaultIndex

FEW_FILES = 1_000
"""Up to so many files a new process looks at each before it answers: that takes no time that anybody notices."""

FRESH_SECONDS = 1.0
"""So long after a walk through a large vault another one is not worth it, unless a folder has changed."""


class VaultState:
    """Every reader sees one complete state: what a look found is put in force in a single step."""

    def __init__(self, scan: FolderScan, index: VaultIndex, cache: ScanCache | None) -> None:
        self._scan = scan
        self._index = index
        self._cache = cache
        self._is_complete = False
        """Whether the index has everything, or only what was looked up in the cache."""
        self._looked_up: set[tuple[str, bool]] = set()
        self._walked = 0.0
        self.is_followed = False
        """Whether somebody tells of every change of a file."""
        # One look at the folder at a time; nobody waits for it who only reads what is known.
        self._looking = threading.RLock()
        self._lock = threading.RLock()

    @contextmanager
    def whole_index(self) -> Iterator[VaultIndex]:
        """Everything, and no change of it meanwhile."""
        if not self._is_complete:
            self.refresh()
        with self._lock:
            yield self._index

    def record(self, file: str) -> tuple[FileRecord | None, FileReading | None]:
        """A file as it is known, and its last good version."""
        with self._lock:
            return self._index.records.get(file), self._index.last_good.get(file)

    def complete(self, record: FileRecord, reading: FileReading) -> None:
        """Keep what a file says that was only known from the cache, for as long as it stays the same."""
        # Another thread may have looked meanwhile: only the very record that was read is completed.
        with self._lock:
            if self._index.records.get(reading.file) is record and self._is_current(reading.file):
                self._index.complete(reading)

    def refresh(self) -> None:
        """Look at the whole folder again."""
        with self._looking:
            if self._is_complete:
                self._take(self._walk())
            else:
                self._load_everything()

    def update(self, files: Iterable[str]) -> None:
        """Look again at these files or folders."""
        with self._looking:
            if self._is_complete:
                self._take(self._scan.update(files))
            else:
                self._load_everything()

    def find(self, name: str, *, agents_only: bool = False) -> Entry | None:
        """What has this id or name as the folder is now, with everything that is wrong."""
        if not self._is_complete and not self._is_large():
            self.refresh()
        if self._is_complete:
            self._look_again(name, agents_only=agents_only)
        else:
            self._look_up(name, agents_only=agents_only)
        with self._lock:
            found = self._index.find(name, agents_only=agents_only)
            return found if found is None or found.file is None else self._index.check(found.file)

    def has_tags(self) -> bool:
        """Whether a file defines a tag."""
        if self._cache is not None and not self._is_complete and self._is_large():
            return self._cache.has_tags()
        with self.whole_index() as index:
            return index.has_tags()

    def nearest_ids(self, name: str, *, agents_only: bool = False) -> list[str]:
        """What the name was perhaps meant to be."""
        with self._looking, self._lock:
            near = None
            if not self._is_complete and self._cache is not None:
                near = self._load_nearest(name, self._cache, agents_only=agents_only)
            found = map(self._index.find, self._index.closest(name, near, agents_only=agents_only))
            return list(dict.fromkeys(entry.id for entry in found if entry is not None))

    def _may_have_changed(self) -> bool:
        """Whether an unknown name is worth a walk: one that is asked for again and again in a large vault is not.

        A new file is seen by its folder at once, also before somebody who follows the vault has told of it.
        """
        is_large = len(self._scan.stamps) > FEW_FILES
        is_known = self.is_followed or (is_large and time.monotonic() - self._walked < FRESH_SECONDS)
        return not is_known or self._scan.has_changed_folder()

    # --- where everything is known

    def _look_again(self, name: str, *, agents_only: bool) -> None:
        with self._lock:
            found = self._index.find(name, agents_only=agents_only)
        if found is None:
            # It may have been written a moment ago, in any file.
            if self._may_have_changed():
                self.refresh()
        elif found.file is not None and not self._is_current(found.file):
            self.update([found.file])

    def _is_current(self, file: str) -> bool:
        """Whether a file is still the one that was read; one look at its stamps, for every use of a tool."""
        return self._index.is_current(file, stamp_of(self._scan.root, file))

    def _walk(self) -> Changes:
        changes = self._scan.refresh()
        # At its end: in a huge vault a walk takes longer than it counts as fresh.
        self._walked = time.monotonic()
        return changes

    def _take(self, changes: Changes) -> None:
        with self._lock:
            self._scan.note(changes)
            self._index.apply(changes)
        if self._cache is not None and changes:
            self._cache.save(changes)

    def _load_everything(self) -> None:
        """Begin with what the cache knows, and look at the whole folder."""
        stamps = self._cache.stamps() if self._cache is not None else None
        records = self._cache.load() if self._cache is not None and stamps is not None else None
        known, kept = (stamps, records) if stamps is not None and records is not None else ({}, {})
        # What a damaged record says is read from its file again.
        self._scan.stamps = {file: stamp for file, stamp in known.items() if kept.get(file, True) is not None}
        changes = self._walk()
        with self._lock:
            self._scan.note(changes)
            gone = dict.fromkeys(self._index.records.keys() - self._scan.stamps.keys())
            new = {file: each for file, each in kept.items() if each and not self._index.is_current(file, each.stamp)}
            self._index.apply({**gone, **new, **changes})
            self._is_complete = True
        if self._cache is not None and records is None:
            self._cache.rebuild(changes)
        elif self._cache is not None and changes:
            self._cache.save(changes)

    # --- where only what was asked for is known

    def _is_large(self) -> bool:
        return self._cache is not None and (bool(self._looked_up) or self._cache.has_more_than(FEW_FILES))

    def _look_up(self, name: str, *, agents_only: bool) -> None:
        """Make what the cache knows of a name known here; a walk only where that is not enough."""
        assert self._cache is not None
        with self._looking, self._lock:
            found = self._index.find(name, agents_only=agents_only)
            if (name, agents_only) in self._looked_up and found and found.file and self._is_current(found.file):
                return
            lookup = NameLookup(self._cache, self._scan, self._index)
            answer = lookup.look_up(name, agents_only=agents_only)
            if answer is Lookup.OUTDATED or (answer is Lookup.UNKNOWN and self._may_have_changed()):
                # It may have been written a moment ago, in any file.
                is_renewed = self._renew_cache(self._cache)
                answer = lookup.look_up(name, agents_only=agents_only) if is_renewed else Lookup.INSUFFICIENT
            if answer in (Lookup.OUTDATED, Lookup.INSUFFICIENT):
                self._load_everything()
            elif answer is Lookup.FOUND:
                self._looked_up.add((name, agents_only))

    def _renew_cache(self, cache: ScanCache) -> bool:
        """Look at the whole folder for the cache alone: who asks for one name need not know all."""
        stamps = cache.stamps()
        if stamps is None:
            return False
        self._scan.stamps = stamps
        changes = self._walk()
        self._scan.note(changes)
        self._looked_up.clear()
        self._index.apply({file: record for file, record in changes.items() if file in self._index.records})
        return not changes or cache.save(changes)

    def _load_nearest(self, name: str, cache: ScanCache, *, agents_only: bool) -> list[str]:
        best = closest(name, cache.names_near(name, agents_only=agents_only))
        files = cache.files_named({each.removeprefix(AGENT_PREFIX) for each in best})
        records = cache.load(files) or {}
        self._index.apply({file: each for file, each in records.items() if each and file not in self._index.records})
        return best
