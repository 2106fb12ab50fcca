"""What the journal writes, in SQL."""

from __future__ import annotations

from paperagents.runs.record import root_of
from paperagents.storage.database import Connection

ADD_ENTRY = "INSERT INTO journal (run_id, path, state, redacted, entry) VALUES (?, ?, ?, ?, ?)"
ADD_DEFINITION = "INSERT INTO definitions (digest, file, content) VALUES (?, ?, ?) ON CONFLICT (digest) DO NOTHING"
ADD_RUN = (
    "INSERT INTO runs (run_id, parent_run, tool, status, started, duration_ms, arguments, definition, clock, "
    "redacted, warnings, trace, signature) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
PUT_INTENT = (
    "INSERT INTO intents (run_id, path, digest, before, after, answer, arguments, approved, signature) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, path) DO UPDATE SET digest = excluded.digest, "
    "before = excluded.before, after = excluded.after, answer = excluded.answer, arguments = excluded.arguments, "
    "approved = excluded.approved, signature = excluded.signature"
)
DELETE_STALE_ANSWERS = (
    "DELETE FROM answers WHERE root_run = ? AND scope = 'question' AND NOT EXISTS (SELECT 1 FROM questions "
    "WHERE questions.run_id = answers.run_id AND questions.path = answers.path "
    "AND questions.digest = answers.digest)"
)
STORE_PART = "a large part of a value"
"""No statement: stands for the few that store such a part."""


def close_question(connection: Connection, run_id: str, path: str, *, but: str = "") -> None:
    """Delete the question of a step and its answer, unless they are those of the digest ``but``."""
    step = "root_run = ? AND run_id = ? AND path = ? AND digest <> ?"
    values = (root_of(run_id), run_id, path, but)
    connection.execute(f"DELETE FROM questions WHERE {step}", values)  # noqa: S608  fixed words
    connection.execute(f"DELETE FROM answers WHERE scope = 'question' AND {step}", values)  # noqa: S608  the same
