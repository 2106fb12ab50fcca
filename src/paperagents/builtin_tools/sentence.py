"""A sentence inside a sentence, looked up only when it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paperagents.messages import text


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentence:
    """A key of the catalogue that becomes text in the reader's language."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return text(self.key, **self.values)
