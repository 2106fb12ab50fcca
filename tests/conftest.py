"""What every test stands on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes is the machine's affair; no test asserts a time.
settings.register_profile("tests", settings.default, deadline=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True, scope="session")
def home_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, rules and secrets of whoever runs the tests stay untouched and unseen, and no checkout is a vault."""
    before, place = dict(os.environ), Path.cwd()
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))
    os.environ.pop("PAPER_VAULT", None)
    os.chdir(tmp_path_factory.mktemp("nowhere"))
    yield
    os.chdir(place)
    os.environ.clear()
    os.environ.update(before)
