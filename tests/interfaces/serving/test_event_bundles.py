"""Events in bundles: every page hears everything once, however many there are, and nothing is made twice."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from paperagents.interfaces.serving.event_bundles import EventBundles, condense
from paperagents.interfaces.serving.event_log import EventLog

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), max_size=40))
def test_every_reader_hears_everything_once_and_in_order(ticks: list[tuple[int, bool, bool]]) -> None:
    log = EventLog()
    bundles = EventBundles(log)
    read, heard = [0, 0], [list[int](), list[int]()]
    for tick, (written, *comes) in enumerate([*ticks, (0, True, True)]):
        for _ in range(written):
            log.append({"type": "vault-changed"})
        for reader in (0, 1):
            if comes[reader]:
                bundle, read[reader] = bundles.read(tick, "", read[reader])
                heard[reader] += [event["seq"] for event in json.loads(bundle or "[]")]
            # What comes between two readers is for the next tick.
            log.append({"type": "vault-changed"})
    for reader in (0, 1):
        assert heard[reader] == list(range(1, read[reader] + 1))
    assert read[1] == read[0]


def test_readers_of_the_same_run_share_their_bundles() -> None:
    log = EventLog()
    bundles = EventBundles(log)
    log.append({"type": "step-started", "run_id": "a", "path": "1"})
    first, _ = bundles.read(1, "a", 0)
    log.append({"type": "vault-changed"})
    second, after = bundles.read(1, "a", 0)
    assert second is first
    assert bundles.read(1, "b", 0) == ("", 1)
    assert [event["seq"] for event in json.loads(bundles.read(2, "a", after)[0])] == [2]


def test_a_reader_that_was_away_for_too_long_is_told() -> None:
    log = EventLog(most=3)
    for _ in range(10):
        log.append({"type": "vault-changed"})
    bundle, after = EventBundles(log).read(1, "", 0)
    assert [event["type"] for event in json.loads(bundle)] == ["events-missed", *["vault-changed"] * 3]
    assert after == 10


def test_of_a_round_that_is_over_only_its_end_is_told() -> None:
    def events(number: int) -> list[dict[str, Any]]:
        step, run = {"run_id": "a", "path": f"1[{number}]", "rounds": 9}, f"a.1[{number}]"
        entry = {"status": "success", "duration_ms": 3.0, "message": "x" * 1000}
        return [
            {"type": "step-started", **step},
            {"type": "run-started", "run_id": run},
            {"type": "step-started", "run_id": run, "path": "function"},
            {"type": "step-finished", "run_id": run, "path": "function", "entry": entry},
            {"type": "run-finished", "run_id": run, "status": "succeeded"},
            {"type": "step-finished", **step, "entry": entry},
        ]

    whole, half = events(0), events(1)
    told = condense([*whole, *half[:3]])
    assert [(event["type"], event["run_id"]) for event in told] == [
        ("step-finished", "a"), ("step-started", "a"), ("run-started", "a.1[1]"), ("step-started", "a.1[1]"),
    ]  # fmt: skip
    assert told[0]["entry"] == {"status": "success", "duration_ms": 3.0}
    # What was told to have begun is told to have ended.
    assert [event["type"] for event in condense(half[3:])] == ["step-finished", "run-finished", "step-finished"]


def test_readers_stop_when_the_log_ends_and_have_heard_what_came_last(served: Served) -> None:
    async def follow() -> list[str]:
        reading = served.live.bundles.follow("", served.live.last_event)
        served.live.tell({"type": "vault-changed", "text": "last"})
        served.live.shut_down()
        return [bundle async for bundle in reading]

    assert "last" in "".join(asyncio.run(follow()))
