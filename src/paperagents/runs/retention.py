"""How long runs are kept: ``[history]`` in the settings, and ``paper runs prune``.

Only runs that are over are removed, the oldest first, each with everything that belongs to it in a transaction of its
own. What waits or can go on stays; what can be undone stays, too, unless a person says otherwise. The texts that
undoing needs go with their run. They count where such runs may go; elsewhere all others would have to make room for
what stays anyway. A step does a bounded amount of work, however much there is to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from paperagents.errors import RunBusyError
from paperagents.runs.changes import forget_run, sweep_images
from paperagents.runs.journal import Journal
from paperagents.storage.blobs import release_parts
from paperagents.storage.database import Connection
from paperagents.storage.images import IMAGE_BYTES, kept_image_bytes
from paperagents.storage.totals import ENDED, RUN_BYTES, fold_totals, forget_size, kept_bytes
from paperagents.values import dataclass

UNDOABLE = "EXISTS (SELECT 1 FROM changes WHERE changes.root_run = runs.run_id)"
"""SQL: a row of ``runs`` whose changes can be taken back."""
TABLES = ("journal", "intents", "runs")
"""Where a row belongs to the run in its ``run_id``, and goes with it."""
_STEP = 50
"""Runs that are looked at in a step."""
_PAGES = 500
"""Pages of the file that a step gives back."""
_NOW = 1e-9
"""Days: everything that is over is older."""
_DEFINITION_DAYS = 1
"""A tool's file goes with the last run that refers to it, unless that was just now: it may be in use again."""
# In a COALESCE, so that runs are found by their start and not by their state: then they would have to be sorted.
_OVER = f"parent_run IS NULL AND COALESCE(status, '') IN {ENDED}"
_BELOW = "(run_id = ? OR (run_id >= ? AND run_id < ?))"
_CANDIDATES = (
    f"SELECT run_id, started, rowid AS place, (SELECT SUM({RUN_BYTES}) FROM runs AS part "  # noqa: S608  fixed words
    "WHERE part.run_id = runs.run_id OR (part.run_id >= runs.run_id || '.' AND part.run_id < runs.run_id || '/')) "
    f"AS bytes FROM runs WHERE {_OVER} AND started >= ? AND (started > ? OR rowid > ?) AND ({{undoable}}) "
    "ORDER BY started, rowid LIMIT ?"
)
_IMAGES_OF_RUN = (
    f"SELECT CAST(SUM({IMAGE_BYTES}) AS BIGINT) AS size FROM images WHERE EXISTS (SELECT 1 FROM changes "  # noqa: S608  fixed words
    "WHERE root_run = ? AND (changes.before = images.digest OR changes.after = images.digest))"
)
_OLD_VERSIONS = (
    "DELETE FROM entry_versions WHERE changed < ? AND EXISTS (SELECT 1 FROM entry_versions AS later "
    "WHERE later.kind = entry_versions.kind AND later.identifier = entry_versions.identifier "
    "AND later.version > entry_versions.version AND later.changed < ?)"
)
_DEFINITION = "DELETE FROM definitions WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.definition = ?)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruned:
    """How many runs were removed, or would be, about how much room they took, and how many stay that are as old."""

    runs: int = 0
    bytes: int = 0
    unfinished: int = 0
    undoable: int = 0


