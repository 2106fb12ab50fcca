"""Change-sets that are agreed on by file and hunk, and undone, while the program is killed or the disk fills up."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from paperagents import open_vault
from paperagents.approval.file_changes import Refusal
from paperagents.approval.question import ApprovalRequest, Approved, Decision, Pending
from paperagents.errors import PaperError
from paperagents.files import commit
from paperagents.messages import text
from paperagents.runs.together import describe_refusal
from paperagents.vault import Vault
from postgres_server import PostgresServer

MOST_FILES = 50
FILLER = "filler"
_TRIES = 100
_TOOL = """---
tool: true
name: reorganise
description: Writes notes and an entry, and asks once.
type: chain
approval: together
steps:
  - tool: write_file
    for_each: {notes}
    parameters: {{filePath: "{{{{item.path}}}}", content: "{{{{item.content}}}}", overwrite: true}}
  - {{tool: memory, parameters: {{identifier: tea, content: green}}}}
---
"""
_SPAWN = multiprocessing.get_context("forkserver")
_SPAWN.set_forkserver_preload(["change_storm", "paperagents.storage.postgres"])


@dataclass(frozen=True, kw_only=True)
class Note:
    """One note of a set: what it is, what is proposed, what is answered, and what it is then."""

    path: str
    before: str | None
    proposed: str
    answer: Any
    after: str | None

    @property
    def refusals(self) -> list[Refusal]:
        """What the answer says no to."""
        if self.answer is False:
            return [Refusal(path=self.path)]
        return [Refusal(path=self.path, hunk=2)] if self.answer == {"hunks": [1]} else []


@dataclass(kw_only=True)
class Outcome:
    """What was found."""

    sets: int = 0
    files: int = 0
    kills: int = 0
    full: int = 0
    killed_in: Counter[str] = field(default_factory=Counter)
    halves: int = 0
    """Kills that left a set half made, to be completed at the next start."""
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a process is to do with a vault, and what is to happen to its disk meanwhile."""

    vault: Path
    action: str
    """``run``, ``resume``, ``answer`` or ``undo``."""
    target: str
    files: dict[str, Any] | None
    environment: dict[str, str]
    leaves_open: bool = False
    fill: tuple[str, int] | None = None
    """The disk is full from this moment on, but for so many bytes."""


# --- in a process of its own


def carry_out(order: Order, pipe: Connection) -> None:
    """Do what is ordered, and tell when it begins and when somebody has agreed."""

    def reach(moment: str) -> None:
        if order.fill is not None and order.fill[0] == moment:
            fill_disk(order.vault.parent, order.fill[1])
        pipe.send(moment)

    def answer(request: ApprovalRequest) -> Decision:
        if order.leaves_open:
            return Pending()
        reach("agreed")
        return Approved(files=order.files if request.files else None)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.environ.update(order.environment)
    tell_of_renames(reach)
    with suppress(PaperError), open_vault(order.vault) as vault:
        reach("begun")
        match order.action:
            case "run":
                vault.run("reorganise", approver=answer)
            case "undo":
                vault.undo(order.target, approver=answer)
            case "resume":
                vault.resume(order.target, approver=answer)
            case _:
                reach("agreed")
                is_choice = bool(vault.history.question(order.target).files)
                vault.answer(order.target, Approved(files=order.files if is_choice else None), approver=answer)


def tell_of_renames(reach: Callable[[str], None]) -> None:
    """Tell when the first file of a set is changed: from here on a kill leaves a part of them."""
    make = commit._Commit.make  # noqa: SLF001  the moment that matters

    def make_and_tell(self: Any, prepared: Any) -> None:
        make(self, prepared)
        commit._Commit.make = make  # type: ignore[method-assign]  # noqa: SLF001  once is enough
        reach("making")

    commit._Commit.make = make_and_tell  # type: ignore[method-assign]  # noqa: SLF001  the same


def fill_disk(disk: Path, left: int) -> None:
    """Leave room for so many bytes."""
    with (disk / FILLER).open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(b"x" * 4096)
    with suppress(OSError):
        os.truncate(disk / FILLER, max(0, (disk / FILLER).stat().st_size - left))


# --- the storm


