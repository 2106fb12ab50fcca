"""Questions of runs, kept until somebody answers them, and the answers: each with the signature of who gave it.

An answer without a valid signature is none, whoever put it into the database.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from paperagents.approval.invisible import escape_invisible
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied, decision_as_json, decision_of
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import UnknownApprovalError, UsageError
from paperagents.messages import text
from paperagents.runs.journal import Journal
from paperagents.runs.record import read_step, root_of
from paperagents.runs.statements import close_question
from paperagents.storage.database import Connection, StoredRow, encode
from paperagents.values import dataclass

Scope = Literal["question", "tool", "everything", "together"]
"""What an answer holds for: one question; a tool for the rest of the run; whatever the run asks; or, that the run
collects its changes."""
_Key = tuple[str, Scope, str, str, str]
_KEY = ("root_run", "scope", "run_id", "path", "tool")
_AT_KEY = " AND ".join(f"{column} = ?" for column in _KEY)
_QUESTION = (
    "INSERT INTO questions (id, run_id, root_run, path, step, tool, arguments, preview, scope, effect, digest, "
    "requested, changes, withdrawn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (id) DO UPDATE SET "
    "arguments = excluded.arguments, preview = excluded.preview, digest = excluded.digest, "
    "requested = excluded.requested, changes = excluded.changes, withdrawn = 0"
)
_ANSWER = (
    "INSERT INTO answers (root_run, scope, run_id, path, tool, digest, decision, signature) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (root_run, scope, run_id, path, tool) DO NOTHING"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredAnswer:
    """What somebody answered to the question of one step, while the run stood still or was busy elsewhere."""

    digest: str
    decision: Decision

    def holds_for(self, digest: str) -> bool:
        """A no for whatever the step asks; a yes only for exactly what was shown."""
        return isinstance(self.decision, Denied) or (isinstance(self.decision, Approved) and self.digest == digest)


class Questions:
    """What runs have asked, and what was answered."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def ask(self, request: ApprovalRequest) -> bool:
        """Keep a question until somebody answers it; whether it was not asked before.

        An answer to another question of the step does not count any more; one to exactly this question may have come
        while somebody else was asked, and stays, unless nothing proves it: it would be a reason to resume for ever.
        """
        with self._journal.transaction(request.run_id, durable=True) as connection:
            query = "SELECT 1 FROM questions WHERE id = ? AND digest = ? AND withdrawn = 0"
            is_new = not self._journal.database.rows(query, (request.id, request.digest))
            is_answered = self.answer_at(request.asked_in, request.path) is not None
            close_question(connection, request.asked_in, request.path, but=request.digest if is_answered else "")
            self._put(connection, request)
        return is_new

    def ask_again(self, request: ApprovalRequest) -> None:
        """Ask about changes that were agreed on and could not be made, since the database is full.

        The journal of the run takes nothing more after that; what it has of them is gone with the answer.
        """
        with self._journal.database.transaction(durable=True) as connection:
            step = (request.asked_in, request.path)
            connection.execute("DELETE FROM intents WHERE run_id = ? AND path = ?", step)
            connection.execute("DELETE FROM changes WHERE run_id = ? AND step_path = ?", step)
            close_question(connection, *step)
            self._put(connection, request)

    def _put(self, connection: Connection, request: ApprovalRequest) -> None:
        scope = {"by": request.caller, **(asdict(request.scope) if request.scope is not None else {})}
        connection.execute(
            _QUESTION,
            (request.id, request.asked_in, request.run_id, request.path, request.step, request.tool,
             encode(request.arguments), request.preview, encode(scope), request.effect, request.digest,
             request.requested, encode([[*request.files], [*request.pending]])),
        )  # fmt: skip

    def confirm_done(self, run_id: str, output: JsonValue, approved: Approved) -> None:
        """What nobody knew of was done, says a person: from now on that is its result. Raises UsageError."""
        said = text("run.said-done", by=escape_invisible(approved.by))
        yes: JsonObject = {"hitl_confirmed": True, "approved_by": approved.by, "approved_at": approved.at,
                           "approved_via": approved.via}  # fmt: skip
        with self._journal.lock_run(run_id), self._journal.transaction(run_id, durable=True) as connection:
            rows = self._journal.database.rows(
                "SELECT seq, path, entry FROM journal WHERE state = 'unknown' "
                "AND (run_id = ? OR (run_id >= ? AND run_id < ?))", (run_id, f"{run_id}.", f"{run_id}/"),
            )  # fmt: skip
            if not rows:
                raise UsageError("nothing-unknown", id=run_id)
            for row in rows:
                _, entry = read_step(StoredRow("journal", row))
                entry |= {"status": "success", "message": said, "output": output, **yes}
                connection.execute(
                    "UPDATE journal SET state = 'final', entry = ? WHERE seq = ?", (encode(entry), row["seq"])
                )

    def answer(self, request: ApprovalRequest, decision: Decision, *, announce: bool = False) -> None:
        """Keep what a person answered, so that it cannot be lost. Raises UnknownApprovalError for a second answer."""
        database, root = self._journal.database, request.run_id
        with database.transaction(durable=True) as connection:
            key: _Key = (root, "question", request.asked_in, request.path, "")
            if not self._insert(connection, key, request.digest, decision_as_json(decision)):
                raise UnknownApprovalError(request.id)
            if isinstance(decision, Approved) and decision.for_run:
                self._insert(connection, (root, "tool", "", "", request.tool), "", decision_as_json(decision.repeated))
            if isinstance(decision, Approved) and decision.together:
                self._insert(connection, (root, "together", "", "", ""), "", decision_as_json(decision.repeated))
            if announce:
                database.announce(connection, root)

    def answer_at(self, run_id: str, path: str) -> StoredAnswer | None:
        """The answer to the question of this step, if there is one."""
        for row in self._valid(root_of(run_id), "question", run_id, path):
            return StoredAnswer(digest=row.text("digest"), decision=decision_of(row.object("decision")))
        return None

    def has_answer(self, root_run: str) -> bool:
        """Whether somebody has answered a question of the run that it has not come to yet."""
        return bool(self._valid(root_run, "question"))

    def discard_answer(self, run_id: str, path: str) -> None:
        """Forget an answer that does not fit what the step asks now, or that nobody here understands."""
        with self._journal.transaction(run_id) as connection:
            close_question(connection, run_id, path)

    def allow_tool(self, root_run: str, tool: str, approved: Approved) -> None:
        """Keep that a tool is allowed for the rest of a run, also when it has to wait for something else."""
        with self._journal.transaction(root_run) as connection:
            self._insert(connection, (root_run, "tool", "", "", tool), "", decision_as_json(approved))

    def allowed_tools(self, root_run: str) -> dict[str, Approved]:
        """The tools that somebody has allowed for the rest of a run, each with the yes."""
        found = {row.text("tool"): decision_of(row.object("decision")) for row in self._valid(root_run, "tool")}
        return {tool: decision for tool, decision in found.items() if isinstance(decision, Approved)}

    def collect_changes(self, root_run: str, approved: Approved) -> None:
        """Keep that a run collects its changes from here on, also when it has to wait for something else."""
        with self._journal.transaction(root_run) as connection:
            self._insert(connection, (root_run, "together", "", "", ""), "", decision_as_json(approved))

    def are_collected(self, root_run: str) -> bool:
        """Whether somebody has said that the run collects its changes."""
        return bool(self._valid(root_run, "together"))

    def allow_everything(self, root_run: str, decision: Decision) -> None:
        """Keep the answer to whatever the run will ask."""
        with self._journal.database.transaction(durable=True) as connection:
            self._insert(connection, (root_run, "everything", "", "", ""), "", decision_as_json(decision))

    def general_answer(self, root_run: str) -> Decision | None:
        """The answer to whatever the run asks, where one was given with it."""
        for row in self._valid(root_run, "everything"):
            return decision_of(row.object("decision"))
        return None

    def _insert(self, connection: Connection, key: _Key, digest: str, decision: JsonObject) -> bool:
        """Add a signed answer; false where there is a valid one already. One that proves nothing is not in the way."""
        for row in self._rows(_AT_KEY, key):
            if self._is_valid(row):
                return False
            query = f"DELETE FROM answers WHERE {_AT_KEY} AND signature = ?"  # noqa: S608  fixed words
            connection.execute(query, (*key, row.text("signature")))
        signature = self._journal.signatures.sign("answer", *key, digest, decision)
        return connection.execute(_ANSWER, (*key, digest, encode(decision), signature)).rowcount == 1

    def _valid(self, root_run: str, scope: Scope, *step: str) -> list[StoredRow]:
        columns = ("root_run", "scope", "run_id", "path")[: 2 + len(step)]
        self._journal.flush(root_run)
        found = self._rows(" AND ".join(f"{each} = ?" for each in columns), (root_run, scope, *step))
        return [row for row in found if self._is_valid(row)]

    def _is_valid(self, row: StoredRow) -> bool:
        key = [row.text(column) for column in _KEY]
        return self._journal.signatures.is_valid(
            row.text("signature"), "answer", *key, row.text("digest"), row.object("decision")
        )

    def _rows(self, condition: str, values: tuple[str, ...]) -> list[StoredRow]:
        database = self._journal.database
        query = f"SELECT * FROM answers WHERE {condition}"  # noqa: S608  fixed words
        return [StoredRow("answers", row) for row in database.rows(query, values)] if database.exists() else []
