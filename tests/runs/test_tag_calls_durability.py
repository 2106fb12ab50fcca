"""What a text stores survives kills and other writers, completely or not at all."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from paperagents.errors import PaperError

pytestmark = pytest.mark.kill
Desk = Any
KILLS = 15
OPERATIONS = 300
CHILD = """
import sys
from paperagents import open_vault

vault = open_vault(sys.argv[1])
vault.apply('')
print("ready", flush=True)
for text in sys.stdin.read().split("\\x1e"):
    results = vault.apply(text)
    assert all(result["status"] == "success" for result in results), results
print("done", flush=True)
"""


@contextmanager
def opened(root: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has opened the vault and waits for texts."""
    command = [sys.executable, "-I", "-c", CHILD, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        try:
            yield child
        finally:
            child.kill()


def feed(child: subprocess.Popen[str], texts: list[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\x1e".join(texts))
    child.stdin.close()


def memories(start: str, number: int) -> str:
    return "\n".join(f'{{{{<memory identifier="{start}-{each}" content="c{each}" />}}}}' for each in range(number))


def stored(desk: Desk, start: str) -> int:
    return sum(entry.identifier.startswith(f"{start}-") for entry in desk.vault.entries.entries("memory"))


def test_a_kill_at_any_moment_leaves_all_of_a_text_or_nothing(desk: Desk) -> None:
    with opened(desk.root) as child:
        began = time.monotonic()
        feed(child, [memories("whole", OPERATIONS)])
        assert child.wait(timeout=60) == 0
        usual = time.monotonic() - began
    moments = random.Random(7)
    for kill in range(KILLS):
        with opened(desk.root) as child:
            feed(child, [memories(f"k{kill}", OPERATIONS)])
            try:
                child.wait(timeout=moments.uniform(0, usual))
            except subprocess.TimeoutExpired:
                child.kill()
            said = child.stdout.read() if child.stdout else ""
        found = stored(desk, f"k{kill}")
        assert found in ((OPERATIONS,) if "done" in said else (0, OPERATIONS))
    assert stored(desk, "whole") == OPERATIONS
    assert [row[0] for row in desk.vault.database.rows("PRAGMA integrity_check")] == ["ok"]


def test_two_processes_at_once_lose_nothing(desk: Desk) -> None:
    texts = {
        name: [
            "".join(f'{{{{<memory identifier="shared" content="{name}{text}-{each}" />}}}}' for each in range(5))
            for text in range(40)
        ]
        for name in "ab"
    }
    with opened(desk.root) as first, opened(desk.root) as second:
        feed(first, texts["a"])
        feed(second, texts["b"])
        assert (first.wait(timeout=60), second.wait(timeout=60)) == (0, 0)
    versions = desk.vault.entries.versions("memory", "shared")
    assert [each["version"] for each in versions] == list(range(1, 401))
    written = [each["fields"]["content"] for each in versions]
    for name in "ab":
        expected = [f"{name}{text}-{each}" for text in range(40) for each in range(5)]
        assert [content for content in written if content.startswith(name)] == expected
    # Each text is one step: nothing of the other process stands between its operations.
    assert all(len({content.partition("-")[0] for content in written[at : at + 5]}) == 1 for at in range(0, 400, 5))


def test_a_text_with_ten_thousand_calls_is_applied(desk: Desk) -> None:
    results = desk.vault.apply(memories("m", 10_000))
    assert [result["id"] for result in results] == [f"m-{each}" for each in range(10_000)]
    assert {result["status"] for result in results} == {"success"}
    assert stored(desk, "m") == 10_000


def test_a_damaged_database_is_told_and_left_as_it_is(desk: Desk) -> None:
    damaged = b"this is no database" * 100
    (desk.root / ".paper" / "paper.db").write_bytes(damaged)
    with pytest.raises(PaperError) as raised:
        desk.vault.apply(memories("m", 3))
    assert raised.value.code == "database-failed"
    assert (desk.root / ".paper" / "paper.db").read_bytes() == damaged
