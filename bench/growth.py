"""What one thing costs in a small vault and in a large one: python -I bench/growth.py [LARGEST].

Processor time, not seconds on the clock, of the same act at 100, 10,000 and 100,000 notes with a tool for each five.
Each row is the cost at the largest size beside that at the smallest. A list has a line for each tool: it is divided by
their number. Then the same for a history of 1,000 and of 1,000,000 runs, and what a worker and a server take of a core
while there is nothing to do.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from starlette.testclient import TestClient  # noqa: E402  after the path above

from paperagents.errors import UnknownToolError  # noqa: E402  after the path above
from paperagents.interfaces.serving.app import make_rest_app  # noqa: E402  after the path above
from paperagents.interfaces.serving.live_runs import LiveRuns  # noqa: E402  after the path above
from paperagents.vault import open_vault  # noqa: E402  after the path above
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

NAME = "growth"
SIZES = (100, 10_000, 100_000)
NOTES_OF_A_TOOL = 5
FOLDERS = 100
MOST_GROWTH = 2.0
RUNS = (1_000, 1_000_000)
IDLE_SECONDS = 20.0
MOST_IDLE = 0.01
MORE_RUNS = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {runs})
INSERT INTO runs (run_id, tool, status, started, duration_ms, arguments, definition, clock, data, redacted)
SELECT printf('%016x', n), tool, status, strftime('%Y-%m-%dT%H:%M:%fZ', '2020-01-01', '+' || n || ' seconds'),
    duration_ms, arguments, definition, clock, data, redacted FROM (SELECT * FROM runs LIMIT 1), numbers
"""
MORE_COUNTED = """
INSERT INTO total_changes (tool, status, nested, runs, total_ms, max_ms, bytes)
SELECT tool, status, 0, {runs}, {runs} * duration_ms, duration_ms, 500 * {runs} FROM runs LIMIT 1
"""
DUPLICATES = 4_000
MOST_MEGABYTES = 150
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
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
Costs = dict[str, float]


def measure(largest: int = SIZES[-1]) -> list[Row]:
    """All figures of this bench."""
    # First: the system counts the memory of whoever starts a process as the process's own.
    memory = _memory_of_duplicates()
    by_notes = {size: _costs_of_vault(size) for size in SIZES if size <= largest}
    return [*(_rows("notes", by_notes) if by_notes else ()), memory, *_measure_history()]


def _measure_history() -> Iterator[Row]:
    """What the number of runs costs."""
    costs, idle = {}, {}
    for runs in RUNS:
        with _filled_vault(SIZES[0]) as vault:
            _fill_history(vault, runs)
            costs[runs] = _costs_of_history(vault)
            idle[runs] = {command: _share_of_core(vault, command) for command in ("worker", "serve")}
    yield from _rows("runs", costs)
    few, many = RUNS
    for command, share in idle[many].items():
        yield Row(
            bench=NAME, measure=f"idle paper {command}, of a core, {many:,} runs", ours=f"{share:.2%}",
            theirs=f"{few:,} runs: {idle[few][command]:.2%}", bar=f"< {MOST_IDLE:.0%}", met=share < MOST_IDLE,
        )  # fmt: skip


def _fill_history(vault: Path, runs: int) -> None:
    _command(vault, "run", "tool_7", "topic=x")
    with closing(sqlite3.connect(vault / ".paper" / "paper.db")) as database, database:
        database.execute(MORE_RUNS.format(runs=runs))
        database.execute(MORE_COUNTED.format(runs=runs))


def _costs_of_history(vault: Path) -> Costs:
    costs = {
        "paper stats": _of_command(vault, "stats"),
        "paper runs list": _of_command(vault, "runs", "list"),
        "paper run of one tool": _of_command(vault, "run", "tool_7", "topic=x"),
    }
    with open_vault(vault) as opened:
        client = TestClient(make_rest_app(LiveRuns(opened)))
        return costs | {"a page of the history": _of_act(lambda: _get(client, "/runs"), 20, time.process_time)}


