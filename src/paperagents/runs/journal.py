"""The journal of runs: written before and after each effect, so that a run can be resumed and nothing is done twice.

Rows of steps that change nothing are buffered and written together: a moment later by a timer, also while a step
goes on, before anything leaves the vault, and before every change. A change is journaled before it is made (the
intent) and after (the entry), and both survive the loss of power.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Literal

from paperagents.approval.question import Approved, decision_as_json, decision_of
from paperagents.approval.signatures import Signatures
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import RunTakenOverError, StorageError, UsageError
from paperagents.runs.record import Intent, LogEntry, RunRecord, StepPath, StoredRun, read_step, root_of, signed_parts
from paperagents.runs.redacted_entries import redact_entries
from paperagents.runs.statements import (
    ADD_DEFINITION,
    ADD_ENTRY,
    ADD_RUN,
    DELETE_STALE_ANSWERS,
    PUT_INTENT,
    STORE_PART,
    close_question,
)
from paperagents.runs.usage_totals import count_usage
from paperagents.storage.blobs import Packed, pack, pack_fields, store_part, unpack
from paperagents.storage.database import Connection, Database, StoredRow, encode
from paperagents.storage.totals import count_ending, take_back_ending

MOST_QUEUED = 10_000
_BUFFERED_ROWS, _BUFFER_SECONDS, _DEFINITION_SECONDS = 200, 0.1, 3600
_OVER = ("succeeded", "denied")
_IDLE_SECONDS = 2.0
"""How long the thread that writes buffered rows waits for the next ones before it ends."""
State = Literal["final", "open", "superseded", "unknown", "dropped"]
"""A result for good; none yet; an attempt that another followed; nobody knows if it was done; a change never made."""


class Journal:
    """The write side of the runs of one vault, and what resuming reads back; ``History`` is the read side."""

    def __init__(self, database: Database, signatures: Signatures) -> None:
        self.database = database
        self.signatures = signatures
        self._buffers: dict[str, list[tuple[str, tuple[Any, ...]]]] = {}
        self._has_rows = threading.Event()
        self._closing = threading.Event()
        self._in_flight: dict[str, tuple[int, threading.Event]] = {}
        """Runs whose buffered rows a thread has taken and not yet committed: a reader must wait for them."""
        self._flusher: threading.Thread | None = None
        self._changing: set[str] = set()
        self._unsigned: dict[str, tuple[JsonValue, ...]] = {}
        """Runs whose first row is buffered, with what it is signed over."""
        self._written_definitions: dict[str, float] = {}
        """When each was last written: it goes with the last run that refers to it."""
        self._failed: dict[str, StorageError] = {}
        """Why nothing more can be journaled of a run by this process."""
        self._lock = threading.Lock()

    def close(self) -> None:
        """End the thread that writes buffered rows."""
        self._closing.set()
        self._has_rows.set()
        if self._flusher is not None and self._flusher.is_alive():
            self._flusher.join()

    # --- one at a time

    def lock_run(self, run_id: str, *, tool: str | None = None) -> AbstractContextManager[None]:
        """Inside, nobody else works on this run. Raises RunBusyError where somebody does."""
        return self._lock_run(run_id, tool)

    @contextmanager
    def _lock_run(self, run_id: str, tool: str | None) -> Iterator[None]:
        with self.database.held(run_id, tool=tool):
            try:
                yield
            finally:
                # What could not be written is the business of whoever resumes the run.
                self._buffers.pop(run_id, None)
                self._unsigned.pop(run_id, None)
                self._changing.discard(run_id)
                self._failed.pop(run_id, None)

    # --- while a run goes on

    def has_definition(self, digest: str) -> bool:
        """Whether the file with this digest has surely been written; a no costs only writing it again."""
        return time.monotonic() - self._written_definitions.get(digest, -math.inf) < _DEFINITION_SECONDS

    def start(self, run: StoredRun, *, file: str | None, content: bytes | None) -> None:
        """Begin a run, pinned to the very file it was started from."""
        if run.definition is not None and content is not None:
            self.buffer(run.run_id, ADD_DEFINITION, (run.definition, file or "", content))
        arguments = pack(encode(run.arguments))
        row: dict[str, Any] = {
            "run_id": run.run_id, "parent_run": run.parent_run, "tool": run.tool, "status": run.status,
            "started": run.started, "duration_ms": run.duration_ms, "arguments": encode(run.arguments),
            "definition": run.definition, "clock": encode({**run.clock}), "redacted": int(run.redacted),
            "warnings": encode([*run.warnings]), "trace": run.trace,
        }  # fmt: skip
        if run.parent_run is None:
            # What is below another run goes on with it. Signed when it is written: most are over by then.
            self._unsigned[run.run_id] = signed_parts(StoredRow("runs", row))
        self._buffer_parts(run.run_id, arguments)
        self.buffer(run.run_id, ADD_RUN, tuple({**row, "arguments": arguments.text}.values()))

    def append(  # noqa: PLR0913  everything that resuming depends on
        self, run_id: str, path: str, entry: LogEntry, *, state: State, redacted: bool = False, durable: bool = True,
        at_once: bool = False, collected: bool = False,
    ) -> None:  # fmt: skip
        """Add an entry; ``redacted`` ones lack secrets that a resumed run may need.

        The entry of a change, or one that is wanted ``at_once``, is written now; that of a change outlives the loss
        of power where it is ``durable``. One that is ``collected`` is no change yet.
        """
        packed = pack_fields(entry.as_json(), encode)
        self._buffer_parts(run_id, packed)
        rows = self.buffer(run_id, ADD_ENTRY, (run_id, path, state, int(redacted), packed.text))
        if entry.hitl_required and not collected:
            self._changing.add(root_of(run_id))
            self.flush(run_id, durable=durable)
        elif at_once or rows >= _BUFFERED_ROWS:
            self.flush(run_id)

    def flush(self, run_id: str, *, durable: bool = False) -> None:
        """Write everything buffered for a run, and wait for what another thread is writing of it."""
        root = root_of(run_id)
        if root in self._buffers or durable:
            with self.transaction(run_id, durable=durable):
                pass
        thread, written = self._in_flight.get(root, (0, None))
        if written is not None and thread != threading.get_ident():
            written.wait()

    def flush_all(self) -> None:
        """Write everything buffered: what this process knows is what everybody can read."""
        for root in {*self._buffers, *self._in_flight}:
            with suppress(RunTakenOverError):
                self.flush(root)

    def set_warnings(self, run_id: str, warnings: Sequence[str]) -> None:
        """Replace what a person should know of a run; written with the entries around it."""
        self.buffer(run_id, "UPDATE runs SET warnings = ? WHERE run_id = ?", (encode([*warnings]), run_id))

    def intend(self, run_id: str, path: str, intent: Intent, *, was_asked: bool = True) -> None:
        """Journal a change before it is made; the question about it is over, and its answer has served."""
        approved = decision_as_json(intent.approved.repeated) if intent.approved is not None else {}
        with self.transaction(run_id, durable=True) as connection:
            if was_asked:
                close_question(connection, run_id, path)
            connection.execute(
                PUT_INTENT,
                (run_id, path, intent.digest, intent.before, intent.after, encode(intent.answer),
                 encode(intent.arguments), encode(approved),
                 self.signatures.sign("intent", run_id, path, intent.digest, approved)),
            )  # fmt: skip

    def forget_intent(self, run_id: str, path: str) -> None:
        """The change was not made, and it is known that it was not."""
        with self.transaction(run_id) as connection:
            connection.execute("DELETE FROM intents WHERE run_id = ? AND path = ?", (run_id, path))

    def mark_final(self, run_id: str, path: str) -> None:
        """A failure that the chain goes on after is a result, too: that step is not tried again."""
        with self.transaction(run_id) as connection:
            connection.execute("UPDATE journal SET state = 'final' WHERE run_id = ? AND path = ?", (run_id, path))

    def mark_superseded(self, run_id: str, path: StepPath) -> None:
        """Another attempt follows this one: it stays in the journal, but is no result."""
        with self.transaction(run_id) as connection:
            connection.execute(
                "UPDATE journal SET state = 'superseded' WHERE run_id = ? AND path IN (?, ?)",
                (run_id, path, path.post_processing()),
            )

    def finish(
        self,
        record: RunRecord,
        arguments: JsonObject,
        *,
        redacted: bool = False,
        redact: Callable[[JsonValue], JsonValue] | None = None,
    ) -> None:
        """Write how a run ended, or that it waits.

        ``arguments`` are the real ones only while the run waits and will need them; else without secrets.
        ``redact`` takes out of the entries of a run that is over what turned out to be a secret later.
        """
        run_id = record.run_id
        if record.status in _OVER:
            # Nobody can go on with it.
            self._unsigned.pop(run_id, None)
        data, given = pack(encode(record.data)), pack(encode(arguments))
        with self.transaction(run_id, durable=root_of(run_id) in self._changing) as connection:
            for digest, part in {**data.parts, **given.parts}.items():
                store_part(connection, run_id, digest, part)
            count_usage(self.database, connection, record)
            connection.execute(
                "UPDATE runs SET status = ?, duration_ms = ?, data = ?, error = ?, arguments = ?, redacted = ?, "
                "warnings = ?, usage = ? WHERE run_id = ?",
                (record.status, record.duration_ms, data.text, encode(record.error), given.text,
                 int(redacted), encode([*record.warnings]), encode(record.usage and record.usage.as_json()), run_id),
            )  # fmt: skip
            if record.status != "waiting":
                connection.execute("DELETE FROM questions WHERE root_run = ?", (run_id,))
                connection.execute("DELETE FROM answers WHERE root_run = ?", (run_id,))
                connection.execute("DELETE FROM intents WHERE run_id = ?", (run_id,))
            elif record.parent_run is None:
                # With everything it needs to go on, also what is kept nowhere once it is over.
                row = StoredRow("runs", self._rows(run_id, "SELECT * FROM runs WHERE run_id = ?", (run_id,))[0])
                signature = self.signatures.sign(*signed_parts(row))
                connection.execute("UPDATE runs SET signature = ? WHERE run_id = ?", (signature, run_id))
                # What it did not ask again it does not need any more, and answers to that are no reason to resume.
                connection.execute("DELETE FROM questions WHERE root_run = ? AND withdrawn = 1", (run_id,))
                connection.execute(DELETE_STALE_ANSWERS, (run_id,))
            if redact is not None and record.status != "waiting":
                redact_entries(self.database, connection, run_id, redact)
            count_ending(connection, run_id)
        self._changing.discard(run_id)

    # --- for others to resume

    def enqueue(self, run: StoredRun, *, file: str | None, content: bytes | None) -> None:
        """Write a run that a worker will carry out."""
        with self.database.transaction(durable=True) as connection:
            queued = self.database.rows("SELECT count(*) AS runs FROM runs WHERE status = 'queued'")
            if queued[0]["runs"] >= MOST_QUEUED:
                raise UsageError("queue-full", limit=MOST_QUEUED)
            self.start(run, file=file, content=content)
            self.flush(run.run_id, durable=True)
            self.database.announce(connection, run.run_id)

    def announce(self, run_id: str) -> None:
        """Tell the workers that a run can go on."""
        with self.database.transaction(durable=True) as connection:
            self.database.announce(connection, run_id)

    def abandon(self, run_id: str, error: JsonObject) -> None:
        """End a run that can never be resumed."""
        query = "UPDATE runs SET status = 'failed', error = ? WHERE run_id = ? AND status IN ('queued', 'running')"
        with self.transaction(run_id) as connection:
            if connection.execute(query, (encode(error), run_id)).rowcount:
                count_ending(connection, run_id)

    # --- whose run it is

    def is_own(self, run_id: str) -> bool:
        """Whether this user, or somebody trusted, has started the run; one that is not there is nobody's.

        One that is over for good needs no proof: nobody can go on with it.
        """
        root = root_of(run_id)
        # Without the result of one that is over: it may have megabytes.
        rows = self._rows(run_id, "SELECT status FROM runs WHERE run_id = ?", (root,))
        if not rows or rows[0]["status"] in _OVER:
            return bool(rows)
        rows = self._rows(run_id, "SELECT * FROM runs WHERE run_id = ?", (root,))
        return bool(rows) and self._is_signed(StoredRow("runs", rows[0]))

    def adopt(self, run_id: str) -> None:
        """Make a run that came along the user's own: nothing in it is agreed on any more; its questions are asked.

        What was about to be done stays known: without it, a request would be sent twice.
        """
        with self.lock_run(run_id), self.transaction(run_id, durable=True) as connection:
            rows = self._rows(run_id, "SELECT * FROM runs WHERE run_id = ?", (run_id,))
            if not rows or self._is_signed(run := StoredRow("runs", rows[0])):
                return
            connection.execute("DELETE FROM answers WHERE root_run = ?", (run_id,))
            query = "UPDATE intents SET signature = '' WHERE run_id = ? OR (run_id >= ? AND run_id < ?)"
            connection.execute(query, (run_id, f"{run_id}.", f"{run_id}/"))
            signature = self.signatures.sign(*signed_parts(run))
            connection.execute("UPDATE runs SET signature = ? WHERE run_id = ?", (signature, run_id))

    def _sign(self, run_id: str) -> str | None:
        parts = self._unsigned.pop(run_id, None)
        return self.signatures.sign(*parts) if parts is not None else None

    def _is_signed(self, run: StoredRow) -> bool:
        return self.signatures.is_valid(run.text_or_none("signature"), *signed_parts(run))

    # --- resuming

    def reopen(self, run_id: str) -> dict[str, JsonObject]:
        """Resume a run: what is not final is forgotten. Gives the entries that waited for an answer, by path.

        Its questions are only marked: until the run has asked again, or has ended, they can be answered.
        """
        waiting = {path: entry for path, entry in self._entries(run_id, "open").items() if entry["status"] == "waiting"}
        with self.transaction(run_id) as connection:
            take_back_ending(connection, run_id)
            connection.execute("UPDATE runs SET status = 'running', error = NULL WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM journal WHERE run_id = ? AND state IN ('open', 'unknown')", (run_id,))
            connection.execute("UPDATE questions SET withdrawn = 1 WHERE run_id = ?", (run_id,))
        return waiting

    def results(self, run_id: str) -> dict[str, JsonObject]:
        """The final entries of a run by their path."""
        return self._entries(run_id, "final")

    def superseded(self, run_id: str) -> dict[str, JsonObject]:
        """The entries of attempts that were followed by another, by their path."""
        return self._entries(run_id, "superseded")

    def intent(self, run_id: str, path: str) -> Intent | None:
        """The change a run was about to make at this step, if it was interrupted there."""
        rows = self._rows(run_id, "SELECT * FROM intents WHERE run_id = ? AND path = ?", (run_id, path))
        if not rows:
            return None
        row = StoredRow("intents", rows[0])
        approved, signature = row.object("approved"), row.text("signature")
        is_agreed = self.signatures.is_valid(signature, "intent", run_id, path, row.text("digest"), approved)
        yes = decision_of(approved) if is_agreed else None
        return Intent(
            digest=row.text("digest"),
            before=row.text("before"),
            after=row.text_or_none("after"),
            answer=row.value("answer"),
            arguments=row.object("arguments"),
            approved=yes if isinstance(yes, Approved) else None,
            is_agreed=is_agreed,
        )

    def lacks_secrets(self, root_run: str) -> bool:
        """Whether secrets were left out of results that this run, or one below it, is resumed with."""
        query = "SELECT 1 FROM journal WHERE state = 'final' AND redacted = 1 AND "
        query += "(run_id = ? OR (run_id >= ? AND run_id < ?)) LIMIT 1"
        return bool(self._rows(root_run, query, (root_run, f"{root_run}.", f"{root_run}/")))

    # --- writing

    def _buffer_parts(self, run_id: str, packed: Packed) -> None:
        for digest, part in packed.parts.items():
            self.buffer(run_id, STORE_PART, (run_id, digest, part))

    def buffer(self, run_id: str, statement: str, values: tuple[Any, ...]) -> int:
        """Keep a statement for the next transaction of its run; gives how many are kept."""
        with self._lock:
            rows = self._buffers.setdefault(root_of(run_id), [])
            rows.append((statement, values))
            self._has_rows.set()
            if self._flusher is None or not self._flusher.is_alive():
                self._flusher = threading.Thread(target=self._flush_regularly, name="paper-journal", daemon=True)
                self._flusher.start()
            return len(rows)

    def _flush_regularly(self) -> None:
        """Write what is buffered, also while a step goes on: a run that is killed must have left its trace."""
        while True:
            if not self._has_rows.wait(_IDLE_SECONDS):
                with self._lock:
                    if not self._has_rows.is_set():
                        self._flusher = None
                        return
            if self._closing.wait(_BUFFER_SECONDS):
                return
            self._has_rows.clear()
            # What fails is kept by run: the next write of that run raises it.
            with suppress(StorageError):
                self.flush_all()

    @contextmanager
    def transaction(self, run_id: str, *, durable: bool = False) -> Iterator[Connection]:
        """A transaction that begins with everything buffered for a run, so that the journal keeps its order."""
        root = root_of(run_id)
        if root in self._failed:
            raise self._failed[root]
        statements: list[tuple[str, tuple[Any, ...]]] = []
        written = threading.Event()
        try:
            with self.database.transaction(durable=durable) as connection:
                self.database.require_held(connection, root)
                statements = self._take_buffered(root, written)
                for statement, values in statements:
                    if statement is STORE_PART:
                        store_part(connection, *values)
                        continue
                    connection.execute(statement, (*values, self._sign(values[0])) if statement is ADD_RUN else values)
                yield connection
        except StorageError as error:
            # A journal with a gap would be no journal: whoever locks the run next resumes from what is written.
            self._failed[root] = error
            raise
        finally:
            if statements:
                self._in_flight.pop(root, None)
                written.set()
        definitions = (values[0] for statement, values in statements if statement is ADD_DEFINITION)
        self._written_definitions.update(dict.fromkeys(definitions, time.monotonic()))

    def _take_buffered(self, root: str, written: threading.Event) -> list[tuple[str, tuple[Any, ...]]]:
        """Take what is buffered for a run, after what another thread has taken of it and not yet committed.

        Only called inside a transaction: whoever has the database may wait for the lock, never the other way round.
        """
        while True:
            with self._lock:
                thread, taken = self._in_flight.get(root, (0, None))
                if taken is None or thread == threading.get_ident():
                    if statements := self._buffers.pop(root, []):
                        self._in_flight[root] = threading.get_ident(), written
                    return statements
            taken.wait()

    def _entries(self, run_id: str, state: State) -> dict[str, JsonObject]:
        query = "SELECT path, entry FROM journal WHERE run_id = ? AND state = ? ORDER BY seq"
        return dict(read_step(StoredRow("journal", row)) for row in self._rows(run_id, query, (run_id, state)))

    def _rows(self, run_id: str, query: str, values: tuple[Any, ...]) -> list[Any]:
        self.flush(run_id)
        return unpack(self.database, self.database.rows(query, values)) if self.database.exists() else []
