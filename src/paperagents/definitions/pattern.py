"""Regular expressions that never go back, and are right under every release of Python.

The first releases of Python 3.11 err where a group is repeated without ever going back. There such groups may go
back; everything else about the expression stays, so it finds the same.
"""

from __future__ import annotations

import re
import sys

_REPEATED_GROUP = re.compile(r"\)([*+?]|\{\d+(?:,\d*)?\})\+")
_ERRS = sys.version_info < (3, 11, 5)


def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """The expression, compiled."""
    return re.compile(_REPEATED_GROUP.sub(r")\1", expression) if _ERRS else expression, flags)
