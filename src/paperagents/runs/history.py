"""Looking back: what the database knows about runs and questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import Any

from paperagents.approval.question import ApprovalRequest, read_scope
from paperagents.definitions.json_value import JsonObject
from paperagents.errors import AmbiguousIdError, UnknownApprovalError, UnknownRunError, UsageError
from paperagents.patterns import late_pattern
from paperagents.runs.journal import Journal
from paperagents.runs.questions import Questions
from paperagents.runs.record import (
    RunRecord,
    StepPath,
    StoredRun,
    child_run_id,
    read_run,
    read_status,
    read_step,
    read_warnings,
)
from paperagents.runs.usage import Usage, read_usage
from paperagents.storage.blobs import unpack, without_parts
from paperagents.storage.database import StoredRow, readable
from paperagents.values import dataclass

_MOST_ROWS = 2**62
"""More than any database has; a bigger number it cannot even read."""
_DEEPEST = 32
_MOST_CANDIDATES = 6
"""Ids with the same beginning that are told."""
_NEWEST = 50
"""Questions among which the last open one is looked for."""
LAST = "last"
"""The newest run, question or rule, in the place of an id."""
_AGO = late_pattern(r"(\d{1,6})(m|h|d|w)", re.ASCII)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_YEAR_OR_MONTH = late_pattern(r"\d{4}(?:-(?:0[1-9]|1[0-2]))?", re.ASCII)
# In a COALESCE, so that no index by ``parent_run`` is chosen: it would lead through every run.
ON_TOP = "COALESCE(parent_run, '') = ''"
"""SQL: a run that somebody started."""
ANSWERED = (
    "SELECT runs.run_id, runs.started, runs.rowid AS place FROM answers CROSS JOIN runs "
    "WHERE answers.scope <> 'tool' AND answers.scope <> 'together' "
    "AND runs.run_id = answers.root_run AND runs.status = 'waiting'"
)
"""SQL: the runs that wait and whose question was answered, found by the answers: there are fewer of them than of
questions. An answer for a tool alone is none to a question."""
_RESUMABLE = (
    "SELECT DISTINCT run_id, started, place FROM (SELECT * FROM (SELECT run_id, started, rowid AS place FROM runs "  # noqa: S608  fixed words
    f"WHERE status = 'queued' AND {ON_TOP} ORDER BY started, rowid LIMIT ?) AS queued "
    f"UNION ALL {ANSWERED}) AS resumable ORDER BY started, place LIMIT ?"
)
_OPEN = (
    "SELECT questions.*, (SELECT count(*) FROM answers WHERE answers.root_run = questions.root_run "
    "AND answers.scope = 'question' AND answers.run_id = questions.run_id AND answers.path = questions.path) "
    "AS answered FROM questions "
)
_ANSWERED_QUESTIONS = (
    "SELECT questions.*, 1 AS answered FROM answers CROSS JOIN questions WHERE answers.scope = 'question' "
    "AND answers.scope <> 'tool' AND questions.root_run = answers.root_run AND questions.run_id = answers.run_id "
    "AND questions.path = answers.path"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One step and what happened because of it."""

    entry: JsonObject
    below: list[Node]
    run_id: str | None = None
    """The run that the step was, where it was one of its own."""


