"""Regular expressions that never go back, and are right under every release of Python.

The first releases of Python 3.11 err where a group is repeated without ever going back. There such groups may go
back; everything else about the expression stays, so it finds the same.
"""

from __future__ import annotations

import re
import sys

_SET_ESCAPE_OR_GROUP = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]|\\.|\)([*+?]|\{\d+(?:,\d*)?\})\+", re.DOTALL)
_ERRS = sys.version_info < (3, 11, 5)


def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled."""
    return re.compile(_SET_ESCAPE_OR_GROUP.sub(_going_back, expression) if _ERRS else expression, flags)


def _going_back(part: re.Match[str]) -> str:
    """A repeated group that may go back; everything else as it is."""
    return f"){part[1]}" if part[1] else part[0]
