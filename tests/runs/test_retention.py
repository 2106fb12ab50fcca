"""What is removed of the history, and what never is: the same on both databases."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from tests.signing import journal_of

from paperagents.definitions.change import Change
from paperagents.runs import retention
from paperagents.runs.changes import Cause, ChangeLog
from paperagents.runs.history import History
from paperagents.runs.journal import Journal
from paperagents.runs.record import LogEntry, RunRecord, RunStatus, StepPath, child_run_id, new_run
from paperagents.runs.retention import Pruned, Retention
from paperagents.runs.statistics import tool_statistics
from paperagents.storage.database import Database
from paperagents.storage.entries import EntryStore
from paperagents.storage.images import kept_image_bytes
from paperagents.storage.sqlite import SqliteDatabase
from paperagents.storage.totals import kept_bytes

FILE = b"a tool"
DIGEST = sha256(FILE).hexdigest()
LARGE = "x" * 100_000


@pytest.fixture
def journal(database: Database) -> Iterator[Journal]:
    with closing(journal_of(database)) as made:
        yield made


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="milliseconds")


def make_run(journal: Journal, days: float, status: RunStatus = "succeeded", *, output: str = "out") -> str:
    """A run with a step that was a run of its own."""
    run = replace(new_run("t", {}, {"date": "d"}), started=days_ago(days), definition=DIGEST)
    journal.start(run, file="t.md", content=FILE)
    inner = replace(run, run_id=child_run_id(run.run_id, StepPath("1")), parent_run=run.run_id, tool="inner")
    journal.start(inner, file=None, content=None)
    for run_id in (inner.run_id, run.run_id):
        entry = LogEntry(step=1, block="tool", name="n", status="success", message="m", timestamp="t", duration_ms=1.0,
                         output=output)  # fmt: skip
        journal.append(run_id, "1", entry, state="final")
        if status not in ("running", "queued"):
            parent = None if run_id == run.run_id else run.run_id
            journal.finish(RunRecord(run_id=run_id, tool="t", status=status, started=run.started, duration_ms=1.0,
                                     data=output, parent_run=parent), {})  # fmt: skip
    journal.flush_all()
    return run.run_id


def kept(journal: Journal) -> set[str]:
    return {str(each["run_id"]) for each in History(journal).runs()}


def rows_left(journal: Journal) -> dict[str, int]:
    tables = (*retention.TABLES, "blobs", "blob_uses", "definitions")
    return {table: journal.database.rows(f"SELECT count(*) AS found FROM {table}")[0]["found"] for table in tables}


def test_what_is_older_goes_with_everything_that_belongs_to_it(journal: Journal) -> None:
    old, new = make_run(journal, 40, output=LARGE), make_run(journal, 20)
    pruned = Retention(journal=journal, keep_days=30).prune()
    assert (pruned.runs, kept(journal)) == (1, {new})
    assert History(journal).run(f"{old}.1") is None
    assert rows_left(journal) == {"journal": 2, "intents": 0, "runs": 2, "blobs": 0, "blob_uses": 0, "definitions": 1}
    assert History(journal).record(new).data == "out"


def test_the_file_of_a_tool_goes_with_the_last_run_that_refers_to_it(journal: Journal) -> None:
    make_run(journal, 40)
    make_run(journal, 30)
    Retention(journal=journal).prune(older_than=35)
    assert rows_left(journal)["definitions"] == 1
    Retention(journal=journal).prune(older_than=0)
    assert set(rows_left(journal).values()) == {0}


def test_what_is_not_over_is_never_removed_and_told(journal: Journal) -> None:
    statuses: tuple[RunStatus, ...] = ("waiting", "queued", "running", "succeeded", "failed", "denied", "cancelled")
    runs = {make_run(journal, 40, status): status for status in statuses}
    with journal.database.transaction() as connection:
        for run_id, status in runs.items():
            connection.execute("UPDATE runs SET status = ? WHERE run_id = ?", (status, run_id))
    pruned = Retention(journal=journal).prune(older_than=1)
    assert (pruned.runs, pruned.unfinished) == (4, 3)
    assert {runs[run_id] for run_id in kept(journal)} == {"waiting", "queued", "running"}


def test_what_can_be_undone_stays_unless_a_person_says_otherwise(journal: Journal) -> None:
    undoable, _ = make_run(journal, 40), make_run(journal, 40)
    change = Change(kind="", path="a.md", before="old", after="new")
    ChangeLog(journal).intend([change], Cause(run_id=undoable, step_path="1", step=1), made=True)
    chosen = Retention(journal=journal, keep_days=1)
    chosen.step()
    assert kept(journal) == {undoable}
    assert (kept(journal), chosen.prune().undoable) == ({undoable}, 1)
    assert (chosen.prune(undoable=True).runs, kept(journal)) == (1, set())
    for table in ("changes", "images"):
        assert journal.database.rows(f"SELECT * FROM {table}") == []


def change_note(journal: Journal, run_id: str, text: str) -> None:
    change = Change(kind="", path=f"{run_id}.md", before=None, after=text)
    ChangeLog(journal).intend([change], Cause(run_id=run_id, step_path="1", step=1), made=True)


def noise(seed: int) -> str:
    """A text of 600,000 characters that cannot be compressed to much less than half of it."""
    return random.Random(seed).randbytes(300_000).hex()


def test_texts_that_undoing_needs_count_and_go_with_their_runs_where_a_person_says_so(journal: Journal) -> None:
    runs = [make_run(journal, 10 - number) for number in range(6)]
    for number, run in enumerate(runs):
        change_note(journal, run, noise(number))
    plain = make_run(journal, 20)
    limited = Retention(journal=journal, keep_mb=1)
    limited.step()
    # Nobody has agreed to lose what can be undone, and no other run makes room for it.
    assert (limited.prune().undoable, kept(journal)) == (6, {plain, *runs})
    would = limited.prune(undoable=True, dry_run=True)
    pruned = limited.prune(undoable=True)
    assert (pruned.runs, pruned.bytes) == (would.runs, would.bytes)
    assert pruned.bytes > 900_000
    assert kept(journal) == set(runs[-len(kept(journal)) :])
    assert 600_000 < kept_image_bytes(journal.database) <= 1_000_000


def test_a_dry_run_counts_and_removes_nothing(journal: Journal) -> None:
    make_run(journal, 40)
    before = rows_left(journal)
    would = Retention(journal=journal).prune(older_than=1, dry_run=True)
    assert (would.runs, would.bytes > 1000, rows_left(journal)) == (1, True, before)
    assert Retention(journal=journal).prune(older_than=1) == would
    assert Retention(journal=journal).prune(older_than=1) == Pruned()


def test_the_oldest_go_until_the_rest_is_small_enough(journal: Journal) -> None:
    runs = [make_run(journal, 10 - number, output=str(number) * 60_000) for number in range(8)]
    before = kept_bytes(journal.database)
    Retention(journal=journal, keep_mb=1).prune()
    assert before > 1_000_000 >= kept_bytes(journal.database) > 500_000
    assert kept(journal) == set(runs[-len(kept(journal)) :])


def test_a_step_does_little_and_says_whether_there_is_more(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_STEP", 2)
    for _ in range(5):
        make_run(journal, 40)
    chosen = Retention(journal=journal, keep_days=1)
    assert [chosen.step() for _ in range(4)] == [True, True, False, False]
    assert kept(journal) == set()


def test_without_a_limit_nothing_is_removed(journal: Journal) -> None:
    run_id = make_run(journal, 4000)
    assert Retention(journal=journal).step() is False
    assert (Retention(journal=journal).prune().runs, kept(journal)) == (0, {run_id})


def test_a_run_that_somebody_has_just_taken_up_again_stays(journal: Journal, second: Database) -> None:
    run_id = make_run(journal, 40, "failed")
    with second.held(run_id):
        assert Retention(journal=journal).prune(older_than=1).runs == 0
    assert kept(journal) == {run_id}


def test_figures_stay_and_room_is_given_back(journal: Journal) -> None:
    for _ in range(3):
        make_run(journal, 40, output=LARGE)
    before = tool_statistics(journal)
    Retention(journal=journal).prune(older_than=1)
    after = tool_statistics(journal)
    assert [each["runs"] for each in after] == [each["runs"] for each in before] == [3, 3]
    assert kept_bytes(journal.database) == 0
    if isinstance(journal.database, SqliteDatabase):
        assert journal.database.rows("PRAGMA freelist_count")[0][0] == 0


def test_versions_that_were_replaced_before_the_kept_days_go(journal: Journal) -> None:
    entries = EntryStore(journal.database)
    for content in ("first", "second", "third"):
        entries.put("memory", "a", {"content": content})
    with journal.database.transaction() as connection:
        for version, days in ((1, 50), (2, 40), (3, 1)):
            connection.execute("UPDATE entry_versions SET changed = ? WHERE version = ?", (days_ago(days), version))
    Retention(journal=journal, keep_days=30).prune()
    assert [each["version"] for each in entries.versions("memory", "a")] == [2, 3]
