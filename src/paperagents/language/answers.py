"""What the service answers: plain values with the lines and columns of the vault's files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Problem, Span
from paperagents.values import dataclass

CompletionKind = Literal["field", "value", "tool", "agent", "parameter", "reference", "tag"]
SymbolKind = Literal["tool", "agent", "tag", "parameter", "step", "script", "example"]
TokenKind = Literal["function", "parameter", "variable", "property", "keyword"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Completion:
    """One thing that can stand here."""

    label: str
    kind: CompletionKind
    span: Span
    """What it takes the place of."""
    insert: str
    detail: str = ""
    documentation: str = ""
    rank: int = 0
    """The lower, the earlier it is offered."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Completions:
    """What can stand at a place, best first."""

    items: tuple[Completion, ...]
    is_cut: bool = False
    """Whether there are more, to be asked for when more is typed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hover:
    """What there is to say about a place, in Markdown."""

    markdown: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """A stretch of a file of the vault."""

    file: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """A stretch of a file and what is to stand there."""

    file: str
    span: Span
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A repair of one problem."""

    title: str
    problem: Problem
    edits: tuple[Edit, ...]
    is_preferred: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Symbol:
    """A part of a file, and the parts in it."""

    name: str
    kind: SymbolKind
    span: Span
    selection: Span
    detail: str = ""
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Lens:
    """Something to do with a tool, above the line that it stands at."""

    title: str
    command: Literal["paper.run", "paper.dryRun"]
    span: Span
    tool: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """What a word means."""

    span: Span
    kind: TokenKind
    is_definition: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Hint:
    """A few words behind a place."""

    line: int
    column: int
    text: str
