"""A conversation that is killed at any moment goes on; the long form of this is ``bench/agent_kill.py``."""

from __future__ import annotations

import random
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

KILLS = 5


@pytest.fixture
def agent_kill() -> ModuleType:
    file = Path(__file__).parents[2] / "bench" / "agent_kill.py"
    spec = spec_from_file_location("agent_kill", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["agent_kill"] = module
    spec.loader.exec_module(module)
    return module


def test_no_turn_is_lost_and_no_line_written_twice_however_often_it_is_killed(
    agent_kill: ModuleType, tmp_path: Path
) -> None:
    outcome = agent_kill.kill_at_random(KILLS, tmp_path, random.Random(8))
    assert outcome.kills >= KILLS
    assert outcome.wrong == []