def _share_of_core(vault: Path, command: str) -> float:
    """Of a process that has nothing to do."""
    words = _words(vault, command, *(["--port", "0"] if command == "serve" else []))
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet, env=_environment()) as process:
        _wait_until_quiet(process.pid)
        before = _spent_by(process.pid)
        time.sleep(IDLE_SECONDS)
        spent = _spent_by(process.pid) - before
        process.terminate()
    return spent / IDLE_SECONDS


def _wait_until_quiet(pid: int) -> None:
    """Until it has started: on a busy machine that takes long."""
    for _ in range(60):
        before = _spent_by(pid)
        time.sleep(1)
        if before > 0.2 and _spent_by(pid) - before < 0.1:
            return


def _spent_by(pid: int) -> float:
    """Processor seconds of a process that runs."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


def _memory_of_duplicates() -> Row:
    """Of a process that reads as many files, all with the same id, and tells of each."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder)
        (vault / ".paper").mkdir()
        for number in range(DUPLICATES):
            (vault / f"tool-{number}.md").write_text(TOOL.format(number=7), encoding="utf-8")
        quiet = subprocess.DEVNULL
        with subprocess.Popen(_words(vault, "check"), stdout=quiet, stderr=quiet, env=_environment()) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    megabytes = used.ru_maxrss / 1024
    return Row(
        bench=NAME, measure=f"memory of paper check, {DUPLICATES:,} files with one id", ours=f"{megabytes:.0f} MB",
        bar=f"< {MOST_MEGABYTES} MB", met=process.returncode == 1 and megabytes < MOST_MEGABYTES,
    )  # fmt: skip


def _costs_of_vault(size: int) -> Costs:
    with _filled_vault(size) as vault:
        _command(vault, "list")
        tools = size // NOTES_OF_A_TOOL
        costs = {
            "paper list, for each tool": _of_command(vault, "list") / tools,
            "start of paper mcp": _of_child(lambda: _start_mcp(vault)),
            "paper run of one tool": _of_command(vault, "run", "tool_7", "topic=x"),
            "paper run of an unknown name": _of_command(vault, "run", "tol_7"),
            "paper search of a rare word": _of_command(vault, "search", "topic 77"),
        }
        return costs | _costs_in_process(vault)


def _costs_in_process(vault: Path) -> Costs:
    """What happens again and again in a process that stays up and follows the folder."""
    opened = open_vault(vault)
    registry, note = opened.registry, vault / "folder-0" / "note-0.md"
    client = TestClient(make_rest_app(LiveRuns(opened)))
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
            "a page of a tool": _of_act(lambda: _get(client, "/tools/tool_7"), clock=time.process_time),
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


def _of_command(vault: Path, *words: str, times: int = 3) -> float:
    return _of_child(lambda: _command(vault, *words), times)


def _of_child(act: Callable[[], object], times: int = 3) -> float:
    """Processor seconds of a new process and of those it starts."""
    return _median(act, times, _children)


def _command(vault: Path, *words: str) -> None:
    subprocess.run(_words(vault, *words), capture_output=True, check=False, env=_environment())


def _start_mcp(vault: Path) -> None:
    """Until it has said who it is."""
    pipe = subprocess.PIPE
    with subprocess.Popen(_words(vault, "mcp"), stdin=pipe, stdout=pipe, stderr=pipe, env=_environment()) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        assert b"serverInfo" in server.stdout.readline()
        server.kill()


def _get(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 200, path


def _words(vault: Path, *words: str) -> list[str]:
    return [sys.executable, "-I", "-m", "paperagents", "--vault", str(vault), *words]


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _of_act(act: Callable[[], object], times: int = 50, clock: Callable[[], float] = time.thread_time) -> float:
    """Processor seconds of this thread, or by another clock."""
    return _median(act, times, clock)


def _median(act: Callable[[], object], times: int, clock: Callable[[], float]) -> float:
    act()
    spent = []
    for _ in range(times):
        before = clock()
        act()
        spent.append(clock() - before)
    return statistics.median(spent)


if __name__ == "__main__":
    record(NAME, lambda: measure(*map(int, sys.argv[1:])))
