"""Shared by the tests of the sandbox: one pool for the many tests that only need an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from paperagents.errors import SandboxError
from paperagents.sandbox import Limits, Sandbox

SMALL = Limits(seconds=0.6, memory_mb=32, output_mb=1, host_calls=50)

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
