"""Many commands at once, beside servers that die; the long form of this is a part of ``bench/kill.py``."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from crowd import storm

pytestmark = pytest.mark.kill


def test_twenty_commands_at_once_lose_nothing_double_nothing_and_leave_nobody_behind(tmp_path: Path) -> None:
    outcome = storm(20, tmp_path, random.Random(20))
    assert outcome.wrong == []
    assert outcome.kills.total() > 0
