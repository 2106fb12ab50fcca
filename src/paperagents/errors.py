"""Every error a caller may catch.

    PaperError                  what went wrong, as code, message and hint
    ├── UsageError              asked in a way that cannot be answered (exit code 2)
    ├── DefinitionError         a file is broken; carries all its problems
    ├── SandboxError            a piece of JavaScript ended badly
    └── ToolError               a tool could not do what it was asked

An error carries a stable kebab-case code and the values of its sentence; the sentence itself is looked
up in the reader's language when it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from paperagents.messages import has_text, text


class PaperError(Exception):
    """What went wrong, as a code, a message and a hint."""

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        code: str,
        *,
        details: Mapping[str, Any] | None = None,
        retryable: bool = False,
        **values: object,
    ) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values
        self.details = dict(details or {})
        self.retryable = retryable

    @property
    def message(self) -> str:
        """The sentence of this error in the current language."""
        return text(self.code, **self.values)

    @property
    def hint(self) -> str | None:
        """What to do next, where there is something to say."""
        key = f"{self.code}.hint"
        return text(key, **self.values) if has_text(key) else None

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class UsageError(PaperError):
    """Something was asked in a way that cannot be answered."""

    exit_code = 2


class ToolError(PaperError):
    """A tool could not do what it was asked."""


class SandboxError(PaperError):
    """A piece of JavaScript ended badly: too slow, too big, or an error of its own."""
