"""Twenty commands at once on one vault, beside a server and a worker that are killed again and again.

Part of ``bench/kill.py``. Commands run with ``--yes``, wait for an answer, or leave their run to the worker; some are
killed, too. In the end every run is over, every line is written once, and no process of ours is left.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from paperagents.approval.question import Approved
from paperagents.errors import PaperError
from paperagents.vault import Vault

AT_ONCE = 20
TOOL = """---
tool: true
name: add
description: Writes a note of its own, and a line into one that everybody writes to.
type: chain
parameters:
  - {name: number, type: string, description: which run, required: true}
steps:
  - tool: write_file
    parameters: {filePath: "notes/{{number}}.md", content: "first\\n"}
    post_processing: "return { filePath: output.filePath };"
  - {tool: write_file, parameters: {filePath: all.md, content: "{{number}}\\n", append: true}}
  - {tool: write_file, parameters: {filePath: "notes/{{number}}.md", content: "second\\n", append: true}}
---
"""
WAYS = (("--yes",), ("--yes",), (), ("--yes", "--detach"), ("--detach",))
"""How a run is started: answered by itself, left waiting, left to the worker."""
LIMIT_SECONDS = 600.0
QUIET_SECONDS = 30.0


@dataclass(kw_only=True)
class Outcome:
    """What was found."""

    runs: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Crowd:
    """The processes on one vault."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.root, self.chance, self.outcome = folder / "vault", chance, Outcome()
        (self.root / ".paper").mkdir(parents=True)
        (self.root / "add.md").write_text(TOOL, encoding="utf-8")
        (self.root / "all.md").write_text("", encoding="utf-8")
        self._environment = {**os.environ, "PAPER_VAULT": str(self.root), "PAPER_WORKER_HEARTBEAT": "0.5"}
        self._started: set[int] = set()
        self._staying = {name: self._start(*words) for name, words in self._servers().items()}
        self._commands: list[subprocess.Popen[bytes]] = []

    def run_all(self, runs: int) -> None:
        """Start so many runs, no more than twenty at once, and kill what happens to be under way."""
        end = time.monotonic() + LIMIT_SECONDS
        while (self.outcome.runs < runs or self._commands) and time.monotonic() < end:
            self._commands = [each for each in self._commands if each.poll() is None]
            while len(self._commands) < AT_ONCE and self.outcome.runs < runs:
                number, way = str(self.outcome.runs), WAYS[self.outcome.runs % len(WAYS)]
                self._commands.append(self._start("run", "add", "-p", f"number={number}", *way))
                self.outcome.runs += 1
            self._make_trouble()
            time.sleep(self.chance.random() * 0.3)

    def settle(self, vault: Vault) -> None:
        """Answer what is asked, and kill no more than the server and the worker, until every run is over."""
        end = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < end:
            with suppress(PaperError):
                self._answer_everything(vault)
                if not sum(vault.history.count(status) for status in ("queued", "running", "waiting")):
                    return
            if self.chance.random() < 0.1 and self.outcome.kills.total() < self.outcome.runs:
                self._kill_staying(self.chance.choice([*self._staying]))
            time.sleep(0.2)

    def close(self) -> None:
        """End everything, the server and the worker politely; whoever stays after that is left behind."""
        for each in self._staying.values():
            each.terminate()
            each.wait()
        end = time.monotonic() + QUIET_SECONDS
        while (left := self._left_behind()) and time.monotonic() < end:
            time.sleep(0.2)
        self.outcome.wrong += [f"left behind: {each}" for each in left]

    def _servers(self) -> dict[str, tuple[str, ...]]:
        return {"serve": ("serve", "--port", "0"), "worker": ("worker",)}

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-I", "-m", "paperagents", *words]
        process = subprocess.Popen(command, env=self._environment, stdin=quiet, stdout=quiet, stderr=quiet)
        self._started.add(process.pid)
        return process

    def _make_trouble(self) -> None:
        if self._commands and self.chance.random() < 0.1:
            chosen = self.chance.choice(self._commands)
            if chosen.poll() is None:
                chosen.kill()
                chosen.wait()
                self.outcome.kills["run"] += 1
        if self.chance.random() < 0.15:
            self._kill_staying(self.chance.choice([*self._staying]))

    def _kill_staying(self, name: str) -> None:
        self._staying[name].kill()
        self._staying[name].wait()
        self._staying[name] = self._start(*self._servers()[name])
        self.outcome.kills[name] += 1

    def _answer_everything(self, vault: Vault) -> None:
        for request in vault.history.questions():
            if not vault.questions.has_answer(request.run_id):
                with suppress(PaperError):
                    vault.continuation.answer(request.id, Approved(), announce=True)
                    self.outcome.answers += 1

    def _left_behind(self) -> list[str]:
        """Processes whose command line names one that we have started: the sandbox's workers name their parent."""
        found = []
        for place in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = place.read_bytes().decode("utf-8", "replace").split("\0")
                if any("paperagents.sandbox" in word for word in words) and self._started & {
                    int(word) for word in words if word.isdecimal()
                }:
                    found.append(f"{place.parent.name}: {words[0]}")
        return found


def storm(runs: int, folder: Path, chance: random.Random) -> Outcome:
    """So many runs, started by twenty commands at once; then look at every note and every record."""
    # One user: what the commands have asked is answered here.
    with patch.dict(os.environ, XDG_CONFIG_HOME=str(folder / "config")):
        crowd = Crowd(folder, chance)
        with Vault(crowd.root) as vault:
            try:
                crowd.run_all(runs)
                crowd.settle(vault)
            finally:
                crowd.close()
            crowd.outcome.wrong += _wrong(vault, crowd)
    return crowd.outcome


def _wrong(vault: Vault, crowd: Crowd) -> list[str]:
    wrong = [f"database: {each}" for each in vault.database.check()]
    lines = Counter((crowd.root / "all.md").read_text(encoding="utf-8").split())
    numbers: Counter[str] = Counter()
    for row in vault.history.runs(limit=10 * crowd.outcome.runs):
        record = vault.history.record(str(row["run_id"]))
        if record.parent_run is not None:
            continue
        run = vault.history.run(record.run_id)
        assert run is not None
        number = str(run.arguments["number"])
        numbers[number] += 1
        crowd.outcome.statuses[record.status] += 1
        note = crowd.root / "notes" / f"{number}.md"
        text = note.read_text(encoding="utf-8") if note.exists() else ""
        done = sum(entry["status"] == "success" for entry in record.execution_log if entry["block"] == "tool")
        if record.status != "succeeded":
            wrong.append(f"run {number} is {record.status}: {record.error}")
        elif (text, lines[number], done) != ("first\nsecond\n", 1, 3):
            wrong.append(f"run {number} has the note {text!r}, {lines[number]} lines and {done} steps")
    wrong += [f"run {number} is there {count} times" for number, count in numbers.items() if count > 1]
    # A command that was killed before its run was written down has done nothing.
    wrong += [f"nobody has run {number}, and it wrote" for number in lines if number not in numbers]
    if len(numbers) + crowd.outcome.kills["run"] < crowd.outcome.runs:
        wrong.append(f"{crowd.outcome.runs - len(numbers)} runs are lost")
    return wrong
