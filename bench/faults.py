"""Kills workers, restarts PostgreSQL and cuts the network while chains go on; each effect must happen once.

``python bench/faults.py [CHAINS] [WORKERS]``; 2,000 and 4 by default. A fifth as many chains run on the
embedded database.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from paperagents.approval.question import Approved
from paperagents.errors import PaperError
from paperagents.vault import Vault
from postgres_server import PostgresServer, Wire
from recording import record
from table import Row

CHAIN = """---
tool: true
name: {name}
description: Writes a note, tells a server, and adds a line to the note.
type: chain
parameters:
  - {{name: number, type: string, description: which chain}}
  - {{name: url, type: string, description: the server}}
steps:
  - {{tool: write_file, parameters: {{filePath: "notes/{{{{number}}}}.md", content: "first\\n"}}}}
  - tool: rest_request
    parameters: {{url: "{{{{url}}}}", method: POST, headers: {{{header}}}, body: "{{{{number}}}}"}}
  - {{tool: write_file, parameters: {{filePath: "notes/{{{{number}}}}.md", content: "second\\n", append: true}}}}
---
"""
KINDS = {"keyed": '"Idempotency-Key": "{{number}}"', "plain": '"X-Number": "{{number}}"'}


@dataclass(kw_only=True)
class Plan:
    """How much is done, and how badly it is treated."""

    chains: int = 200
    workers: int = 4
    waiting: float = 0.25
    """The share of chains that wait for a person at each step."""
    kill_seconds: float = 1.0
    most_kills: int = 1_000_000
    restarts: int = 2
    cut_seconds: float = 10.0
    heartbeat: float = 0.5
    limit_seconds: float = 600.0
    seed: int = 1


@dataclass(kw_only=True)
class Outcome:
    """What was found."""

    seconds: float = 0.0
    kills: int = 0
    restarts: int = 0
    cuts: int = 0
    answers: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    repeated: int = 0
    """Requests with a key that came again, because nobody had been told that they arrived."""
    wrong: list[str] = field(default_factory=list)


class CountingServer:
    """Counts every request by its number; knows a key again, as servers with such keys do."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.effects: Counter[str] = Counter()
        self._lock = threading.Lock()
        counting = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                number = self.rfile.read(int(self.headers["content-length"])).decode()
                counting.count(number, known=self.headers.get("Idempotency-Key") is not None)
                self.send_response(200)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  the library's name
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def count(self, number: str, *, known: bool) -> None:
        """One more request; one with a key has its effect once."""
        with self._lock:
            self.seen[number] += 1
            if not known or self.effects[number] == 0:
                self.effects[number] += 1

    def close(self) -> None:
        """No more requests."""
        self._server.shutdown()
        self._server.server_close()


class Trouble:
    """Workers that are killed and started anew, and a database that comes and goes."""

    def __init__(
        self, plan: Plan, environment: dict[str, str], server: PostgresServer | None, wire: Wire | None
    ) -> None:
        self.plan, self.server, self.wire = plan, server, wire
        self.environment = environment
        self.chance = random.Random(plan.seed)
        self.workers = [self._started() for _ in range(plan.workers)]
        self.outcome = Outcome()

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "paperagents", "worker"]
        return subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def kill_one(self) -> None:
        """Somewhere in the middle of something."""
        place = self.chance.randrange(len(self.workers))
        self.workers[place].send_signal(signal.SIGKILL)
        self.workers[place].wait()
        self.workers[place] = self._started()
        self.outcome.kills += 1

    def restart_database(self) -> None:
        """Once politely, once as if the power had gone."""
        if self.server is not None and self.outcome.restarts < self.plan.restarts:
            self.server.restart(crash=self.outcome.restarts % 2 == 1)
            self.outcome.restarts += 1

    def cut_network(self) -> None:
        """Long enough for the others to take the silent ones for dead."""
        if self.wire is not None and self.outcome.cuts == 0 and self.plan.cut_seconds:
            self.wire.cut()
            time.sleep(self.plan.cut_seconds)
            self.wire.mend()
            self.outcome.cuts += 1

    def close(self) -> None:
        """End the workers."""
        for each in self.workers:
            each.kill()
            each.wait()


def survive(plan: Plan, folder: Path, *, server: PostgresServer | None) -> Outcome:
    """Run all chains under all kinds of trouble, on PostgreSQL or, without a server, on the embedded database."""
    with ExitStack() as open_parts:
        counting = CountingServer()
        open_parts.callback(counting.close)
        vault, environment, wire = _set_up(plan, folder, server, open_parts)
        begun = time.monotonic()
        runs = _enqueued(vault, plan, counting.url)
        trouble = Trouble(plan, environment, server, wire)
        open_parts.callback(trouble.close)
        _make_trouble(vault, trouble, len(runs))
        trouble.outcome.seconds = time.monotonic() - begun
        _look(vault, runs, counting, folder, trouble.outcome)
        return trouble.outcome


