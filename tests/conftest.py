"""What every test stands on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from tests.servers import collector, name_server, web  # noqa: F401  fixtures

# How long an example takes is the machine's affair; no test asserts a time.
settings.register_profile("tests", settings.default, deadline=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True, scope="session")
def home_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings, rules and secrets of whoever runs the tests stay untouched and unseen, and no checkout is a vault."""
    before, place = dict(os.environ), Path.cwd()
    os.environ["XDG_CONFIG_HOME"] = str(tmp_path_factory.mktemp("config"))
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    os.environ.pop("PAPER_VAULT", None)
    os.chdir(tmp_path_factory.mktemp("nowhere"))
    yield
    os.chdir(place)
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(autouse=True, scope="session")
def signals_as_at_a_terminal() -> None:
    """A shell in the background ignores these for all it starts, and a program that is tried would ignore them too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
