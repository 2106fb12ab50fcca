"""Runs and their journal: what resuming replays, written as it happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from paperagents.approval.question import ApprovalRequest
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import StorageError, UsageError
from paperagents.runs.history import FOR_RUN, REPEATED, Intent, RunHistory, StoredRun, as_text
from paperagents.runs.record import LogEntry, RunRecord
from paperagents.storage.database import Connection, Database
from paperagents.storage.rows import StoredRow

MOST_QUEUED = 10_000
EVERYTHING = "*"
"""In the place of a question: the answer holds for every one."""
_GATHER_ENTRIES = 200
_GATHER_SECONDS = 0.1
_ENTRY = "INSERT INTO journal (run_id, path, final, incomplete, entry) VALUES (?, ?, ?, ?, ?)"
_DEFINITION = "INSERT INTO definitions (digest, file, content) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING"
_RUN = (
    "INSERT INTO runs (run_id, parent_run, tool, status, started, duration_ms, arguments, definition, clock, "
    "incomplete) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INTENT = (
    "INSERT INTO intents (run_id, path, digest, before, after, answer, arguments) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (run_id, path) DO UPDATE SET digest = excluded.digest, before = excluded.before, "
    "after = excluded.after, answer = excluded.answer, arguments = excluded.arguments"
)
_QUESTION = (
    "INSERT INTO approvals (id, run_id, root_run, step, tool, arguments, preview, digest, target, requested) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET requested = excluded.requested, "
    "arguments = excluded.arguments, preview = excluded.preview, digest = excluded.digest"
)
_ANSWER = (
    "INSERT INTO answers (run_id, digest, decision) VALUES (?, ?, ?) "
    "ON CONFLICT (run_id, digest) DO UPDATE SET decision = excluded.decision"
)
_SERVED = (
    "DELETE FROM answers WHERE run_id = ? AND digest <> ? AND substr(digest, 1, 4) <> 'run:' "
    "AND digest NOT IN (SELECT digest FROM approvals WHERE root_run = ?)"
)
"""Answers to what a run that waits does not ask any more: they are no reason to go on."""


@dataclass(kw_only=True)
class _Gathered:
    """Statements of one run that wait for the next transaction, in their order."""

    since: float = field(default_factory=time.monotonic)
    statements: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)


class RunStore(RunHistory):
    """The runs of one vault.

    Entries of steps that change nothing are gathered and written together; they survive a kill once written.
    A change is written down before and after it is made, and survives the loss of power, too.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._gathered: dict[str, _Gathered] = {}
        self._changing: set[str] = set()
        self._kept: set[str] = set()
        self._failed: dict[str, StorageError] = {}
        """Why nothing more can be written of a run by this process."""
        self._lock = threading.Lock()

    # --- while a run goes on

    @contextmanager
    def held(self, run_id: str, *, tool: str | None = None) -> Iterator[None]:
        """Inside, nobody else works on this run. Raises UsageError where somebody does."""
        with self.database.held(run_id, tool=tool):
            try:
                yield
            finally:
                # What could not be written is the business of whoever goes on with the run.
                self._gathered.pop(run_id, None)
                self._changing.discard(run_id)
                self._failed.pop(run_id, None)

    def keeps(self, definition: str) -> bool:
        """Whether the file with this digest has surely been written down; a no costs only writing it again."""
        return definition in self._kept

    def start(self, run: StoredRun, *, file: str | None, content: bytes | None) -> None:
        """Write down a new run, pinned to the very file it was started from.

        That is done together with its first entries, and always before it changes or asks anything: a run that is
        killed sooner has done nothing and leaves nothing.
        """
        if run.definition is not None and content is not None:
            self._gather(run.run_id, _DEFINITION, (run.definition, file or "", content))
        row = (run.run_id, run.parent_run, run.tool, run.status, run.started, run.duration_ms, as_text(run.arguments),
               run.definition, as_text({**run.clock}), int(run.incomplete))  # fmt: skip
        self._gather(run.run_id, _RUN, row)

    def append(  # noqa: PLR0913  everything that going on depends on
        self,
        run_id: str,
        path: str,
        entry: LogEntry,
        *,
        final: bool,
        incomplete: bool = False,
        durable: bool = True,
    ) -> None:
        """Add an entry; ``final`` ones have a result that is never computed again, ``incomplete`` ones lack secrets.

        The entry of a change is written at once, and outlives the loss of power where it is ``durable``.
        """
        row = (run_id, path, int(final), int(incomplete), as_text(entry.as_json()))
        gathered = self._gather(run_id, _ENTRY, row)
        waited = max(time.monotonic() - gathered.since, entry.duration_ms / 1000)
        if entry.hitl_required:
            self._changing.add(_root(run_id))
            self._write_gathered(_root(run_id), durable=durable)
        elif len(gathered.statements) >= _GATHER_ENTRIES or waited > _GATHER_SECONDS:
            self._write_gathered(_root(run_id))

    def flush(self) -> None:
        """Write down everything gathered."""
        for root in list(self._gathered):
            try:
                self._write_gathered(root)
            except StorageError as error:
                if error.code != "run-taken-over":
                    raise

    def intend(self, run_id: str, path: str, intent: Intent, *, answered: str | None = None) -> None:
        """Write down a change before it is made; the stored answer that allowed it has served."""
        with self._writing(run_id, durable=True) as connection:
            if answered is not None:
                connection.execute("DELETE FROM answers WHERE run_id = ? AND digest = ?", (_root(run_id), answered))
            connection.execute(
                _INTENT,
                (run_id, path, intent.digest, intent.before, intent.after, as_text(intent.answer),
                 as_text(intent.arguments)),
            )  # fmt: skip

    def settle(self, run_id: str, path: str) -> None:
        """A failure that the chain went on after is a result, too: that step is not tried again later."""
        with self._writing(run_id) as connection:
            connection.execute("UPDATE journal SET final = 1 WHERE run_id = ? AND path = ?", (run_id, path))

    def set_aside(self, run_id: str, path: str) -> None:
        """An attempt that another one follows: it has its place in the journal, but is no result."""
        with self._writing(run_id) as connection:
            connection.execute(
                "UPDATE journal SET final = ? WHERE run_id = ? AND path IN (?, ?)",
                (REPEATED, run_id, path, f"{path}:post"),
            )

    def forget_intent(self, run_id: str, path: str) -> None:
        """The change was not made, and it is known that it was not."""
        with self._writing(run_id) as connection:
            connection.execute("DELETE FROM intents WHERE run_id = ? AND path = ?", (run_id, path))

    def finish(
        self,
        record: RunRecord,
        arguments: JsonObject,
        *,
        incomplete: bool = False,
        masked: Callable[[JsonValue], JsonValue] | None = None,
    ) -> None:
        """Write down how a run ended, or that it waits.

        ``arguments`` are the real ones only while the run waits and will need them; else without secrets, and
        ``incomplete`` where they had some.
        ``masked`` takes out of the entries of a run that is over what turned out to be a secret later.
        """
        run_id = record.run_id
        rewritten = [] if masked is None or record.status == "waiting" else self._rewritten(run_id, masked)
        with self._writing(run_id, durable=_root(run_id) in self._changing) as connection:
            connection.execute(
                "UPDATE runs SET status = ?, duration_ms = ?, data = ?, error = ?, arguments = ?, incomplete = ? "
                "WHERE run_id = ?",
                (record.status, record.duration_ms, as_text(record.data), as_text(record.error), as_text(arguments),
                 int(incomplete), run_id),
            )  # fmt: skip
            if record.status != "waiting":
                connection.execute("DELETE FROM approvals WHERE root_run = ?", (run_id,))
                connection.execute("DELETE FROM intents WHERE run_id = ?", (run_id,))
                connection.execute("DELETE FROM answers WHERE run_id = ?", (run_id,))
            elif record.parent_run is None:
                connection.execute(_SERVED, (run_id, EVERYTHING, run_id))
            for entry in rewritten:
                connection.execute("UPDATE journal SET entry = ? WHERE seq = ?", entry)
        self._changing.discard(run_id)

    def _rewritten(self, run_id: str, masked: Callable[[JsonValue], JsonValue]) -> list[tuple[str, int]]:
        """The entries that are different once they are masked, each with its number."""
        rows = self._rows("SELECT seq, entry FROM journal WHERE run_id = ?", (run_id,))
        entries = [(as_text(masked(StoredRow("journal", row).object("entry"))), row) for row in rows]
        return [(entry, row["seq"]) for entry, row in entries if entry != row["entry"]]

    def go_on(self, run_id: str) -> None:
        """A run that stood still is carried on: what is not final is forgotten, questions are taken back."""
        with self._writing(run_id) as connection:
            connection.execute("UPDATE runs SET status = 'running', error = NULL WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM journal WHERE run_id = ? AND final = 0", (run_id,))
            connection.execute("DELETE FROM approvals WHERE run_id = ?", (run_id,))

    def ask(self, request: ApprovalRequest, root_run: str) -> None:
        """Keep a question until somebody answers it."""
        with self._writing(root_run, durable=True) as connection:
            # Asked anew: an answer from before does not count twice.
            connection.execute("DELETE FROM answers WHERE run_id = ? AND digest = ?", (root_run, request.digest))
            connection.execute(
                _QUESTION,
                (request.id, request.run_id, root_run, request.step, request.tool, as_text(request.arguments),
                 request.preview, request.digest, request.target, request.requested),
            )  # fmt: skip

    def count_tag(self, tag: str, *, valid: bool, succeeded: bool, duration_ms: float) -> None:
        """One more call that a model wrote into its text."""
        with self.database.transaction() as connection:
            connection.execute(
                "INSERT INTO tag_counts (tag, calls, valid, succeeded, total_ms) VALUES (?, 1, ?, ?, ?) "
                "ON CONFLICT (tag) DO UPDATE SET calls = tag_counts.calls + 1, "
                "valid = tag_counts.valid + excluded.valid, succeeded = tag_counts.succeeded + excluded.succeeded, "
                "total_ms = tag_counts.total_ms + excluded.total_ms",
                (tag, int(valid), int(succeeded), duration_ms),
            )

    # --- for others to go on with

    def enqueue(self, run: StoredRun, *, file: str | None, content: bytes | None, approved: JsonObject | None) -> None:
        """Write down a run that a worker will carry out; ``approved`` is the answer to everything it will ask."""
        with self.database.transaction(durable=True) as connection:
            if self.count("queued") >= MOST_QUEUED:
                raise UsageError("queue-full", limit=MOST_QUEUED)
            self.start(run, file=file, content=content)
            self._write_gathered(run.run_id, durable=True)
            if approved is not None:
                connection.execute(_ANSWER, (run.run_id, EVERYTHING, as_text(approved)))
            self.database.announce(connection, run.run_id)

    def answer(self, run_id: str, digest: str, decision: JsonObject, *, announce: bool = False) -> None:
        """Keep what a person answered, so that it cannot be lost; workers are told where nobody goes on here."""
        with self.database.transaction(durable=True) as connection:
            connection.execute(_ANSWER, (run_id, digest, as_text(decision)))
            if announce:
                self.database.announce(connection, run_id)

    def allow_for_run(self, run_id: str, tool: str) -> None:
        """Keep that a tool is allowed for the rest of a run, also when it has to wait for something else."""
        self.answer(run_id, f"{FOR_RUN}{tool}", {})

    def give_up(self, run_id: str, error: JsonObject) -> None:
        """A run that cannot go on ends here."""
        query = "UPDATE runs SET status = 'failed', error = ? WHERE run_id = ? AND status IN ('queued', 'running')"
        with self._writing(run_id) as connection:
            connection.execute(query, (as_text(error), run_id))

    def announce(self, run_id: str) -> None:
        """Tell the workers that a run is to go on."""
        with self.database.transaction(durable=True) as connection:
            self.database.announce(connection, run_id)

    # --- writing

    def _gather(self, run_id: str, statement: str, values: tuple[Any, ...]) -> _Gathered:
        with self._lock:
            gathered = self._gathered.setdefault(_root(run_id), _Gathered())
            gathered.statements.append((statement, values))
        return gathered

    def _write_gathered(self, root: str, *, durable: bool = False) -> None:
        if root in self._gathered or durable:
            with self._writing(root, durable=durable):
                pass

    @contextmanager
    def _writing(self, run_id: str, *, durable: bool = False) -> Iterator[Connection]:
        """A transaction that begins with everything gathered for a run, so that what is written keeps its order."""
        root = _root(run_id)
        if root in self._failed:
            raise self._failed[root]
        statements: list[tuple[str, tuple[Any, ...]]] = []
        try:
            with self.database.transaction(durable=durable) as connection:
                self.database.require_held(connection, root)
                # Taken only now: whoever holds the database may wait for this lock, never the other way round.
                with self._lock:
                    gathered = self._gathered.pop(root, None)
                statements = gathered.statements if gathered is not None else []
                for statement, values in statements:
                    connection.execute(statement, values)
                yield connection
        except StorageError as error:
            # A journal with a gap would be no journal: whoever holds the run next goes on from what is written.
            self._failed[root] = error
            raise
        self._kept.update(values[0] for statement, values in statements if statement is _DEFINITION)

    def _rows(self, query: str, values: Any = ()) -> list[Any]:
        # What this process has gathered is part of what it knows.
        self.flush()
        return super()._rows(query, values)


def _root(run_id: str) -> str:
    """The run that somebody started; the ids of those below it begin with its id and a dot."""
    return run_id.partition(".")[0]
