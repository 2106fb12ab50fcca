"""An agent reorganises forty notes and asks once; the person takes most of it, and two back later.

Thirty-one notes whole, two by hunk, one edited, six refused. The same story from Python, at a terminal, in a browser.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

BODY = "".join(f"line {number}\n" for number in range(30))
OLD, NEW = f"old title\n{BODY}old end\n", f"new title\n{BODY}new end\n"
PATHS = [f"notes/{number:02}.md" for number in range(40)]
WHOLE, BY_HUNK, EDITED, REFUSED = PATHS[:31], PATHS[31:33], PATHS[33], PATHS[34:]
MINE = "my own\n"
"""What the person writes instead into the one that is edited."""
AGENT = (
    "---\nagent: true\nname: tidy\ndescription: d\nmodel: m\ntools: [write_file, read_file]\n{more}\n---\nTidy up.\n"
)
ANSWER = "Six stay as they were."
SCRIPT: list[Any] = [
    {
        "calls": [
            {"tool": "write_file", "arguments": {"filePath": path, "content": NEW, "overwrite": True}} for path in PATHS
        ]
    },
    {"text": "All are in order."},
    {"text": ANSWER},
]
UNDONE = (WHOLE[0], EDITED)


def write_notes(vault: Path) -> None:
    """The forty notes as they are before."""
    (vault / "notes").mkdir(exist_ok=True)
    for path in PATHS:
        (vault / path).write_text(OLD)


def texts(vault: Path) -> dict[str, str]:
    """The forty notes as they are now."""
    return {path: (vault / path).read_text() for path in PATHS}


def decided() -> dict[str, str]:
    """The forty notes as the person has decided."""
    by_hunk = f"old title\n{BODY}new end\n"
    return {
        **dict.fromkeys(WHOLE, NEW), **dict.fromkeys(BY_HUNK, by_hunk), EDITED: MINE, **dict.fromkeys(REFUSED, OLD),
    }  # fmt: skip


def go_on_writing(vault: Path) -> None:
    """Somebody adds a line to one of the notes that are taken back later."""
    (vault / WHOLE[0]).write_text(f"{NEW}mine\n")


def undone() -> dict[str, str]:
    """The forty notes once two are taken back: what was written since stays."""
    return {**decided(), WHOLE[0]: f"{OLD}mine\n", EDITED: OLD}
