"""What each bench measured last, with when and on what: one file of JSON a bench, in bench/results."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from table import Row

FOLDER = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """What a bench ran on."""

    processors: int
    kernel: str
    python: str
    load: float | None
    """The average of the minute before the bench began; None where nobody looked."""
    commit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """The rows of one run of one bench."""

    bench: str
    date: str
    machine: Machine
    rows: Sequence[Row]
    peers: Mapping[str, str] = field(default_factory=dict)
    """The versions of what stood beside us."""
    note: str = ""
    """What must be known of just this run; the next one takes its place without it."""


def this_machine() -> Machine:
    """The machine as it is now."""
    return Machine(
        processors=os.cpu_count() or 1,
        kernel=f"{platform.system()} {platform.release().partition('-')[0]}",
        python=platform.python_version(),
        load=round(os.getloadavg()[0], 2),
        commit=_commit(),
    )


def today() -> str:
    """The day, the same for everybody."""
    return datetime.now(UTC).date().isoformat()


def store(result: Result, folder: Path = FOLDER) -> Path:
    """Keep a result instead of the one before."""
    folder.mkdir(exist_ok=True)
    file = folder / f"{result.bench}.json"
    file.write_text(json.dumps(asdict(result), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def stored(folder: Path = FOLDER) -> list[Result]:
    """All results, by name of the bench."""
    files = sorted(folder.glob("*.json"), key=lambda file: file.stem)
    return [_read(json.loads(file.read_text(encoding="utf-8"))) for file in files]


def _read(written: dict[str, Any]) -> Result:
    rows = [Row(**row) for row in written["rows"]]
    return Result(**{**written, "machine": Machine(**written["machine"]), "rows": rows})


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()
