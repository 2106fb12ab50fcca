"""What running a tool costs beside its bare parts: blocks, steps, loops, and the command.

    python -I bench/running.py              the table
    python -I bench/running.py --profile    where the time of a chain's steps goes

All players take turns in one run; figures are medians.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import node_peer, program_version, python_peer, versions  # noqa: E402  see above
from paperagents.definitions.json_value import JsonObject, JsonValue  # noqa: E402  after the path above
from paperagents.vault import Vault  # noqa: E402  after the path above
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

NAME = "running"
STEPS = 200
PREPROCESS = "input.items = input.items.map(item => ({ ...item, name: item.name.trim() })); return input;"
FUNCTION = (
    "return { total: input.items.reduce((a, b) => a + b.price, 0), names: input.items.map(i => i.name.toUpperCase()) };"
)
POSTPROCESS = "return { ...output, count: input.items.length };"
INPUT: JsonObject = {"items": [{"name": f" item {n} ", "price": n * 1.5} for n in range(20)]}
EXPECTED = {"total": 285, "names": [f"ITEM {n}" for n in range(20)], "count": 20}

SINGLE = f"""\
---
tool: true
name: order_total
description: Adds up an order.
parameters:
  - name: items
    type: array
    description: What was ordered
custom_function: |
  {FUNCTION}
---

```javascript
// @preprocess
{PREPROCESS}
```

```javascript
// @postprocess
{POSTPROCESS}
```
"""
CHAIN = """\
---
tool: true
name: {name}
description: Reads one small note again and again.
steps:
"""
READ_STEP = """\
  - name: read_{number}
    tool: read_file
    parameters: {{filePath: note.md}}
"""
LOOP = """\
---
tool: true
name: loop
description: Reads every note of a list.
parameters:
  - name: paths
    type: array
    description: Which notes
steps:
  - name: read_file
    for_each: "{{paths}}"
    parameters: {filePath: "{{item}}"}
---
"""
FORMAT_LIST = """\
---
tool: true
name: format_list
description: Makes a list.
parameters:
  - name: items
    type: string
    description: Things, with commas between them
custom_function: |
  return input.items.split(",").map(item => `- ${item.trim()}`).join("\\n");
---
"""

Timed = Callable[[], float]


def measure() -> list[Row]:
    """All rows of this bench."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        with Vault(Path(folder)) as vault:
            rows = [*_single_tool(vault), *_steps(vault), _among_many_tools(vault)]
            return [*rows, *_loops(vault), *_command(vault.root)]


def peers() -> dict[str, str]:
    """The versions of those beside us."""
    return {**versions(".", "tools-venv"), **program_version("node")}


