"""Something wrong with a file, at its line and column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Span
from paperagents.messages import advice, sentence

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """A stable code and the values of its sentence; the sentence is looked up in the reader's language."""

    code: str
    severity: Severity
    file: str
    span: Span
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """What is wrong: the sentence for this very case, else for the code."""
        return sentence(self.code, self.values)

    @property
    def hint(self) -> str | None:
        """What to do next, where there is something to say."""
        return advice(self.code, self.values)

    def as_json(self) -> JsonObject:
        """The form of ``paper check --format json``."""
        return {
            "file": self.file,
            "line": self.span.line,
            "column": self.span.column,
            "end_line": self.span.end_line,
            "end_column": self.span.end_column,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }
