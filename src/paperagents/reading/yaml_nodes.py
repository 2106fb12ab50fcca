"""YAML 1.2 core with a position for every key and value. The one module that knows the YAML library.

Events are read, not composed nodes: depth, aliases and duplicate keys are then ours to judge, and no
input can drive the library into deep recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

import yaml

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt, Span
from paperagents.patterns import late_pattern
from paperagents.reading.problems import ProblemList
from paperagents.reading.yaml_core import Translation, scalar_value, translate_for_library

MAX_DEPTH = 50
MAX_VALUES = 100_000
"""With aliases counted as often as they are used: a few bytes must not become gigabytes."""

_Parser: Any = yaml.cyaml.CParser if yaml.__with_libyaml__ else yaml.SafeLoader  # type: ignore[attr-defined]  # unstubbed
_STANDARD = "tag:yaml.org,2002:"


@dataclass(slots=True, eq=False, kw_only=True)
class YamlNode:
    """A value of a YAML text and where it stands."""

    source: Excerpt
    start: Any
    """The library's mark: line and column from 0, and the offset in the text."""
    end: Any
    weight: int = 1
    """How many values this is when every alias is written out."""

    @property
    def span(self) -> Span:
        """The stretch of the file it takes."""
        line, column = self.source.position(self.start.line + 1, self.start.column + 1)
        end_line, end_column = self.source.position(*self._last_place())
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def _last_place(self) -> tuple[int, int]:
        """Line and column, from 1, behind its last sign; the library ends a block where the next thing begins."""
        text, end = self.source.text, self.end.index
        last = self.start.index + len(text[self.start.index : end].rstrip())
        if "\n" not in text[last:end]:
            return self.end.line + 1, self.end.column + 1 - (end - last)
        return self.end.line + 1 - text.count("\n", last, end), last - text.rfind("\n", 0, last)

    def plain(self) -> JsonValue:
        """The value without positions."""
        raise NotImplementedError


@dataclass(slots=True, eq=False, kw_only=True)
class YamlScalar(YamlNode):
    """A text, number, boolean or null."""

    value: JsonValue
    raw: str
    style: str

    def plain(self) -> JsonValue:
        """The value itself."""
        return self.value

    def excerpt(self) -> Excerpt:
        """The text with the place of each of its lines in the file."""
        if self.style == "|":
            return self._literal_excerpt()
        line, column = self.source.position(self.start.line + 1, self.start.column + 1)
        quote = 1 if self.style in ("'", '"') else 0
        source = self.source.text[self.start.index + quote : self.end.index - quote]
        written = None if source == self.raw and "\n" not in source else self._written(source, column - 1 + quote)
        return Excerpt(text=self.raw, file=self.source.file, line=line, indents=(column - 1 + quote,), written=written)

    def _written(self, source: str, indent: int) -> Excerpt:
        """The text as the file has it, with what stands before its lines."""
        first = self.start.line + 2
        lines = range(first, first + source.count("\n"))
        indents = (indent, *(self.source.position(line, 1)[1] - 1 for line in lines))
        return Excerpt(text=source, file=self.source.file, line=self.source.position(first - 1, 1)[0], indents=indents)

    def _literal_excerpt(self) -> Excerpt:
        lines = self.raw.split("\n")
        first = self.start.line + 1
        written = _lines(self.source.text)[first : first + len(lines)]
        indents = []
        for number, line in enumerate(lines):
            file_line = written[number].removesuffix("\r") if number < len(written) else ""
            indent = len(file_line) - len(line) if file_line.endswith(line) else 0
            indents.append(self.source.position(first + number + 1, indent + 1)[1] - 1)
        line_in_file = self.source.position(first + 1, 1)[0]
        return Excerpt(text=self.raw, file=self.source.file, line=line_in_file, indents=tuple(indents))


@dataclass(slots=True, eq=False, kw_only=True)
class YamlSequence(YamlNode):
    """A list."""

    items: list[YamlNode]

    def plain(self) -> JsonValue:
        """The list of plain values."""
        return [item.plain() for item in self.items]


@dataclass(slots=True, eq=False, kw_only=True)
class YamlMapping(YamlNode):
    """Keys and values, in the order of the file."""

    entries: dict[str, tuple[YamlScalar, YamlNode]]

    def plain(self) -> dict[str, JsonValue]:
        """The dictionary of plain values."""
        return {key: value.plain() for key, (_, value) in self.entries.items()}

    def get(self, key: str) -> YamlNode | None:
        """The value of a key, or None where the key is missing."""
        entry = self.entries.get(key)
        return entry[1] if entry else None

    def key(self, key: str) -> YamlScalar:
        """The key itself, for its position."""
        return self.entries[key][0]


