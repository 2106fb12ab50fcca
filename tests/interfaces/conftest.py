"""A served vault for every test that wants one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .served import Served, fill, serving


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path / "vault")
    return tmp_path / "vault"


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with serving(folder) as running:
        yield running


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
