"""Collects everything wrong with a file while it is read."""

from __future__ import annotations

from paperagents.definitions.problem import Problem, Severity
from paperagents.definitions.source import Span


class ProblemList:
    """The problems of one file. Positions are kept inside the file, whatever a library reports."""

    def __init__(self, file: str, lines: list[str]) -> None:
        self.file = file
        self._lines = lines
        self._problems: list[Problem] = []

    def apart(self) -> ProblemList:
        """An empty list for the same file, to look at something that may turn out not to matter."""
        return ProblemList(self.file, self._lines)

    def take(self, other: ProblemList) -> None:
        """It does matter: add what was found apart."""
        self._problems += [problem for problem in other._problems if problem not in self._problems]

    def error(self, code: str, span: Span, **values: object) -> None:
        """Note something that keeps the file from working."""
        self._add("error", code, span, values)

    def warning(self, code: str, span: Span, **values: object) -> None:
        """Note something that works but is probably not meant so."""
        self._add("warning", code, span, values)

    def has_errors(self) -> bool:
        """Whether the file cannot be used."""
        return any(problem.severity == "error" for problem in self._problems)

    def in_order(self) -> tuple[Problem, ...]:
        """All problems in the order of the file."""
        return tuple(sorted(self._problems, key=lambda each: (each.span.line, each.span.column)))

    def _add(self, severity: Severity, code: str, span: Span, values: dict[str, object]) -> None:
        problem = Problem(code=code, severity=severity, file=self.file, span=self._inside(span), values=values)
        if problem not in self._problems:
            self._problems.append(problem)

    def _inside(self, span: Span) -> Span:
        line, column = self._clamp(span.line, span.column)
        end_line, end_column = self._clamp(max(span.end_line, line), span.end_column)
        end_line, end_column = max((end_line, end_column), (line, column))
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def _clamp(self, line: int, column: int) -> tuple[int, int]:
        line = min(max(line, 1), len(self._lines))
        length = len(self._lines[line - 1].removesuffix("\r"))
        return line, min(max(column, 1), length + 1)
