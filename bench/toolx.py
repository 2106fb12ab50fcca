"""What a call of a ``.tool.js`` costs: first and warm, with and without npm packages, beside Node.

    python -I bench/toolx.py

All players take turns in one run; figures are medians. The peers are a ``node`` process started for each call,
and a call in a fresh context of Node's ``vm`` inside one process, which isolates nothing. Needs ``node`` and, for
the first installation, the npm registry.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import program_version  # noqa: E402  its folder is known only now
from paperagents.approval.question import Approved  # noqa: E402  after the path above
from paperagents.definitions.json_value import JsonObject, JsonValue  # noqa: E402  after the path above
from paperagents.runs.scripts import MODULE_HELPERS, module_block, module_names  # noqa: E402  after the path above
from paperagents.sandbox import Limits  # noqa: E402  after the path above
from paperagents.sandbox.values import with_module  # noqa: E402  after the path above
from paperagents.vault import Vault  # noqa: E402  after the path above
from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  its folder is known only now

NAME = "toolx"
ROUNDS = 150
TOOL = """\
module.exports = {
  getMetadata() { return { id: 'NAME', name: 'NAME', description: 'Counts words.' }; },
  getSchema() { return { parameters: { type: 'object', properties: { text: { type: 'string' } } } }; },
  DEPENDENCIES
  async execute({ text }) {
    const counts = {};
    for (const word of text.split(' ')) counts[word] = (counts[word] ?? 0) + 1;
    LAST
  }
};
"""
BARE = (
    "const counts = {}; for (const word of input.text.split(' ')) counts[word] = (counts[word] ?? 0) + 1;"
    " return counts;"
)
PACKAGES = ("getDependencies() { return { lodash: '^4.17.21' }; },", "return require('lodash').invertBy(counts);")
INPUT: JsonObject = {"text": "the quick brown fox jumps over the lazy dog " * 5}


def measure() -> list[Row]:
    """All rows of this bench."""
    with _vault() as vault:
        assert vault.install("packed", approver=lambda _: Approved()).success
        first = {name: _first_call(vault, name) for name in ("plain", "packed")}
        players = _players(vault)
        for play in players.values():
            play()
        times = _in_turns(players)
    return [*_rows(times), *_first_rows(first, times)]


def peers() -> dict[str, str]:
    """The version of the one beside us."""
    return program_version("node")


def _rows(times: dict[str, float]) -> Iterator[Row]:
    yield _row("warm call without packages / bare run_javascript", times, "plain call", "bare", bar=1.5)
    yield _row("warm call without packages / the same file without an api", times, "plain call", "bare file")
    yield _row("warm run with packages, recorded / node process", times, "packed run", "node", bar=0.2)
    yield _row("warm run without packages, recorded / node process", times, "plain run", "node")
    yield _row("warm call without packages / Node vm call", times, "plain call", "vm")
    yield _row("warm run with packages, recorded / Node vm call", times, "packed run", "vm")


def _first_rows(first: dict[str, float], times: dict[str, float]) -> Iterator[Row]:
    for name, taken in first.items():
        yield _row(f"first call, {name} / node process", {**times, "first": taken}, "first", "node")


def _row(measure: str, times: dict[str, float], ours: str, theirs: str, bar: float | None = None) -> Row:
    if theirs not in times:
        return Row(bench=NAME, measure=measure, ours=_shown(times[ours]), theirs="node is missing")
    ratio = times[ours] / times[theirs]
    return Row(
        bench=NAME, measure=measure, ours=_shown(times[ours]), theirs=_shown(times[theirs]), ratio=ratio,
        bar="" if bar is None else f"≤ {bar}", met=None if bar is None else ratio <= bar,
    )  # fmt: skip


def _players(vault: Vault) -> dict[str, Callable[[], float]]:
    plain = vault.registry.tool("plain")
    names = module_names(plain, INPUT, {}, {}, mocked=False)
    host = {"call_tool": _unused, "keep_storage": _unused}
    block, limits = module_block(plain), Limits(seconds=5.0)
    assert plain.module is not None
    file_only = with_module(plain.module, "return await tool.execute(input);")
    players = {
        "bare": _timed(lambda: vault.sandbox.run(BARE, names={"input": INPUT}, limits=limits)),
        "plain call": _timed(
            lambda: vault.sandbox.run(block, names=names, limits=limits, host=host, helpers=MODULE_HELPERS)
        ),
        "bare file": _timed(lambda: vault.sandbox.run(file_only, names={"input": INPUT}, limits=limits)),
        "plain run": _timed(lambda: _succeed(vault, "plain")),
        "packed run": _timed(lambda: _succeed(vault, "packed")),
    }
    node = shutil.which("node")
    if node is None:
        return players
    file = str(vault.root / "plain.tool.js")
    command = [node, str(HERE / "toolx" / "call.mjs"), file]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    players["node"] = _timed(lambda: subprocess.run([*command, json.dumps(INPUT)], check=True, capture_output=True))
    players["vm"] = lambda: _ask(server)
    return players


def _ask(server: subprocess.Popen[str]) -> float:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(INPUT) + "\n")
    server.stdin.flush()
    return float(server.stdout.readline()) / 1000


def _in_turns(players: dict[str, Callable[[], float]]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in players}
    chance = random.Random(1)
    for _ in range(ROUNDS):
        # In another order each time: whoever comes after a process of its own finds the machine cold.
        for name in chance.sample(sorted(players), len(players)):
            times[name].append(players[name]())
    return {name: statistics.median(each) for name, each in times.items()}


def _first_call(vault: Vault, tool: str) -> float:
    with Vault(vault.root) as fresh:
        return _timed(lambda: _succeed(fresh, tool))()


def _succeed(vault: Vault, tool: str) -> JsonValue:
    run = vault.run(tool, INPUT)
    assert run.success, run.error
    return run.data


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def play() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return play


def _unused(*_: object) -> None:
    return None


def _shown(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


@contextmanager
def _vault() -> Iterator[Vault]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
        root = Path(folder, "vault")
        (root / ".paper").mkdir(parents=True)
        for name, (declared, last) in {"plain": ("", "return counts;"), "packed": PACKAGES}.items():
            code = TOOL.replace("NAME", name).replace("DEPENDENCIES", declared).replace("LAST", last)
            (root / f"{name}.tool.js").write_text(code, encoding="utf-8")
        with Vault(root) as vault:
            yield vault


if __name__ == "__main__":
    record(NAME, measure, peers)
