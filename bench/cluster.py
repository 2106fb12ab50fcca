"""A cluster on one machine: what a step costs on PostgreSQL, what workers add, and what waits and dies.

``python bench/cluster.py``; the long test of faults is ``bench/faults.py``.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import procrastinate

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from installed_peers import python_peer, versions  # noqa: E402  its folder is known only now
from paperagents.approval.question import Approved, ApproveEverything  # noqa: E402  see above
from paperagents.vault import Vault  # noqa: E402  see above
from postgres_server import PostgresServer  # noqa: E402  see above
from recording import record  # noqa: E402  see above
from table import Row  # noqa: E402  see above

STEPS = 50
ROUNDS = 3
HEARTBEAT = 1.0
FRONT = "---\ntool: true\nname: {name}\ndescription: d\n"
TOOLS = {
    "reads": FRONT + "steps:\n  - {{tool: read_file, for_each: {items}, parameters: {{filePath: small.md}}}}\n---\n",
    "writes": FRONT + "steps:\n  - tool: write_file\n    for_each: {items}\n    parameters: "
    '{{filePath: "out/{{{{random_id}}}}-{{{{item}}}}.md", content: x}}\n---\n',
    "waits": FRONT + "parameters:\n  - {{name: url, type: string, description: d}}\nsteps:\n"
    '  - {{tool: rest_request, parameters: {{url: "{{{{url}}}}"}}}}\n---\n',
    "asks": FRONT + "steps:\n  - {{tool: write_file, parameters: {{filePath: asked.md, content: x, append: true}}}}\n"
    "---\n",
}


class Cluster:
    """A vault, a database, and workers that come and go."""

    def __init__(self, url: str, folder: Path) -> None:
        self.root = folder / "vault"
        (self.root / ".paper").mkdir(parents=True)
        (self.root / "small.md").write_text("a small note\n", encoding="utf-8")
        for name, text in TOOLS.items():
            content = text.format(name=name, items=list(range(STEPS)))
            (self.root / f"{name}.md").write_text(content, encoding="utf-8")
        self.environment = {
            **os.environ,
            "PAPER_DATABASE_URL": url,
            "PAPER_VAULT": str(self.root),
            "PAPER_ALLOWED_HOSTS": "127.0.0.1",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PAPER_WORKER_CONCURRENCY": "1",
            "PAPER_WORKER_HEARTBEAT": str(HEARTBEAT),
        }
        os.environ.update(self.environment)
        self.vault = Vault(self.root)

    @contextmanager
    def workers(self, count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
        """So many processes, which are there when the context is."""
        command = [sys.executable, "-m", "paperagents", "worker"]
        started = [subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL) for _ in range(count)]
        query = "SELECT count(*) AS workers FROM procrastinate_workers WHERE last_heartbeat > now() - interval '5 s'"
        try:
            _wait(lambda: self.vault.database.rows(query)[0]["workers"] >= count)
            yield started
        finally:
            for each in started:
                each.terminate()
            for each in started:
                each.wait()


def _wait(holds: Callable[[], object], seconds: float = 300.0) -> float:
    begun = time.perf_counter()
    while not holds():
        if time.perf_counter() - begun > seconds:
            raise TimeoutError
        time.sleep(0.005)
    return time.perf_counter() - begun


# --- what a step costs


def steps(cluster: Cluster, url: str) -> list[Row]:
    """Ours, a bare job of the queue below, and a step of the peer, in turns."""
    took: dict[str, list[float]] = {name: [] for name in ("reads", "writes", "job", "peer reads", "peer writes")}
    python = python_peer("dbos-venv")
    if python is None:
        return []
    with _peer(python, url) as peer, cluster.vault as vault:
        for _ in range(ROUNDS):
            for name in ("reads", "writes"):
                begun = time.perf_counter()
                record = vault.run(name, approver=ApproveEverything())
                took[name].append((time.perf_counter() - begun) * 1000 / STEPS)
                assert record.status == "succeeded", record.error
            took["job"].append(asyncio.run(_jobs(url)) / STEPS)
            for name in ("reads", "writes"):
                took[f"peer {name}"].append(peer(name, STEPS) / STEPS)
    middle = {name: statistics.median(values) for name, values in took.items()}
    return [
        _against("a step that reads, against a DBOS step", middle["reads"], middle["peer reads"], 0.3),
        _against("a step that changes a file, approved, against a DBOS step that writes it as durably",
                 middle["writes"], middle["peer writes"], None),
        _against("a step that reads, against a bare Procrastinate job", middle["reads"], middle["job"], None),
    ]  # fmt: skip


def _against(measure: str, ours: float, theirs: float, bar: float | None) -> Row:
    ratio = ours / theirs
    return Row(bench="cluster", measure=measure, ours=f"{ours:.2f} ms", theirs=f"{theirs:.2f} ms", ratio=ratio,
               bar=f"≤ {bar}" if bar else "", met=ratio <= bar if bar else None)  # fmt: skip


@contextmanager
def _peer(python: Path, url: str) -> Iterator[Callable[[str, int], float]]:
    command = [str(python), str(HERE / "cluster_peer" / "dbos_steps.py"), url]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        told, answered = process.stdin, process.stdout
        while answered.readline().strip() != "ready":
            pass

        def measured(kind: str, count: int) -> float:
            told.write(f"{kind} {count}\n")
            told.flush()
            return float(json.loads(answered.readline()))

        yield measured
        process.kill()


async def _jobs(url: str) -> float:
    """Milliseconds for as many jobs that do nothing, put into the queue and taken out of it."""
    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="bench.nothing", queue="bench")
    def nothing() -> None:
        pass

    async with app.open_async():
        begun = time.perf_counter()
        for _ in range(STEPS):
            await nothing.defer_async()
        await app.run_worker_async(queues=["bench"], wait=False, install_signal_handlers=False, delete_jobs="always")
        return (time.perf_counter() - begun) * 1000


# --- what workers add


def throughput(cluster: Cluster) -> list[Row]:
    """Chains per second where the work is waiting for another machine, not the database."""
    chains, rates = 60, {}
    with _slow_server(0.1) as url:
        for count in (1, 2, 4):
            with cluster.workers(count):
                before = cluster.vault.history.count("succeeded")
                for _ in range(chains):
                    cluster.vault.enqueue("waits", {"url": url})
                rates[count] = chains / _wait(lambda: cluster.vault.history.count("succeeded") >= before + chains)  # noqa: B023  used at once
    ratio = rates[2] / rates[1]
    shown = ", ".join(f"{count}: {rate:.1f}/s" for count, rate in rates.items())
    return [
        Row(bench="cluster", measure="chains with a request of 0.1 s, by workers of one place each", ours=shown,
            ratio=ratio, bar="2 workers ≥ 1.7 × 1", met=ratio >= 1.7)
    ]  # fmt: skip


@contextmanager
def _slow_server(seconds: float) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(seconds)
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  the library's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


# --- what waits, and what dies


def waiting(cluster: Cluster, count: int) -> list[Row]:
    """Many open questions: what a worker uses meanwhile, and how long one answer takes."""
    with cluster.workers(1) as (worker,):
        # What it has done once, it is ready to do.
        first = cluster.vault.enqueue("reads").run_id
        _wait(lambda: cluster.vault.history.record(first).status == "succeeded")
        before = _threads_and_memory(worker.pid)
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda _: cluster.vault.run("asks"), range(count)))
        after = _threads_and_memory(worker.pid)
        used = _processor_seconds(worker.pid)
        time.sleep(5)
        share = (_processor_seconds(worker.pid) - used) / 5
        begun = time.perf_counter()
        requests = cluster.vault.history.questions()
        listed = (time.perf_counter() - begun) * 1000
        run_id = cluster.vault.continuation.answer(requests[0].id, Approved(), announce=True)
        answered = _wait(lambda: cluster.vault.history.record(run_id).status == "succeeded") * 1000
    measure = f"{count} runs wait: threads and MB of a worker before and after, its share of a processor"
    told = f"{before[0]} → {after[0]} threads, {before[1]:.0f} → {after[1]:.0f} MB, {share:.1%}"
    return [
        Row(bench="cluster", measure=measure, ours=told, bar="no thread more", met=after[0] <= before[0]),
        Row(bench="cluster", measure="listing them all; one answer until its run is done",
            ours=f"{listed:.0f} ms; {answered:.0f} ms"),
    ]  # fmt: skip


def _threads_and_memory(process: int) -> tuple[int, float]:
    fields = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":\t" in line
    )
    return int(fields["Threads"]), int(fields["VmRSS"].split()[0]) / 1024


def _processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def take_over(cluster: Cluster) -> list[Row]:
    """A worker is killed in the middle of a run; how long until another goes on with it."""
    times = []
    with _slow_server(1.0) as url:
        for _ in range(3):
            with cluster.workers(2) as workers:
                run_id = cluster.vault.enqueue("waits", {"url": url}).run_id
                _wait(lambda: cluster.vault.history.record(run_id).status == "running")  # noqa: B023  used at once
                pids = {each.pid: each for each in workers}
                holder = _holder(pids)
                holder.send_signal(signal.SIGKILL)
                times.append(_wait(lambda: cluster.vault.history.record(run_id).status == "succeeded") - 1.0)  # noqa: B023  used at once
    limit = 3 * HEARTBEAT + 2 * HEARTBEAT
    middle, worst = statistics.median(times), max(times)
    return [
        Row(bench="cluster", measure=f"from a kill until another worker goes on, heartbeat {HEARTBEAT:g} s",
            ours=f"{middle:.1f} s, at most {worst:.1f} s", bar=f"≤ {limit:g} s (3 beats silent, 2 to notice)",
            met=worst <= limit)
    ]  # fmt: skip


def _holder(workers: dict[int, subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """The worker that is busy: the one with an open connection to the slow server uses one thread more."""
    busiest = max(workers, key=_connections)
    return workers[busiest]


def _connections(process: int) -> int:
    return sum("socket" in str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir())


# --- what grows


def history(url: str, root: Path, count: int = 100_000) -> list[Row]:
    """Pages of history over many stored runs, on both databases."""
    rows = []
    for name, address in (("PostgreSQL", url), ("SQLite", "")):
        os.environ["PAPER_DATABASE_URL"] = address
        with Vault(root) as vault:
            _fill(vault, count)
            worst = max(_page(vault, **each) for each in _PAGES)
        rows.append(
            Row(bench="cluster", measure=f"slowest page of history over {count:,} runs, {name}",
                ours=f"{worst:.1f} ms", bar="< 50 ms", met=worst < 50)
        )  # fmt: skip
    return rows


_PAGES: list[dict[str, Any]] = [{}, {"tool": "tool-3"}, {"status": "failed"}, {"tool": "tool-3", "status": "denied"},
                                {"since": "2026-01-01"}]  # fmt: skip


def _fill(vault: Vault, count: int) -> None:
    statement = (
        "INSERT INTO runs (run_id, tool, status, started, duration_ms, arguments, clock, data, error) "
        "VALUES (?, ?, ?, ?, 1.0, '{}', '{}', 'null', 'null')"
    )
    states = ("succeeded", "succeeded", "succeeded", "failed", "denied")
    with vault.database.transaction() as connection:
        for number in range(count):
            started = f"2025-{number * 12 // count + 1:02}-01T00:00:00.{number % 1000:03}+00:00"
            values = (f"{number:016x}", f"tool-{number % 20}", states[number * 7 % 5], started)
            connection.execute(statement, values)
    with vault.database.transaction() as connection:
        connection.execute("ANALYZE")


def _page(vault: Vault, **wanted: Any) -> float:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        vault.history.runs(**wanted)
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def measure(*, waiters: int = 10_000) -> list[Row]:
    """Rows for the common table."""
    before = dict(os.environ)
    server = PostgresServer()
    try:
        with tempfile.TemporaryDirectory() as folder, ExitStack():
            url = server.new_database()
            cluster = Cluster(url, Path(folder))
            rows = [*throughput(cluster), *take_over(cluster), *waiting(cluster, waiters), *steps(cluster, url)]
            return [*rows, *history(server.new_database(), cluster.root)]
    finally:
        os.environ.clear()
        os.environ.update(before)
        server.stop()


def peers() -> dict[str, str]:
    """The versions of those beside us."""
    return {**versions("dbos-venv"), "procrastinate": version("procrastinate")}


if __name__ == "__main__":
    record("cluster", measure, peers)
