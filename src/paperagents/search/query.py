"""The query language of the search: text to a small syntax tree.

    query     one or more alternatives joined by OR
    words     standing side by side, or joined by AND, must all match; AND binds tighter than OR
    negation  -word, NOT word, -(a b)
    terms     word, "exact phrase", #tag, tag:#a, path:notes, file:plan, [property], [property:value],
              /regular expression/, (a query)

Operators are capitals: ``and`` is a word. Values may be quoted: ``path:"my notes"``. A word is any run of
characters up to a blank, a parenthesis or a quotation mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn, TypeAlias

from paperagents.errors import QuerySyntaxError
from paperagents.messages import Sentence
from paperagents.reading.json_schema import compile_pattern
from paperagents.values import dataclass

DEEPEST = 50
LONGEST = 10_000
MOST_TERMS = 200

_BLANKS = re.compile(r"\s*")
_WORD = re.compile(r'[^\s()"]+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\])')
_PATTERN = re.compile(r"/((?:[^/\\]|\\.)++)/(?=[\s()]|\Z)", re.DOTALL)
_FIELD = re.compile(r"(tag|path|file):", re.IGNORECASE)
_NEGATION = re.compile(r'-(?=[^\s)])|NOT(?=[\s()"]|\Z)')
_OPERATOR = re.compile(r'(AND|OR)(?=[\s()"]|\Z)')
_PROPERTY = re.compile(
    r"""\[\s*+(?:"(?P<quoted_name>(?:[^"\\]|\\.)*+)"|(?P<name>[^\]:"\s][^\]:"]*+))\s*
        (?P<colon>:\s*+(?:"(?P<quoted_value>(?:[^"\\]|\\.)*+)"|(?P<value>[^\]"]*+))\s*)?\]""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Everything:
    """Matches every note: the empty query."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """A word or phrase, anywhere in a note's text, path or tags."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A regular expression over a note's text."""

    pattern: LinearPattern


@dataclass(frozen=True, kw_only=True, slots=True)
class Tag:
    """A tag, or one below it: ``a`` matches ``a/b``."""

    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class InPath:
    """Part of the whole vault path."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class InFileName:
    """Part of the file's name."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Property:
    """A property of the frontmatter; with a value, one that has exactly this value."""

    name: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Not:
    """What does not match."""

    operand: Query


@dataclass(frozen=True, kw_only=True, slots=True)
class And:
    """All of these."""

    operands: tuple[Query, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Or:
    """At least one of these."""

    operands: tuple[Query, ...]


Query: TypeAlias = Everything | Text | Pattern | Tag | InPath | InFileName | Property | Not | And | Or


def parse_query(text: str) -> Query:
    """The syntax tree of a query; ``query-syntax`` with the column where it cannot be read."""
    if len(text) > LONGEST:
        refuse(LONGEST, "query-too-long", limit=LONGEST)
    parser = _QueryParser(text)
    if parser.at_end():
        return Everything()
    query = parser.alternatives()
    if not parser.at_end():
        refuse(parser.position, "query-extra-parenthesis")
    return query


class _QueryParser:
    """Reads a query from left to right; each character is looked at a bounded number of times."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.depth = 0
        self.terms = 0

    def at_end(self) -> bool:
        blanks = _BLANKS.match(self.text, self.position)
        self.position = blanks.end() if blanks else self.position
        return self.position == len(self.text)

    def alternatives(self) -> Query:
        operands = [self.conjunction()]
        while self.takes_operator("OR"):
            operands.append(self.conjunction())
        return operands[0] if len(operands) == 1 else Or(operands=tuple(operands))

    def conjunction(self) -> Query:
        operands = [self.negation()]
        while self.takes_operator("AND") or not self.at_end_of_conjunction():
            operands.append(self.negation())
        return operands[0] if len(operands) == 1 else And(operands=tuple(operands))

    def negation(self) -> Query:
        """A term and all the minus signs before it: counted, so that a thousand of them nest nothing."""
        negative = False
        while not self.at_end() and (found := _NEGATION.match(self.text, self.position)):
            negative = not negative
            self.position = found.end()
        term = self.term()
        return Not(operand=term) if negative else term

    def term(self) -> Query:
        if self.at_end() or _OPERATOR.match(self.text, self.position):
            refuse(self.position, "query-missing-operand")
        self.terms += self.text[self.position] != "("
        if self.terms > MOST_TERMS:
            refuse(self.position, "query-too-many-terms", limit=MOST_TERMS)
        match self.text[self.position]:
            case "(":
                return self.group()
            case ")":
                return refuse(self.position, "query-missing-operand")
            case '"':
                return Text(text=self.quoted())
            case "[":
                return self.property()
            case "/" if found := _PATTERN.match(self.text, self.position):
                return self.pattern(found)
        return self.word_or_field()

    def group(self) -> Query:
        start = self.position
        self.depth += 1
        if self.depth > DEEPEST:
            refuse(start, "query-too-deep", limit=DEEPEST)
        self.position += 1
        query = self.alternatives()
        if self.at_end():
            refuse(start, "query-open-parenthesis")
        self.position += 1
        self.depth -= 1
        return query

    def quoted(self) -> str:
        found = _QUOTED.match(self.text, self.position)
        if found is None:
            refuse(self.position, "query-open-quote")
        self.position = found.end()
        return unescape(found[1])

    def property(self) -> Query:
        found = _PROPERTY.match(self.text, self.position)
        if found is None:
            unclosed = "]" not in self.text[self.position :]
            refuse(self.position, "query-open-bracket" if unclosed else "query-empty-property")
        self.position = found.end()
        name = unescape(found["quoted_name"] or "") or (found["name"] or "").strip()
        if not name:
            refuse(found.start(), "query-empty-property")
        if found["colon"] is None:
            return Property(name=name)
        quoted = found["quoted_value"]
        value = unescape(quoted) if quoted is not None else found["value"].strip()
        return Property(name=name, value=value)

    def pattern(self, found: re.Match[str]) -> Query:
        try:
            pattern = compile_linear(found[1].replace("\\/", "/"))
        except ValueError:
            refuse(found.start(), "query-bad-pattern")
        self.position = found.end()
        return Pattern(pattern=pattern)

    def word_or_field(self) -> Query:
        if found := _FIELD.match(self.text, self.position):
            return self.field(found)
        word = self.word()
        if word.startswith("#") and word.strip("#/"):
            return Tag(name=strip_tag(word))
        return Text(text=word)

    def field(self, found: re.Match[str]) -> Query:
        self.position = found.end()
        name = found[1].lower()
        value = self.quoted() if self.text.startswith('"', self.position) else self.word()
        if not (strip_tag(value) if name == "tag" else value.strip("/") or value):
            refuse(found.start(), "query-missing-value", name=name)
        match name:
            case "tag":
                return Tag(name=strip_tag(value))
            case "path":
                return InPath(text=value)
            case _:
                return InFileName(text=value)

    def word(self) -> str:
        found = _WORD.match(self.text, self.position)
        if found is None:
            return ""
        self.position = found.end()
        return found[0]

    def takes_operator(self, name: str) -> bool:
        if self.at_end() or not (found := _OPERATOR.match(self.text, self.position)) or found[1] != name:
            return False
        self.position = found.end()
        return True

    def at_end_of_conjunction(self) -> bool:
        if self.at_end() or self.text[self.position] == ")":
            return True
        found = _OPERATOR.match(self.text, self.position)
        return found is not None and found[1] == "OR"


