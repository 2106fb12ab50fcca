"""The content of a tag that is code of its own: neither Markdown nor other tags count in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST_OWN_TAG = 512


@dataclass(frozen=True, kw_only=True, slots=True)
class RawContent:
    """The inside of a tag that is not read, from its start on."""

    name: str
    start: int

    def next_own_tag(self, buffer: str, position: int) -> re.Match[str] | None:
        """The tag that closes the content, with a slash, or one that opens the same again."""
        return _own_tag(self.name).search(buffer, position)


@lru_cache(maxsize=32)
def _own_tag(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"\{{\{{<\s{{0,64}}+(?:(?P<slash>/)\s{{0,64}}+{word}\s{{0,64}}+>\}}\}}|{word}(?=[\s/>,]))",
        re.IGNORECASE,
    )
