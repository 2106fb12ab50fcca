"""One file among the others at one moment: all that the answers about it are found from."""

from __future__ import annotations

from functools import cached_property

from paperagents.definitions.source import Excerpt
from paperagents.language.catalog import Catalog
from paperagents.language.document import Document, Position, covers
from paperagents.language.names import FileNames, Occurrence
from paperagents.language.outline import Outline, Script, Step
from paperagents.language.script_names import find_module_names, find_script_names
from paperagents.language.surroundings import Recordings, Surroundings
from paperagents.registry.entry import Entry

_BLOCKS = frozenset({"preprocess", "postprocess", "custom_function", "post_processing", "if"})


class View:
    """A document with what it names and what it can reach.

    ``readable`` is the same document, or an earlier one where this cannot be read just now.
    """

    def __init__(self, document: Document, readable: Document, catalog: Catalog, recordings: Recordings) -> None:
        self.document = document
        self.outline = Outline(readable)
        self.catalog = catalog
        self.surroundings = Surroundings(self.outline, catalog, recordings)

    @cached_property
    def own(self) -> Entry | None:
        """What the file defines."""
        return self.catalog.of_file(self.document.file)

    @cached_property
    def names(self) -> FileNames:
        """What the file names."""
        return FileNames(self.outline, self.catalog)

    @cached_property
    def occurrences(self) -> list[Occurrence]:
        """Every place where it names something, in the order of the file."""
        if self.document.is_script:
            found = [*find_module_names(self.names)]
        else:
            found = [*self.names.occurrences(), *find_script_names(self.names)]
        return sorted(found, key=lambda each: (each.span.line, each.span.column))

    def occurrence_at(self, at: Position) -> Occurrence | None:
        """What is named at a place; a step without a label of its own is first of all its tool."""
        found = [each for each in self.occurrences if covers(each.span, at)]
        return min(found, key=lambda each: each.form == "implied", default=None)

    def step_near(self, at: Position) -> Step | None:
        """The step around a place, else the last one before it."""
        before = [each for each in self.outline.steps if each.node.span.line <= at.line]
        return self.outline.step_at(at) or (before[-1] if before else None)

    def script_near(self, at: Position, block: str) -> Script | None:
        """A piece of JavaScript that may not be readable yet, by the block that it is."""
        if block not in _BLOCKS:
            return None
        step = self.step_near(at) if block in ("post_processing", "if") else None
        return Script(code=Excerpt(text=""), block=block, step=step)
