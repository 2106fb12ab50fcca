"""The tables of the database, in the words both kinds of database understand, or nearly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paperagents.patterns import late_pattern

MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE runs (
        run_id TEXT PRIMARY KEY, parent_run TEXT, tool TEXT NOT NULL, status TEXT NOT NULL, started TEXT NOT NULL,
        duration_ms REAL NOT NULL, arguments TEXT NOT NULL, definition TEXT, clock TEXT NOT NULL, data TEXT,
        error TEXT, warnings TEXT, redacted INTEGER NOT NULL, signature TEXT
    );
    CREATE INDEX runs_by_start ON runs (parent_run, started DESC);
    CREATE INDEX runs_by_tool ON runs (tool, started DESC);
    CREATE INDEX runs_by_status ON runs (status, started DESC);
    CREATE INDEX runs_on_top ON runs (started DESC) WHERE parent_run IS NULL;
    CREATE INDEX runs_by_tool_and_status ON runs (tool, status, started DESC);
    CREATE TABLE definitions (digest TEXT PRIMARY KEY, file TEXT NOT NULL, content BLOB NOT NULL);
    CREATE TABLE journal (
        seq INTEGER PRIMARY KEY, run_id TEXT NOT NULL, path TEXT NOT NULL, state TEXT NOT NULL,
        redacted INTEGER NOT NULL, entry TEXT NOT NULL
    );
    CREATE INDEX journal_by_run ON journal (run_id, seq);
    CREATE TABLE intents (
        run_id TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, before TEXT NOT NULL, after TEXT, answer TEXT,
        arguments TEXT NOT NULL, approved TEXT NOT NULL, signature TEXT NOT NULL, PRIMARY KEY (run_id, path)
    );
    CREATE TABLE questions (
        id TEXT PRIMARY KEY, run_id TEXT NOT NULL, root_run TEXT NOT NULL, path TEXT NOT NULL, step INTEGER NOT NULL,
        tool TEXT NOT NULL, arguments TEXT NOT NULL, preview TEXT NOT NULL, scope TEXT NOT NULL, effect TEXT NOT NULL,
        digest TEXT NOT NULL, requested TEXT NOT NULL, withdrawn INTEGER NOT NULL
    );
    CREATE INDEX questions_by_root ON questions (root_run);
    CREATE TABLE answers (
        root_run TEXT NOT NULL, scope TEXT NOT NULL, run_id TEXT NOT NULL, path TEXT NOT NULL, tool TEXT NOT NULL,
        digest TEXT NOT NULL, decision TEXT NOT NULL, signature TEXT NOT NULL,
        PRIMARY KEY (root_run, scope, run_id, path, tool)
    );
    CREATE TABLE entries (
        kind TEXT NOT NULL, identifier TEXT NOT NULL, version INTEGER NOT NULL, created TEXT NOT NULL,
        updated TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (kind, identifier)
    );
    CREATE TABLE entry_versions (
        kind TEXT NOT NULL, identifier TEXT NOT NULL, version INTEGER NOT NULL, changed TEXT NOT NULL, fields TEXT,
        PRIMARY KEY (kind, identifier, version)
    );
    CREATE TABLE tool_storage (tool TEXT PRIMARY KEY, content TEXT NOT NULL);
    CREATE TABLE tag_counts (
        tag TEXT PRIMARY KEY, calls INTEGER NOT NULL, valid INTEGER NOT NULL, succeeded INTEGER NOT NULL,
        total_ms REAL NOT NULL
    );
    CREATE TABLE schedules (tool TEXT PRIMARY KEY, schedule TEXT NOT NULL, last_tick TEXT NOT NULL);
    CREATE TABLE holders (run_id TEXT PRIMARY KEY, holder TEXT NOT NULL, tool TEXT);
    CREATE INDEX holders_by_tool ON holders (tool);
    CREATE TABLE tool_starts (tool TEXT NOT NULL, started REAL NOT NULL);
    CREATE INDEX tool_starts_by_tool ON tool_starts (tool, started);
    CREATE TABLE identity (id TEXT NOT NULL)
    """,
    """
    ALTER TABLE questions ADD COLUMN changes TEXT;
    CREATE TABLE pending_changes (
        seq INTEGER PRIMARY KEY, owner TEXT NOT NULL, run_id TEXT NOT NULL, path TEXT NOT NULL, call TEXT NOT NULL,
        signature TEXT NOT NULL, UNIQUE (run_id, path)
    );
    CREATE INDEX pending_changes_by_owner ON pending_changes (owner);
    CREATE INDEX intents_of_commits ON intents (run_id) WHERE digest = before;
    CREATE INDEX answers_to_act_on ON answers (root_run) WHERE scope <> 'tool';
    CREATE INDEX runs_by_definition ON runs (definition);
    CREATE TABLE totals (
        tool TEXT NOT NULL, status TEXT NOT NULL, nested INTEGER NOT NULL, runs INTEGER NOT NULL,
        total_ms REAL NOT NULL, max_ms REAL NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (tool, status, nested)
    );
    CREATE TABLE total_changes (
        seq INTEGER PRIMARY KEY, tool TEXT NOT NULL, status TEXT NOT NULL, nested INTEGER NOT NULL,
        runs INTEGER NOT NULL, total_ms REAL NOT NULL, max_ms REAL NOT NULL, bytes INTEGER NOT NULL
    );
    INSERT INTO totals (tool, status, nested, runs, total_ms, max_ms, bytes)
        SELECT tool, status, CASE WHEN parent_run IS NULL THEN 0 ELSE 1 END, COUNT(*), SUM(duration_ms),
        MAX(duration_ms), SUM(500 + LENGTH(arguments) + COALESCE(LENGTH(data), 0)) FROM runs
        WHERE status IN ('succeeded', 'failed', 'denied', 'cancelled') GROUP BY 1, 2, 3;
    INSERT INTO totals (tool, status, nested, runs, total_ms, max_ms, bytes)
        SELECT '', '', 1, 0, 0, 0, SUM(120 + LENGTH(entry)) FROM journal HAVING COUNT(*) > 0;
    CREATE TABLE blobs (digest TEXT PRIMARY KEY, size INTEGER NOT NULL, content BLOB NOT NULL);
    CREATE TABLE blob_uses (run_id TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (run_id, digest));
    CREATE INDEX blob_uses_by_digest ON blob_uses (digest);
    ALTER TABLE runs ADD COLUMN usage TEXT;
    ALTER TABLE runs ADD COLUMN trace TEXT;
    CREATE TABLE images (digest TEXT PRIMARY KEY, base TEXT, depth INTEGER NOT NULL, content BLOB NOT NULL);
    CREATE TABLE changes (
        seq INTEGER PRIMARY KEY, root_run TEXT NOT NULL, run_id TEXT NOT NULL, step_path TEXT NOT NULL,
        step INTEGER NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, before TEXT, after TEXT,
        added INTEGER NOT NULL, removed INTEGER NOT NULL, changed TEXT NOT NULL, approved_by TEXT,
        undoes TEXT NOT NULL, made INTEGER NOT NULL, signature TEXT NOT NULL
    );
    CREATE INDEX changes_by_run ON changes (root_run);
    CREATE INDEX changes_by_step ON changes (run_id, step_path);
    CREATE INDEX changes_by_target ON changes (kind, path, seq);
    CREATE INDEX changes_by_before ON changes (before);
    CREATE INDEX changes_by_after ON changes (after);
    CREATE INDEX images_by_base ON images (base);
    CREATE INDEX changes_by_undone ON changes (undoes, root_run) WHERE undoes <> '';
    CREATE TABLE model_totals (
        tool TEXT NOT NULL, nested INTEGER NOT NULL, model_calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL,
        cost REAL, PRIMARY KEY (tool, nested)
    )
    """,
)
"""What each version of the program added. Never change one that has been released; add another."""

_ROWID = "rowid BIGINT GENERATED ALWAYS AS IDENTITY"
_IN_POSTGRES = (
    (late_pattern(r"\bINTEGER PRIMARY KEY\b"), "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    (late_pattern(r"\bINTEGER\b"), "BIGINT"),
    (late_pattern(r"\bREAL\b"), "DOUBLE PRECISION"),
    (late_pattern(r"\bBLOB\b"), "BYTEA"),
    # By the bytes, as the embedded database compares: the same order everywhere.
    (late_pattern(r"\bTEXT\b"), 'TEXT COLLATE "C"'),
)


def statements(migration: str) -> Iterator[str]:
    """The single statements of a migration."""
    yield from filter(None, map(str.strip, migration.split(";")))


def in_postgres(statement: str) -> str:
    """The same statement for PostgreSQL, where a table gets the number of its rows that SQLite's always have."""
    for pattern, word in _IN_POSTGRES:
        statement = pattern.sub(word, statement)
    if statement.startswith("CREATE TABLE"):
        return f"{statement.rstrip().removesuffix(')').rstrip()}, {_ROWID})"
    return statement