@dataclass(frozen=True, kw_only=True)
class Retention:
    """Removes runs that are older, or more, than is kept; 0 keeps all."""

    journal: Journal
    keep_days: float = 0
    keep_mb: int = 0

    def step(self) -> bool:
        """Do a little of what there is to do; whether there may be more."""
        database = self.journal.database
        if not database.exists():
            return False
        fold_totals(database)
        removed = self._prune(most=_STEP).runs if self.keep_days or self.keep_mb else 0
        if removed:
            database.give_back(_PAGES)
        return removed == _STEP

    def prune(self, *, older_than: float | None = None, undoable: bool = False, dry_run: bool = False) -> Pruned:
        """Remove all that is not kept any more: by age where one is given in days, else as the settings say."""
        database = self.journal.database
        if not database.exists():
            return Pruned()
        self.journal.flush_all()
        if older_than is not None:
            return Retention(journal=self.journal, keep_days=max(older_than, _NOW)).prune(
                undoable=undoable, dry_run=dry_run
            )
        pruned = self._prune(undoable=undoable, dry_run=dry_run)
        if not dry_run:
            with database.transaction() as connection:
                connection.execute(_OLD_VERSIONS, (self._cutoff, self._cutoff))
                if undoable:
                    # Also what was to be changed and was not.
                    sweep_images(connection)
            database.give_back()
        return pruned

    @property
    def _cutoff(self) -> str:
        return _days_ago(self.keep_days) if self.keep_days else ""

    def _prune(self, *, undoable: bool = False, dry_run: bool = False, most: int | None = None) -> Pruned:
        runs, freed, cutoff = 0, 0, self._cutoff
        excess = self._kept_bytes(undoable=undoable) - self.keep_mb * 1_000_000 if self.keep_mb else 0
        for row in self._candidates(undoable=undoable, most=most):
            if row["started"] >= cutoff and freed >= excess:
                break
            images = self._image_bytes(row["run_id"]) if dry_run else self._remove(row["run_id"])
            if images is not None:
                runs, freed = runs + 1, freed + int(row["bytes"] or 0) + images
        if most is not None:
            return Pruned(runs=runs, bytes=freed)
        kept = "parent_run IS NULL AND status IN ('queued', 'running', 'waiting')", f"{_OVER} AND {UNDOABLE}"
        unfinished, left = (self._count(each, cutoff) for each in kept)
        return Pruned(runs=runs, bytes=freed, unfinished=unfinished, undoable=0 if undoable else left)

    def _kept_bytes(self, *, undoable: bool) -> int:
        database = self.journal.database
        return kept_bytes(database) + (kept_image_bytes(database) if undoable else 0)

    def _image_bytes(self, run_id: str) -> int:
        """Of the texts that undoing this run needs, at most: other runs may need them, too."""
        rows = self.journal.database.rows(_IMAGES_OF_RUN, (run_id,))
        return rows[0]["size"] or 0 if rows else 0

    def _candidates(self, *, undoable: bool, most: int | None) -> Iterator[Any]:
        """Runs that are over, the oldest first."""
        started, place, seen = "", 0, 0
        query = _CANDIDATES.format(undoable="1 = 1" if undoable else f"NOT ({UNDOABLE})")
        while most is None or seen < most:
            rows = self.journal.database.rows(query, (started, started, place, _STEP))
            yield from rows
            if len(rows) < _STEP:
                return
            started, place, seen = rows[-1]["started"], rows[-1]["place"], seen + len(rows)

    def _count(self, condition: str, cutoff: str) -> int:
        query = f"SELECT COUNT(*) AS runs FROM runs WHERE {condition} AND started < ?"  # noqa: S608  fixed words
        return int(self.journal.database.rows(query, (cutoff or _days_ago(0),))[0]["runs"])

    def _remove(self, run_id: str) -> int | None:
        """Remove a run with all below it and give the size of its images; None where somebody goes on with it."""
        database = self.journal.database
        with suppress(RunBusyError), database.held(run_id), database.transaction() as connection:
            below = (run_id, f"{run_id}.", f"{run_id}/")
            rows = database.rows(f"SELECT run_id, status, started, definition FROM runs WHERE {_BELOW}", below)  # noqa: S608  fixed words
            if not any(row["run_id"] == run_id and row["status"] in ENDED for row in rows):
                return None
            for row in rows:
                forget_size(connection, row["run_id"])
                release_parts(database, connection, row["run_id"])
            for table in TABLES:
                connection.execute(f"DELETE FROM {table} WHERE {_BELOW}", below)  # noqa: S608  fixed words
            _remove_definitions(connection, rows)
            return forget_run(database, connection, run_id)
        return None


def _remove_definitions(connection: Connection, rows: list[Any]) -> None:
    old = {row["definition"] for row in rows if row["started"] < _days_ago(_DEFINITION_DAYS)} - {None}
    for digest in sorted(old):
        connection.execute(_DEFINITION, (digest, digest))


def _days_ago(days: float) -> str:
    try:
        return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""
