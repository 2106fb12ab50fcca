"""The sandbox beside its peers: one small transform, start-up, two workers, and ten thousand mixed blocks.

    python -I bench/sandbox.py              the table
    python -I bench/sandbox.py --soak       10,000 blocks with timeouts, memory bombs and kills mixed in

Peers are measured in the same run, in turn with ours; a peer that is not there is left out.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import node_peer, program_version, versions  # noqa: E402  see above
from paperagents.definitions.json_value import JsonValue  # noqa: E402  after the path above
from paperagents.errors import SandboxError  # noqa: E402  after the path above
from paperagents.sandbox import Cancellation, Limits, Sandbox  # noqa: E402  after the path above
from paperagents.sandbox.worker_process import WorkerProcess  # noqa: E402  after the path above
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

CODE = (
    "return { total: input.items.reduce((a, b) => a + b.price, 0), names: input.items.map(i => i.name.toUpperCase()) };"
)
INPUT: JsonValue = {"items": [{"name": f"item {n}", "price": n * 1.5} for n in range(20)]}
EXPECTED = {"total": 285, "names": [f"ITEM {n}" for n in range(20)]}
HEAVY = "let sum = 0; for (let i = 0; i < 400000; i++) sum += i % 7; return sum;"
IDLE_GAP_SECONDS = 0.01

Timed = Callable[[], float]


def measure(rounds: int = 300) -> list[Row]:
    """All rows of this bench."""
    return [*_small_transform(rounds), _first_answer(), _two_workers(), _two_processes()]


def peers() -> dict[str, str]:
    """The versions of those beside us."""
    return {**versions("."), **program_version("node"), **program_version("deno")}


def _small_transform(rounds: int) -> list[Row]:
    with Sandbox() as sandbox, _emscripten() as peer:
        players: dict[str, Timed] = {"ours": _ours(sandbox), "in-process": _in_process}
        if peer is not None:
            players["emscripten"] = peer
        with_gaps = _interleaved(players, rounds, gap=IDLE_GAP_SECONDS)
        back_to_back = _interleaved(players, rounds, gap=0.0, run_length=10)
    processes = _interleaved(_process_players(), 7, gap=0.0)
    rows = [_row("with idle gaps", with_gaps, "emscripten", 1.0), _row("back to back", back_to_back, "emscripten", 2.0)]
    rows.append(_row("with idle gaps", with_gaps, "in-process", None))
    rows += [_row("with idle gaps", {**with_gaps, **processes}, name, None) for name in processes]
    return [row for row in rows if row is not None]


def _row(when: str, medians: dict[str, float], peer: str, bar: float | None) -> Row | None:
    names = {
        "emscripten": "quickjs-emscripten, fresh runtime",
        "in-process": "quickjs-ng in process, fresh context, no walls",
        "node": "a node process per call",
        "deno": "a deno process per call",
    }
    if peer not in medians:
        return None
    ratio = medians["ours"] / medians[peer]
    return Row(
        bench="sandbox",
        measure=f"one small transform, {when}, against {names[peer]}",
        ours=f"{medians['ours'] * 1000:.2f} ms",
        theirs=f"{medians[peer] * 1000:.2f} ms",
        ratio=ratio,
        bar="" if bar is None else f"≤ {bar}×",
        met=None if bar is None else ratio <= bar,
    )


def _interleaved(players: dict[str, Timed], rounds: int, *, gap: float, run_length: int = 1) -> dict[str, float]:
    """The median of each player; they take turns, each turn a few calls in a row."""
    times: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(-(-rounds // run_length)):
        for name, play in players.items():
            for _ in range(run_length):
                time.sleep(gap)
                times[name].append(play())
    return {name: statistics.median(taken[run_length:] or taken) for name, taken in times.items()}


def _ours(sandbox: Sandbox) -> Timed:
    def play() -> float:
        started = time.perf_counter()
        value = sandbox.run(CODE, names={"input": INPUT}).value
        taken = time.perf_counter() - started
        assert value == EXPECTED
        return taken

    return play


def _in_process() -> float:
    import quickjs  # type: ignore[import-untyped]  # noqa: PLC0415  a peer; the product never loads it here

    started = time.perf_counter()
    context = quickjs.Context()
    context.set_memory_limit(256 << 20)
    context.set_time_limit(5)
    run = context.eval(f"(text) => JSON.stringify(((input) => {{{CODE}\n}})(JSON.parse(text)))")
    value = json.loads(run(json.dumps(INPUT)))
    del run, context
    taken = time.perf_counter() - started
    assert value == EXPECTED
    return taken


@contextmanager
def _emscripten() -> Iterator[Timed | None]:
    node = shutil.which("node")
    if node is None or node_peer(".") is None:
        yield None
        return
    request = json.dumps({"code": CODE, "input": INPUT}) + "\n"
    process = subprocess.Popen(
        [node, str(HERE / "sandbox/emscripten.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    writer, reader = process.stdin, process.stdout

    def play() -> float:
        writer.write(request)
        writer.flush()
        answer: dict[str, Any] = json.loads(reader.readline())
        assert answer["value"] == EXPECTED
        return float(answer["seconds"])

    with process:
        yield play
        writer.close()


def _process_players() -> dict[str, Timed]:
    script = f"console.log(JSON.stringify(((input) => {{{CODE}}})({json.dumps(INPUT)})))"
    commands = {"node": ["-e", script], "deno": ["eval", script]}
    found = {name: [path, *rest] for name, rest in commands.items() if (path := shutil.which(name))}
    return {name: _process(command) for name, command in found.items()}


def _process(command: list[str]) -> Timed:
    def play() -> float:
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - started

    return play


def _first_answer(rounds: int = 15) -> Row:
    program = (
        "import time, paperagents.sandbox as s; t = time.perf_counter();"
        "assert s.run_javascript('return input + 1', names={'input': 1}) == 2; print(time.perf_counter() - t)"
    )
    command = [sys.executable, "-I", "-c", program]
    taken = [float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(rounds)]
    median = statistics.median(taken)
    return Row(
        bench="sandbox",
        measure="first answer in a new process, after import",
        ours=f"{median * 1000:.0f} ms",
        bar="≤ 80 ms",
        met=median <= 0.080,
    )


def _two_workers(rounds: int = 5, blocks: int = 8) -> Row:
    with Sandbox(size=1) as single, Sandbox(size=2) as double:
        pairs = [(_throughput(single, blocks), _throughput(double, blocks)) for _ in range(rounds)][1:]
    alone, together = (statistics.median(side) for side in zip(*pairs, strict=True))
    ratio = statistics.median(two / one for one, two in pairs)
    return Row(
        bench="sandbox",
        measure="two workers against one on heavy blocks, throughput",
        ours=f"{together:.0f} blocks/s",
        theirs=f"{alone:.0f} blocks/s",
        ratio=ratio,
        bar="≥ 1.5×",
        met=ratio >= 1.5,
    )


def _two_processes(rounds: int = 5) -> Row:
    """What the machine itself gives two busy processes: the row above can be read only beside this one."""
    command = [sys.executable, "-I", "-S", "-c", "for i in range(3_000_000): pass"]
    ratio = statistics.median(2 * _together(command, 1) / _together(command, 2) for _ in range(rounds))
    return Row(bench="sandbox", measure="two plain processes against one on this machine", ours="", ratio=ratio)


def _together(command: list[str], count: int) -> float:
    started = time.perf_counter()
    for process in [subprocess.Popen(command) for _ in range(count)]:
        process.wait()
    return time.perf_counter() - started


def _throughput(sandbox: Sandbox, blocks: int) -> float:
    started = time.perf_counter()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: sandbox.run(HEAVY), range(blocks)))
    return blocks / (time.perf_counter() - started)


def soak(blocks: int = 10_000, *, threads: int = 4, seed: int = 1) -> dict[str, int]:
    """Good blocks with 1% timeouts, 1% memory bombs and 1% kills; raises where a good one answers wrong."""
    limits = Limits(seconds=0.5, memory_mb=32)
    kinds = random.Random(seed).choices(["timeout", "memory", "kill", "good"], [1, 1, 1, 97], k=blocks)
    with Sandbox(limits=limits, size=2) as sandbox:
        _soak_some(sandbox, kinds[: blocks // 10], threads)
        descriptors, memory = _descriptors(), _memory_mb()
        outcomes = _soak_some(sandbox, kinds[blocks // 10 :], threads)
        outcomes["descriptors more"] = _descriptors() - descriptors
        outcomes["MB more"] = _memory_mb() - memory
        pids = sandbox.pids()
    outcomes["workers left"] = sum(Path(f"/proc/{pid}").exists() for pid in pids)
    return dict(outcomes)


def soak_rows(blocks: int) -> list[Row]:
    """What the soak left behind; every good block was answered rightly, or it would not have come to its end."""
    outcomes = soak(blocks)
    left = {name: outcomes.pop(name) for name in ("descriptors more", "MB more", "workers left")}
    mixed = ", ".join(f"{count} {kind}" for kind, count in sorted(outcomes.items()))
    return [
        Row(bench="sandbox-soak", measure=f"{blocks:,} blocks: {mixed}", ours="every good one right"),
        Row(
            bench="sandbox-soak", measure="workers and descriptors left behind",
            ours=f"{left['workers left']} and {left['descriptors more']}",
            bar="none", met=left["workers left"] == 0 and left["descriptors more"] <= 0,
        ),
        Row(
            bench="sandbox-soak", measure="memory of the parent after the first tenth",
            ours=f"{left['MB more']} MB more",
        ),
    ]  # fmt: skip


def _soak_some(sandbox: Sandbox, kinds: list[str], threads: int) -> Counter[str]:
    outcomes: Counter[str] = Counter()
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(kinds), 200):
            outcomes.update(pool.map(lambda numbered: _one(sandbox, *numbered), enumerate(kinds[start : start + 200])))
    return outcomes


def _one(sandbox: Sandbox, number: int, kind: str) -> str:
    codes = {
        "timeout": "while (true) {}",
        "memory": "const all = []; while (true) all.push('x'.repeat(1000) + all.length);",
        "kill": "await die(); return 1",
        "good": "return { number: input, text: 'n' + input }",
    }
    watch = _Watch()
    try:
        value = sandbox.run(codes[kind], names={"input": number}, host={"die": watch.kill}, cancellation=watch).value
    except SandboxError as error:
        if kind == "good":
            raise
        return f"{kind}: {error.code}"
    assert value == {"number": number, "text": f"n{number}"}, (kind, value)
    return kind


class _Watch(Cancellation):
    """Learns which worker serves a run, to kill just that one."""

    worker: WorkerProcess

    def stopping(self, stop: Callable[[], None]) -> AbstractContextManager[None]:  # type: ignore[override]
        self.worker = getattr(stop, "__self__")  # noqa: B009  the method's own worker, unknown to the types
        return super().stopping(stop)

    def kill(self) -> None:
        os.kill(self.worker.pid, signal.SIGKILL)


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  a count of names, nothing else


def _memory_mb() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() >> 20


def main() -> None:
    """Print the table, or soak."""
    if "--soak" in sys.argv:
        blocks = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 10_000
        record("sandbox-soak", lambda: soak_rows(blocks))
    else:
        record("sandbox", measure, peers)


if __name__ == "__main__":
    main()
