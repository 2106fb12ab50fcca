"""What runs change in notes and entries, with the texts before and after; written in the journal's own transactions.

A row is there before the change is made, and marked once it is made. After a kill in between, what became of the
note or entry tells which it was: see ``settle`` in ``change_history.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import MappingProxyType

from paperagents.approval.diff import compare, split_lines
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonValue
from paperagents.errors import PaperError
from paperagents.runs.journal import Journal
from paperagents.runs.record import root_of
from paperagents.storage.database import Connection, Database, StoredRow
from paperagents.storage.images import IMAGE_BYTES, ImageStore
from paperagents.values import dataclass

_ROW = (
    "INSERT INTO changes (root_run, run_id, step_path, step, kind, path, before, after, added, removed, changed, "
    "approved_by, undoes, made, signature) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NEWEST = "SELECT after FROM changes WHERE kind = ? AND path = ? AND after IS NOT NULL ORDER BY seq DESC LIMIT 1"

_FOUND = (
    "SELECT 1 FROM changes AS own JOIN changes AS later ON later.kind = own.kind AND later.path = own.path "
    "AND later.seq > own.seq AND later.before = own.after WHERE own.run_id = ? AND own.step_path = ? LIMIT 1"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """What made a change: a step of a run, and who agreed to it."""

    run_id: str
    step_path: str
    step: int
    """Of the run that somebody started."""
    approved_by: str | None = None


class ChangeLog:
    """The write side of the changes of one vault; ``ChangeHistory`` is the read side."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._images = ImageStore(journal.database)

    def intend(
        self, changes: Sequence[Change], cause: Cause, *, steps: Mapping[str, int] = MappingProxyType({}),
        undoes: Mapping[str, str] = MappingProxyType({}), made: bool = False,
    ) -> None:  # fmt: skip
        """Write down what is about to be changed, or is changed in this very transaction where it is ``made``.

        By the name of a change, ``steps`` has the step that has led to it, where that is not the step of the cause, and
        ``undoes`` the run that it takes back.
        """
        if not changes:
            return
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._journal.transaction(cause.run_id, durable=True) as connection:
            # An earlier attempt of the same step that was not made.
            connection.execute(
                "DELETE FROM changes WHERE run_id = ? AND step_path = ? AND made = 0", (cause.run_id, cause.step_path)
            )
            for change in changes:
                before, after = self._keep_images(connection, change)
                added, removed = count_lines(change.before, change.after)
                step, undone = steps.get(change.name, cause.step), undoes.get(change.name, "")
                where = (root_of(cause.run_id), cause.run_id, cause.step_path, step, change.kind, change.path)
                parts = signed_parts(cause.run_id, change.kind, change.path, before, after, undoes=undone)
                connection.execute(
                    _ROW,
                    (*where, before, after, added, removed, when, cause.approved_by, undone, int(made),
                     self._journal.signatures.sign(*parts)),
                )  # fmt: skip

    def mark_made(self, run_id: str, step_path: str) -> None:
        """The change is made; written with the entry of the step."""
        query = "UPDATE changes SET made = 1 WHERE run_id = ? AND step_path = ?"
        self._journal.buffer(run_id, query, (run_id, step_path))

    def is_made(self, run_id: str, step_path: str) -> bool:
        """Whether the change of this step is known to be made."""
        query = "SELECT 1 FROM changes WHERE run_id = ? AND step_path = ? AND made = 1 LIMIT 1"
        return bool(self._journal.database.rows(query, (run_id, step_path)))

    def was_found(self, run_id: str, step_path: str) -> bool:
        """Whether a later change found the text that this step was about to make: then it had made it."""
        return bool(self._journal.database.rows(_FOUND, (run_id, step_path)))

    def forget(self, run_id: str, step_path: str) -> None:
        """The change was not made, and it is known that it was not."""
        with self._journal.transaction(run_id) as connection:
            connection.execute("DELETE FROM changes WHERE run_id = ? AND step_path = ?", (run_id, step_path))

    @contextmanager
    def recording(self, change: Change, cause: Cause) -> Iterator[None]:
        """For a change that no effect makes: written down before, and marked after."""
        self.intend([change], cause)
        try:
            yield
        except PaperError:
            self.forget(cause.run_id, cause.step_path)
            raise
        self.mark_made(cause.run_id, cause.step_path)
        self._journal.flush(cause.run_id)

    def intended(self, run_id: str, step_path: str) -> list[Change]:
        """What a step was about to change when the program was killed. Raises DamagedRowError where a text is gone."""
        query = "SELECT kind, path, before, after FROM changes WHERE run_id = ? AND step_path = ? ORDER BY seq"
        rows = self._journal.database.rows(query, (run_id, step_path))
        return [self._read_change(StoredRow("changes", row)) for row in rows]

    def _read_change(self, row: StoredRow) -> Change:
        texts = []
        for column in ("before", "after"):
            digest = row.text_or_none(column)
            content = self._images.load(digest) if digest is not None else None
            texts.append(row.refuse(column) if digest is not None and content is None else content)
        return Change(kind=row.text("kind"), path=row.text("path"), before=texts[0], after=texts[1])

    def _keep_images(self, connection: Connection, change: Change) -> tuple[str | None, str | None]:
        before = after = None
        if change.before is not None:
            # Where somebody has edited it by hand since the last change, most of it is still the same.
            newest = self._journal.database.rows(_NEWEST, (change.kind, change.path))
            before = self._images.keep(connection, change.before, base=newest[0]["after"] if newest else None)
        if change.after is not None:
            after = self._images.keep(connection, change.after, base=before)
        return before, after


def signed_parts(  # noqa: PLR0913  everything that undoing relies on
    run_id: str, kind: str, path: str, before: str | None, after: str | None, *, undoes: str
) -> tuple[JsonValue, ...]:
    """What a change is signed over: where one of these was altered, it is not a change that was made here."""
    return "change", run_id, kind, path, before, after, undoes


def count_lines(before: str | None, after: str | None) -> tuple[int, int]:
    """How many lines are added and removed, as in the diff."""
    parts = [part for part in compare(split_lines(before or ""), split_lines(after or "")) if part[0] != "equal"]
    return sum(part[4] - part[3] for part in parts), sum(part[2] - part[1] for part in parts)


_NEEDLESS = (
    "DELETE FROM images WHERE NOT EXISTS (SELECT 1 FROM changes WHERE changes.before = images.digest) "
    "AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.after = images.digest) "
    "AND NOT EXISTS (SELECT 1 FROM images AS others WHERE others.base = images.digest)"
)


def forget_run(database: Database, connection: Connection, root_run: str) -> int:
    """Delete the changes of a run, with the images that no other needs; gives about how many bytes these took."""
    rows = database.rows("SELECT before, after FROM changes WHERE root_run = ?", (root_run,))
    connection.execute("DELETE FROM changes WHERE root_run = ?", (root_run,))
    freed, looked_at = 0, [digest for row in rows for digest in (row["before"], row["after"])]
    while looked_at:
        digest = looked_at.pop()
        image = database.rows(f"SELECT base, {IMAGE_BYTES} AS size FROM images WHERE digest = ?", (digest,))  # noqa: S608  fixed words
        if image and connection.execute(f"{_NEEDLESS} AND digest = ?", (digest,)).rowcount > 0:
            freed += image[0]["size"]
            # Nothing else may rest on its base now.
            looked_at.append(image[0]["base"])
    return freed


def sweep_images(connection: Connection) -> None:
    """Delete images that no change needs any more, the longest chains first: a base stays while one rests on it."""
    while connection.execute(_NEEDLESS).rowcount > 0:
        pass
