"""A file is something to read in one sitting."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "paperagents"
MOST_LINES = 420
MOST_SENTENCES = 500
"""A page of the catalogue is looked things up in, not read."""


def test_no_file_is_too_long_to_read() -> None:
    def most(file: Path) -> int:
        return MOST_SENTENCES if file.parent.name == "catalogue" else MOST_LINES

    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCE.rglob("*.py")}
    assert {file.name: length for file, length in lengths.items() if length > most(file)} == {}
