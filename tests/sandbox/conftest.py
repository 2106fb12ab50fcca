"""Shared by the tests of the sandbox: one pool for the many tests that only need an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from paperagents.errors import SandboxError
from paperagents.sandbox import Limits, Sandbox

SMALL = Limits(seconds=0.3, memory_mb=32, output_mb=1, host_calls=50)

WaitUntil = Callable[[Callable[[], object]], None]
Failure = Callable[..., SandboxError]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """A pool with small limits, so that what must be stopped is stopped quickly."""
    with Sandbox(limits=SMALL, size=2) as pool:
        yield pool


@pytest.fixture
def failure(sandbox: Sandbox) -> Failure:
    """Run a block that must fail; gives its error."""

    def run(code: object, **options: object) -> SandboxError:
        with pytest.raises(SandboxError) as caught:
            sandbox.run(code, **options)  # type: ignore[arg-type]
        return caught.value

    return run


@pytest.fixture
def wait_until() -> WaitUntil:
    """Wait for a condition, at most ten seconds."""

    def wait(condition: Callable[[], object]) -> None:
        until = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < until, "waited in vain"
            time.sleep(0.005)

    return wait
