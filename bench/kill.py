"""Kills a running chain at random moments, resumes it, and looks whether every write happened exactly once.

``python bench/kill.py [KILLS] [RUNS]``; 200 and 200 by default. The second is for runs on one vault, twenty commands at
once, see ``crowd.py``.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from crowd import AT_ONCE, storm
from paperagents import open_vault
from recording import record
from table import Row

WRITES = 7
TOOL = """---
tool: true
name: log
description: Writes notes and adds lines to one, asking each time.
type: chain
steps:
  - tool: write_file
    for_each: [0, 1, 2, 3, 4]
    parameters: {filePath: "new-{{item}}.md", content: "line {{item}}\\n"}
  - {tool: write_file, parameters: {filePath: all.md, content: "one\\n", append: true}}
  - {tool: write_file, parameters: {filePath: all.md, content: "one\\n", append: true}}
---
"""
SLOW = """
import random, sys, time
import paperagents
from paperagents.approval.question import Approved, Pending

def answer(request):
    time.sleep(random.random() * 0.01)
    # The last question may be left open, for another process to answer.
    return Pending() if request.step == 3 and sys.argv[3] == "leaves the last" else Approved()

with paperagents.open_vault(sys.argv[1]) as vault:
    print("ready", flush=True)
    if sys.argv[2]:
        vault.resume(sys.argv[2], approver=answer)
    else:
        vault.run("log", approver=answer)
    print("ended", flush=True)
"""


@dataclass(kw_only=True)
class Outcome:
    """What was found."""

    kills: int = 0
    runs: int = 0
    killed_in: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def kill_at_random(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Start, kill, resume and answer, until so many kills have been made; then look at every vault."""
    outcome = Outcome()
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder / "config")}
    seconds = _time_run(_make_vault(folder / "undisturbed"), environment)
    while outcome.kills < kills:
        outcome.runs += 1
        vault = _make_vault(folder / f"vault-{outcome.runs}")
        _until_done(
            vault, lambda: chance.random() * seconds if outcome.kills < kills else 60.0, chance, environment, outcome
        )
        outcome.wrong += [f"{vault}: {each}" for each in _wrong(vault)]
    return outcome


def _make_vault(vault: Path) -> Path:
    (vault / ".paper").mkdir(parents=True)
    (vault / "log.md").write_text(TOOL, encoding="utf-8")
    (vault / "all.md").write_text("", encoding="utf-8")
    return vault


def _time_run(vault: Path, environment: dict[str, str]) -> float:
    """How long a run takes that nobody kills: on a busy machine the moments lie further apart."""
    command = [sys.executable, "-c", SLOW, str(vault), "", "answers"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        begun = time.monotonic()
        process.stdout.readline()
        return time.monotonic() - begun


def _until_done(
    vault: Path, moment: Callable[[], float], chance: random.Random, environment: dict[str, str], outcome: Outcome
) -> None:
    for _ in range(60):
        with open_vault(vault) as opened:
            runs, waits = opened.history.runs(), opened.history.questions()
        status, run_id = (str(runs[0]["status"]), str(runs[0]["run_id"])) if runs else ("", "")
        if status == "succeeded":
            return
        if waits and chance.random() < 0.5:
            command = [sys.executable, "-m", "paperagents", "approvals", "approve", waits[0].id, "--vault", str(vault)]
        else:
            command = [sys.executable, "-c", SLOW, str(vault), run_id, chance.choice(["leaves the last", "answers"])]
        killed = _started_and_killed(command, environment, moment())
        outcome.kills += killed
        outcome.killed_in[status or "beginning"] += killed
        outcome.wrong += [f"{vault}: {each}" for each in _half_done(vault)]
    outcome.wrong.append(f"{vault}: never done")


def _started_and_killed(command: list[str], environment: dict[str, str], seconds: float) -> bool:
    """Whether it was not done by itself in that time."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        if "-c" in command:
            process.stdout.readline()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return True
        return False


def _half_done(vault: Path) -> list[str]:
    """What no moment may show: a file that is not completely there, or a line too many."""
    wrong = []
    for number in range(5):
        file = vault / f"new-{number}.md"
        if file.exists() and file.read_text(encoding="utf-8") != f"line {number}\n":
            wrong.append(f"{file.name} is half done")
    if (vault / "all.md").read_text(encoding="utf-8") not in ("", "one\n", "one\none\n"):
        wrong.append("all.md has a line too many")
    return wrong


def _wrong(vault: Path) -> list[str]:
    """What must not be so in the end."""
    wrong = _half_done(vault)
    if (vault / "all.md").read_text(encoding="utf-8") != "one\none\n":
        wrong.append("all.md has not both lines")
    wrong += [f"new-{number}.md is missing" for number in range(5) if not (vault / f"new-{number}.md").exists()]
    with open_vault(vault) as opened:
        runs = opened.history.runs()
        if len(runs) != 1:
            return [*wrong, f"there are {len(runs)} runs"]
        (run,) = runs
        record = opened.history.record(str(run["run_id"]))
    entries = [entry for entry in record.execution_log if entry["status"] == "success"]
    if record.status != "succeeded" or len(entries) != WRITES or not all(each["hitl_confirmed"] for each in entries):
        wrong.append(f"the record says {record.status} with {len(entries)} writes")
    return wrong


def measure(kills: int = 200, runs: int = 200) -> list[Row]:
    """Rows for the common table."""
    return [_measure_chains(kills), _measure_crowd(runs)]


def _measure_crowd(runs: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        outcome = storm(runs, Path(folder), random.Random())
    for each in outcome.wrong:
        print(each, file=sys.stderr)
    kills = ", ".join(f"{count} of {name}" for name, count in sorted(outcome.kills.items()))
    return Row(
        bench="kill", measure=f"runs of {AT_ONCE} commands at once on one vault, beside serve and worker, all killed",
        ours=f"{len(outcome.wrong)} wrong of {outcome.runs} runs (kills: {kills}; {outcome.answers} answers)",
        bar="0", met=not outcome.wrong,
    )  # fmt: skip


def _measure_chains(kills: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_at_random(kills, Path(folder), random.Random())
    for each in outcome.wrong:
        print(each, file=sys.stderr)
    states = ", ".join(f"{count} when {state}" for state, count in sorted(outcome.killed_in.items()))
    ours = f"{len(outcome.wrong)} wrong in {outcome.runs} runs with {outcome.kills} kills"
    measured = "chains with writes, killed at random moments and resumed"
    return Row(bench="kill", measure=measured, ours=f"{ours} ({states})", bar="0", met=not outcome.wrong)


if __name__ == "__main__":
    wanted = [int(each) for each in sys.argv[1:]]
    sys.exit(not record("kill", lambda: measure(*wanted)))
