"""A journal whose rows are signed as those of one user and one vault."""

from __future__ import annotations

from pathlib import Path

from paperagents.approval.signatures import Signatures, UserKey
from paperagents.runs.journal import Journal
from paperagents.storage.database import Database

_KEY = UserKey(Path("/nonexistent"))
"""Cannot be kept, and so holds for this process."""


def journal_of(database: Database) -> Journal:
    """The journal in a database, for the user that all tests of this process are."""
    return Journal(database, Signatures(_KEY, lambda: "vault"))
