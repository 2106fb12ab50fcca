"""A conversation that is killed at any moment goes on; the long form of this is ``bench/agent_kill.py``."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from agent_kill import kill_at_random

pytestmark = pytest.mark.kill

KILLS = 5


def test_no_turn_is_lost_and_no_line_written_twice_however_often_it_is_killed(tmp_path: Path) -> None:
    outcome = kill_at_random(KILLS, tmp_path, random.Random(8))
    assert outcome.kills >= KILLS
    assert outcome.wrong == []
