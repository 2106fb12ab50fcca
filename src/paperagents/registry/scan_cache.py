"""What a scan found, kept for the next command: unchanged files are not read again.

The cache is plain JSON, never code, and only ever decides what is listed: a tool is read from its own
file before it runs. It can be deleted at any time.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from paperagents.definitions.problem import Problem
from paperagents.definitions.source import Span
from paperagents.registry.entry import entry_from_json, entry_to_json
from paperagents.registry.folder_scan import FileRecord, Stamp
from paperagents.version import __version__

FORMAT = 1


def load_records(file: Path) -> dict[str, FileRecord]:
    """What the last scan found; nothing where there is none, or none of this version."""
    try:
        data = json.loads(file.read_bytes())
        if data["format"] != FORMAT or data["version"] != __version__:
            return {}
        return {name: _from_json(record) for name, record in data["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def save_records(file: Path, records: dict[str, FileRecord]) -> None:
    """Keep what was found, in one step; a folder that cannot be written is no reason to fail."""
    kept = {name: _to_json(record) for name, record in records.items() if record.stamp is not None}
    data = {"format": FORMAT, "version": __version__, "files": kept}
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(data, separators=(",", ":")), encoding="ascii")
        temporary.replace(file)
    except OSError:
        temporary.unlink(missing_ok=True)


def _to_json(record: FileRecord) -> list[Any]:
    stamp = record.stamp
    assert stamp is not None
    entry = entry_to_json(record.entry) if record.entry is not None else None
    problems = [asdict(problem) for problem in record.problems]
    return [stamp.size, stamp.modified, stamp.changed, stamp.inode, entry, problems]


def _from_json(data: list[Any]) -> FileRecord:
    size, modified, changed, inode, entry, problems = data
    return FileRecord(
        stamp=Stamp(size=size, modified=modified, changed=changed, inode=inode),
        entry=entry_from_json(entry) if entry is not None else None,
        problems=tuple(Problem(**{**each, "span": Span(**each["span"])}) for each in problems),
    )
