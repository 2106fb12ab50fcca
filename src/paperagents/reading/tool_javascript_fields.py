"""Reads what the methods of a tool's file answer, each field with the type it must have, and where it is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tree_sitter import Node

from paperagents.definitions.closest import misspelt
from paperagents.definitions.source import Excerpt, Span
from paperagents.reading.fields import MAX_UNKNOWN
from paperagents.reading.javascript_syntax import JavaScript, walk
from paperagents.reading.problem_list import ProblemList

METADATA = ("id", "name", "description", "version", "author", "category", "tags", "timeout", "approval")
SHOWN = 200


class Places:
    """Where a file first names something."""

    def __init__(self, code: JavaScript, source: Excerpt) -> None:
        self._code = code
        self._source = source
        self._first: dict[str, Node] = {}
        for node in walk(code.root):
            if node.type in ("property_identifier", "identifier"):
                self._first.setdefault(code.text(node), node)

    def of(self, *names: str) -> Span:
        """The place of the first of these that the file names; its first line where it names none."""
        for name in names:
            if name in self._first:
                found = self._code.finding(self._first[name], name)
                return self._source.span(found.start, found.end)
        return Span(line=1, column=1, end_line=1, end_column=2)


class Metadata:
    """What ``getMetadata()`` says. A field of the wrong type is a problem and counts as missing."""

    def __init__(self, told: Mapping[str, Any], places: Places, problems: ProblemList) -> None:
        self.span = places.of("getMetadata")
        self._told = told
        self._problems = problems
        warn_of_slips(told, METADATA, "getMetadata", places, problems)
        if told and told.get("name") in (None, ""):
            problems.warning("missing-field", self.span, field="name")
        if not told.get("description"):
            problems.warning("missing-description", self.span)

    def text(self, name: str) -> str | None:
        """A text."""
        value = self._told.get(name)
        if value is None or isinstance(value, str):
            return value
        self._wrong(name, "text")
        return None

    def word(self, name: str) -> str | None:
        """A text that may be written like a number: ``version: 2``."""
        value = self._told.get(name)
        return str(value) if _is_number(value) else self.text(name)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single text is a list of one."""
        value = self._told.get(name)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) or _is_number(each) for each in listed):
            self._wrong(name, "texts")
            return ()
        return tuple(map(str, listed))

    def seconds(self, name: str) -> float | None:
        """A number above zero."""
        value = self._told.get(name)
        if value is None or (_is_number(value) and value > 0):
            return value
        if _is_number(value):
            self._problems.error("invalid-value", self.span, field=name, value=f"{value:g}", options="> 0")
        else:
            self._wrong(name, "number")
        return None

    def choice(self, name: str, *options: str) -> str | None:
        """One of a few words."""
        value = self.text(name)
        if value is None or value in options:
            return value
        meant = misspelt(value, options)
        self._problems.error(
            "invalid-value", self.span, field=name, value=value[:SHOWN], options=", ".join(options), suggestion=meant,
            case="suggestion" if meant else None,
        )  # fmt: skip
        return None

    def _wrong(self, name: str, expected: str) -> None:
        self._problems.error("wrong-type", self.span, field=name, case=expected)


def warn_of_slips(
    given: Iterable[str], known: Iterable[str], method: str, places: Places, problems: ProblemList
) -> list[str]:
    """A name that nobody knows but that is a letter away from a known one that is missing is probably a slip."""
    given, known, slips = list(given), list(known), []
    missing = [name for name in known if name not in given]
    for name in [each for each in given if each not in known][:MAX_UNKNOWN]:
        # A whole syllable less is another word: a tool that has no cleanup() may well clean() something.
        if meant := misspelt(name, [each for each in missing if abs(len(each) - len(name)) <= 1]):
            problems.warning("unknown-field", places.of(name, method), field=name, suggestion=meant)
            slips.append(name)
    return slips


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
