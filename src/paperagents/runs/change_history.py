"""Looking back at changes: which run changed what, how, and whether that was taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any

from paperagents.approval.diff import diff_head, unified_hunks
from paperagents.approval.file_changes import describe_hunks
from paperagents.definitions.change import name_target
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import PaperError
from paperagents.files.folder import VaultFolder
from paperagents.runs.changes import count_lines, signed_parts
from paperagents.runs.journal import Journal
from paperagents.storage.database import StoredRow, readable
from paperagents.storage.entries import EntryStore
from paperagents.storage.entry_text import text_of
from paperagents.storage.images import ImageStore, image_digest
from paperagents.values import dataclass

_ROWS = "SELECT changes.*, runs.tool FROM changes LEFT JOIN runs ON runs.run_id = changes.root_run"
_MOST_ROWS = 100_000
_MOST = 2**62
"""More rows than any database has."""
ReadNow = Callable[[str, str], str | None]
"""The text of a note or entry as it is now, by kind and path; None where there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeRow:
    """One change that one step of a run made to a note or an entry."""

    seq: int
    root_run: str
    """The run that somebody started."""
    run_id: str
    tool: str | None
    """Of that run."""
    step: int
    kind: str
    path: str
    before: str | None
    """The digest of the text; None where there was none."""
    after: str | None
    added: int
    removed: int
    when: str
    approved_by: str | None
    undoes: str
    """The run that this change takes back; empty for any other change."""
    made: bool
    """False where the program was killed before it was known to be made."""
    signature: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunChange:
    """What a run has changed in one note or entry, all its steps together."""

    rows: tuple[ChangeRow, ...]

    @property
    def first(self) -> ChangeRow:
        """What names the run and the note or entry."""
        return self.rows[0]

    @property
    def name(self) -> str:
        """Of the note or entry, for people."""
        return name_target(self.first.kind, self.first.path)

    @property
    def spans(self) -> tuple[tuple[ChangeRow, ...], ...]:
        """The changes that follow directly upon each other; between two, somebody else has changed the text."""
        spans: list[list[ChangeRow]] = []
        for row in self.rows:
            if spans and spans[-1][-1].after == row.before:
                spans[-1].append(row)
            else:
                spans.append([row])
        # What the run itself has taken back is no change.
        return tuple(tuple(span) for span in spans if span[0].before != span[-1].after)

    @property
    def word(self) -> str:
        """``created``, ``changed`` or ``deleted``."""
        first, last = self.spans[0][0], self.spans[-1][-1]
        return "deleted" if last.after is None else "created" if first.before is None else "changed"