def read_yaml(
    source: Excerpt, problems: ProblemList, *, most_values: int = MAX_VALUES, deepest: int = MAX_DEPTH
) -> YamlNode | None:
    """The first document of a YAML text; None where it is empty or broken, which is then a problem."""
    # The library reads YAML 1.1; what 1.2 says otherwise is hidden from it, letter for letter.
    text, translation = translate_for_library(source.text)
    try:
        builder = _Builder(source, problems, translation, most_values, deepest)
        return builder.read_document(iter(_Parser(text).get_event, None))
    except _RefusedError:
        return None
    except yaml.YAMLError as error:
        _report(error, source, problems)
        return None


class _RefusedError(Exception):
    """Reading cannot go on; the reason is among the problems."""


class _Builder:
    """Turns the event stream into nodes, with bounds on depth and size."""

    def __init__(
        self, source: Excerpt, problems: ProblemList, translation: Translation, most_values: int, deepest: int
    ) -> None:
        self.source = source
        self.problems = problems
        self.translation = translation
        self.most_values = most_values
        self.deepest = deepest
        self.anchors: dict[str, YamlNode | None] = {}

    def read_document(self, events: Iterator[Any]) -> YamlNode | None:
        root: YamlNode | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                self.refuse("yaml-several-documents", self.point(event))
            elif isinstance(event, yaml.NodeEvent):
                root = self.read_node(event, events, 1)
        return root

    def read_node(self, event: Any, events: Iterator[Any], depth: int) -> YamlNode:
        if type(event) is yaml.ScalarEvent and event.anchor is None:
            return self.read_scalar(event)
        if depth > self.deepest:
            self.refuse("yaml-too-deep", self.point(event), limit=self.deepest)
        if isinstance(event, yaml.AliasEvent):
            return self.read_alias(event)
        if event.anchor is None:
            return self.read_content(event, events, depth)
        # Known, but without a value while it is read: an alias inside it would never end.
        self.anchors[event.anchor] = None
        node = self.anchors[event.anchor] = self.read_content(event, events, depth)
        return node

    def read_content(self, event: Any, events: Iterator[Any], depth: int) -> YamlNode:
        if isinstance(event, yaml.ScalarEvent):
            return self.read_scalar(event)
        if event.tag is not None:
            self.check_tag(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.read_sequence(event, events, depth)
        return self.read_mapping(event, events, depth)

    def read_alias(self, event: Any) -> YamlNode:
        node = self.anchors.get(event.anchor)
        if node is None:
            code = "yaml-recursive-alias" if event.anchor in self.anchors else "yaml-unknown-alias"
            self.refuse(code, self.point(event), name=event.anchor)
        return node

    def read_scalar(self, event: Any) -> YamlScalar:
        style = event.style or ""
        if self.translation.lent:
            event.value = self.translation.back(event.value, escapes=style == '"')
        value: JsonValue = event.value
        if event.tag is not None:
            value = self.read_tagged(event)
        elif not style:
            value = scalar_value(event.value)
        return YamlScalar(
            source=self.source,
            start=event.start_mark,
            end=event.end_mark,
            value=value,
            raw=event.value,
            style=style,
        )

    def read_tagged(self, event: Any) -> JsonValue:
        value = scalar_value(event.value)
        kinds: dict[str, type | tuple[type, ...]] = {
            "int": int,
            "float": (int, float),
            "bool": bool,
            "null": type(None),
        }
        kind = event.tag.removeprefix(_STANDARD)
        if event.tag in ("!", _STANDARD + "str"):
            return str(event.value)
        if kind not in kinds or not isinstance(value, kinds[kind]):
            self.problems.error("yaml-tag", self.point(event), tag=event.tag.replace(_STANDARD, "!!"))
        return value

    def read_sequence(self, event: Any, events: Iterator[Any], depth: int) -> YamlSequence:
        items: list[YamlNode] = []
        weight = 1
        for following in events:
            if type(following) is yaml.SequenceEndEvent:
                return YamlSequence(
                    source=self.source, start=event.start_mark, end=following.end_mark, weight=weight, items=items
                )
            items.append(self.read_node(following, events, depth + 1))
            # Aliases count as often as they are used, so a small text cannot become a huge value.
            weight += items[-1].weight
            if weight > self.most_values:
                self.refuse("yaml-too-large", self.point(event), limit=self.most_values)
        raise AssertionError("libyaml ends every sequence it starts")

    def read_mapping(self, event: Any, events: Iterator[Any], depth: int) -> YamlMapping:
        entries: dict[str, tuple[YamlScalar, YamlNode]] = {}
        weight = 1
        for following in events:
            if type(following) is yaml.MappingEndEvent:
                return YamlMapping(
                    source=self.source,
                    start=event.start_mark,
                    end=following.end_mark,
                    weight=weight,
                    entries=entries,
                )
            key = self.read_node(following, events, depth + 1)
            if not isinstance(key, YamlScalar):
                self.refuse_key(key, following, event)
            # The value is read also of a key that was seen before: its events have to be used up.
            value = self.read_node(next(events), events, depth + 1)
            if key.raw in entries:
                first = entries[key.raw][0].span
                self.problems.error("yaml-duplicate-key", key.span, key=key.raw, line=first.line)
                continue
            entries[key.raw] = (key, value)
            weight += value.weight + 1
            if weight > self.most_values:
                self.refuse("yaml-too-large", self.point(event), limit=self.most_values)
        raise AssertionError("libyaml ends every mapping it starts")

    def refuse_key(self, key: YamlNode, event: Any, mapping: Any) -> NoReturn:
        is_flow = mapping.flow_style and event.flow_style
        # The two start with ``{{``, as an unquoted placeholder does.
        if isinstance(key, YamlMapping) and is_flow and mapping.start_mark.index + 1 == event.start_mark.index:
            self.refuse("yaml-unquoted-placeholder", self.point(mapping))
        self.refuse("yaml-complex-key", self.point(event))

    def check_tag(self, event: Any) -> None:
        if event.tag not in ("!", _STANDARD + "map", _STANDARD + "seq"):
            self.problems.error("yaml-tag", self.point(event), tag=event.tag.replace(_STANDARD, "!!"))

    def refuse(self, code: str, span: Span, **values: object) -> NoReturn:
        self.problems.error(code, span, **values)
        raise _RefusedError

    def point(self, event: Any) -> Span:
        return _point(self.source, event.start_mark.line, event.start_mark.column)


def _point(source: Excerpt, line: int, column: int) -> Span:
    line, column = source.position(line + 1, column + 1)
    return Span(line=line, column=column, end_line=line, end_column=column + 1)


@lru_cache(maxsize=2)
def _lines(text: str) -> list[str]:
    return text.split("\n")


def _report(error: yaml.YAMLError, source: Excerpt, problems: ProblemList) -> None:
    mark = getattr(error, "problem_mark", None)
    context = getattr(error, "context", None) or ""
    # A key without its colon or a text that begins like an alias is only noticed further on.
    began_before = any(words in context for words in ("simple key", "scanning an alias", "scanning an anchor"))
    if mark is not None and (mark.index >= len(source.text.rstrip()) or began_before):
        # Something is still open: it is the opening that a person has to look at.
        mark = getattr(error, "context_mark", None) or mark
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    case = guess_mistake(reason, context, source, mark)
    if mark is None:
        span = _point(source, *find_forbidden_character(source.text))
    elif "flow node" in context and mark.index >= len(source.text.rstrip()):
        # Here the library does not say what is open.
        span, case = _point(source, *find_open_bracket(source.text)), "bracket"
    else:
        span = _point(source, mark.line, mark.column)
    lines = _lines(source.text)
    field = _CODE_FIELD.match(lines[mark.line]) if mark is not None and case == "colon" else None
    if field is not None:
        problems.error("yaml-syntax", span, case="code", field=field[1])
    else:
        problems.error("yaml-syntax", span, case=case)


def find_forbidden_character(text: str) -> tuple[int, int]:
    """The line and column, from 0, of the first character that YAML does not allow."""
    found = re.search(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    return _line_and_column(text, found.start() if found else 0)


def find_open_bracket(text: str) -> tuple[int, int]:
    """The line and column, from 0, of the last bracket that nothing closes."""
    closed = 0
    for found in reversed(list(re.finditer(r"[][{}]", text))):
        if found[0] in "[{" and not closed:
            return _line_and_column(text, found.start())
        closed += 1 if found[0] in "]}" else -1
    return 0, 0


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


_MISTAKES = {
    "mapping values are not allowed": "colon",
    "could not find expected ':'": "blank",
    "found unexpected ':'": "blank",
    "expected ',' or": "bracket",
    "escape": "escape",
    "hexdecimal": "escape",
    "unexpected end of stream": "quote",
    "document": "quote",
    "cannot start any token": "character",
    "expected key": "indent",
    "block end": "indent",
    "indicator": "indent",
    "sequence entries are not allowed": "indent",
    "special characters are not allowed": "control",
    "control characters are not allowed": "control",
}
"""What the library says, and the mistake that people most often make where it does."""
_CODE_FIELD = late_pattern(r"\s*(?:- +)?(pre_processing|post_processing|preprocess|postprocess|custom_function) *:")
"""Where code stands: its own colons need no quotes but a line of their own."""
_CHOICE = late_pattern(r"""["'] *\| *["']""")


def guess_mistake(reason: str, context: str, source: Excerpt, mark: Any) -> str:
    """The likely mistake behind the library's words, which are English and never shown; empty where none is likely."""
    lines = _lines(source.text)
    line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
    if "\t" in line[: mark.column + 1 if mark else 0]:
        return "tab"
    if "{{" in line or ("flow" in reason and "{{" in source.text):
        return "placeholder"
    if _CHOICE.search(line):
        return "choice"
    if line[mark.column : mark.column + 1] in ("*", "&") if mark is not None else False:
        return "star"
    found = next((mistake for words, mistake in _MISTAKES.items() if words in reason), "")
    return "bracket" if found == "indent" and "flow" in context else found
