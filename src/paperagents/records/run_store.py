"""Runs and their journal: what history shows, what resuming replays."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from paperagents.approval.decision import ApprovalRequest
from paperagents.approval.digest import digest_of
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import UsageError
from paperagents.records.database import Database
from paperagents.records.masking import MASK
from paperagents.records.record import LogEntry, RunRecord
from paperagents.records.run_locks import RunLocks

_GATHER_ENTRIES = 200
_ENTRY = "INSERT INTO journal (run_id, path, final, entry) VALUES (?, ?, ?, ?)"
_GATHER_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRun:
    """A run as it was started: enough to go on with it."""

    run_id: str
    parent_run: str | None
    tool: str
    status: str
    started: str
    duration_ms: float
    arguments: JsonObject
    definition: str | None
    clock: dict[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """A change that was about to be made, written down before it was."""

    digest: str
    before: str
    after: str | None
    answer: JsonValue


class RunStore:
    """The runs of one vault.

    Entries of steps that change nothing are gathered and written together; they survive a kill once written.
    A change is written down before and after it is made, and survives the loss of power, too.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._locks = RunLocks(database.file.with_name("runs.lock"))
        self._gathered: list[tuple[str, tuple[Any, ...]]] = []
        """Statements that wait for the next transaction, in their order."""
        self._gathered_since = 0.0
        self._changing: set[str] = set()
        self._kept: set[str] = set()
        self._lock = threading.Lock()

    # --- while a run goes on

    def held(self, run_id: str) -> AbstractContextManager[None]:
        """Inside, nobody else works on this run. Raises UsageError where somebody does."""
        return self._locks.held(run_id)

    def keeps(self, definition: str) -> bool:
        """Whether the file with this digest has surely been written down; a no costs only writing it again."""
        return definition in self._kept

    def start(self, run: StoredRun, *, file: str | None, content: bytes | None) -> None:
        """Write down a new run, pinned to the very file it was started from.

        That is done together with its first entries, and always before it changes or asks anything: a run that is
        killed sooner has done nothing and leaves nothing.
        """
        statements: list[tuple[str, tuple[Any, ...]]] = []
        if run.definition is not None and content is not None:
            values = (run.definition, file or "", content)
            statements.append(("INSERT OR IGNORE INTO definitions VALUES (?, ?, ?)", values))
            self._kept.add(run.definition)
        row = (run.run_id, run.parent_run, run.tool, run.status, run.started, run.duration_ms, _text(run.arguments),
               run.definition, _text({**run.clock}))  # fmt: skip
        statements.append(("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)", row))
        with self._lock:
            self._gathered_since = self._gathered_since if self._gathered else time.monotonic()
            self._gathered += statements

    def append(self, run_id: str, path: str, entry: LogEntry, *, final: bool) -> None:
        """Add an entry; ``final`` ones have a result that is never computed again."""
        row = (run_id, path, final, _text(entry.as_json()))
        with self._lock:
            self._gathered_since = self._gathered_since if self._gathered else time.monotonic()
            self._gathered.append((_ENTRY, row))
            waited = max(time.monotonic() - self._gathered_since, entry.duration_ms / 1000)
            due = len(self._gathered) >= _GATHER_ENTRIES or waited > _GATHER_SECONDS
        if entry.hitl_required:
            self._changing.add(_root(run_id))
            self.flush(durable=True)
        elif due:
            self.flush()

    def flush(self, *, durable: bool = False) -> None:
        """Write down everything gathered."""
        if self._gathered or durable:
            with self._writing(durable=durable):
                pass

    def intend(self, run_id: str, path: str, intent: Intent) -> None:
        """Write down a change before it is made."""
        with self._writing(durable=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO intents VALUES (?, ?, ?, ?, ?, ?)",
                (run_id, path, intent.digest, intent.before, intent.after, _text(intent.answer)),
            )

    def settle(self, run_id: str, path: str) -> None:
        """A failure that the chain went on after is a result, too: that step is not tried again later."""
        with self._writing(durable=False) as connection:
            connection.execute("UPDATE journal SET final = 1 WHERE run_id = ? AND path = ?", (run_id, path))

    def forget_intent(self, run_id: str, path: str) -> None:
        """The change was not made, and it is known that it was not."""
        with self._writing(durable=False) as connection:
            connection.execute("DELETE FROM intents WHERE run_id = ? AND path = ?", (run_id, path))

    def finish(self, record: RunRecord, arguments: JsonObject) -> None:
        """Write down how a run ended, or that it waits.

        ``arguments`` are the real ones only while the run waits and will need them; else without secrets.
        """
        with self._writing(durable=_root(record.run_id) in self._changing) as connection:
            connection.execute(
                "UPDATE runs SET status = ?, duration_ms = ?, data = ?, error = ?, arguments = ? WHERE run_id = ?",
                (
                    record.status,
                    record.duration_ms,
                    _text(record.data),
                    _text(record.error),
                    _text(arguments),
                    record.run_id,
                ),
            )
            if record.status != "waiting":
                connection.execute("DELETE FROM approvals WHERE root_run = ?", (record.run_id,))
                connection.execute("DELETE FROM intents WHERE run_id = ?", (record.run_id,))
        self._changing.discard(record.run_id)

    @contextmanager
    def _writing(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """A transaction that begins with everything gathered, so that what is written keeps its order."""
        with self._database.transaction(durable=durable) as connection:
            # Taken only now: whoever holds the database may wait for this lock, never the other way round.
            with self._lock:
                gathered, self._gathered = self._gathered, []
            for statement, values in gathered:
                connection.execute(statement, values)
            yield connection

    def go_on(self, run_id: str) -> None:
        """A run that stood still is carried on: what is not final is forgotten, questions are taken back."""
        with self._writing(durable=False) as connection:
            connection.execute("UPDATE runs SET status = 'running' WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM journal WHERE run_id = ? AND NOT final", (run_id,))
            connection.execute("DELETE FROM approvals WHERE run_id = ?", (run_id,))

    def ask(self, request: ApprovalRequest, root_run: str) -> None:
        """Keep a question until somebody answers it."""
        with self._writing(durable=True) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (request.id, request.run_id, root_run, request.step, request.tool, _text(request.arguments),
                 request.preview, request.digest, request.target, request.requested),
            )  # fmt: skip

    # --- afterwards

    def results(self, run_id: str) -> dict[str, JsonObject]:
        """The final entries of a run by their path."""
        rows = self._database.rows("SELECT path, entry FROM journal WHERE run_id = ? AND final ORDER BY seq", (run_id,))
        return {row["path"]: json.loads(row["entry"]) for row in rows}

    def intent(self, run_id: str, path: str) -> Intent | None:
        """The change a run was about to make at this place, if it was interrupted there."""
        rows = self._database.rows("SELECT * FROM intents WHERE run_id = ? AND path = ?", (run_id, path))
        if not rows:
            return None
        row = rows[0]
        return Intent(digest=row["digest"], before=row["before"], after=row["after"], answer=json.loads(row["answer"]))

    def stored(self, run_id: str) -> StoredRun | None:
        """A run as it was started."""
        rows = self._rows("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        return _stored(rows[0]) if rows else None

    def content(self, digest: str) -> tuple[str, bytes] | None:
        """The file a run was started from, as it was then; what does not fit its digest is not that file."""
        rows = self._rows("SELECT file, content FROM definitions WHERE digest = ?", (digest,))
        fits = bool(rows) and sha256(rows[0]["content"]).hexdigest() == digest
        return (rows[0]["file"], rows[0]["content"]) if fits else None

    def record(self, run_id: str) -> RunRecord:
        """The record of a run, by its id or an unmistakable beginning of it."""
        row = self._find(run_id)
        entries = self._rows("SELECT entry FROM journal WHERE run_id = ? ORDER BY seq", (row["run_id"],))
        return RunRecord(
            run_id=row["run_id"],
            tool=row["tool"],
            status=row["status"],
            started=row["started"],
            duration_ms=row["duration_ms"],
            data=json.loads(row["data"] or "null"),
            error=json.loads(row["error"] or "null"),
            execution_log=tuple(json.loads(entry["entry"]) for entry in entries),
            parent_run=row["parent_run"],
        )

    def arguments(self, run_id: str) -> tuple[str, JsonObject]:
        """The tool and arguments of a run, to do it again. Raises UsageError where a secret was left out."""
        row = self._find(run_id)
        return row["tool"], require_complete(row["run_id"], json.loads(row["arguments"]))

    def history(
        self, *, tool: str | None = None, status: str | None = None, since: str | None = None, limit: int = 50
    ) -> list[JsonObject]:
        """Runs that somebody started, newest first."""
        wanted = {"tool = ?": tool, "status = ?": status, "started >= ?": since}
        conditions = ["parent_run IS NULL", *(condition for condition, value in wanted.items() if value is not None)]
        values = [value for value in wanted.values() if value is not None]
        rows = self._rows(
            f"SELECT run_id, tool, status, started, duration_ms FROM runs WHERE {' AND '.join(conditions)} "  # noqa: S608  fixed conditions
            "ORDER BY started DESC, rowid DESC LIMIT ?",
            (*values, limit),
        )
        return [dict(row) for row in rows]

    def approvals(self) -> list[ApprovalRequest]:
        """Every open question, the oldest first."""
        requests = map(_request, self._rows("SELECT * FROM approvals ORDER BY requested, rowid"))
        return [request for request in requests if _is_as_asked(request)]

    def approval(self, approval_id: str) -> tuple[ApprovalRequest, str]:
        """One question and the run that somebody started it with."""
        rows = self._rows("SELECT * FROM approvals WHERE id = ?", (approval_id,))
        if not rows or not _is_as_asked(_request(rows[0])):
            raise UsageError("unknown-approval", id=approval_id)
        return _request(rows[0]), rows[0]["root_run"]

    def figures(self) -> list[JsonObject]:
        """Per tool: how often, how well, how long."""
        rows = self._rows(
            "SELECT tool, status, duration_ms FROM runs WHERE status != 'running' ORDER BY tool, duration_ms"
        )
        groups: dict[str, list[Any]] = {}
        for row in rows:
            groups.setdefault(row["tool"], []).append(row)
        return [_figures(tool, group) for tool, group in groups.items()]

    def count_tag(self, tag: str, *, valid: bool, succeeded: bool, duration_ms: float) -> None:
        """One more call that a model wrote into its text."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO tag_counts VALUES (?, 1, ?, ?, ?) ON CONFLICT (tag) DO UPDATE SET calls = calls + 1, "
                "valid = valid + excluded.valid, succeeded = succeeded + excluded.succeeded, "
                "total_ms = total_ms + excluded.total_ms",
                (tag, valid, succeeded, duration_ms),
            )

    def tag_figures(self) -> list[JsonObject]:
        """Per tag: how often a model wrote it, how well, how long it took."""
        rows = self._rows("SELECT * FROM tag_counts ORDER BY tag")
        return [
            {
                "tag": row["tag"],
                "calls": row["calls"],
                "valid": row["valid"],
                "invalid": row["calls"] - row["valid"],
                "succeeded": row["succeeded"],
                "mean_ms": row["total_ms"] / row["calls"],
            }
            for row in rows
        ]

    def _find(self, run_id: str) -> Mapping[str, Any]:
        # A beginning is enough where it is long and fits one run only.
        rows = self._rows("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        if not rows and len(run_id) >= 6 and run_id.isalnum():
            rows = self._rows("SELECT * FROM runs WHERE run_id GLOB ? AND parent_run IS NULL LIMIT 2", (f"{run_id}*",))
        if len(rows) != 1:
            raise UsageError("unknown-run", id=run_id)
        return dict(rows[0])

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        self.flush()
        return self._database.rows(query, values) if self._database.exists() else []


def require_complete(run_id: str, arguments: JsonObject) -> JsonObject:
    """The arguments as they were given; secrets among them are not kept once a run is over."""
    if f'"{MASK}"' in _text(arguments):
        raise UsageError("secrets-not-kept", id=run_id)
    return arguments


def _stored(row: Mapping[str, Any]) -> StoredRun:
    return StoredRun(
        run_id=row["run_id"],
        parent_run=row["parent_run"],
        tool=row["tool"],
        status=row["status"],
        started=row["started"],
        duration_ms=row["duration_ms"],
        arguments=json.loads(row["arguments"]),
        definition=row["definition"],
        clock=json.loads(row["clock"]),
    )


def _request(row: Mapping[str, Any]) -> ApprovalRequest:
    return ApprovalRequest(
        id=row["id"],
        run_id=row["root_run"],
        step=row["step"],
        tool=row["tool"],
        arguments=json.loads(row["arguments"]),
        preview=row["preview"],
        digest=row["digest"],
        requested=row["requested"],
        target=row["target"],
    )


def question_digest(call: str, tool: str, arguments: JsonObject, preview: str) -> str:
    """Names a change by the digest of the call, and what a person was shown of it."""
    return f"{call}-{digest_of([call, tool, arguments, preview])}"


def _is_as_asked(request: ApprovalRequest) -> bool:
    """Whether the stored question shows what its digest stands for: nobody may swap the picture."""
    call = request.digest.partition("-")[0]
    return request.digest == question_digest(call, request.tool, request.arguments, request.preview)


def _figures(tool: str, rows: Iterable[Mapping[str, Any]]) -> JsonObject:
    rows = list(rows)
    succeeded = sum(row["status"] == "succeeded" for row in rows)
    ended = [row["duration_ms"] for row in rows if row["status"] != "waiting"]
    return {
        "tool": tool,
        "runs": len(rows),
        "succeeded": succeeded,
        "failed": sum(row["status"] == "failed" for row in rows),
        "denied": sum(row["status"] == "denied" for row in rows),
        "waiting": sum(row["status"] == "waiting" for row in rows),
        "success_rate": succeeded / len(rows),
        "median_ms": _quantile(ended, 0.5),
        "p95_ms": _quantile(ended, 0.95),
        "max_ms": ended[-1] if ended else None,
    }


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else None


def _root(run_id: str) -> str:
    """The run that somebody started; the ids of those below it begin with its id and a dot."""
    return run_id.partition(".")[0]


# Escaped: lone surrogates from JavaScript cannot be written as UTF-8. Made once: it costs more than a small entry.
_text = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
