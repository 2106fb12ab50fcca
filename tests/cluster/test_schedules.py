"""Tools with a schedule run each time once, whoever looks at the clock."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trusting import trust_everything

from paperagents.cluster.worker import enqueue_due
from paperagents.reading.fields import is_schedule, latest_tick, next_tick
from paperagents.vault import Vault

NOON = datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def clock(vault: Vault) -> Path:
    file = vault.root / "clock.md"
    write(vault, file, "*/10 * * * *")
    return file


def write(vault: Vault, file: Path, schedule: str) -> None:
    front = f"tool: true\nname: clock\ndescription: d\nschedule: '{schedule}'\ncustom_function: return 1;"
    file.write_text(f"---\n{front}\n---\n", encoding="utf-8")
    vault.registry.refresh()
    trust_everything(vault)


def test_a_schedule_counts_from_when_it_is_first_seen(vault: Vault, clock: Path) -> None:
    assert clock.exists()
    assert enqueue_due(vault, NOON) == []
    assert enqueue_due(vault, NOON + MINUTE) == []
    (run_id,) = enqueue_due(vault, NOON + 10 * MINUTE)
    assert vault.history.record(run_id).status == "queued"
    assert enqueue_due(vault, NOON + 11 * MINUTE) == []


def test_what_was_missed_is_made_up_for_once(vault: Vault, clock: Path) -> None:
    assert clock.exists()
    enqueue_due(vault, NOON)
    assert len(enqueue_due(vault, NOON + timedelta(days=3))) == 1
    assert enqueue_due(vault, NOON + timedelta(days=3) + MINUTE) == []


def test_a_schedule_that_was_changed_begins_anew(vault: Vault, clock: Path) -> None:
    enqueue_due(vault, NOON)
    write(vault, clock, "*/5 * * * *")
    assert enqueue_due(vault, NOON + 10 * MINUTE) == []
    assert len(enqueue_due(vault, NOON + 15 * MINUTE)) == 1


def test_a_time_is_taken_by_one_of_many_who_look_at_the_clock(vault: Vault, clock: Path) -> None:
    assert clock.exists()
    enqueue_due(vault, NOON)
    others = [Vault(vault.root) for _ in range(4)]
    started: list[str] = []

    def look(other: Vault) -> None:
        with other:
            for minute in range(10, 60, 10):
                started.extend(enqueue_due(other, NOON + minute * MINUTE))

    threads = [threading.Thread(target=look, args=(other,)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(started) == vault.history.count("queued") == 5


def test_a_tool_that_is_broken_now_is_not_started(vault: Vault, clock: Path) -> None:
    enqueue_due(vault, NOON)
    clock.write_text("---\ntool: true\nname: clock\nschedule: '*/10 * * * *'\ncustom_function: return (;\n---\n")
    vault.registry.refresh()
    assert enqueue_due(vault, NOON + 10 * MINUTE) == []


# --- the notation


@pytest.mark.parametrize("text", ["* * * * *", "0 7 * * mon-fri", "@daily", "0 0 29 2 *", "*/5 1-3,7 * JAN 1"])
def test_good_schedules(text: str) -> None:
    assert is_schedule(text)


@pytest.mark.parametrize("text", ["", "x", "* * * *", "61 * * * *", "0 0 31 2 *", "R * * * *", "* * * * * *",
                                  "*/0 * * * *", "@reboot", "1," * 150 + "1 * * * *"])  # fmt: skip
def test_bad_schedules(text: str) -> None:
    assert not is_schedule(text)


@given(st.text(alphabet="0123456789*,/-#@LRHmondaily ", max_size=40))
def test_any_text_is_a_schedule_or_not_and_one_that_is_has_a_last_time(text: str) -> None:
    if is_schedule(text):
        assert latest_tick(text, NOON) <= NOON


def test_a_moment_is_its_own_last_time() -> None:
    exact = NOON.replace(second=0)
    assert latest_tick("0 12 * * *", exact) == exact
    assert latest_tick("0 12 * * *", exact - timedelta(seconds=1)) == exact - timedelta(days=1)


def test_the_next_time_comes_after_now_in_the_same_time_zone() -> None:
    exact = NOON.replace(second=0, microsecond=0)
    assert next_tick("0 12 * * *", exact) == exact + timedelta(days=1)
    assert next_tick("5 12 * * *", exact).tzinfo == exact.tzinfo