class History:
    """The read side of the runs of one vault; what this process still buffers is part of it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._questions = Questions(journal)
        self._database = journal.database

    # --- runs

    def whole_id(self, run_id: str) -> str:
        """The id of a run, by an unmistakable beginning of it, or ``last``."""
        return self._find(run_id, "run_id").text("run_id")

    def run(self, run_id: str) -> StoredRun | None:
        """A run as it was started."""
        rows = self._rows("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        return read_run(StoredRow("runs", rows[0])) if rows else None

    def record(self, run_id: str, *, with_log: bool = True) -> RunRecord:
        """The record of a run, by its id, an unmistakable beginning of it, or ``last``."""
        row = self._find(run_id)
        run_id = row.text("run_id")
        log = self.steps(run_id) if with_log else []
        return RunRecord(
            run_id=run_id,
            tool=row.text("tool"),
            status=read_status(row),
            started=row.text("started"),
            duration_ms=row.number("duration_ms"),
            data=row.value("data"),
            error=_read_error(row),
            execution_log=tuple(entry for _, entry in log),
            parent_run=row.text_or_none("parent_run"),
            warnings=read_warnings(row),
            usage=read_usage(row.value("usage")),
        )

    def inputs(self, run_ids: Sequence[str]) -> dict[str, JsonObject]:
        """The arguments of these runs."""
        marks = ", ".join("?" * len(run_ids))
        rows = self._rows(f"SELECT run_id, arguments FROM runs WHERE run_id IN ({marks})", run_ids) if run_ids else []  # noqa: S608  marks alone
        return dict(readable("runs", rows, lambda row: (row.text("run_id"), row.object("arguments"))))

    def approvers(self, run_ids: Sequence[str]) -> dict[str, list[str]]:
        """Who said yes to what these runs changed, by run."""
        marks = ", ".join("?" * len(run_ids))
        query = (
            f"SELECT DISTINCT root_run, approved_by FROM changes WHERE root_run IN ({marks}) "  # noqa: S608  marks alone
            "AND approved_by IS NOT NULL ORDER BY approved_by"
        )
        found: dict[str, list[str]] = {}
        rows = self._rows(query, run_ids) if run_ids else []
        for run_id, name in readable("changes", rows, lambda row: (row.text("root_run"), row.text("approved_by"))):
            found.setdefault(run_id, []).append(name)
        return found

    def usages_below(self, run_id: str) -> dict[str, Usage]:
        """What models have used in the runs that are steps of this one, by their ids."""
        rows = self._rows("SELECT run_id, usage FROM runs WHERE parent_run = ? AND usage IS NOT NULL", (run_id,))
        found = readable("runs", rows, lambda row: (row.text("run_id"), read_usage(row.value("usage"))))
        return {below: usage for below, usage in found if usage is not None}

    def steps(self, run_id: str) -> list[tuple[StepPath, JsonObject]]:
        """The entries of a run with their paths."""
        rows = self._rows("SELECT path, entry FROM journal WHERE run_id = ? ORDER BY seq", (run_id,))
        steps = (read_step(StoredRow("journal", row)) for row in rows)
        return [(StepPath(path), entry) for path, entry in steps]

    def step(self, run_id: str, path: str) -> JsonObject | None:
        """The entry of one step."""
        rows = self._rows("SELECT path, entry FROM journal WHERE run_id = ? AND path = ? ORDER BY seq", (run_id, path))
        return read_step(StoredRow("journal", rows[-1]))[1] if rows else None

    def outline(self, run_id: str) -> list[tuple[StepPath, JsonObject]]:
        """The entries of a run with their paths, without what is large in them."""
        self._journal.flush_all()
        query = "SELECT path, entry FROM journal WHERE run_id = ? ORDER BY seq"
        rows = self._database.rows(query, (run_id,)) if self._database.exists() else []
        small = ({"path": row["path"], "entry": without_parts(StoredRow("journal", row).text("entry"))} for row in rows)
        steps = (read_step(StoredRow("journal", row), is_outline=True) for row in small)
        return [(StepPath(path), entry) for path, entry in steps]

    def tree(self, run_id: str, *, most: int | None = None, depth: int = 0) -> list[Node]:
        """The steps of a run in order; the calls of a turn below it, and a run below the call that started it.

        Of each run no more than ``most`` steps, where that is given.
        """
        top: list[Node] = []
        turns: dict[StepPath, Node] = {}
        for path, entry in sorted(self.steps(run_id), key=lambda step: int(str(step[1]["step"])))[:most]:
            inner = child_run_id(run_id, path)
            is_run = depth < _DEEPEST and self.run(inner) is not None
            below = self.tree(inner, most=most, depth=depth + 1) if is_run else []
            turns[path] = node = Node(entry=entry, below=below, run_id=inner if is_run else None)
            above = turns.get(path.turn) if path.turn is not None else None
            (above.below if above is not None else top).append(node)
        return top

    def arguments(self, run_id: str) -> tuple[str, JsonObject]:
        """The tool and arguments of a run, to do it again. Raises UsageError where a secret was left out."""
        run = read_run(self._find(run_id)).require_complete()
        return run.tool, run.arguments

    def definition(self, digest: str) -> tuple[str, bytes] | None:
        """The file a run was started from, as it was then; what does not fit its digest is not that file."""
        rows = self._rows("SELECT file, content FROM definitions WHERE digest = ?", (digest,))
        content = rows[0]["content"] if rows else None
        if not isinstance(content, bytes) or sha256(content).hexdigest() != digest:
            return None
        return StoredRow("definitions", rows[0]).text("file"), content

    def runs(
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
        return readable("runs", rows, _read_line)

    def count(self, status: str) -> int:
        """How many runs that somebody started are in this state."""
        rows = self._rows(f"SELECT count(*) AS runs FROM runs WHERE status = ? AND {ON_TOP}", (status,))  # noqa: S608  fixed words
        return rows[0]["runs"] if rows else 0

    def resumable(self, *, limit: int = 1000) -> list[str]:
        """Runs that need nobody to go on: queued ones, and waiting ones whose question was answered; oldest first."""
        return readable("runs", self._rows(_RESUMABLE, (limit, limit)), lambda row: row.text("run_id"))

    def running(self, *, limit: int = 1000) -> list[str]:
        """Runs that somebody works on, or was killed while doing so."""
        query = f"SELECT run_id FROM runs WHERE status = 'running' AND {ON_TOP} ORDER BY started, rowid LIMIT ?"  # noqa: S608  fixed words
        return readable("runs", self._rows(query, (limit,)), lambda row: row.text("run_id"))

    # --- questions

    def questions(self, root_run: str | None = None) -> list[ApprovalRequest]:
        """Every open question, or those of one run, the oldest first."""
        chosen, values = ("", ()) if root_run is None else ("WHERE root_run = ? ", (root_run,))
        return self._open_questions(f"{chosen}ORDER BY requested, rowid", values)

    def question(self, approval_id: str) -> ApprovalRequest:
        """One open question, by its id, an unmistakable beginning of it, or ``last``.

        Raises UnknownApprovalError or AmbiguousIdError.
        """
        if approval_id == LAST:
            found = self._open_questions("ORDER BY rowid DESC LIMIT ?", (_NEWEST,))[:1]
        else:
            # One that was named and cannot be read is told.
            rows = self._rows(f"{_OPEN} WHERE id = ?", (approval_id,))
            named = self._read_open_question(StoredRow("questions", rows[0])) if rows else None
            found = [named] if named is not None else []
        if not found and is_beginning(approval_id):
            values = (approval_id, f"{approval_id}~", _MOST_CANDIDATES)
            found = self._open_questions("WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", values)
        if len(found) > 1:
            raise AmbiguousIdError(approval_id, [request.id for request in found])
        if not found:
            raise UnknownApprovalError(approval_id)
        return found[0]

    def count_questions(self) -> int:
        """How many questions are open."""
        rows = self._rows("SELECT count(*) AS open FROM questions")
        answered = self._rows(_ANSWERED_QUESTIONS)
        closed = [row for row in readable("questions", answered, self._read_open_question) if row is None]
        return rows[0]["open"] - len(closed) if rows else 0

    def _open_questions(self, clause: str, values: Sequence[Any]) -> list[ApprovalRequest]:
        rows = self._rows(f"{_OPEN} {clause}", values)
        return [request for request in readable("questions", rows, self._read_open_question) if request is not None]

    def _read_open_question(self, row: StoredRow) -> ApprovalRequest | None:
        request = _read_question(row)
        # A stranger's answer in a database that came with a folder answers nothing here.
        has_row = row.whole("answered") > 0
        is_answered = has_row and self._questions.answer_at(request.asked_in, request.path) is not None
        return request if request.is_intact and not is_answered else None

    # --- reading

    def _find(self, run_id: str, columns: str = "*") -> StoredRow:
        """A run by its id, the beginning of one that somebody started, or ``last``."""
        chosen = f"SELECT {columns} FROM runs WHERE"  # noqa: S608  fixed words
        if run_id == LAST:
            rows = self._rows(f"{chosen} parent_run IS NULL ORDER BY started DESC, rowid DESC LIMIT 1")
        else:
            rows = self._rows(f"{chosen} run_id = ?", (run_id,))
        if not rows and is_beginning(run_id):
            query = f"{chosen} run_id >= ? AND run_id < ? AND parent_run IS NULL ORDER BY run_id LIMIT ?"
            rows = self._rows(query, (run_id, f"{run_id}~", _MOST_CANDIDATES))
        if len(rows) > 1:
            raise AmbiguousIdError(run_id, [StoredRow("runs", row).text("run_id") for row in rows])
        if not rows:
            raise UnknownRunError(run_id)
        return StoredRow("runs", rows[0])

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        self._journal.flush_all()
        try:
            return unpack(self._database, self._database.rows(query, values)) if self._database.exists() else []
        except UnicodeEncodeError:
            # Half a character is in no text that was ever kept.
            return []


def is_beginning(given: str) -> bool:
    """Whether an id of a run or question can begin like this."""
    return given.isascii() and given.isalnum()


def is_agents_log(log: Sequence[JsonObject]) -> bool:
    """Whether a model took part: then the order of the steps alone does not tell who called whom."""
    return any(entry["name"] == "model" for entry in log)


def moment_of(written: str) -> str:
    """A date or time of ISO 8601, in UTC also where it names no time zone, or how long ago: ``30m``, ``3h``, ``2d``.

    Raises UsageError for anything else.
    """
    if ago := _AGO.fullmatch(written):
        try:
            moment = datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        except OverflowError:
            raise UsageError("invalid-date", date=written) from None
        return moment.isoformat(timespec="milliseconds")
    if _YEAR_OR_MONTH.fullmatch(written):
        return written
    try:
        return date.fromisoformat(written).isoformat()
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(written)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        raise UsageError("invalid-date", date=written) from None


def _read_line(row: StoredRow) -> JsonObject:
    return {
        "run_id": row.text("run_id"),
        "tool": row.text("tool"),
        "status": read_status(row),
        "started": row.text("started"),
        "duration_ms": row.number("duration_ms"),
    }


def _read_error(row: StoredRow) -> JsonObject | None:
    if row.value("error") is None:
        return None
    error = row.object("error")
    is_told = all(isinstance(error.get(name), str) for name in ("code", "message"))
    return error if is_told else row.refuse("error")


def _read_question(row: StoredRow) -> ApprovalRequest:
    return ApprovalRequest(
        id=row.text("id"),
        run_id=row.text("root_run"),
        step=row.whole("step"),
        tool=row.text("tool"),
        arguments=row.object("arguments"),
        preview=row.text("preview"),
        digest=row.text("digest"),
        requested=row.text("requested"),
        scope=read_scope(kept := row.object("scope")),
        caller=str(kept.get("by", "")),
        asked_in=row.text("run_id"),
        path=row.text("path"),
        effect=row.text("effect"),
        files=_read_changes(row, 0),
        pending=_read_changes(row, 1),
    )


def _read_changes(row: StoredRow, number: int) -> tuple[JsonObject, ...]:
    """What a question shows of several changes, and of those that are pending; those before had neither."""
    match row.value("changes"):
        case None:
            return ()
        case [list(_), list(_)] as both if isinstance(changes := both[number], list):
            return tuple(each for each in changes if isinstance(each, dict))
    return row.refuse("changes")