class Storm:
    """Makes sets, lets processes work on them and ends these at random moments, and looks at what is there."""

    def __init__(
        self, folder: Path, chance: random.Random, *, server: PostgresServer | None = None, fills: bool = False
    ) -> None:
        self._folder = folder
        self._chance = chance
        self._server = server
        self._fills = fills
        self.outcome = Outcome()

    def rage(self, wanted: int) -> Outcome:
        """Until there were so many kills, or full disks."""
        while self.outcome.kills + self.outcome.full < wanted:
            self.outcome.sets += 1
            os.environ["PAPER_DATABASE_URL"] = self._server.new_database() if self._server is not None else ""
            one = _Set(self._folder / f"set-{self.outcome.sets}", self._chance)
            self.outcome.files += len(one.notes)
            try:
                self._work(one, wanted)
            except Exception as error:
                self.outcome.wrong.append(f"{one.vault}: {type(error).__name__}: {error}")
            shutil.rmtree(one.vault)
        return self.outcome

    def _work(self, one: _Set, wanted: int) -> None:
        run = self._until_done(one, "", wanted)
        self._note(one, one.look_after(run))
        if self._chance.random() < 0.7:
            one.is_undone = True
            undo = self._until_done(one, run, wanted)
            self._note(one, one.look_undone(run, undo))

    def _until_done(self, one: _Set, undone: str, wanted: int) -> str:
        for _ in range(_TRIES):
            found, order = one.next_order(undone, self._chance)
            if order is None:
                return found
            is_over = self.outcome.kills + self.outcome.full >= wanted
            self._end_at_random(order, one, is_over=is_over)
            self._note(one, one.look_torn())
            if (filler := self._folder / FILLER).exists():
                self.outcome.full += 1
                with suppress(PaperError):
                    one.start()
                self._note(one, one.look_torn())
                filler.unlink()
            self.outcome.halves += one.is_half_made()
            one.start()
            if one.is_half_made():
                self._note(one, [f"half made after a start, {order.action}"])
        raise TimeoutError("never done")

    def _end_at_random(self, order: Order, one: _Set, *, is_over: bool) -> None:
        moment, seconds = self._chance.choice([("begun", 0.2), ("agreed", 0.1), ("making", 0.001 * len(one.notes))])
        if self._fills and not is_over:
            order = replace(order, fill=(moment, self._chance.randrange(0, 400_000)))
        near, far = _SPAWN.Pipe()
        process = _SPAWN.Process(target=carry_out, args=(order, far))
        process.start()
        far.close()
        is_killed = False
        if not is_over and (not self._fills or self._chance.random() < 0.3):
            with suppress(EOFError):
                while near.recv() != moment:
                    pass
                time.sleep(self._chance.random() * seconds)
                is_killed = process.is_alive()
                process.kill()
        process.join(120)
        if process.is_alive():
            process.kill()
            self._note(one, [f"stuck in {order.action}"])
        near.close()
        self.outcome.kills += is_killed
        self.outcome.killed_in["undo" if one.is_undone else order.action] += is_killed

    def _note(self, one: _Set, wrong: list[str]) -> None:
        self.outcome.wrong += [f"{one.vault.name} of {len(one.notes)}: {each}" for each in wrong]


