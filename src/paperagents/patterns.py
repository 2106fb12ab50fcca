"""Regular expressions that are compiled when they are first used: a program that starts for one command uses few.

The standard library compiles in Python, which took a tenth of the time that ``paper run`` needed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as late_pattern
else:

    class late_pattern:  # noqa: N801  called where re.compile was
        """Has what a pattern of the standard library has."""

        def __init__(self, expression: str | bytes, flags: int = 0) -> None:
            self._source = expression, flags

        def __getattr__(self, name: str) -> Any:
            # Kept in the instance: from the second use on it costs what it costs there.
            found = getattr(re.compile(*self._source), name)
            setattr(self, name, found)
            return found


__all__ = ["late_pattern"]
