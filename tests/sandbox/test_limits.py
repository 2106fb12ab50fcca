"""Limits are lowered, never raised."""

from __future__ import annotations

import pytest

from paperagents.sandbox import Limits


def test_the_defaults_are_those_of_the_specification() -> None:
    limits = Limits()
    assert (limits.seconds, limits.memory_mb, limits.output_mb) == (5.0, 256, 16)


def test_lowering_takes_the_smaller_of_each() -> None:
    lowered = Limits().lowered_to(seconds=1, memory_mb=10_000)
    assert lowered == Limits(seconds=1)


def test_limits_within_others_never_exceed_them() -> None:
    ceiling = Limits(seconds=2, memory_mb=64)
    assert Limits(seconds=9, memory_mb=32).within(ceiling) == Limits(seconds=2, memory_mb=32)


@pytest.mark.parametrize("wrong", [0, -1, float("inf"), float("nan")])
def test_a_limit_must_be_a_positive_number(wrong: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        Limits(seconds=wrong)
