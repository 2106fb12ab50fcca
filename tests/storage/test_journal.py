"""Runs, journal, questions and answers: the same on both databases."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from paperagents.approval.question import ApprovalRequest, question_digest
from paperagents.errors import StorageError, UsageError
from paperagents.runs.history import Intent, StoredRun
from paperagents.runs.journal import MOST_QUEUED, RunStore
from paperagents.runs.record import LogEntry, RunRecord
from paperagents.storage.database import Database
from paperagents.storage.entries import ToolStorage


@pytest.fixture
def store(database: Database) -> RunStore:
    return RunStore(database)


@pytest.fixture
def other(second: Database) -> RunStore:
    return RunStore(second)


def run(run_id: str = "a" * 16, *, tool: str = "t", status: str = "running", started: str = "2026-01-01") -> StoredRun:
    return StoredRun(run_id=run_id, parent_run=None, tool=tool, status=status, started=started, duration_ms=0.0,
                     arguments={"x": "\x00\ud800 ü"}, definition=None, clock={"date": "d"})  # fmt: skip


def entry(name: str = "step", *, asks: bool = False) -> LogEntry:
    return LogEntry(step=1, block="tool", name=name, status="success", message="m", timestamp="t", duration_ms=1.0,
                    output="\x00", hitl_required=asks)  # fmt: skip


def question(run_id: str) -> ApprovalRequest:
    digest = question_digest("call", "write_file", {}, "preview", place="1")
    return ApprovalRequest(id="q1", run_id=run_id, step=1, tool="write_file", arguments={}, preview="preview",
                           digest=digest, requested="now")  # fmt: skip


def ended(run_id: str, status: str = "succeeded") -> RunRecord:
    return RunRecord(run_id=run_id, tool="t", status=status, started="s", duration_ms=2.0, data={"a": 1})  # type: ignore[arg-type]


def test_a_run_comes_back_as_it_was_written(store: RunStore) -> None:
    store.start(run(), file=None, content=None)
    store.append("a" * 16, "1", entry(), final=True)
    assert store.stored("a" * 16) == run()
    assert store.results("a" * 16)["1"]["output"] == "\x00"
    store.finish(ended("a" * 16), {})
    record = store.record("aaaaaa")
    assert (record.status, record.data, len(record.execution_log)) == ("succeeded", {"a": 1}, 1)


def test_what_is_not_final_is_forgotten_when_a_run_goes_on(store: RunStore) -> None:
    store.start(run(), file=None, content=None)
    store.append("a" * 16, "1", entry("kept"), final=True)
    store.append("a" * 16, "2", entry("gone"), final=False)
    store.append("a" * 16, "3", entry("forgiven"), final=False)
    store.settle("a" * 16, "3")
    store.go_on("a" * 16)
    assert sorted(store.results("a" * 16)) == ["1", "3"]


def test_an_intent_is_kept_changed_and_forgotten(store: RunStore) -> None:
    first = Intent(digest="d", before="b", after=None, answer={"x": [1]}, arguments={"y": 2})
    second = Intent(digest="e", before="b", after="a", answer=None, arguments={})
    for intent in (first, second):
        store.intend("a" * 16, "1", intent)
        assert store.intent("a" * 16, "1") == intent
    store.forget_intent("a" * 16, "1")
    assert store.intent("a" * 16, "1") is None


def test_a_file_is_kept_by_its_digest(store: RunStore) -> None:
    from hashlib import sha256  # noqa: PLC0415  only here

    content = b"\x00\xff bytes"
    digest = sha256(content).hexdigest()
    pinned = StoredRun(**{name: getattr(run(), name) for name in StoredRun.__slots__ if name != "definition"},
                       definition=digest)  # fmt: skip
    assert not store.keeps(digest)
    store.start(pinned, file="a.md", content=content)
    assert not store.keeps(digest), "not before it is surely written"
    store.flush()
    assert store.keeps(digest)
    assert store.content(digest) == ("a.md", content)


def test_history_is_newest_first_and_can_be_narrowed(store: RunStore) -> None:
    for number in range(6):
        made = run(f"{number:016}", tool=f"t{number % 2}", started=f"2026-01-0{number // 2 + 1}")
        store.start(made, file=None, content=None)
        store.finish(ended(made.run_id, "failed" if number == 3 else "succeeded"), {})
    assert [str(each["run_id"])[-1] for each in store.history()] == ["5", "4", "3", "2", "1", "0"]
    assert [str(each["run_id"])[-1] for each in store.history(tool="t1", limit=2)] == ["5", "3"]
    assert [str(each["run_id"])[-1] for each in store.history(status="failed")] == ["3"]
    assert len(store.history(since="2026-01-02")) == 4
    assert len(store.history(since="2026-01-02T00:30+01:00")) == 4
    assert len(store.history(since="2026-01-02T12:00")) == 2
    assert (len(store.history(since="2026-01")), len(store.history(since="2027"))) == (6, 0)
    with pytest.raises(UsageError) as caught:
        store.history(since="tomorrow")
    assert caught.value.code == "invalid-date"
    assert store.figures()[1]["failed"] == 1


@pytest.mark.parametrize(("durations", "median"), [([3.0], 3.0), ([1.0, 4.0], 2.5), ([9.0, 1.0, 2.0], 2.0)])
def test_half_of_the_runs_are_quicker_than_the_median(store: RunStore, durations: list[float], median: float) -> None:
    for number, duration in enumerate(durations):
        made = run(f"{number:016}")
        store.start(made, file=None, content=None)
        store.finish(replace(ended(made.run_id, "succeeded"), duration_ms=duration), {})
    assert store.figures()[0]["median_ms"] == median


def test_a_question_is_open_until_the_run_is_over_and_shows_what_was_asked(store: RunStore) -> None:
    store.start(run(), file=None, content=None)
    store.ask(question("a" * 16), "a" * 16)
    assert [each.id for each in store.approvals()] == ["q1"]
    assert store.approval("q1")[1] == "a" * 16
    store.finish(ended("a" * 16), {})
    assert store.approvals() == []
    with pytest.raises(UsageError):
        store.approval("q1")


def test_an_answer_is_kept_until_it_has_served_or_the_question_comes_anew(store: RunStore) -> None:
    asked = question("a" * 16)
    store.start(run(status="waiting"), file=None, content=None)
    store.answer("a" * 16, asked.digest, {"approved": True})
    assert store.answers("a" * 16) == {asked.digest: {"approved": True}}
    assert store.to_go_on() == ["a" * 16]
    store.ask(asked, "a" * 16)
    assert store.answers("a" * 16) == {}
    store.answer("a" * 16, asked.digest, {"approved": True})
    store.intend(
        "a" * 16, "1", Intent(digest="d", before="b", after=None, answer=None, arguments={}), answered=asked.digest
    )
    assert store.answers("a" * 16) == {}


def test_queued_runs_come_in_their_order(store: RunStore) -> None:
    for number in (2, 0, 1):
        queued = run(f"{number:016}", status="queued", started=f"2026-01-0{number + 1}")
        store.enqueue(queued, file=None, content=None, approved={"approved": True} if number else None)
    assert [each[-1] for each in store.to_go_on()] == ["0", "1", "2"]
    assert store.count("queued") == 3
    assert store.answers(f"{1:016}") == {"*": {"approved": True}}


def test_the_queue_has_an_end(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_QUEUED >= 1000
    monkeypatch.setattr("paperagents.runs.journal.MOST_QUEUED", 2)
    for number in range(2):
        store.enqueue(run(f"{number:016}", status="queued"), file=None, content=None, approved=None)
    with pytest.raises(UsageError) as caught:
        store.enqueue(run("f" * 16, status="queued"), file=None, content=None, approved=None)
    assert caught.value.code == "queue-full"
    assert store.count("queued") == 2


def test_a_run_is_worked_on_by_one_at_a_time_whoever_they_are(store: RunStore, other: RunStore) -> None:
    with store.held("a"):
        assert other.database.is_held("a")
        for each in (store, other):
            with pytest.raises(UsageError) as caught, each.held("a"):
                pass
            assert caught.value.code == "run-is-running"
        with other.held("b"):
            pass
    assert not other.database.is_held("a")
    with other.held("a"):
        pass


def test_many_who_want_the_same_run_get_it_one_after_the_other(store: RunStore, other: RunStore) -> None:
    inside, most = [0], [0]
    guard = threading.Lock()

    def work(each: RunStore) -> None:
        for _ in range(40):
            with suppress(UsageError), each.held("a"):
                with guard:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                with guard:
                    inside[0] -= 1

    threads = [threading.Thread(target=work, args=(each,)) for each in (store, other, store, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_part_that_fails_is_taken_back_alone(database: Database) -> None:
    insert = "INSERT INTO tool_storage (tool, content) VALUES (?, 'x')"
    with database.transaction() as connection:
        connection.execute(insert, ("outer",))
        with pytest.raises(ZeroDivisionError), database.transaction() as inner:  # noqa: PT012  the two belong together
            inner.execute(insert, ("inner",))
            raise ZeroDivisionError
    assert [row["tool"] for row in database.rows("SELECT tool FROM tool_storage")] == ["outer"]


def test_a_statement_that_cannot_be_carried_out_is_an_error_of_ours(database: Database) -> None:
    with pytest.raises(StorageError) as caught:
        database.rows("SELECT * FROM nothing_of_that_name")
    assert caught.value.code == "database-failed"
    assert database.rows("SELECT 1 AS one")[0]["one"] == 1


def test_tools_keep_what_they_keep(database: Database) -> None:
    storage = ToolStorage(database)
    assert storage.load("t") == {}
    storage.save("t", {"a": 1})
    storage.save("t", {"b": "\x00"})
    assert storage.load("t") == {"b": "\x00"}
    assert storage.load("u") == {}


def test_what_runs_keep_at_the_same_time_is_all_kept(database: Database) -> None:
    storage = ToolStorage(database)
    storage.save("t", {"a": 1, "b": 1, "c": 1})
    before = storage.load("t")
    storage.change("t", before, {"a": 2, "b": 1, "c": 1, "d": 1})
    storage.change("t", before, {"b": True, "c": 1, "e": 1})
    kept = storage.load("t")
    assert kept == {"b": True, "c": 1, "d": 1, "e": 1}
    assert kept["b"] is True


def test_tags_are_counted_together(store: RunStore) -> None:
    store.count_tag("memory", valid=True, succeeded=True, duration_ms=1.0)
    store.count_tag("memory", valid=False, succeeded=False, duration_ms=3.0)
    assert store.tag_figures() == [
        {"tag": "memory", "calls": 2, "valid": 1, "invalid": 1, "succeeded": 1, "mean_ms": 2.0}
    ]
