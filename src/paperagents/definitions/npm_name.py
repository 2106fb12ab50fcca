"""What a package of npm may be called, and which versions of it may be asked for."""

from __future__ import annotations

import re

_LONGEST = 214
_NAME = re.compile(r"(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9~-][A-Za-z0-9._~-]*")
_RANGE = re.compile(r"[0-9A-Za-z.^~<>=|*+ -]{0,200}")


def is_of_registry(name: str, wanted: str) -> bool:
    """Whether this is a name and a range of versions of the registry: no address, no path, no repository."""
    return len(name) <= _LONGEST and bool(_NAME.fullmatch(name) and _RANGE.fullmatch(wanted))