def _set_up(
    plan: Plan, folder: Path, server: PostgresServer | None, open_parts: ExitStack
) -> tuple[Vault, dict[str, str], Wire | None]:
    root = folder / "vault"
    (root / ".paper").mkdir(parents=True)
    for name, header in KINDS.items():
        (root / f"{name}.md").write_text(CHAIN.format(name=name, header=header), encoding="utf-8")
    settings = {
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PAPER_ALLOWED_HOSTS": "127.0.0.1",
        "PAPER_WORKER_HEARTBEAT": str(plan.heartbeat),
        "PAPER_VAULT": str(root),
    }
    wire = None
    address = server.new_database() if server is not None else ""
    if server is not None:
        wire = Wire(server.socket_file)
        open_parts.callback(wire.close)
        settings["PAPER_DATABASE_URL"] = wire.url(address)
    # The one who looks on has a line of its own, which is not cut.
    open_parts.enter_context(_environment({**settings, "PAPER_DATABASE_URL": address}))
    vault = open_parts.enter_context(Vault(root))
    return vault, {**os.environ, **settings, **({} if server else {"PAPER_DATABASE_URL": ""})}, wire


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _enqueued(vault: Vault, plan: Plan, url: str) -> dict[str, str]:
    """The runs by their numbers."""
    chance = random.Random(plan.seed)
    names = list(KINDS)
    runs = {}
    for number in range(plan.chains):
        yes = chance.random() >= plan.waiting
        record = vault.enqueue(names[number % 2], {"number": str(number), "url": url}, yes=yes)
        runs[str(number)] = record.run_id
    return runs


def _make_trouble(vault: Vault, trouble: Trouble, chains: int) -> None:
    plan, outcome = trouble.plan, trouble.outcome
    end = time.monotonic() + plan.limit_seconds
    next_kill = time.monotonic() + plan.kill_seconds
    while time.monotonic() < end:
        with suppress(PaperError):
            outcome.answers += _answer_everything(vault)
            done = chains - sum(vault.history.count(status) for status in ("queued", "running", "waiting"))
            if done >= chains:
                return
            if done > chains * (outcome.restarts + 1) / (plan.restarts + 2):
                trouble.restart_database()
            if done > chains / 2:
                trouble.cut_network()
            if time.monotonic() > next_kill and done < chains * 0.9 and outcome.kills < plan.most_kills:
                trouble.kill_one()
                next_kill = time.monotonic() + plan.kill_seconds * trouble.chance.uniform(0.5, 1.5)
        time.sleep(0.05)


def _answer_everything(vault: Vault) -> int:
    answered = 0
    for request in vault.history.questions():
        if not vault.questions.has_answer(request.run_id):
            with suppress(PaperError):
                vault.continuation.answer(request.id, Approved(), announce=True)
                answered += 1
    return answered


def _look(vault: Vault, runs: dict[str, str], counting: CountingServer, folder: Path, outcome: Outcome) -> None:
    outcome.requests = sum(counting.seen.values())
    outcome.repeated = outcome.requests - sum(counting.effects.values())
    for number, run_id in runs.items():
        record = vault.history.record(run_id)
        outcome.statuses[record.status] += 1
        note = folder / "vault" / "notes" / f"{number}.md"
        text = note.read_text(encoding="utf-8") if note.exists() else ""
        outcome.wrong += [f"chain {number}: {each}" for each in _wrong(record, text, counting.effects[number])]
        if record.error is not None:
            outcome.errors[str(record.error["code"])] += 1
    outcome.wrong += [f"database: {each}" for each in vault.database.check()]


def _wrong(record: Any, text: str, effects: int) -> list[str]:
    """What is not as the record says."""
    done = [entry["name"] for entry in record.execution_log if entry["status"] == "success"]
    wrong = [] if effects <= 1 else [f"the server was told {effects} times"]
    if record.status == "succeeded":
        if text != "first\nsecond\n" or effects != 1 or done != ["write_file", "rest_request", "write_file"]:
            wrong.append(f"succeeded, but the note is {text!r}, effects {effects}, steps {done}")
    elif record.status == "failed":
        # A request without a key that was under way: nobody can know, and nobody does it again.
        known = record.error["code"] == "outcome-unknown" and text == "first\n" and done == ["write_file"]
        wrong += [] if known else [f"failed with {json.dumps(record.error)}, note {text!r}, steps {done}"]
    else:
        wrong.append(f"is {record.status}")
    return wrong


def measure(chains: int = 2_000, workers: int = 4) -> list[Row]:
    """Rows for the common table."""
    server = PostgresServer()
    try:
        return [_row("PostgreSQL", chains, workers, server), _row("SQLite", chains // 5, workers, None)]
    finally:
        server.stop()


def _row(name: str, chains: int, workers: int, server: PostgresServer | None) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(chains=chains, workers=workers, limit_seconds=3_600)
        outcome = survive(plan, Path(folder), server=server)
    for each in outcome.wrong:
        print(each, file=sys.stderr)
    trouble = f"{outcome.kills} kills, {outcome.restarts} restarts, {outcome.cuts} cuts, {outcome.answers} answers"
    unknown = outcome.errors["outcome-unknown"]
    return Row(
        bench="faults",
        measure=f"chains on {name} under kills of workers and faults of the database",
        ours=f"{len(outcome.wrong)} wrong of {chains:,} ({trouble}, {unknown} outcome-unknown)",
        bar="0",
        met=not outcome.wrong,
    )


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:]]
    sys.exit(not record("faults", lambda: measure(*numbers)))