def _fill(root: Path) -> None:
    (root / ".paper").mkdir()
    steps = "".join(READ_STEP.format(number=number) for number in range(STEPS))
    files = {
        "single.md": SINGLE,
        "chain.md": CHAIN.format(name="chain") + steps + "---\n",
        "loop.md": LOOP,
        "format_list.md": FORMAT_LIST,
        "note.md": "A small note.\n",
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")


# --- one tool with three blocks


def _single_tool(vault: Vault, rounds: int = 200) -> list[Row]:
    with _node_blocks() as node:
        players: dict[str, Timed] = {"ours": lambda: _through_the_vault(vault), "bare": lambda: _bare_blocks(vault)}
        if node is not None:
            players["node"] = node
        taken = _in_turn(players, rounds)
    names = {"bare": "three bare blocks", "node": "three blocks on quickjs-emscripten in Node"}
    return [
        _row(f"a tool with pre, function and post, recorded, against {names[peer]}", taken, peer, bar)
        for peer, bar in (("bare", 1.75), ("node", None))
        if peer in taken
    ]


def _through_the_vault(vault: Vault) -> float:
    started = time.perf_counter()
    run = vault.run("order_total", INPUT)
    taken = time.perf_counter() - started
    assert run.data == EXPECTED, run.error
    return taken


def _bare_blocks(vault: Vault) -> float:
    started = time.perf_counter()
    prepared = vault.sandbox.run(PREPROCESS, names={"input": INPUT}).value
    output = vault.sandbox.run(FUNCTION, names={"input": prepared}).value
    value = vault.sandbox.run(POSTPROCESS, names={"input": prepared, "output": output}).value
    taken = time.perf_counter() - started
    assert value == EXPECTED
    return taken


@contextmanager
def _node_blocks() -> Iterator[Timed | None]:
    node = shutil.which("node")
    if node is None or node_peer(".") is None:
        yield None
        return
    tool = {"preprocess": PREPROCESS, "function": FUNCTION, "postprocess": POSTPROCESS, "input": INPUT}
    with _answering([node, str(HERE / "running/blocks.mjs")]) as ask:

        def play() -> float:
            answer = ask(json.dumps(tool))
            assert answer["value"] == EXPECTED
            return float(answer["seconds"])

        yield play


# --- what a step costs beside what it does


def _steps(vault: Vault, rounds: int = 40) -> list[Row]:
    with _one_row(vault.root) as row, _tool_calls() as peers:
        players: dict[str, Timed] = {"chain": lambda: _chain(vault), "read": lambda: _bare_read(vault), "row": row}
        taken = _in_turn({**players, **peers}, rounds)
    taken["ours"] = taken["chain"] - taken["read"]
    names = {
        "row": "a function that writes one row in its own transaction",
        "langchain": "a LangChain tool call",
        "pydantic_ai": "a Pydantic AI turn with a tool call",
    }
    return [
        _row(
            f"a step of a chain without JavaScript, recorded, against {name}",
            taken,
            peer,
            10 if peer == "row" else None,
        )
        for peer, name in names.items()
        if peer in taken
    ]


def _chain(vault: Vault) -> float:
    """Seconds of one of many steps, with its share of starting and ending the run."""
    started = time.perf_counter()
    run = vault.run("chain")
    taken = time.perf_counter() - started
    assert len(run.execution_log) == STEPS, run.error
    return taken / STEPS


def _bare_read(vault: Vault) -> float:
    return _each(lambda: vault.folder.read_text("note.md").as_json(), STEPS)


@contextmanager
def _one_row(root: Path) -> Iterator[Timed]:
    connection = sqlite3.connect(root / ".paper" / "rows.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE calls (seq INTEGER PRIMARY KEY, entry TEXT NOT NULL)")
    entry = json.dumps({"step": 1, "tool": "read_file", "parameters": {"filePath": "note.md"}, "output": "A note."})

    def write() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO calls (entry) VALUES (?)", (entry,))
        connection.execute("COMMIT")

    yield lambda: _each(write, STEPS)
    connection.close()


@contextmanager
def _tool_calls() -> Iterator[dict[str, Timed]]:
    python = python_peer("tools-venv")
    if python is None:
        yield {}
        return
    with _answering([str(python), "-I", str(HERE / "running/tool_calls.py")]) as ask:
        yield {
            name: lambda name=name: float(ask(f"{name} {STEPS}")["seconds"])  # type: ignore[misc]
            for name in ("langchain", "pydantic_ai")
        }


def _among_many_tools(few: Vault, rounds: int = 20) -> Row:
    """Finding a tool must not cost more where there are more of them."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        for number in range(1_000):
            text = FORMAT_LIST.replace("format_list", f"format_list_{number}")
            (Path(folder) / f"tool-{number}.md").write_text(text, encoding="utf-8")
        with Vault(Path(folder)) as many:
            taken = _in_turn({"ours": lambda: _chain(many), "few": lambda: _chain(few)}, rounds)
    return _row("a step in a vault of 1,000 tools, against one of three", taken, "few", 1.2)


# --- loops


def _loops(vault: Vault, rounds: int = 5) -> list[Row]:
    """Ten short loops take turns with a long one: as many items, so that the machine's moods meet both alike."""
    pairs = [(sum(_loop(vault, 1_000) for _ in range(10)) / 10, _loop(vault, 10_000)) for _ in range(rounds)]
    few, many = (statistics.median(side) for side in zip(*pairs, strict=True))
    growth = statistics.median(long / short / 10 for short, long in pairs)
    return [
        Row(bench=NAME, measure="for_each over 1,000 items", ours=f"{few:.2f} s"),
        Row(bench=NAME, measure="for_each over 10,000 items", ours=f"{many:.2f} s"),
        Row(
            bench=NAME, measure="growth from 1,000 to 10,000 items, per item", ours=f"{growth:.2f}", ratio=growth,
            bar="linear: ≤ 1.2", met=growth <= 1.2,
        ),
    ]  # fmt: skip


def _loop(vault: Vault, count: int) -> float:
    paths: list[JsonValue] = ["note.md"] * count
    started = time.perf_counter()
    run = vault.run("loop", {"paths": paths})
    taken = time.perf_counter() - started
    assert isinstance(run.data, list), run.error
    assert len(run.data) == count
    return taken


# --- the command


def _command(root: Path, rounds: int = 15) -> list[Row]:
    command = ["-m", "paperagents", "--vault", str(root), "run", "format_list", "-p", "items=a,b"]
    players = {
        "ours": lambda: _process([sys.executable, "-I", *command]),
        "python": lambda: _process([sys.executable, "-c", "pass"]),
    }
    return [_row("paper run format_list, against python -c pass", _in_turn(players, rounds), "python", 9)]


def _process(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return time.perf_counter() - started


# --- measuring


def _in_turn(players: dict[str, Timed], rounds: int) -> dict[str, float]:
    """The median of each player; the first turn of each is for warming up."""
    times: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(rounds + 1):
        for name, play in players.items():
            times[name].append(play())
    return {name: statistics.median(taken[1:]) for name, taken in times.items()}


def _each(action: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - started) / times


def _row(what: str, taken: dict[str, float], peer: str, bar: float | None) -> Row:
    ratio = taken["ours"] / taken[peer]
    return Row(
        bench=NAME,
        measure=what,
        ours=_shown(taken["ours"]),
        theirs=_shown(taken[peer]),
        ratio=ratio,
        bar="" if bar is None else f"≤ {bar:g}×",
        met=None if bar is None else ratio <= bar,
    )


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms" if seconds >= 0.001 else f"{seconds * 1_000_000:.0f} µs"


@contextmanager
def _answering(command: list[str]) -> Iterator[Callable[[str], dict[str, Any]]]:
    """A peer that answers every line with a line of JSON."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asking, answering = process.stdin, process.stdout

        def ask(line: str) -> dict[str, Any]:
            asking.write(line + "\n")
            asking.flush()
            answer: dict[str, Any] = json.loads(answering.readline())
            return answer

        yield ask
        asking.close()


def profile() -> None:
    """Print where the time of a chain's steps goes."""
    with tempfile.TemporaryDirectory() as folder:
        _fill(Path(folder))
        with Vault(Path(folder)) as vault, cProfile.Profile() as watched:
            for _ in range(20):
                _chain(vault)
    pstats.Stats(watched).sort_stats("tottime").print_stats(40)


if __name__ == "__main__":
    profile() if "--profile" in sys.argv else record(NAME, measure, peers)
