"""A kill at any moment loses nothing and repeats nothing; the long form of this is ``bench/kill.py``."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kill import kill_at_random

pytestmark = pytest.mark.kill

KILLS = 15


def test_every_write_happens_exactly_once_however_often_the_program_is_killed(tmp_path: Path) -> None:
    outcome = kill_at_random(KILLS, tmp_path, random.Random(20))
    assert outcome.kills >= KILLS
    assert outcome.wrong == []
