"""Runs, journal, questions and answers: the same on both databases."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace

import pytest
from tests.signing import journal_of
from tests.waiting import wait_until

from paperagents.approval.question import ApprovalRequest, Approved, Denied, question_digest
from paperagents.errors import StorageError, UnknownApprovalError, UsageError
from paperagents.runs.history import History
from paperagents.runs.journal import MOST_QUEUED, Journal
from paperagents.runs.questions import Questions
from paperagents.runs.record import Intent, LogEntry, RunRecord, StoredRun
from paperagents.runs.statistics import count_tag, tag_statistics, tool_statistics
from paperagents.storage.database import Database
from paperagents.storage.entries import ToolStorage


@pytest.fixture
def journal(database: Database) -> Iterator[Journal]:
    with closing(journal_of(database)) as made:
        yield made


@pytest.fixture
def history(journal: Journal) -> History:
    return History(journal)


@pytest.fixture
def other(second: Database) -> Iterator[Journal]:
    with closing(journal_of(second)) as made:
        yield made


def run(run_id: str = "a" * 16, *, tool: str = "t", status: str = "running", started: str = "2026-01-01") -> StoredRun:
    return StoredRun(run_id=run_id, parent_run=None, tool=tool, status=status, started=started, duration_ms=0.0,
                     arguments={"x": "\x00\ud800 ü"}, definition=None, clock={"date": "d"})  # fmt: skip


def entry(name: str = "step", *, asks: bool = False) -> LogEntry:
    return LogEntry(step=1, block="tool", name=name, status="success", message="m", timestamp="t", duration_ms=1.0,
                    output="\x00", hitl_required=asks)  # fmt: skip


def question(run_id: str) -> ApprovalRequest:
    digest = question_digest("effect", "write_file", {}, "preview", run_id=run_id, path="1")
    return ApprovalRequest(id="q1", run_id=run_id, step=1, tool="write_file", arguments={}, preview="preview",
                           digest=digest, requested="now", asked_in=run_id, path="1", effect="effect")  # fmt: skip


def ended(run_id: str, status: str = "succeeded") -> RunRecord:
    return RunRecord(run_id=run_id, tool="t", status=status, started="s", duration_ms=2.0, data={"a": 1})  # type: ignore[arg-type]


def test_a_run_comes_back_as_it_was_written(journal: Journal, history: History) -> None:
    journal.start(run(), file=None, content=None)
    journal.append("a" * 16, "1", entry(), state="final")
    assert history.run("a" * 16) == run()
    assert journal.results("a" * 16)["1"]["output"] == "\x00"
    journal.finish(ended("a" * 16), {})
    record = history.record("aaaaaa")
    assert (record.status, record.data, len(record.execution_log)) == ("succeeded", {"a": 1}, 1)


def test_what_is_not_final_is_forgotten_when_a_run_goes_on(journal: Journal) -> None:
    journal.start(run(), file=None, content=None)
    journal.append("a" * 16, "1", entry("kept"), state="final")
    journal.append("a" * 16, "2", entry("gone"), state="open")
    journal.append("a" * 16, "3", entry("forgiven"), state="open")
    journal.mark_final("a" * 16, "3")
    journal.reopen("a" * 16)
    assert sorted(journal.results("a" * 16)) == ["1", "3"]


def test_an_intent_is_kept_changed_and_forgotten(journal: Journal) -> None:
    first = Intent(digest="d", before="b", after=None, answer={"x": [1]}, arguments={"y": 2})
    second = Intent(digest="e", before="b", after="a", answer=None, arguments={})
    for intent in (first, second):
        journal.intend("a" * 16, "1", intent)
        assert journal.intent("a" * 16, "1") == intent
    journal.forget_intent("a" * 16, "1")
    assert journal.intent("a" * 16, "1") is None


def test_a_file_is_kept_by_its_digest(journal: Journal, history: History) -> None:
    from hashlib import sha256  # noqa: PLC0415  only here

    content = b"\x00\xff bytes"
    digest = sha256(content).hexdigest()
    pinned = StoredRun(**{name: getattr(run(), name) for name in StoredRun.__slots__ if name != "definition"},
                       definition=digest)  # fmt: skip
    assert not journal.has_definition(digest)
    journal.start(pinned, file="a.md", content=content)
    assert not journal.has_definition(digest), "not before it is surely written"
    journal.flush_all()
    assert journal.has_definition(digest)
    assert history.definition(digest) == ("a.md", content)


def test_a_file_that_does_not_fit_its_digest_is_not_the_file(journal: Journal, history: History) -> None:
    journal.start(replace(run(), definition="0" * 64), file="a.md", content=b"something else")
    assert history.definition("0" * 64) is None


def test_history_is_newest_first_and_can_be_narrowed(journal: Journal, history: History) -> None:
    for number in range(6):
        made = run(f"{number:016}", tool=f"t{number % 2}", started=f"2026-01-0{number // 2 + 1}")
        journal.start(made, file=None, content=None)
        journal.finish(ended(made.run_id, "failed" if number == 3 else "succeeded"), {})
    assert [str(each["run_id"])[-1] for each in history.runs()] == ["5", "4", "3", "2", "1", "0"]
    assert [str(each["run_id"])[-1] for each in history.runs(tool="t1", limit=2)] == ["5", "3"]
    assert [str(each["run_id"])[-1] for each in history.runs(status="failed")] == ["3"]
    assert len(history.runs(since="2026-01-02")) == 4
    assert len(history.runs(since="2026-01-02T00:30+01:00")) == 4
    assert len(history.runs(since="2026-01-02T12:00")) == 2
    assert (len(history.runs(since="2026-01")), len(history.runs(since="2027"))) == (6, 0)
    with pytest.raises(UsageError) as caught:
        history.runs(since="tomorrow")
    assert caught.value.code == "invalid-date"
    assert tool_statistics(journal)[1]["failed"] == 1


@pytest.mark.parametrize(("durations", "median"), [([3.0], 3.0), ([1.0, 4.0], 2.5), ([9.0, 1.0, 2.0], 2.0)])
def test_half_of_the_runs_are_quicker_than_the_median(journal: Journal, durations: list[float], median: float) -> None:
    for number, duration in enumerate(durations):
        made = run(f"{number:016}")
        journal.start(made, file=None, content=None)
        journal.finish(replace(ended(made.run_id, "succeeded"), duration_ms=duration), {})
    assert tool_statistics(journal)[0]["median_ms"] == median


def test_a_question_is_open_until_the_run_is_over_and_shows_what_was_asked(journal: Journal, history: History) -> None:
    journal.start(run(), file=None, content=None)
    Questions(journal).ask(question("a" * 16))
    assert history.questions() == [history.question("q1")] == [question("a" * 16)]
    assert history.count_questions() == 1
    journal.finish(ended("a" * 16), {})
    assert (history.questions(), history.count_questions()) == ([], 0)
    with pytest.raises(UnknownApprovalError):
        history.question("q1")


def test_a_question_stays_open_while_the_run_is_resumed_and_until_it_is_not_asked_again(
    journal: Journal, history: History
) -> None:
    journal.start(run(), file=None, content=None)
    Questions(journal).ask(question("a" * 16))
    journal.finish(ended("a" * 16, "waiting"), {})
    journal.reopen("a" * 16)
    assert [each.id for each in history.questions()] == ["q1"]
    Questions(journal).ask(question("a" * 16))
    journal.finish(ended("a" * 16, "waiting"), {})
    assert [each.id for each in history.questions()] == ["q1"]
    journal.reopen("a" * 16)
    journal.finish(ended("a" * 16, "waiting"), {})
    assert history.questions() == []


def test_an_answer_is_kept_until_it_has_served_or_the_question_comes_anew(journal: Journal, history: History) -> None:
    asked = question("a" * 16)
    journal.start(run(status="waiting"), file=None, content=None)

    def answer() -> None:
        Questions(journal).ask(asked)
        Questions(journal).answer(asked, Approved())
        stored = Questions(journal).answer_at("a" * 16, "1")
        assert stored is not None
        assert (stored.digest, stored.decision) == (asked.digest, Approved())
        assert history.resumable() == ["a" * 16]
        assert history.questions() == []

    answer()
    Questions(journal).ask(asked)
    assert Questions(journal).answer_at("a" * 16, "1") is not None, "it came while somebody else was asked the same"
    Questions(journal).ask(replace(asked, digest="other"))
    assert Questions(journal).answer_at("a" * 16, "1") is None
    answer()
    journal.intend("a" * 16, "1", Intent(digest="d", before="b", after=None, answer=None, arguments={}))
    assert Questions(journal).answer_at("a" * 16, "1") is None
    assert (history.questions(), history.resumable()) == ([], [])


def test_a_question_is_answered_once(journal: Journal, other: Journal) -> None:
    asked = question("a" * 16)
    journal.start(run(status="waiting"), file=None, content=None)
    Questions(journal).ask(asked)
    Questions(journal).answer(asked, Denied(reason="no"))
    for each in (journal, other):
        with pytest.raises(UnknownApprovalError):
            Questions(each).answer(asked, Approved())
    stored = Questions(journal).answer_at("a" * 16, "1")
    assert stored is not None
    assert stored.decision == Denied(reason="no")


def test_an_answer_to_what_is_not_asked_any_more_is_forgotten_when_the_run_waits(
    journal: Journal, history: History
) -> None:
    journal.start(run(), file=None, content=None)
    Questions(journal).ask(question("a" * 16))
    Questions(journal).answer(question("a" * 16), Approved(for_run=True))
    journal.reopen("a" * 16)
    journal.finish(ended("a" * 16, "waiting"), {})
    assert not Questions(journal).has_answer("a" * 16)
    assert Questions(journal).allowed_tools("a" * 16).keys() == {"write_file"}
    assert history.resumable() == []


def test_a_change_waits_for_rows_of_its_run_that_another_thread_is_writing(journal: Journal) -> None:
    journal.start(run(), file=None, content=None)
    journal.append("a" * 16, "1", entry(), state="open")
    inside, go_on = threading.Event(), threading.Event()

    def write() -> None:
        with journal.transaction("a" * 16):
            inside.set()
            go_on.wait(20)

    writing = threading.Thread(target=write)
    writing.start()
    assert inside.wait(20)
    marking = threading.Thread(target=journal.mark_final, args=("a" * 16, "1"))
    marking.start()
    marking.join(0.3)
    go_on.set()
    writing.join()
    marking.join()
    assert list(journal.results("a" * 16)) == ["1"]


def test_queued_runs_come_in_their_order(journal: Journal, history: History) -> None:
    for number in (2, 0, 1):
        queued = run(f"{number:016}", status="queued", started=f"2026-01-0{number + 1}")
        journal.enqueue(queued, file=None, content=None)
        if number:
            Questions(journal).allow_everything(queued.run_id, Approved(via="--yes"))
    assert [each[-1] for each in history.resumable()] == ["0", "1", "2"]
    assert history.count("queued") == 3
    assert Questions(journal).general_answer(f"{1:016}") == Approved(via="--yes")
    assert Questions(journal).general_answer(f"{0:016}") is None


def test_a_yes_to_one_question_or_tool_is_none_to_whatever_the_run_asks(journal: Journal) -> None:
    asked = question("a" * 16)
    journal.start(run(status="waiting"), file=None, content=None)
    Questions(journal).ask(asked)
    Questions(journal).answer(asked, Approved(for_run=True))
    assert Questions(journal).allowed_tools("a" * 16).keys() == {"write_file"}
    assert Questions(journal).general_answer("a" * 16) is None


def test_a_run_is_in_the_history_of_others_a_moment_after_it_began(journal: Journal, second: Database) -> None:
    journal.start(run(), file=None, content=None)
    journal.append("a" * 16, "1", entry(), state="final")
    wait_until(lambda: History(journal_of(second)).runs())
    wait_until(lambda: History(journal_of(second)).steps("a" * 16))


def test_an_entry_that_others_have_seen_the_effect_of_is_written_at_once(journal: Journal, second: Database) -> None:
    journal.start(run(), file=None, content=None)
    journal.append("a" * 16, "1", entry(), state="final", at_once=True)
    assert [path for path, _ in History(journal_of(second)).steps("a" * 16)] == ["1"]


def test_the_queue_has_an_end(journal: Journal, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_QUEUED >= 1000
    monkeypatch.setattr("paperagents.runs.journal.MOST_QUEUED", 2)
    for number in range(2):
        journal.enqueue(run(f"{number:016}", status="queued"), file=None, content=None)
    with pytest.raises(UsageError) as caught:
        journal.enqueue(run("f" * 16, status="queued"), file=None, content=None)
    assert caught.value.code == "queue-full"
    assert history.count("queued") == 2


def test_a_run_is_worked_on_by_one_at_a_time_whoever_they_are(journal: Journal, other: Journal) -> None:
    with journal.lock_run("a"):
        assert other.database.is_held("a")
        for each in (journal, other):
            with pytest.raises(UsageError) as caught, each.lock_run("a"):
                pass
            assert caught.value.code == "run-is-running"
        with other.lock_run("b"):
            pass
    assert not other.database.is_held("a")
    with other.lock_run("a"):
        pass


def test_many_who_want_the_same_run_get_it_one_after_the_other(journal: Journal, other: Journal) -> None:
    inside, most = [0], [0]
    guard = threading.Lock()

    def work(each: Journal) -> None:
        for _ in range(40):
            with suppress(UsageError), each.lock_run("a"):
                with guard:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                with guard:
                    inside[0] -= 1

    threads = [threading.Thread(target=work, args=(each,)) for each in (journal, other, journal, other)]
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


def test_tags_are_counted_together(journal: Journal) -> None:
    count_tag(journal.database, "memory", valid=True, succeeded=True, duration_ms=1.0)
    count_tag(journal.database, "memory", valid=False, succeeded=False, duration_ms=3.0)
    assert tag_statistics(journal) == [
        {"tag": "memory", "calls": 2, "valid": 1, "invalid": 1, "succeeded": 1, "mean_ms": 2.0}
    ]
