"""What there is to say about a place: the manual of a tool or parameter, the last value of a reference, a field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Span
from paperagents.definitions.text import without_surrogates
from paperagents.definitions.tool import Parameter
from paperagents.language.answers import Hover
from paperagents.language.completion import read_path
from paperagents.language.document import Document, Position, covers
from paperagents.language.fields import fields_at, place_in
from paperagents.language.names import Name, Occurrence
from paperagents.language.shapes import Shape, describe_type, find_value, follow
from paperagents.language.surroundings import Reachable
from paperagents.language.view import View
from paperagents.messages import text
from paperagents.reading.references import place_segments
from paperagents.registry.manual import manual

LONGEST_VALUE = 2000
_CHAIN = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*|\[\d+\])*")
_KEY = re.compile(r"[\w-]+(?=[\"']?\s*:(?:\s|$))")
_SEGMENT = re.compile(r"[\w$]+|\[\d+\]")


def find_hover(view: View, at: Position) -> Hover | None:
    """What to show at a place; None where there is nothing to say."""
    occurrence = view.occurrence_at(at)
    path = _find_path(view, at)
    if occurrence is not None and occurrence.name.kind in ("tool", "agent"):
        return _hover_tool(view, occurrence)
    said = list(_describe_name(view, occurrence.name)) if occurrence is not None else []
    if path is not None:
        reachable, segments, span = path
        said += _describe_value(reachable, segments, has_type=not said)
    elif occurrence is not None:
        span = occurrence.span
    else:
        return _hover_field(view.document, at)
    return Hover(markdown="\n\n".join(said), span=span) if said else None


def _hover_tool(view: View, occurrence: Occurrence) -> Hover | None:
    name = occurrence.name
    entry = view.catalog.find_agent(name.text) if name.kind == "agent" else view.catalog.find(name.text)
    definition = view.catalog.definition(entry) if entry is not None else None
    return Hover(markdown=manual(definition), span=occurrence.span) if definition is not None else None


def _hover_field(document: Document, at: Position) -> Hover | None:
    """What a field of the frontmatter or of a step means."""
    around = document.yaml_around(at.line)
    keys = (key for key in _KEY.finditer(document.line(at.line)) if key.start() < at.column <= key.end() + 1)
    if around is None or (key := next(keys, None)) is None:
        return None
    place = place_in(document, around[0], Position(line=at.line, column=key.end() + 1))
    meaning = fields_at(place, document.kind, in_fence=around[1]).get(key[0]) if not place.in_block else None
    span = Span(line=at.line, column=key.start() + 1, end_line=at.line, end_column=key.end() + 1)
    return Hover(markdown=f"**{key[0]}**\n\n{meaning}", span=span) if meaning else None


def _describe_name(view: View, name: Name) -> Iterator[str]:
    """A parameter as the manual has it, or the step of a label."""
    if name.kind == "parameter":
        entry = view.catalog.find(name.owner)
        parameter = view.catalog.parameters(entry).get(name.text) if entry is not None else None
        if parameter is not None:
            yield from describe_parameter(parameter)
    elif name.kind == "label":
        step = next((each for each in view.outline.steps if each.label == name.text), None)
        if step is not None:
            yield text("language.step", label=name.text, tool=step.tool or "parallel")


def describe_parameter(parameter: Parameter) -> Iterator[str]:
    """A parameter in two lines."""
    default = (
        f" = {json.dumps(parameter.schema['default'], ensure_ascii=False)}" if "default" in parameter.schema else ""
    )
    needed = "" if parameter.must_be_given else "?"
    kind = describe_type(parameter.schema) or "any"
    yield code_block(f"{parameter.name}{needed}: {kind}{default}", "ts")
    if description := str(parameter.schema.get("description") or ""):
        yield description
    if isinstance(allowed := parameter.schema.get("enum"), list):
        yield ", ".join(f"`{each}`" for each in allowed)


def _describe_value(reachable: Reachable, path: list[str | int], *, has_type: bool) -> Iterator[str]:
    shape: Shape | None = follow(reachable.shape, path)
    if has_type and shape is not None and (kind := describe_type(shape)):
        yield code_block(f"{path[-1]}: {kind}", "ts")
    if (found := find_value(reachable.value, path)) is not None:
        yield f"{text('language.last-value')}\n\n{code_block(shorten(found[0]), 'json')}"


def shorten(value: JsonValue) -> str:
    """A value as JSON, cut where nobody reads on."""
    written = without_surrogates(json.dumps(value, ensure_ascii=False, indent=2))
    return written if len(written) <= LONGEST_VALUE else f"{written[:LONGEST_VALUE]}…"


def code_block(content: str, language: str) -> str:
    """A fence that the content cannot close."""
    longest = max((len(run) for run in re.findall("`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{content}\n{fence}"


# --- which path stands at a place


def _find_path(view: View, at: Position) -> tuple[Reachable, list[str | int], Span] | None:
    """The reference or member expression up to the segment at a place."""
    for item in view.outline.texts:
        for reference in item.references():
            if not covers(item.source.span(reference.start, reference.end), at):
                continue
            places = place_segments(reference, item.source.text)
            spans = [item.source.span(*each) for each in places]
            chosen = next((number for number, span in enumerate(spans) if covers(span, at)), len(spans) - 1)
            return view.surroundings.of_text(item.step), list(reference.path[: chosen + 1]), spans[chosen]
    script = view.outline.script_at(at)
    if script is None:
        return None
    member = find_member(view.document.line(at.line), at)
    return (view.surroundings.of_script(script), *member) if member is not None else None


def find_member(line: str, at: Position) -> tuple[list[str | int], Span] | None:
    """The member expression on a line up to the name at a place."""
    for chain in _CHAIN.finditer(line):
        if not chain.start() < at.column <= chain.end() + 1:
            continue
        for segment in _SEGMENT.finditer(line, *chain.span()):
            if at.column <= segment.end() + 1:
                path = read_path(line[chain.start() : segment.end()].replace("?.", "."))
                span = Span(line=at.line, column=segment.start() + 1, end_line=at.line, end_column=segment.end() + 1)
                return path, span
    return None
