"""Another name for a parameter, a label or a tool, at every place that means it and at no other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from paperagents.definitions.source import Span
from paperagents.errors import UsageError
from paperagents.language.answers import Edit
from paperagents.language.catalog import Catalog
from paperagents.language.names import Name, Occurrence
from paperagents.language.outline import Step
from paperagents.language.view import View
from paperagents.reading.references import BUILT_IN_NAMES
from paperagents.reading.tool_markdown import IDENTIFIER
from paperagents.reading.tool_parameters import LOOP_VALUES, SHADOWED

_NAME = re.compile(r"[^\W\d][\w-]*")
_JAVASCRIPT_NAME = re.compile(r"[^\W\d]\w*")
_WORDS = frozenset({"null", "true", "false", *SHADOWED, *LOOP_VALUES, *BUILT_IN_NAMES, "output", "context"})


def require_renamable(catalog: Catalog, name: Name) -> None:
    """Raises UsageError where nothing in the vault says the name."""
    if home_of(catalog, name) is None:
        raise UsageError("cannot-rename", case="builtin", name=name.text)


def home_of(catalog: Catalog, name: Name) -> str | None:
    """The file that says the name; None for what no file of the vault defines."""
    if name.kind == "label":
        return name.owner
    if name.kind == "agent":
        entry = catalog.find_agent(name.text)
    else:
        entry = catalog.find(name.owner if name.kind == "parameter" else name.text)
    return entry.file if entry is not None else None


def require_free(views: Iterable[View], name: Name, new: str) -> None:
    """Raises UsageError where the new name is none, or is somebody else's."""
    pattern = IDENTIFIER if name.kind in ("tool", "agent") else _NAME
    if not pattern.fullmatch(new) or (name.kind in ("parameter", "label") and new in _WORDS):
        raise UsageError("cannot-rename", case="invalid", name=name.text, new=new)
    for view in views:
        taken = {
            "tool": lambda view=view: view.catalog.find(new) is not None,
            "agent": lambda view=view: view.catalog.find_agent(new) is not None,
            "parameter": lambda view=view: _parameter_is_taken(view, name, new),
            "label": lambda view=view: new in view.names.labels | view.outline.parameter_names,
        }
        if taken[name.kind]():
            raise UsageError("cannot-rename", case="taken", name=name.text, new=new)


def _parameter_is_taken(view: View, name: Name, new: str) -> bool:
    """In its own file as a parameter or label, in others as an argument that is given already."""
    entry = view.catalog.find(name.owner)
    if entry is not None and view.document.file == entry.file:
        return new in entry.parameters or new in view.names.labels
    called = (
        step for step in view.outline.steps if (found := view.catalog.find(step.tool)) is not None and found is entry
    )
    return any(step.parameters is not None and {name.text, new} <= step.parameters.entries.keys() for step in called)


def rename_in(view: View, name: Name, new: str) -> list[Edit]:
    """The edits of one file."""
    edits: dict[tuple[int, int], Edit] = {}
    for occurrence in view.occurrences:
        if occurrence.name == name:
            for edit in _edits(view, occurrence, new):
                edits[edit.span.line, edit.span.column] = edit
    if name.kind in ("tool", "agent"):
        for edit in _rename_implied_label(view, name, new):
            edits.setdefault((edit.span.line, edit.span.column), edit)
    return list(edits.values())


def _edits(view: View, occurrence: Occurrence, new: str) -> Iterator[Edit]:
    document, name, span = view.document, occurrence.name, occurrence.span
    written = document.text_at(span)
    if occurrence.form == "implied":
        yield from _write_out(view, occurrence, new)
    elif written != name.text:
        entry = view.catalog.find(name.text)
        # Whoever calls a tool by its name goes on doing so.
        if (
            name.kind not in ("tool", "agent")
            or entry is None
            or written.lower() not in (entry.name.lower(), entry.id.lower())
        ):
            raise UsageError("cannot-rename", case="written", name=name.text, file=document.file, line=span.line)
        if written.lower() == entry.id.lower() and written != entry.name:
            yield Edit(file=document.file, span=span, text=new)
    elif occurrence.form == "shorthand":
        yield Edit(file=document.file, span=span, text=f"{new}: {written}")
    elif occurrence.form == "script" and not _JAVASCRIPT_NAME.fullmatch(new):
        raise UsageError(
            "cannot-rename", case="javascript", name=name.text, new=new, file=document.file, line=span.line
        )
    else:
        yield Edit(file=document.file, span=span, text=new)


def _write_out(view: View, occurrence: Occurrence, new: str) -> Iterator[Edit]:
    """A name that follows from another gets a line of its own: an id beside the name, a label beside the tool."""
    document, span = view.document, occurrence.span
    if occurrence.name.kind != "label":
        if not document.line(span.line).startswith("name:"):
            raise UsageError(
                "cannot-rename", case="written", name=occurrence.name.text, file=document.file, line=span.line
            )
        yield _insert(document.file, span.end_line + 1, f"id: {new}\n")
        return
    step = next(each for each in view.outline.steps if each.tool_at is not None and each.tool_at.span.line == span.line)
    yield from _write_label(view, step, new)


def _write_label(view: View, step: Step, new: str) -> Iterator[Edit]:
    key = step.node.key("tool" if "tool" in step.node.entries else "name").span
    line = view.document.line(key.line)
    if line[: key.column - 1].strip(" -") or "{" in line[: key.column]:
        raise UsageError("cannot-rename", case="written", name=step.label, file=view.document.file, line=key.line)
    if view.document.text_at(key) == "name":
        yield Edit(file=view.document.file, span=key, text="tool")
    yield _insert(view.document.file, key.line + 1, f"{' ' * (key.column - 1)}name: {new}\n")


def _rename_implied_label(view: View, name: Name, new: str) -> Iterator[Edit]:
    """Steps without a label are called as their tool is: what refers to them changes with it."""
    steps = [each for each in view.outline.steps if each.label == name.text]
    if not steps or any(each.label_at is not None for each in steps):
        return
    label = view.names.label(name.text)
    if new in view.names.labels:
        raise UsageError("cannot-rename", case="taken", name=name.text, new=new)
    for occurrence in view.occurrences:
        if occurrence.name == label and occurrence.form != "implied":
            yield from _edits(view, occurrence, new)


def _insert(file: str, line: int, words: str) -> Edit:
    return Edit(file=file, span=Span(line=line, column=1, end_line=line, end_column=1), text=words)
