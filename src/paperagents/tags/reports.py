"""Remembers what is wrong with the tags of a text and works the problems out when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator

from paperagents.definitions.tag import TagType
from paperagents.tags.diagnostics import TagProblem
from paperagents.tags.operation import TagOperation
from paperagents.tags.registry import TagRegistry
from paperagents.tags.token import Token

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
            if code != UNKNOWN:
                yield self._problem(code, token)
            elif token.kind != "close" or token.name not in unknown:
                yield self._unknown(token)
                unknown.add(token.name)

    def _problem(self, code: str, token: Token) -> TagProblem:
        definition = self._registry.find(token.name)
        return TagProblem(
            code=code,
            token=token,
            severity="warning" if code in WARNINGS else "error",
            word=token.name if code in REPAIRABLE else "",
            is_block=definition is not None and definition.type is TagType.BLOCK,
        )

    def _unknown(self, token: Token) -> TagProblem:
        word = self._nearest_to(token.name)
        return TagProblem(
            code=UNKNOWN,
            token=token,
            severity="warning",
            word=word if token.kind != "close" else "",
            is_block=token.kind == "open",
        )

    def _nearest_to(self, name: str) -> str:
        if name not in self._nearest:
            few = len(self._nearest) < MOST_SUGGESTIONS
            self._nearest[name] = (self._registry.nearest(name) or "") if few else ""
        return self._nearest[name]
