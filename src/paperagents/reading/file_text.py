"""The text of a file, however its bytes are."""

from __future__ import annotations

from paperagents.definitions.source import Span
from paperagents.reading.problem_list import ProblemList

_MARK = b"\xef\xbb\xbf"


def text_of(data: bytes) -> str:
    """The text without a byte order mark, its lines ended in one way; what is no UTF-8 is replaced."""
    return _with_plain_lines(data.removeprefix(_MARK).decode("utf-8", "replace"))


def check_encoding(data: bytes, problems: ProblemList) -> None:
    """Tell of the first byte that is no UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = _with_plain_lines(data[: error.start].removeprefix(_MARK).decode("utf-8"))
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        span = Span(line=line, column=column, end_line=line, end_column=column + 1)
        problems.error("not-utf8", span, case="definition", byte=f"0x{data[error.start]:02x}")


def _with_plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
