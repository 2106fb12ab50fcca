"""Collects everything wrong with a file while it is read."""

from __future__ import annotations

from paperagents.definitions.source import Problem, Severity, Span

MAX_PROBLEMS = 500
"""Of one severity in one file. Nobody reads more, and a hostile file has them by the ten thousand."""


class ProblemList:
    """The problems of one file. Positions are kept inside the file, whatever a library reports."""

    def __init__(self, file: str, lines: list[str]) -> None:
        self.file = file
        self._lines = lines
        self._problems: list[Problem] = []
        self._count: dict[Severity, int] = {"error": 0, "warning": 0}

    def new_list(self) -> ProblemList:
        """An empty list for the same file, to look at something that may turn out not to matter."""
        return ProblemList(self.file, self._lines)

    def extend(self, other: ProblemList) -> None:
        """It does matter: add what was found apart."""
        for problem in other._problems:
            self._add(problem)

    def error(self, code: str, span: Span, **values: object) -> None:
        """Note something that keeps the file from working."""
        self._add(Problem(code=code, severity="error", file=self.file, span=self._clamp(span), values=values))

    def warning(self, code: str, span: Span, **values: object) -> None:
        """Note something that works but is probably not meant so."""
        self._add(Problem(code=code, severity="warning", file=self.file, span=self._clamp(span), values=values))

    def has_errors(self) -> bool:
        """Whether the file cannot be used."""
        return self._count["error"] > 0

    def in_order(self) -> tuple[Problem, ...]:
        """All problems in the order of the file."""
        return tuple(sorted(self._problems, key=lambda each: (each.span.line, each.span.column)))

    def is_full(self) -> bool:
        """Whether one more error would not be told."""
        return self._count["error"] >= MAX_PROBLEMS

    def _add(self, problem: Problem) -> None:
        # Errors and warnings are counted apart: a flood of warnings must not hide the one error.
        if self._count[problem.severity] < MAX_PROBLEMS and problem not in self._problems:
            self._count[problem.severity] += 1
            self._problems.append(problem)

    def _clamp(self, span: Span) -> Span:
        line, column = self._clamp_position(span.line, span.column)
        end = self._clamp_position(max(span.end_line, line), span.end_column)
        end_line, end_column = max(end, (line, column))
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def _clamp_position(self, line: int, column: int) -> tuple[int, int]:
        line = min(max(line, 1), len(self._lines))
        length = len(self._lines[line - 1].removesuffix("\r"))
        return line, min(max(column, 1), length + 1)


# --- the text of a file


_MARK = b"\xef\xbb\xbf"


def decode_text(data: bytes) -> str:
    """The text without a byte order mark, its lines ended in one way; what is no UTF-8 is replaced."""
    return normalize_lines(data.removeprefix(_MARK).decode("utf-8", "replace"))


def check_encoding(data: bytes, problems: ProblemList) -> None:
    """Tell of the first byte that is no UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        # Everything before the bad byte is good UTF-8: its position counts in characters, not bytes.
        before = normalize_lines(data[: error.start].removeprefix(_MARK).decode("utf-8"))
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        span = Span(line=line, column=column, end_line=line, end_column=column + 1)
        problems.error("not-utf8", span, case="definition", byte=f"0x{data[error.start]:02x}")


def normalize_lines(text: str) -> str:
    """The text with its lines ended by a line feed alone."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
