"""Looking back: what the database knows about runs, questions, and how well tools do."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, get_args

from paperagents.approval.question import ApprovalRequest, is_as_asked
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import UsageError
from paperagents.runs.record import RunRecord, RunStatus, moment_of
from paperagents.runs.statistics import run_figures, tag_figures
from paperagents.storage.database import Database
from paperagents.storage.rows import StoredRow, readable

_MOST_ROWS = 2**62
"""More than any database has; a bigger number it cannot even read."""
_OF_AN_ENTRY: Mapping[str, Any] = {
    "step": int, "block": str, "name": str, "status": str, "message": str, "timestamp": str, "duration_ms": int | float,
    "parameters": dict, "console": list,
}  # fmt: skip
"""What whoever shows an entry of the log relies on."""
REPEATED = 2
"""In the journal, beside 0 and 1 for what is final: an attempt that another one followed."""
FOR_RUN = "run:"
"""Before a tool in the place of a question: the tool is allowed for the rest of the run."""


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
    incomplete: bool = False
    """Whether secrets among the arguments were left out."""


def new_run(
    tool: str,
    arguments: JsonObject,
    clock: dict[str, str],
    *,
    run_id: str | None = None,
    parent_run: str | None = None,
) -> StoredRun:
    """A run that begins now."""
    return StoredRun(
        run_id=run_id or new_run_id(),
        parent_run=parent_run,
        tool=tool,
        status="running",
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        duration_ms=0.0,
        arguments=arguments,
        definition=None,
        clock=clock,
    )


def new_run_id() -> str:
    """A name for a run that no other run has."""
    return secrets.token_hex(8)


@dataclass(frozen=True, kw_only=True, slots=True)
class Intent:
    """A change that was about to be made, written down before it was."""

    digest: str
    before: str
    after: str | None
    answer: JsonValue
    arguments: JsonObject
    """What was agreed on, without secrets; a person may have edited what the run itself would come to."""


class RunHistory:
    """The runs of one vault, to read."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def results(self, run_id: str) -> dict[str, JsonObject]:
        """The final entries of a run by their path."""
        rows = self._rows("SELECT path, entry FROM journal WHERE run_id = ? AND final = 1 ORDER BY seq", (run_id,))
        return dict(_step(StoredRow("journal", row)) for row in rows)

    def repeated(self, run_id: str) -> dict[str, JsonObject]:
        """The entries of attempts that were followed by another, by their path."""
        query = "SELECT path, entry FROM journal WHERE run_id = ? AND final = ? ORDER BY seq"
        return dict(_step(StoredRow("journal", row)) for row in self._rows(query, (run_id, REPEATED)))

    def asked(self, run_id: str) -> dict[str, JsonObject]:
        """The entries of a run that wait for an answer, by their path."""
        rows = self._rows("SELECT path, entry FROM journal WHERE run_id = ? AND final = 0 ORDER BY seq", (run_id,))
        steps = (_step(StoredRow("journal", row)) for row in rows)
        return {path: entry for path, entry in steps if entry["status"] == "waiting"}

    def lost_secrets(self, root_run: str) -> bool:
        """Whether secrets were left out of results that this run, or one below it, goes on with."""
        query = (
            "SELECT 1 FROM journal WHERE final = 1 AND incomplete = 1 "
            "AND (run_id = ? OR (run_id >= ? AND run_id < ?)) LIMIT 1"
        )
        return bool(self._rows(query, (root_run, f"{root_run}.", f"{root_run}/")))

    def intent(self, run_id: str, path: str) -> Intent | None:
        """The change a run was about to make at this place, if it was interrupted there."""
        rows = self._rows("SELECT * FROM intents WHERE run_id = ? AND path = ?", (run_id, path))
        if not rows:
            return None
        row = StoredRow("intents", rows[0])
        return Intent(
            digest=row.text("digest"),
            before=row.text("before"),
            after=row.text_or_none("after"),
            answer=row.value("answer"),
            arguments=row.object("arguments"),
        )

    def stored(self, run_id: str) -> StoredRun | None:
        """A run as it was started."""
        rows = self._rows("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        return _stored(StoredRow("runs", rows[0])) if rows else None

    def content(self, digest: str) -> tuple[str, bytes] | None:
        """The file a run was started from, as it was then; what does not fit its digest is not that file."""
        rows = self._rows("SELECT file, content FROM definitions WHERE digest = ?", (digest,))
        content = rows[0]["content"] if rows else None
        if not isinstance(content, bytes) or sha256(content).hexdigest() != digest:
            return None
        return StoredRow("definitions", rows[0]).text("file"), content

    def record(self, run_id: str) -> RunRecord:
        """The record of a run, by its id or an unmistakable beginning of it."""
        row = self._find(run_id)
        run_id = row.text("run_id")
        return RunRecord(
            run_id=run_id,
            tool=row.text("tool"),
            status=_status(row),
            started=row.text("started"),
            duration_ms=row.number("duration_ms"),
            data=row.value("data"),
            error=_error(row),
            execution_log=tuple(entry for _, entry in self.steps(run_id)),
            parent_run=row.text_or_none("parent_run"),
        )

    def steps(self, run_id: str) -> list[tuple[str, JsonObject]]:
        """The entries of a run with their paths; the run below an entry has the id ``run_id.path``."""
        rows = self._rows("SELECT path, entry FROM journal WHERE run_id = ? ORDER BY seq", (run_id,))
        return [_step(StoredRow("journal", row)) for row in rows]

    def arguments(self, run_id: str) -> tuple[str, JsonObject]:
        """The tool and arguments of a run, to do it again. Raises UsageError where a secret was left out."""
        run = require_complete(_stored(self._find(run_id)))
        return run.tool, run.arguments

    def history(
        self,
        *,
        tool: str | None = None,
        status: str | None = None,
        since: str | None = None,
        limit: int = 50,
        nested: bool = True,
    ) -> list[JsonObject]:
        """Runs that somebody started, newest first; of one tool also those that were steps of others, if ``nested``.

        Raises UsageError where ``since`` is no date or time.
        """
        wanted = {"tool = ?": tool, "status = ?": status, "started >= ?": moment_of(since) if since else None}
        conditions = ["parent_run IS NULL"] if tool is None or not nested else []
        conditions += [condition for condition, value in wanted.items() if value is not None]
        values = [value for value in wanted.values() if value is not None]
        rows = self._rows(
            f"SELECT run_id, tool, status, started, duration_ms FROM runs WHERE {' AND '.join(conditions)} "  # noqa: S608  fixed conditions
            "ORDER BY started DESC, rowid DESC LIMIT ?",
            (*values, min(limit, _MOST_ROWS)),
        )
        return readable("runs", rows, _listed)

    def approvals(self, root_run: str | None = None) -> list[ApprovalRequest]:
        """Every open question, or those of one run, the oldest first."""
        chosen, values = ("", ()) if root_run is None else ("WHERE root_run = ? ", (root_run,))
        rows = self._rows(f"SELECT * FROM approvals {chosen}ORDER BY requested, rowid", values)  # noqa: S608  fixed words
        return [request for request in readable("approvals", rows, _request) if is_as_asked(request)]

    def count_approvals(self) -> int:
        """How many questions are open."""
        rows = self._rows("SELECT count(*) AS questions FROM approvals")
        return rows[0]["questions"] if rows else 0

    def approval(self, approval_id: str) -> tuple[ApprovalRequest, str]:
        """One question and the run that somebody started it with."""
        rows = self._rows("SELECT * FROM approvals WHERE id = ?", (approval_id,))
        request = _request(StoredRow("approvals", rows[0])) if rows else None
        if request is None or not is_as_asked(request):
            raise UsageError("unknown-approval", id=approval_id)
        return request, request.run_id

    def answers(self, run_id: str) -> dict[str, JsonObject]:
        """What people have answered to questions of a run that has not gone on yet, by the digest of the question."""
        rows = self._rows("SELECT digest, decision FROM answers WHERE run_id = ?", (run_id,))
        given = [(row.text("digest"), row) for row in (StoredRow("answers", each) for each in rows)]
        return {digest: row.object("decision") for digest, row in given if not digest.startswith(FOR_RUN)}

    def allowed_tools(self, run_id: str) -> set[str]:
        """The tools that somebody has allowed for the rest of a run that is not over."""
        rows = self._rows("SELECT digest FROM answers WHERE run_id = ?", (run_id,))
        digests = [StoredRow("answers", row).text("digest") for row in rows]
        return {digest.removeprefix(FOR_RUN) for digest in digests if digest.startswith(FOR_RUN)}

    def count(self, status: str) -> int:
        """How many runs that somebody started are in this state."""
        rows = self._rows("SELECT count(*) AS runs FROM runs WHERE status = ? AND parent_run IS NULL", (status,))
        return rows[0]["runs"] if rows else 0

    def to_go_on(self, *, limit: int = 1000) -> list[str]:
        """Runs that need nobody to go on: queued ones, and waiting ones whose question was answered; oldest first."""
        return self._ids(
            "SELECT run_id FROM runs WHERE parent_run IS NULL AND (status = 'queued' OR (status = 'waiting' "
            "AND EXISTS (SELECT 1 FROM answers WHERE answers.run_id = runs.run_id "
            "AND substr(answers.digest, 1, 4) <> 'run:'))) ORDER BY started, rowid LIMIT ?",
            limit,
        )

    def interrupted(self, *, limit: int = 1000) -> list[str]:
        """Runs that seem to go on: somebody works on them, or was killed while doing so."""
        return self._ids(
            "SELECT run_id FROM runs WHERE parent_run IS NULL AND status = 'running' ORDER BY started, rowid LIMIT ?",
            limit,
        )

    def _ids(self, query: str, limit: int) -> list[str]:
        return readable("runs", self._rows(query, (limit,)), lambda row: row.text("run_id"))

    def figures(self) -> list[JsonObject]:
        """Per tool: how often, how well, how long."""
        rows = self._rows(
            "SELECT tool, status, duration_ms FROM runs WHERE status NOT IN ('running', 'queued') "
            "ORDER BY tool, duration_ms"
        )
        return run_figures(rows)

    def tag_figures(self) -> list[JsonObject]:
        """Per tag: how often a model wrote it, how well, how long it took."""
        rows = self._rows("SELECT * FROM tag_counts ORDER BY tag")
        return tag_figures(rows)

    def _find(self, run_id: str) -> StoredRow:
        # A beginning is enough where it is long and fits one run only.
        rows = self._rows("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        if not rows and len(run_id) >= 6 and run_id.isascii() and run_id.isalnum():
            query = "SELECT * FROM runs WHERE run_id >= ? AND run_id < ? AND parent_run IS NULL LIMIT 2"
            rows = self._rows(query, (run_id, f"{run_id}~"))
        if len(rows) != 1:
            raise UsageError("unknown-run", id=run_id)
        return StoredRow("runs", rows[0])

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self.database.rows(query, values) if self.database.exists() else []
        except UnicodeEncodeError:
            # Half a character is in no text that was ever kept.
            return []


def require_complete(run: StoredRun) -> StoredRun:
    """The run with its arguments as they were given; secrets among them are not kept once a run is over."""
    if run.incomplete:
        raise UsageError("secrets-not-kept", id=run.run_id)
    return run


def _stored(row: StoredRow) -> StoredRun:
    return StoredRun(
        run_id=row.text("run_id"),
        parent_run=row.text_or_none("parent_run"),
        tool=row.text("tool"),
        status=_status(row),
        started=row.text("started"),
        duration_ms=row.number("duration_ms"),
        arguments=row.object("arguments"),
        definition=row.text_or_none("definition"),
        clock={name: str(moment) for name, moment in row.object("clock").items()},
        incomplete=bool(row.whole("incomplete")),
    )


def _listed(row: StoredRow) -> JsonObject:
    return {
        "run_id": row.text("run_id"),
        "tool": row.text("tool"),
        "status": _status(row),
        "started": row.text("started"),
        "duration_ms": row.number("duration_ms"),
    }


def _status(row: StoredRow) -> RunStatus:
    status = row.text("status")
    return status if status in get_args(RunStatus) else row.refuse("status")  # type: ignore[return-value]  # one of them


def _error(row: StoredRow) -> JsonObject | None:
    if row.value("error") is None:
        return None
    error = row.object("error")
    is_told = all(isinstance(error.get(name), str) for name in ("code", "message"))
    return error if is_told else row.refuse("error")


def _step(row: StoredRow) -> tuple[str, JsonObject]:
    entry = row.object("entry")
    if not all(isinstance(entry.get(name), kind) for name, kind in _OF_AN_ENTRY.items()):
        row.refuse("entry")
    return row.text("path"), entry


def _request(row: StoredRow) -> ApprovalRequest:
    return ApprovalRequest(
        id=row.text("id"),
        run_id=row.text("root_run"),
        step=row.whole("step"),
        tool=row.text("tool"),
        arguments=row.object("arguments"),
        preview=row.text("preview"),
        digest=row.text("digest"),
        requested=row.text("requested"),
        target=row.text("target"),
    )


# Escaped: lone surrogates from JavaScript cannot be written as UTF-8. Made once: it costs more than a small entry.
as_text = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
