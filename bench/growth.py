"""What one thing costs in a small vault and in a large one: python -I bench/growth.py [LARGEST].

Processor time, not seconds on the clock, of the same act at 100, 10,000 and 100,000 notes with a tool for each five.
Each row is the cost at the largest size beside that at the smallest.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from paperagents.errors import UnknownToolError  # noqa: E402  after the path above
from paperagents.interfaces.web.rendering import make_sidebar  # noqa: E402  after the path above
from paperagents.vault import open_vault  # noqa: E402  after the path above
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

NAME = "growth"
SIZES = (100, 10_000, 100_000)
NOTES_OF_A_TOOL = 5
FOLDERS = 100
MOST_GROWTH = 2.0
TOOL = """---
tool: true
name: tool_{number}
description: Gives back what it is given.
parameters:
  - {{name: topic, type: string, description: What to look for, default: notes}}
custom_function: |
  return {{ topic: input.topic.trim() }};
---
"""
NOTE = "---\ntags: [note]\n---\n\n# Note {number}\n\nSome words about topic {number}.\n"
Costs = dict[str, float]


def measure(largest: int = SIZES[-1]) -> list[Row]:
    """All figures of this bench."""
    return list(_rows("notes", {size: _costs_of_vault(size) for size in SIZES if size <= largest}))


def _rows(things: str, costs: Mapping[int, Costs]) -> Iterator[Row]:
    """One for each act: how its cost at the largest number of things compares with that at the smallest."""
    few, many = min(costs), max(costs)
    for act, cost in costs[few].items():
        growth = costs[many][act] / cost
        between = ", ".join(f"{size:,}: {costs[size][act] * 1000:.2f} ms" for size in sorted(costs) if size != few)
        yield Row(
            bench=NAME, measure=f"{act}, by {things}", ours=between, theirs=f"{few:,}: {cost * 1000:.2f} ms",
            ratio=growth, bar=f"≤ {MOST_GROWTH:g}", met=growth <= MOST_GROWTH,
        )  # fmt: skip


def _costs_of_vault(size: int) -> Costs:
    with _filled_vault(size) as vault:
        _command(vault, "list")
        costs = {
            "paper run of one tool": _of_command(vault, "run", "tool_7", "topic=x"),
            "paper run of an unknown name": _of_command(vault, "run", "tol_7"),
            "paper search of a rare word": _of_command(vault, "search", "topic 77"),
        }
        return costs | _costs_in_process(vault)


def _costs_in_process(vault: Path) -> Costs:
    """What happens again and again in a process that stays up and follows the folder."""
    opened = open_vault(vault)
    registry, note = opened.registry, vault / "folder-0" / "note-0.md"
    with opened, opened.follow():
        registry.entries()

        def ask_for_unknown() -> None:
            with suppress(UnknownToolError):
                registry.tool("tol_7")

        def save_note() -> None:
            note.write_text(NOTE.format(number=time.monotonic_ns()), encoding="utf-8")
            registry.update(["folder-0/note-0.md"])
            registry.entries()

        return {
            "a run in a process": _of_act(lambda: opened.run("tool_7", {"topic": "x"})),
            "an unknown name in a process": _of_act(ask_for_unknown),
            "a saved note": _of_act(save_note),
            "the tools beside a page": _of_act(lambda: make_sidebar(registry)),
        }


@contextmanager
def _filled_vault(size: int) -> Iterator[Path]:
    vault = Path(tempfile.mkdtemp())
    try:
        (vault / ".paper").mkdir()
        folders = [vault / f"folder-{number}" for number in range(FOLDERS)]
        for folder in folders:
            folder.mkdir()
        for number in range(size):
            note = folders[number % FOLDERS] / f"note-{number}.md"
            note.write_text(NOTE.format(number=number), encoding="utf-8")
        for number in range(size // NOTES_OF_A_TOOL):
            tool = folders[number % FOLDERS] / f"tool-{number}.md"
            tool.write_text(TOOL.format(number=number), encoding="utf-8")
        time.sleep(0.2)
        yield vault
    finally:
        shutil.rmtree(vault)


def _of_command(vault: Path, *words: str, times: int = 5) -> float:
    """Processor seconds of a new process and of those it starts."""
    _command(vault, *words)
    spent = []
    for _ in range(times):
        before = _children()
        _command(vault, *words)
        spent.append(_children() - before)
    return statistics.median(spent)


def _command(vault: Path, *words: str) -> None:
    command = [sys.executable, "-I", "-m", "paperagents", "--vault", str(vault), *words]
    subprocess.run(command, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _of_act(act: Callable[[], object], times: int = 50) -> float:
    """Processor seconds of this thread."""
    act()
    spent = []
    for _ in range(times):
        before = time.thread_time()
        act()
        spent.append(time.thread_time() - before)
    return statistics.median(spent)


if __name__ == "__main__":
    record(NAME, lambda: measure(*map(int, sys.argv[1:])))
