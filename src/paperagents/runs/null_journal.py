"""The journal of what leaves no trace."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from paperagents.runs.journal import Journal


class NullJournal(Journal):
    """For plans and examples: nothing is kept, so nothing is ever resumed."""

    def __init__(self) -> None:
        """Needs no database."""

    def lock_run(self, *_: Any, **__: Any) -> AbstractContextManager[None]:
        """Nobody else knows of the run."""
        return nullcontext()

    def has_definition(self, digest: str) -> bool:  # noqa: ARG002  none is wanted
        """No file has to be kept."""
        return True

    def lacks_secrets(self, root_run: str) -> bool:  # noqa: ARG002  nothing was kept without them
        """Nothing comes from a journal."""
        return False

    def _ignore(self, *_: Any, **__: Any) -> None:
        """Keep nothing."""

    start = append = flush = flush_all = intend = forget_intent = mark_final = mark_superseded = finish = _ignore
    set_warnings = close = _ignore
