"""Reading a note for the search, and whether what was read can be relied on later."""

from __future__ import annotations

from array import array

from paperagents.builtin_tools.file_listing import ListedFile
from paperagents.builtin_tools.notes import Note, note_of
from paperagents.builtin_tools.vault_files import VaultFolder

LARGEST_SEARCHED = 4 * 1024 * 1024
"""Larger files are found by name and path only."""

_SECOND = 1_000_000_000
_TICK = _SECOND // 10
_COARSE_TICK = 2 * _SECOND + _TICK


def read_note(folder: VaultFolder, file: ListedFile) -> Note:
    """The note of a listed file."""
    return note_of(file.path, read_text(folder, file))


def read_text(folder: VaultFolder, file: ListedFile) -> str | None:
    """The text of a listed file; None where it is gone, too large, or not text."""
    return folder.read_listed(file, LARGEST_SEARCHED) if file.size <= LARGEST_SEARCHED else None


def is_settled(file: ListedFile, read_at: int) -> bool:
    """Whether any change after the reading gives the file another stamp.

    Clocks of file systems tick slowly: two saves in one tick look the same. Some count in whole seconds, or in two.
    """
    _, modified, changed, _ = array("q", file.stamp)
    tick = _COARSE_TICK if modified % _SECOND == 0 and changed % _SECOND == 0 else _TICK
    return max(modified, changed) + tick < read_at
