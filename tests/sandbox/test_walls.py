"""What the doctor says about the walls."""

from __future__ import annotations

import sys

import pytest

from paperagents.messages import in_language
from paperagents.sandbox import check_walls


def test_every_wall_is_named_with_a_reason() -> None:
    walls = check_walls()
    assert [wall.name for wall in walls][:2] == ["engine", "parent"]
    assert {"resource-limits", "landlock", "seccomp"} <= {wall.name for wall in walls}
    assert all(wall.reason for wall in walls)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's walls are Linux's")
def test_on_linux_the_system_calls_are_filtered() -> None:
    assert {wall.name: wall.stands for wall in check_walls()}["seccomp"]


def test_the_reasons_speak_the_readers_language() -> None:
    with in_language("de"):
        german = check_walls()
    assert [wall.reason for wall in german] != [wall.reason for wall in check_walls()]
