"""Kills a conversation at random moments and lets it go on, until it is done: nothing twice, nothing lost.

python -I bench/agent_kill.py --kills 200
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import paperagents
from paperagents.testing import ScriptedServer
from recording import record
from table import Row

LINES = 6
AGENT = (
    "---\nagent: true\nname: helper\ndescription: d\nmodel: m\ntools: [read_file, write_file]\nprotocol: {}\n---\n"
    "Help.\n"
)
WORKER = """
import sys
import paperagents
import paperagents.agents.client
from paperagents.approval.question import Approved

vault = paperagents.open_vault(sys.argv[1])
runs = vault.history.runs(limit=1)
sys.stdout.write("ready\\n")
sys.stdout.flush()
if runs and runs[0]["status"] != "succeeded":
    record = vault.resume(runs[0]["run_id"], approver=lambda request: Approved())
elif not runs:
    record = vault.run("helper", {"query": "Go"}, approver=lambda request: Approved())
vault.close()
"""


@dataclass
class Outcome:
    """What was seen."""

    kills: int = 0
    conversations: int = 0
    wrong: list[str] = field(default_factory=list)


def kill_at_random(kills: int, folder: Path, chance: random.Random) -> Outcome:
    """Let conversations be killed so often, and look at every one that came to its end."""
    outcome = Outcome()
    while outcome.kills < kills:
        protocol = chance.choice(["native", "tags"])
        root = folder / f"vault{outcome.conversations}"
        (root / ".paper").mkdir(parents=True)
        (root / "helper.md").write_text(AGENT.format(protocol), encoding="utf-8")
        with ScriptedServer(script(protocol), by_messages=True) as server:
            environment = {**os.environ, "PAPER_LLM_BASE_URL": server.base_url, "PAPER_LLM_API_KEY": "sk-none-at-all",
                           "XDG_CONFIG_HOME": str(folder / "config"), "PAPER_LANGUAGE": "en"}  # fmt: skip
            outcome.kills += _killed_until_done(root, environment, chance)
        outcome.conversations += 1
        outcome.wrong += [f"{root.name} ({protocol}): {each}" for each in _wrong(root)]
    return outcome


def script(protocol: str) -> list[Any]:
    """One line written by each turn, and the note read in between."""
    turns: list[Any] = []
    for number in range(LINES):
        arguments = {"filePath": "log.md", "content": f"line {number}\n", "append": True}
        said = f"Turn {number}. "
        read = {"tool": "read_file", "arguments": {"filePath": "helper.md"}}
        if protocol == "native":
            turns.append({"text": said, "calls": [read, {"tool": "write_file", "arguments": arguments}]})
        else:
            tag = f'{{{{<write_file filePath="log.md" append="true" content="line {number}\n" />}}}}'
            turns.append(f'{said}{{{{<read_file filePath="helper.md" />}}}}{tag}')
    return [*turns, "All lines are written."]


def _killed_until_done(root: Path, environment: dict[str, str], chance: random.Random) -> int:
    kills = 0
    while True:
        child = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(root)], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        child.stdout.readline()
        try:
            child.wait(timeout=chance.uniform(0.0, 0.05 * (kills + 1)))
        except subprocess.TimeoutExpired:
            child.kill()
            kills += 1
            child.wait()
        child.stdout.close()
        if child.returncode == 0:
            return kills


def _wrong(root: Path) -> list[str]:
    """What is not as it would be without any kill."""
    with paperagents.open_vault(root) as vault:
        run = vault.history.runs(limit=1)[0]
        record = vault.history.record(str(run["run_id"]))
    found = []
    if (record.status, record.data) != ("succeeded", "All lines are written."):
        found.append(f"{record.status} {record.data} {json.dumps(record.error)}")
    written = (root / "log.md").read_text(encoding="utf-8")
    if written != "".join(f"line {number}\n" for number in range(LINES)):
        found.append(f"written: {written!r}")
    outputs: list[Any] = [entry["output"] for entry in record.execution_log if entry["name"] == "model"]
    turns = [output["text"][:6] for output in outputs]
    if turns != [*(f"Turn {number}"[:6] for number in range(LINES)), "All li"]:
        found.append(f"turns: {turns}")
    return found + _wrong_note(root, record.run_id)


def _wrong_note(root: Path, run_id: str) -> list[str]:
    notes = [each.read_text(encoding="utf-8") for each in (root / ".paper" / "conversations").glob("*.md")]
    note = next(each for each in notes if run_id in each)
    expected = {f"Turn {number}. ".strip(): 1 for number in range(LINES)} | {"## You": 1, "`write_file` success": LINES}
    return [
        f"{note.count(text)} times {text!r} in the note"
        for text, count in expected.items()
        if note.count(text) != count
    ]


def measure(kills: int = 200, seed: int = 8) -> list[Row]:
    """Rows for the common table."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_at_random(kills, Path(folder), random.Random(seed))
    for each in outcome.wrong:
        print(each, file=sys.stderr)
    ours = f"{len(outcome.wrong)} wrong in {outcome.conversations} with {outcome.kills} kills"
    measured = "conversations with writes, killed at random moments and continued"
    return [Row(bench="agent_kill", measure=measured, ours=ours, bar="0", met=not outcome.wrong)]


def main() -> int:
    """Say what was seen; 1 where something went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=8)
    options = parser.parse_args()
    return int(not record("agent_kill", lambda: measure(options.kills, options.seed)))


if __name__ == "__main__":
    sys.exit(main())
