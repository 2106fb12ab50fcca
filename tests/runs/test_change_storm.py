"""Changes that are made together are whole after every kill; the long form of this is ``bench/changes.py``."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from change_storm import Storm

if TYPE_CHECKING:
    from pathlib import Path

    from postgres_server import PostgresServer

pytestmark = pytest.mark.kill

KILLS = 12


@pytest.mark.parametrize("kept_in", ["sqlite", "postgres"])
def test_a_set_of_changes_is_made_and_undone_whole_however_often_the_program_is_killed(
    kept_in: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PAPER_DATABASE_URL", "")
    server: PostgresServer | None = request.getfixturevalue("server") if kept_in == "postgres" else None
    outcome = Storm(tmp_path, random.Random(23), server=server).rage(KILLS)
    assert outcome.kills >= KILLS
    assert outcome.wrong == []
