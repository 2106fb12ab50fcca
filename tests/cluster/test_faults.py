"""Whatever dies, each effect happens once; the long form of this is ``bench/faults.py``."""

from __future__ import annotations

from pathlib import Path

import pytest

from faults import Plan, survive
from postgres_server import PostgresServer

pytestmark = pytest.mark.kill


def test_every_effect_happens_once_while_workers_die_and_postgres_restarts(
    server: PostgresServer, tmp_path: Path
) -> None:
    plan = Plan(chains=24, workers=2, kill_seconds=1.0, most_kills=4, restarts=1, cut_seconds=2.0, limit_seconds=120)
    outcome = survive(plan, tmp_path, server=server)
    assert outcome.wrong == []
    assert (outcome.restarts, outcome.cuts) == (1, 1)
    assert outcome.kills > 0


def test_every_effect_happens_once_while_workers_of_one_machine_die(tmp_path: Path) -> None:
    outcome = survive(
        Plan(chains=24, workers=2, kill_seconds=1.0, most_kills=4, limit_seconds=120), tmp_path, server=None
    )
    assert outcome.wrong == []
    assert outcome.kills > 0
