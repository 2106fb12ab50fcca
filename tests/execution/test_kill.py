"""A kill at any moment loses nothing and repeats nothing; the long form of this is ``bench/kill.py``."""

from __future__ import annotations

import random
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

KILLS = 15


@pytest.fixture
def kill() -> ModuleType:
    file = Path(__file__).parents[2] / "bench" / "kill.py"
    spec = spec_from_file_location("kill", file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    import sys  # noqa: PLC0415  dataclasses look their module up there

    sys.modules["kill"] = module
    spec.loader.exec_module(module)
    return module


def test_every_write_happens_exactly_once_however_often_the_program_is_killed(kill: ModuleType, tmp_path: Path) -> None:
    outcome = kill.kill_at_random(KILLS, tmp_path, random.Random(20))
    assert outcome.kills >= KILLS
    assert outcome.wrong == []
