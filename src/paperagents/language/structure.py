"""The parts of a file for an outline, the lenses above it, the meaning of its words, the types behind references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tool import ToolDefinition
from paperagents.language.answers import Hint, Lens, Symbol, SymbolKind, Token, TokenKind
from paperagents.language.names import NameKind
from paperagents.language.outline import Outline, scalar_in, sequence_in
from paperagents.language.shapes import describe_type, follow
from paperagents.language.view import View
from paperagents.messages import text
from paperagents.reading.references import BUILT_IN_NAMES, place_segments
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode

_TOKENS: dict[NameKind, TokenKind] = {
    "tool": "function", "agent": "function", "parameter": "parameter", "label": "variable",
}  # fmt: skip


def find_symbols(view: View) -> list[Symbol]:
    """The tool, agent or tag that a file is, with its parts."""
    own, outline = view.own, view.outline
    if own is None or (outline.front is None and not view.document.is_script):
        return []
    children = tuple(_declared(view) if view.document.is_script else _parts(outline))
    whole = Span(line=1, column=1, end_line=len(view.document.lines), end_column=len(view.document.lines[-1]) + 1)
    kind: SymbolKind = "agent" if own.kind == "agent" else "tag" if own.kind == "tag" else "tool"
    selection = own.span or Span(line=1, column=1, end_line=1, end_column=1)
    return [Symbol(name=own.name, kind=kind, span=whole, selection=selection, detail=own.id, children=children)]


def _declared(view: View) -> Iterator[Symbol]:
    """The parameters that a file of JavaScript declares."""
    own = {
        each.name.text: each.span for each in view.occurrences if each.is_definition and each.name.kind == "parameter"
    }
    known = view.catalog.parameters(view.own) if view.own is not None else {}
    for name, span in own.items():
        detail = describe_type(known[name].schema) if name in known else ""
        yield Symbol(name=name, kind="parameter", span=span, selection=span, detail=detail)


def _parts(outline: Outline) -> Iterator[Symbol]:
    for name, node in outline.parameters:
        kind = describe_type(node.plain())
        yield Symbol(name=name.raw, kind="parameter", span=trim(node, outline), selection=name.span, detail=kind)
    for step in outline.steps:
        at = step.label_at or step.tool_at
        if at is not None:
            yield Symbol(
                name=step.label, kind="step", span=trim(step.node, outline), selection=at.span, detail=step.tool
            )
    for script in outline.scripts:
        if script.block != "if":
            span = script.code.span(0, len(script.code.text.rstrip("\n")))
            yield Symbol(name=script.block, kind="script", span=span, selection=_first_line(script.code))
    for number, example in enumerate(sequence_in(outline.front, "examples"), 1):
        named = scalar_in(example, "name")
        name_text = named.raw if named is not None else text("language.example", number=number)
        span = trim(example, outline)
        selection = named.span if named is not None else _start(span)
        yield Symbol(name=name_text, kind="example", span=span, selection=selection)


def trim(node: YamlNode, outline: Outline) -> Span:
    """Where a node stands, without the blank lines that the parser counts to it."""
    span = node.span
    end_line, end_column = span.end_line, span.end_column
    while end_line > span.line and not outline.document.line(end_line)[: end_column - 1].strip():
        end_line -= 1
        end_column = len(outline.document.line(end_line)) + 1
    return Span(line=span.line, column=span.column, end_line=end_line, end_column=end_column)


def _first_line(code: Excerpt) -> Span:
    return code.span(0, len(code.text.split("\n", 1)[0]))


def _start(span: Span) -> Span:
    return Span(line=span.line, column=span.column, end_line=span.line, end_column=span.column)


def find_lenses(view: View) -> Iterator[Lens]:
    """Run and dry run: of the tool above its first line, of each example above it."""
    own = view.own
    if own is None or not own.is_tool or not own.valid or own.type is None:
        return
    yield from _pair(Span(line=1, column=1, end_line=1, end_column=1), own.id, {})
    definition = view.catalog.definition(own)
    nodes = sequence_in(view.outline.front, "examples")
    for node, example in zip(
        nodes, definition.examples if isinstance(definition, ToolDefinition) else (), strict=False
    ):
        if isinstance(node, YamlMapping):
            yield from _pair(_start(node.span), own.id, example.input)


def _pair(span: Span, tool: str, arguments: Mapping[str, JsonValue]) -> Iterator[Lens]:
    yield Lens(title=text("language.run"), command="paper.run", span=span, tool=tool, arguments=arguments)
    yield Lens(title=text("language.dry-run"), command="paper.dryRun", span=span, tool=tool, arguments=arguments)


def find_tokens(view: View) -> list[Token]:
    """What names mean, and the other segments of references; each place once, in the order of the file."""
    found: dict[tuple[int, int], Token] = {}
    for item in view.outline.texts:
        for reference in item.references():
            segments = zip(reference.path, place_segments(reference, item.source.text), strict=True)
            for number, (segment, place) in enumerate(segments):
                built_in = number == 0 and segment in BUILT_IN_NAMES
                kind: TokenKind = "keyword" if built_in or (number == 0 and len(reference.path) > 1) else "property"
                span = item.source.span(*place)
                found[span.line, span.column] = Token(span=span, kind=kind)
    for each in view.occurrences:
        if each.form != "implied":
            token = Token(span=each.span, kind=_TOKENS[each.name.kind], is_definition=each.is_definition)
            found[each.span.line, each.span.column] = token
    single = (each for each in found.values() if each.span.line == each.span.end_line)
    return sorted(single, key=lambda each: (each.span.line, each.span.column))


def find_hints(view: View, first: int, last: int) -> Iterator[Hint]:
    """The types of the references on some lines."""
    for item in view.outline.texts:
        if item.step is None:
            continue
        shape = None
        for reference in item.references():
            span = item.source.span(reference.start, reference.end)
            if not first <= span.line <= last:
                continue
            shape = shape or view.surroundings.of_text(item.step).shape
            found = follow(shape, reference.path)
            if found is not None and (kind := describe_type(found)):
                yield Hint(line=span.end_line, column=span.end_column, text=f": {kind}")
