"""Changes that are made together and taken back: killed at random moments, on a full disk, and what they cost.

``python bench/changes.py [KILLS]``; 300 by default on each database, and a third as many full disks.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from change_storm import Outcome, Storm, small_disk
from paperagents import open_vault
from paperagents.approval.question import ApproveEverything
from paperagents.definitions.change import Change
from paperagents.runs.changes import Cause
from paperagents.runs.record import RunRecord, new_run
from paperagents.vault import Vault
from postgres_server import PostgresServer
from recording import record
from table import Row

WRITES = 1_000
ROUNDS = 3
CHANGES = 10_000
NOTE_BYTES = 10_000
_TOOL = """---
tool: true
name: write_all
description: Writes small notes.
type: chain
steps:
  - tool: write_file
    for_each: {numbers}
    parameters: {{filePath: "notes/{{{{item}}}}.md", content: "line {{{{item}}}}\\n"}}
---
"""


# --- whole or not at all


def measure_storms(kills: int) -> Iterator[Row]:
    """Kills, and disks that fill up, on both databases."""
    with ExitStack() as stack:
        server = PostgresServer()
        stack.callback(server.stop)
        folder = stack.enter_context(_own_folder())
        disk = stack.enter_context(small_disk(folder, 64))
        for name, used in (("SQLite", None), ("PostgreSQL", server)):
            yield _row(f"killed, {name}", Storm(folder, random.Random(), server=used).rage(kills))
            if disk is not None:
                full = Storm(disk, random.Random(), server=used, fills=True)
                yield _row(f"the disk full, {name}", full.rage(kills // 3))


def _row(name: str, outcome: Outcome) -> Row:
    for each in outcome.wrong:
        print(each, file=sys.stderr)
    states = ", ".join(f"{count} in {state}" for state, count in sorted(outcome.killed_in.items()) if count)
    trouble = f"{outcome.kills} kills: {states}; {outcome.halves} completed at the next start"
    trouble += f"; {outcome.full} full disks" if outcome.full else ""
    ours = f"{len(outcome.wrong)} wrong in {outcome.sets} sets of {outcome.files} files ({trouble})"
    return Row(bench="changes", measure=f"sets made and undone, {name}", ours=ours, bar="0", met=not outcome.wrong)


# --- what it costs


def measure_costs() -> Iterator[Row]:
    """Collecting and committing, and undoing, beside writing one by one."""
    alone, together, back = [], [], []
    for _ in range(ROUNDS):
        with _vault() as vault:
            alone.append(_timed(partial(vault.run, "write_all", approver=ApproveEverything()))[0])
        with _vault() as vault:
            seconds, made = _timed(partial(vault.run, "write_all", approver=ApproveEverything(), together=True))
            together.append(seconds)
            back.append(_timed(partial(vault.undo, made.run_id, approver=ApproveEverything()))[0])
    theirs = median(alone)
    for measure, seconds, bar in (
        (f"{WRITES:,} small writes, collected and made together", median(together), 1.5),
        (f"undo of {WRITES:,} small writes", median(back), 2.0),
    ):
        ratio = seconds / theirs
        yield Row(
            bench="changes",
            measure=measure,
            ours=f"{seconds:.2f} s",
            theirs=f"{theirs:.2f} s one by one with --yes",
            ratio=ratio,
            bar=f"≤ {bar}",
            met=ratio <= bar,
        )


def _timed(work: Callable[[], RunRecord]) -> tuple[float, RunRecord]:
    start = time.perf_counter()
    made = work()
    assert made.success, made.error
    return time.perf_counter() - start, made


def measure_images(changes: int = CHANGES) -> Row:
    """What is kept of many small changes to one note: one line of it at a time, anywhere."""
    chance = random.Random(1)
    lines = [f"{number:04} " + "".join(chance.choices("abcdefghij klmnopqrst", k=44)) for number in range(200)]
    with _vault() as vault:
        log, before = vault.services.changes, "\n".join(lines)
        assert len(before) >= NOTE_BYTES - 1
        for number in range(changes):
            lines[chance.randrange(len(lines))] = f"{number:05} " + "".join(chance.choices("abcdefghij klm", k=43))
            after = "\n".join(lines)
            run = new_run("write_file", {}, {})
            with vault.journal.lock_run(run.run_id):
                change = Change(path="note.md", before=before, after=after)
                log.intend([change], Cause(run_id=run.run_id, step_path="1", step=1), made=True)
            before = after
        kept = vault.database.rows("SELECT COUNT(*) AS images, SUM(LENGTH(content)) AS bytes FROM images")[0]
        file = sum(each.stat().st_size for each in (vault.root / ".paper").glob("paper.db*"))
    shown = f"{kept['bytes'] / 1e6:.1f} MB in {kept['images']:,} images, the database {file / 1e6:.1f} MB"
    what = f"images of {changes:,} changes to one note of 10 KB"
    return Row(bench="changes", measure=what, ours=shown, bar="< 20 MB", met=file < 20e6)


@contextmanager
def _vault() -> Iterator[Vault]:
    with _own_folder() as folder:
        (folder / "vault" / ".paper").mkdir(parents=True)
        (folder / "vault" / "write_all.md").write_text(_TOOL.format(numbers=[*range(WRITES)]))
        with open_vault(folder / "vault") as vault:
            yield vault


@contextmanager
def _own_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_CONFIG_HOME": f"{folder}/config", "PAPER_DATABASE_URL": ""}
        yield Path(folder)


def measure(kills: int = 300) -> Iterator[Row]:
    """Rows for the common table."""
    yield from measure_storms(kills)
    yield from measure_costs()
    yield measure_images()


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    sys.exit(not record("changes", lambda: measure(wanted)))
