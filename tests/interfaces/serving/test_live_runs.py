"""Runs outside requests: no thread while they wait, one answer each, everything told to whoever looks on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.question import Approved, Denied
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.serving.event_log import MISSED, EventLog
from paperagents.interfaces.serving.live_runs import LiveRuns
from paperagents.vault import Vault

PARALLEL = """---
tool: true
name: both
description: Writes two notes side by side.
steps:
  - name: pair
    parallel:
      - {name: one, tool: write_file, parameters: {filePath: left.md, content: "1"}}
      - {name: two, tool: write_file, parameters: {filePath: right.md, content: "2"}}
---
"""


@pytest.fixture
def live(folder: Path) -> Iterator[LiveRuns]:
    with Vault(folder) as vault:
        running = LiveRuns(vault, at_once=4)
        yield running
        running.close()


def write(live: LiveRuns, name: str) -> str:
    return live.start("write_file", {"filePath": f"{name}.md", "content": "x"})


async def ended(live: LiveRuns, run_id: str) -> Any:
    return await live.finished(run_id, 30)


def test_two_hundred_runs_wait_without_a_thread(live: LiveRuns) -> None:
    async def go() -> None:
        for record in await asyncio.gather(*(ended(live, write(live, f"n{number}")) for number in range(200))):
            assert record.status == "waiting"

    asyncio.run(go())
    assert len(live.vault.history.questions()) == 200
    assert len([each for each in threading.enumerate() if each.name.startswith("paper-run")]) <= 4
    assert live._active == {}


def test_an_answer_makes_the_run_go_on(live: LiveRuns, folder: Path) -> None:
    run_id = write(live, "a")
    asyncio.run(ended(live, run_id))
    (question,) = live.vault.history.questions()
    assert live.answer(question.id, Approved(), digest=question.digest) == run_id
    assert asyncio.run(ended(live, run_id)).success
    assert (folder / "a.md").read_text() == "x"
    with pytest.raises(UsageError):
        live.answer(question.id, Denied(), digest=question.digest)


def test_two_questions_of_one_run_can_be_answered_at_once(live: LiveRuns, folder: Path) -> None:
    (folder / "both.md").write_text(PARALLEL)
    run_id = live.start("both")
    asyncio.run(ended(live, run_id))
    for question in live.vault.history.questions():
        live.answer(question.id, Approved(), digest=question.digest)

    async def both_written() -> None:
        async with asyncio.timeout(30):
            while live.record(run_id).status != "succeeded":
                await asyncio.sleep(0.01)

    asyncio.run(both_written())
    assert [(folder / name).read_text() for name in ("left.md", "right.md")] == ["1", "2"]


def test_answers_of_several_people_at_the_same_moment_all_count(live: LiveRuns, folder: Path) -> None:
    (folder / "both.md").write_text(PARALLEL.replace("content:", "overwrite: true, content:"))

    async def go() -> None:
        run_id = live.start("both")
        await ended(live, run_id)
        questions = live.vault.history.questions()
        answers = [asyncio.to_thread(live.answer, each.id, Approved(), digest=each.digest) for each in questions]
        async with asyncio.timeout(30):
            assert await asyncio.gather(*answers) == [run_id, run_id]
            while live.record(run_id).status != "succeeded":
                await asyncio.sleep(0.01)

    for _ in range(10):
        asyncio.run(go())


def test_a_question_is_told_when_it_can_be_answered(live: LiveRuns) -> None:
    async def go() -> None:
        run_id = write(live, "a")
        async for event in live.follow(run_id):
            if event["type"] == "approval-requested":
                asked = event["approval"]
                assert isinstance(asked, dict)
                live.answer(str(asked["id"]), Approved(), digest=str(asked["digest"]))
        async with asyncio.timeout(30):
            while live.record(run_id).status != "succeeded":
                await asyncio.sleep(0.01)

    asyncio.run(go())


def test_too_many_runs_are_refused_and_the_others_go_on(folder: Path) -> None:
    with Vault(folder) as vault:
        live = LiveRuns(vault, at_once=1, most_queued=1)
        runs = [live.start("slow"), live.start("slow")]
        with pytest.raises(PaperError) as refused:
            live.start("slow")
        assert refused.value.code == "too-many-runs"
        for run_id in runs:
            live.cancel(run_id)
        live.close()
        assert {vault.history.record(run_id).status for run_id in runs} == {"cancelled"}


def test_a_second_beginning_under_one_name_is_refused(live: LiveRuns) -> None:
    run_id = live.start("shout", {"words": "x"})
    asyncio.run(ended(live, run_id))
    live.start("shout", {"words": "y"}, run_id=run_id)
    live.close()
    assert live.record(run_id).data == "X"
    assert len(live.vault.history.runs()) == 1


def test_a_run_nobody_knows_cannot_be_followed_stopped_or_resumed(live: LiveRuns) -> None:
    for ask in (live.cancel, live.resume, live.record):
        with pytest.raises(UsageError):
            ask("nothing")


# --- the log of events


async def everything(log: EventLog, after: int = 0) -> list[Any]:
    return [event async for event in log.follow(after)]


@given(st.lists(st.integers(), max_size=30), st.integers(1, 10), st.integers(0, 40))
def test_a_reader_gets_the_newest_events_in_order_or_hears_what_it_missed(
    values: list[int], most: int, after: int
) -> None:
    log = EventLog(most=most)
    for value in values:
        log.append({"type": "value", "value": value})
    log.end()
    events = asyncio.run(everything(log, after))
    told = [event["value"] for event in events if event["type"] == "value"]
    missed = sum(event["count"] for event in events if event["type"] == MISSED)
    assert told == values[max(after, len(values) - most) :]
    assert missed + len(told) == max(len(values) - after, 0)


def test_many_readers_of_many_loops_hear_everything_another_thread_writes() -> None:
    log = EventLog()
    heard: list[list[Any]] = []
    readers = [threading.Thread(target=lambda: heard.append(asyncio.run(everything(log)))) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(500):
        log.append({"type": "value", "value": number})
    log.end()
    for reader in readers:
        reader.join(30)
    assert [[event["value"] for event in events] for events in heard] == [list(range(500))] * 4