class ChangeHistory:
    """The read side of the changes of one vault."""

    def __init__(self, journal: Journal, read_now: ReadNow) -> None:
        self._journal = journal
        self._database = journal.database
        self.images = ImageStore(journal.database)
        self.read_now = read_now

    # --- what was changed

    def of_run(self, root_run: str) -> list[RunChange]:
        """What a run, and every run below it, has changed: one for each note and entry, in the order they came."""
        return _by_target(self._made(f"{_ROWS} WHERE root_run = ? ORDER BY seq", (root_run,)))

    def rows_of(self, kind: str, path: str) -> list[ChangeRow]:
        """Every change of one note or entry, the oldest first."""
        return self._made(f"{_ROWS} WHERE kind = ? AND path = ? ORDER BY seq", (kind, path))

    def changes(self, *, file: str | None = None, run: str | None = None, limit: int | None = None) -> list[RunChange]:
        """What runs have changed, the newest first: in one file or entry, by one run, or all."""
        if run is not None:
            found = self.of_run(run)
        elif file is not None:
            kind, _, identifier = file.partition("/")
            found = _by_target([*self.rows_of("", file), *self.rows_of(kind, identifier)])
        else:
            newest = self._made(f"{_ROWS} ORDER BY seq DESC LIMIT ?", (_MOST_ROWS,))
            found = _by_target(newest[::-1])
        chosen = [each for each in found if file is None or each.name == file]
        return sorted(chosen, key=lambda each: each.rows[-1].seq, reverse=True)[:limit]

    def newest_run(self, *, even_undone: bool) -> str | None:
        """The run that changed something last; ``even_undone``, also where all of it was taken back."""
        seen: set[str] = set()
        seq = _MOST
        query = "SELECT seq, root_run FROM changes WHERE seq < ? ORDER BY seq DESC LIMIT 100"
        while rows := self._rows(query, (seq,)):
            for row in rows:
                seq, run = row["seq"], str(row["root_run"])
                if run in seen:
                    continue
                seen.add(run)
                found = self.of_run(run)
                if found and (even_undone or not all(map(self.is_undone, found))):
                    return run
        return None

    def is_own(self, row: ChangeRow) -> bool:
        """Whether the user, or somebody trusted, has signed it; what came along with a database is not."""
        signed = signed_parts(row.run_id, row.kind, row.path, row.before, row.after, undoes=row.undoes)
        return self._journal.signatures.is_valid(row.signature, *signed)

    def is_undone(self, change: RunChange) -> bool:
        """Whether it was taken back, and that not taken back itself.

        What was as before already when its run was taken back had no change to make.
        """
        first = change.first
        if self._is_undone(first.root_run, first.kind, first.path, frozenset()):
            return True
        query = "SELECT 1 FROM changes WHERE undoes = ? AND undoes <> '' AND made = 1 LIMIT 1"
        if not self._rows(query, (first.root_run,)):
            return False
        with suppress(PaperError):
            now = self.read_now(first.kind, first.path)
            return (image_digest(now) if now is not None else None) == first.before
        return False

    def undoing_run(self, root_run: str) -> str | None:
        """The newest run that took changes of this one back and was not taken back itself: undoing it is redoing."""
        query = "SELECT root_run FROM changes WHERE undoes = ? AND undoes <> '' ORDER BY seq DESC LIMIT 100"
        undoing = readable("changes", self._rows(query, (root_run,)), lambda row: row.text("root_run"))
        changes = ((run, self.of_run(run)) for run in dict.fromkeys(undoing))
        return next((run for run, found in changes if found and not all(map(self.is_undone, found))), None)

    # --- as people and programs see it

    def as_json(self, change: RunChange) -> JsonObject:
        """The form of ``paper changes list --json``."""
        counts = [self._count(span) for span in change.spans]
        return {
            "run_id": change.first.root_run,
            "tool": change.first.tool,
            "step": change.rows[-1].step,
            "path": change.name,
            "change": change.word,
            "added": sum(added for added, _ in counts),
            "removed": sum(removed for _, removed in counts),
            "when": change.rows[-1].when,
            "approved_by": change.rows[-1].approved_by,
            "undone": self.is_undone(change),
        }

    def show(self, change: RunChange, redact: Callable[[str], str]) -> JsonObject:
        """The form of ``paper changes show --json``; the diff is empty where the texts are not kept any more."""
        diff: list[str] = []
        hunks: list[str] = []
        for texts in filter(None, map(self.texts, change.spans)):
            found = unified_hunks(*texts, redact)
            diff += [diff_head(*texts, change.name), *found]
            hunks += found
        return {"path": change.name, "change": change.word, "diff": "\n".join(diff), "hunks": describe_hunks(hunks)}

    def texts(self, span: Sequence[ChangeRow]) -> tuple[str | None, str | None] | None:
        """The texts before and after some changes; None where one of them is not kept any more."""
        found = []
        for digest in (span[0].before, span[-1].after):
            found.append(self.images.load(digest) if digest is not None else None)
            if digest is not None and found[-1] is None:
                return None
        return found[0], found[1]

    # --- reading

    def _count(self, span: Sequence[ChangeRow]) -> tuple[int, int]:
        texts = self.texts(span) if len(span) > 1 else None
        return (span[0].added, span[0].removed) if texts is None else count_lines(*texts)

    def _is_undone(self, run: str, kind: str, path: str, seen: frozenset[str]) -> bool:
        query = "SELECT DISTINCT root_run FROM changes WHERE undoes = ? AND kind = ? AND path = ? AND undoes <> ''"
        undoing = readable("changes", self._rows(query, (run, kind, path)), lambda row: row.text("root_run"))
        # A stranger's rows may undo each other in a circle.
        return any(
            each not in seen
            and self._is_made_by(each, kind, path)
            and not self._is_undone(each, kind, path, seen | {run})
            for each in undoing
        )

    def _is_made_by(self, run: str, kind: str, path: str) -> bool:
        return bool(self._made(f"{_ROWS} WHERE root_run = ? AND kind = ? AND path = ?", (run, kind, path)))

    def _made(self, query: str, values: Sequence[Any]) -> list[ChangeRow]:
        found = readable("changes", self._rows(query, values), _read_row)
        return [row for row in found if row.made or self.settle(row)]

    def settle(self, row: ChangeRow) -> bool:
        """Whether a change was made before the program was killed, from what became of the text.

        Where somebody has edited it since, the text is nearer to what it would have become, or to what it was.
        """
        query = "SELECT before FROM changes WHERE kind = ? AND path = ? AND seq > ? ORDER BY seq LIMIT 1"
        following = self._rows(query, (row.kind, row.path, row.seq))
        try:
            now = self._load(following[0]["before"]) if following else self.read_now(row.kind, row.path)
        except PaperError:
            # No text any more: it was changed by somebody, and perhaps by this.
            return True
        digest = image_digest(now) if now is not None else None
        if digest in (row.before, row.after):
            return digest == row.after
        before, after = (sum(count_lines(self._load(each), now)) for each in (row.before, row.after))
        return after < before

    def _load(self, digest: str | None) -> str | None:
        return self.images.load(digest) if digest is not None else None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        self._journal.flush_all()
        try:
            return self._database.rows(query, values) if self._database.exists() else []
        except UnicodeEncodeError:
            # Half a character is in no text that was ever kept.
            return []


def read_now(folder: VaultFolder, entries: EntryStore, kind: str, path: str) -> str | None:
    """The text of a note, where ``kind`` is empty, or of an entry as it is now; None where there is none."""
    if kind:
        return text_of(entries.get(kind, path))
    found = folder.find_text(path)
    return found.content if found is not None else None


def _read_row(row: StoredRow) -> ChangeRow:
    return ChangeRow(
        seq=row.whole("seq"),
        root_run=row.text("root_run"),
        run_id=row.text("run_id"),
        tool=row.text_or_none("tool"),
        step=row.whole("step"),
        kind=row.text("kind"),
        path=row.text("path"),
        before=row.text_or_none("before"),
        after=row.text_or_none("after"),
        added=row.whole("added"),
        removed=row.whole("removed"),
        when=row.text("changed"),
        approved_by=row.text_or_none("approved_by"),
        undoes=row.text("undoes"),
        made=bool(row.whole("made")),
        signature=row.text("signature"),
    )


def _by_target(rows: Iterable[ChangeRow]) -> list[RunChange]:
    """The changes of each run and each note or entry together, without those that come to nothing."""

    def key(row: ChangeRow) -> tuple[str, str, str]:
        return row.root_run, row.kind, row.path

    groups = (RunChange(rows=tuple(group)) for _, group in groupby(sorted(rows, key=key), key))
    found = [each for each in groups if each.spans]
    return sorted(found, key=lambda each: each.first.seq)
