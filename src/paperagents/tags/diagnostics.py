"""What is wrong with the tags of a text, with the nearest valid reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from paperagents.definitions.tag import TagType
from paperagents.definitions.text import compile_regex
from paperagents.messages import has_text, text
from paperagents.tags.grammar import KEY, Token, attribute_pairs, quoted
from paperagents.tags.operation import SourceText, TagOperation
from paperagents.tags.registry import TagRegistry
from paperagents.values import dataclass

LONGEST_LOOK = 500
"""How far behind a tag's start its nearest reading is looked for."""
FIRST_END = re.compile(r"/?\s*>(?:\}\}|</)|\{\{<|\n|\Z")
MISSING_QUOTE = {quote: compile_regex(rf"={quote}[^{quote}]*?(?=\s{KEY}={quote})") for quote in "\"'"}
"""A value whose quote is missing before the next attribute."""
LOOSE_VALUE = compile_regex(
    rf"(?P<head>=\s*(?P<quote>['\"]))(?P<value>(?:\\.|(?!=\s*(?P=quote))[^\\])*?)"
    rf"(?P=quote)(?=\s*(?:,|\Z)|\s+{KEY}\s*=)",
    re.DOTALL,
)
"""A value up to the quote behind which the tag ends or another attribute begins: ``'it's'``, ``"a "b" c"``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TagProblem:
    """One problem with a tag, before its sentence is made."""

    code: str
    token: Token
    severity: str = "error"
    word: str = ""
    """The name of the tag in the nearest valid reading, or nothing where there is none."""
    is_block: bool = False
    key: str = ""

    def as_json(self, source: SourceText) -> dict[str, Any]:
        """The problem as ``{line, column, severity, code, message, start, reading}``."""
        line, column = source.position(self.token.start)
        reading = self._reading(source) if self.word else None
        values = {"name": self.token.name, "key": self.key, "reading": reading}
        message, hint = text(self.code, **values), f"{self.code}.hint"
        if reading and has_text(hint):
            message = f"{message} {text(hint, **values)}"
        return {
            "line": line,
            "column": column,
            "severity": self.severity,
            "code": self.code,
            "message": message,
            "start": self.token.start,
            "reading": reading,
        }

    def _reading(self, source: SourceText) -> str:
        start = self.token.attributes_start
        if "/" in source.slice(self.token.start, start):
            return f"{{{{</{self.word}>}}}}"
        rest = source.slice(start, min(start + LONGEST_LOOK, source.length))
        end = FIRST_END.search(rest)
        attributes = "".join(
            f" {key}" if value is True else f" {key}={quoted(value)}"
            for key, value in attribute_pairs(close_quotes(rest[: end.start()] if end else rest))
        )
        if self.is_block:
            return f"{{{{<{self.word}{attributes}>}}}}…{{{{</{self.word}>}}}}"
        return f"{{{{<{self.word}{attributes} />}}}}"


def close_quotes(attributes: str) -> str:
    """The attributes with quotes inside of values escaped, and the quote added that is missing, if one is."""
    attributes = LOOSE_VALUE.sub(escape_quotes, attributes)
    written = attributes.rstrip()
    plain = written.replace("\\\\", "")
    missing = next((quote for quote in "\"'" if (plain.count(quote) - plain.count(f"\\{quote}")) % 2 == 1), None)
    if missing is None:
        return attributes
    if written.endswith(f"\\{missing}"):
        # The last quote was meant to close the value and not to be part of it: ``"C:\new\"``.
        return f"{written[:-1]}\\{missing}"
    closed = MISSING_QUOTE[missing].sub(rf"\g<0>{missing}", written, count=1)
    return closed if closed != written else written + missing


def escape_quotes(match: re.Match[str]) -> str:
    """The value with a backslash before each quote inside of it that has none."""
    quote = match["quote"]
    value = re.sub(rf"\\.|{quote}", lambda found: f"\\{quote}" if found[0] == quote else found[0], match["value"])
    return f"{match['head']}{value}{quote}"


MOST_SUGGESTIONS = 200
"""Looking for a similar name is slow; a text with more unknown names than this is not a slip of the pen."""
UNKNOWN = "tag-unknown"
REPAIRABLE = frozenset({"tag-damaged", "tag-unclosed"})
"""The codes of problems with a nearest valid reading."""
WARNINGS = frozenset({UNKNOWN, "tag-closing-without-opening", "tag-code-fence-unclosed"})


class TagReports:
    """The reports of one text. Most readers want the calls alone, so a report is no more than a note at first."""

    def __init__(self, registry: TagRegistry) -> None:
        self._registry = registry
        self._reports: list[tuple[str, Token | TagOperation]] = []
        self._nearest: dict[str, str] = {}

    def add(self, code: str, where: Token | TagOperation) -> None:
        """Note that something is wrong with a tag, or with the opening tag of a call."""
        self._reports.append((code, where))

    def problems(self) -> Iterator[TagProblem]:
        """What is wrong, in the order in which it was noted. The end of an unknown block is not told again."""
        unknown = set()
        for code, where in self._reports:
            token = where if isinstance(where, Token) else where.opening_token
            if code != UNKNOWN or token.kind != "close" or token.name not in unknown:
                yield self._problem(code, token)
            if code == UNKNOWN:
                unknown.add(token.name)

    def _problem(self, code: str, token: Token) -> TagProblem:
        if code == UNKNOWN:
            word = self._nearest_to(token.name)
            return TagProblem(
                code=code,
                token=token,
                severity="warning",
                word=word if token.kind != "close" else "",
                is_block=token.kind == "open",
            )
        definition = self._registry.find(token.name)
        return TagProblem(
            code=code,
            token=token,
            severity="warning" if code in WARNINGS else "error",
            word=token.name if code in REPAIRABLE else "",
            is_block=definition is not None and definition.type is TagType.BLOCK,
        )

    def _nearest_to(self, name: str) -> str:
        if name not in self._nearest:
            few = len(self._nearest) < MOST_SUGGESTIONS
            self._nearest[name] = (self._registry.nearest(name) or "") if few else ""
        return self._nearest[name]