class _Set:
    """One vault with one set of changes."""

    def __init__(self, vault: Path, chance: random.Random) -> None:
        self.vault = vault
        self.is_undone = False
        self.notes = [make_note(number) for number in range(chance.randint(1, MOST_FILES))]
        (vault / ".paper").mkdir(parents=True)
        for note in self.notes:
            if note.before is not None:
                (vault / note.path).parent.mkdir(exist_ok=True)
                (vault / note.path).write_text(note.before)
        notes = json.dumps([{"path": note.path, "content": note.proposed} for note in self.notes])
        (vault / "reorganise.md").write_text(_TOOL.format(notes=notes))
        (vault / "start.md").write_text("start\n")

    def next_order(self, undone: str, chance: random.Random) -> tuple[str, Order | None]:
        """What is to be done next, and the run that it is about; None where that is done."""
        tool, action = ("undo", "undo") if undone else ("reorganise", "run")
        with open_vault(self.vault) as vault:
            runs = [run for run in vault.history.runs() if run["tool"] == tool]
            waiting = vault.history.questions()
        target = str(runs[0]["run_id"]) if runs else undone
        if runs and runs[0]["status"] == "succeeded":
            return target, None
        if runs:
            action = "resume"
        if waiting and chance.random() < 0.7:
            action, target = "answer", waiting[0].id
        choice = None if undone else {note.path: note.answer for note in self.notes} | {"memory/tea": True}
        leaves_open = chance.random() < 0.2
        environment = {name: os.environ[name] for name in ("PAPER_DATABASE_URL", "XDG_CONFIG_HOME")}
        return "", Order(vault=self.vault, action=action, target=target, files=choice, leaves_open=leaves_open,
                         environment=environment)  # fmt: skip

    def start(self) -> None:
        """Any run is a start; it may have nothing to do with the set."""
        with open_vault(self.vault) as vault:
            vault.run("read_file", {"filePath": "/start.md"})

    def look_torn(self) -> list[str]:
        """What no moment may show: a file that is neither as before nor as agreed."""
        return [
            f"{note.path} is torn"
            for note in self.notes
            if read(self.vault / note.path) not in (note.before, note.after)
        ]

    def is_half_made(self) -> bool:
        """Whether some of the changes are made and others are not."""
        made = {read(self.vault / note.path) == note.after for note in self.notes if note.before != note.after}
        with open_vault(self.vault) as vault:
            made.add(vault.entries.get("memory", "tea") is not None)
        return len(made) > 1

    def look_after(self, run: str) -> list[str]:
        """What must not be so once the changes are made."""
        wrong = [f"{note.path} is lost" for note in self.notes if read(self.vault / note.path) != note.after]
        with open_vault(self.vault) as vault:
            wrong += self._look_at_records(vault, run)
            record = vault.history.record(run)
            refused = sorted(describe_refusal(each) for note in self.notes for each in note.refusals)
            # Those that tell of the full disk, and of which file it was full at, stay in the record as well.
            others = text("run.changes-not-made", reason="")
            told = sorted(each for each in record.warnings if not each.startswith(others))
            if told != refused:
                wrong.append(f"{len(told)} warnings of {len(refused)}: {set(told) ^ set(refused)}")
            for note in self.notes:
                if note.after is not None and note.before is not None:
                    wrong += [f"blame of {note.path}" for _ in [0] if whose(vault, note.path) != expected(note, run)]
        return wrong

    def look_undone(self, run: str, undo: str) -> list[str]:
        """What must not be so once they are taken back."""
        wrong = [f"{note.path} is not back" for note in self.notes if read(self.vault / note.path) != note.before]
        with open_vault(self.vault) as vault:
            wrong += self._look_at_records(vault, undo)
            wrong += [f"{each['path']} is not undone" for each in vault.changes(run=run) if not each["undone"]]
            for note in self.notes:
                if note.before is not None and any(whose(vault, note.path)):
                    wrong.append(f"blame of {note.path} after the undo")
            if vault.entries.get("memory", "tea") is not None:
                wrong.append("the entry is not back")
        return wrong

    def _look_at_records(self, vault: Vault, run: str) -> list[str]:
        wrong = []
        changed = sorted([note.path for note in self.notes if note.before != note.after] + ["memory/tea"])
        kept = sorted(str(each["path"]) for each in vault.changes(run=run))
        if kept != changed:
            wrong.append(f"changes of {run}: {len(kept)} of {len(changed)}, {set(changed) ^ set(kept)}")
        rows = vault.database.rows("SELECT kind, path, made FROM changes WHERE root_run = ?", (run,))
        if len(rows) != len(changed) or not all(row["made"] for row in rows):
            wrong.append(f"{len(rows)} rows of {len(changed)}, {sum(not row['made'] for row in rows)} not made")
        if vault.history.questions():
            wrong.append("a question is open")
        drafts = [file.name for file in self.vault.rglob(".paper-*") if file.is_file()]
        wrong += [f"left behind: {drafts}"] if drafts else []
        wrong += [] if (record := vault.history.record(run)).status == "succeeded" else [f"is {record.status}"]
        if not self.is_undone and sum(entry["name"] == "write_file" for entry in record.execution_log) != len(
            self.notes
        ):
            wrong.append("the log has not one entry for each write")
        return wrong + [f"database: {each}" for each in vault.database.check()]


def make_note(number: int) -> Note:
    """A note that is created, changed, changed in part, refused or edited, in turns."""
    lines = [f"note {number}, line {line}" for line in range(1, 31)]
    before = "".join(f"{line}\n" for line in lines)
    lines[1] += " changed"
    partly = "".join(f"{line}\n" for line in lines)
    lines[27] += " changed"
    proposed = "".join(f"{line}\n" for line in lines)
    path = f"folder-{number % 3}/note-{number}.md"
    match number % 5:
        case 0:
            return Note(path=path, before=None, proposed=proposed, answer=True, after=proposed)
        case 1:
            return Note(path=path, before=before, proposed=proposed, answer=True, after=proposed)
        case 2:
            return Note(path=path, before=before, proposed=proposed, answer={"hunks": [1]}, after=partly)
        case 3:
            return Note(path=path, before=before, proposed=proposed, answer=False, after=before)
        case _:
            edited = f"{before}edited\n"
            return Note(path=path, before=before, proposed=proposed, answer={"content": edited}, after=edited)


def expected(note: Note, run: str) -> list[str | None]:
    """For each line of a note the run that it belongs to, by hand: these notes change lines in place or at the end."""
    before, after = (note.before or "").splitlines(), (note.after or "").splitlines()
    return [None if line < len(before) and before[line] == text else run for line, text in enumerate(after)]


def whose(vault: Vault, path: str) -> list[str | None]:
    """The same as the program says it."""
    return [str(line["run_id"]) if line["run_id"] is not None else None for line in vault.blame(path)]


def read(file: Path) -> str | None:
    """The text of a file; None where there is none."""
    try:
        return file.read_text()
    except FileNotFoundError:
        return None


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path | None]:
    """A disk of its own that can be filled up; None where nobody may mount one."""
    disk = folder / "disk"
    disk.mkdir()
    if os.system(f"mount -t tmpfs -o size={megabytes}m tmpfs '{disk}' 2>/dev/null"):
        yield None
        return
    try:
        yield disk
    finally:
        os.system(f"umount '{disk}'")
