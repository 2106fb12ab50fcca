"""What reading a file has found: its definition, and what is wrong with it."""

from __future__ import annotations

from paperagents.definitions.source import Problem
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import AgentDefinition, ToolDefinition
from paperagents.values import dataclass

MAX_BYTES = 2_000_000
"""Of a file that defines something."""
Definition = ToolDefinition | AgentDefinition | TagNote


@dataclass(frozen=True, kw_only=True, slots=True)
class FileReading:
    """What a file is. Neither definition nor problems: it is an ordinary note."""

    file: str
    definition: Definition | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def concerns_us(self) -> bool:
        """Whether the file is, or tries to be, a tool, an agent or a tag."""
        return self.definition is not None or bool(self.problems)

    @property
    def valid(self) -> bool:
        """Whether the definition can be used."""
        return self.definition is not None and all(problem.severity != "error" for problem in self.problems)
