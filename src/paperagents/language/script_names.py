"""Where JavaScript names parameters, labels and tools: in the blocks of a note, and in a file that is a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from paperagents.definitions.source import Excerpt
from paperagents.language.javascript_uses import FieldUse, ScriptUses
from paperagents.language.names import FileNames, Form, Name, Occurrence, key_of, name_of
from paperagents.language.outline import Script
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.references import BUILT_IN_NAMES, Reference, read_condition
from paperagents.registry.entry import Entry

_PLACEHOLDER = re.compile(r"(?<!\\)\{\{\s*([^\s{}]+)\s*\}\}")


@lru_cache(maxsize=64)
def script_uses(code: str, placeholders: tuple[str, ...] = ()) -> ScriptUses:
    """The uses in a piece of code; the same code is looked at once."""
    return ScriptUses(JavaScript(code, placeholders))


def find_script_names(names: FileNames) -> Iterator[Occurrence]:
    """The names in the JavaScript of a note."""
    if names.own is None:
        return
    for script in names.outline.scripts:
        yield from _in_condition(script, names) if script.block == "if" else _in_block(script, names)


def _in_block(script: Script, names: FileNames) -> Iterator[Occurrence]:
    known = names.outline.parameter_names
    uses = script_uses(script.code.text, (*sorted(known), *BUILT_IN_NAMES))
    for use in uses.fields_of("input"):
        # What preprocessing gets are the arguments; everything after it gets what it hands on.
        if use.name in known and (script.block == "preprocess" or names.is_own_field(use.name)):
            yield _occurrence(names.parameter(use.name), use, script.code, names)
    for use in uses.fields_of("context", "parameters"):
        if use.name in known:
            yield _occurrence(names.parameter(use.name), use, script.code, names)
    for use in uses.fields_of("context", "steps"):
        if use.name in names.labels:
            yield _occurrence(names.label(use.name), use, script.code, names)
    for found in _PLACEHOLDER.finditer(script.code.text):
        if found[1] in known:
            name = names.parameter(found[1])
            yield Occurrence(name=name, file=names.file, span=script.code.span(*found.span(1)))


def _in_condition(script: Script, names: FileNames) -> Iterator[Occurrence]:
    """A small expression over the context: its names are the arguments and the labels themselves."""
    uses = script_uses(f"({mask_references(script.code.text)}\n)")
    found: dict[int, tuple[Name, FieldUse]] = {}
    for use in uses.names():
        if use.name in names.outline.parameter_names:
            found[use.start] = names.parameter(use.name), use
        elif script.step is not None and use.name in {each.label for each in script.step.earlier}:
            found[use.start] = names.label(use.name), use
    for root in ("input", "preprocess"):
        fields = (use for use in uses.fields_of(root) if names.is_own_field(use.name))
        found |= {use.start: (names.parameter(use.name), use) for use in fields}
    for path in (("steps",), ("context", "steps")):
        fields = (use for use in uses.fields_of(*path) if use.name in names.labels)
        found |= {use.start: (names.label(use.name), use) for use in fields}
    for name, use in found.values():
        yield _occurrence(name, use, script.code, names, offset=1)


def mask_references(condition: str) -> str:
    """A condition with a word of the same length in the place of each reference in braces."""
    for piece in read_condition(condition).pieces:
        if isinstance(piece, Reference):
            condition = f"{condition[: piece.start]}{'_' * (piece.end - piece.start)}{condition[piece.end :]}"
    return condition


def find_module_names(names: FileNames) -> Iterator[Occurrence]:
    """The names in a file that is a tool: its own, and those of the tools it calls."""
    document = names.outline.document
    source = Excerpt(text=document.text, file=document.file)
    uses = script_uses(document.text)
    own = names.own
    if own is not None:
        yield from _own_names(own, uses, source, names)
    for call in uses.tool_calls():
        called = names.catalog.find(call.tool.name)
        if called is None:
            continue
        yield _occurrence(name_of(called), call.tool, source, names)
        for use in call.arguments:
            if use.name in called.parameters:
                yield _occurrence(Name(kind="parameter", text=use.name, owner=key_of(called)), use, source, names)


def _own_names(own: Entry, uses: ScriptUses, source: Excerpt, names: FileNames) -> Iterator[Occurrence]:
    for use in uses.values_of("getMetadata", "id"):
        if use.name == own.id:
            yield _occurrence(name_of(own), use, source, names, is_definition=True)
    for use in uses.declared_in("getSchema", ("properties", "parameters")):
        if use.name in own.parameters:
            yield _occurrence(_own_parameter(own, use), use, source, names, is_definition=True)
    others = (
        *uses.fields_of_argument("execute"),
        *uses.strings_in("getSchema", "required"),
        *uses.declared_in("getExamples", ("input",)),
    )
    for use in others:
        if use.name in own.parameters:
            yield _occurrence(_own_parameter(own, use), use, source, names)


def _own_parameter(own: Entry, use: FieldUse) -> Name:
    return Name(kind="parameter", text=use.name, owner=key_of(own))


def _occurrence(  # noqa: PLR0913  where it is, and as what
    name: Name, use: FieldUse, code: Excerpt, names: FileNames, *, offset: int = 0, is_definition: bool = False
) -> Occurrence:
    form: Form = "shorthand" if use.form == "shorthand" else "plain" if use.form == "string" else "script"
    span = code.span(use.start - offset, use.end - offset)
    return Occurrence(name=name, file=names.file, span=span, is_definition=is_definition, form=form)