def strip_tag(text: str) -> str:
    """A tag without its mark."""
    return text.lstrip("#").strip("/")


def unescape(text: str) -> str:
    """A quoted text as it is meant."""
    return _ESCAPE.sub(r"\1", text)


def refuse(position: int, problem: str, **values: object) -> NoReturn:
    """Raise the error that names the column."""
    column = position + 1
    sentence = Sentence(key=problem, values=values)
    raise QuerySyntaxError("query-syntax", column=column, problem=sentence, details={"column": column})


# --- regular expressions that take time in proportion to the text, whatever they look like


_LARGEST_PROGRAM = 200_000  # bytes, compiled; "(a{1000}){1000}" is refused instead of built
_LONGEST_SOURCE = 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class LinearPattern:
    """A regular expression, with case ignored."""

    source: str

    def is_found_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in the text."""
        return compile_check(self.source)(text)


def compile_linear(source: str) -> LinearPattern:
    """The pattern of a regular expression; ValueError for one that is broken, too large or too clever."""
    if len(source) > _LONGEST_SOURCE:
        raise ValueError(source)
    compile_check(source)
    return LinearPattern(source=source)


@lru_cache(maxsize=64)
def compile_check(source: str) -> Callable[[str], bool]:
    """Whether a text has a match; compiled once."""
    return compile_pattern(f"(?im){source}", largest_program=_LARGEST_PROGRAM)
