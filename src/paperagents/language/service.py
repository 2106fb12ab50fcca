"""Everything an editor can ask about the files of a vault. What stands in an editor goes before what is on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.source import Problem, Span
from paperagents.definitions.text import utf8
from paperagents.errors import PaperError
from paperagents.files.folder import VaultFolder
from paperagents.language.answers import Completions, Edit, Fix, Hint, Hover, Lens, Location, Symbol, Token
from paperagents.language.catalog import Catalog
from paperagents.language.completion import Completer
from paperagents.language.document import Document, Position, covers
from paperagents.language.fixes import find_fixes
from paperagents.language.hover import find_hover
from paperagents.language.names import Name, Occurrence
from paperagents.language.rename import home_of, rename_in, require_free, require_renamable
from paperagents.language.structure import find_hints, find_lenses, find_symbols, find_tokens
from paperagents.language.surroundings import NoRecordings, Recordings
from paperagents.language.view import View
from paperagents.registry.tool_registry import ToolRegistry


@dataclass(kw_only=True, slots=True)
class _Buffer:
    """A file that is open in an editor."""

    document: Document
    reading: FileReading
    is_read: bool
    """Whether that is what the document says; a keystroke is read when somebody asks what it means."""
    readable: Document
    """The newest state of it whose YAML could be read."""
    serving: FileReading
    """The newest state of it that other files can stand on."""


class LanguageService:
    """The answers about one vault. Not for several threads at once."""

    def __init__(self, registry: ToolRegistry, recordings: Recordings | None = None) -> None:
        self._registry = registry
        self._recordings = recordings or NoRecordings()
        self._buffers: dict[str, _Buffer] = {}
        self._catalog: Catalog | None = None

    # --- what stands in the editor

    def open(self, file: str, text: str) -> None:
        """A file is opened, or changed."""
        before = self._buffers.get(file)
        document = Document(file, text)
        nothing = FileReading(file=file)
        self._buffers[file] = _Buffer(
            document=document,
            reading=before.reading if before is not None else nothing,
            is_read=False,
            readable=document if document.is_readable or before is None else before.readable,
            serving=before.serving if before is not None else nothing,
        )
        if before is None:
            self._read_buffers()

    def close(self, file: str) -> None:
        """The file on disk counts again."""
        self._buffers.pop(file, None)
        self._catalog = None

    def files_changed(self) -> None:
        """Something on disk is no longer as it was."""
        self._catalog = None

    def lines(self, file: str) -> list[str]:
        """The lines of a file as they stand in the editor, else on disk."""
        buffer = self._buffers.get(file)
        return (buffer.document if buffer is not None else self._read(file)).lines

    def differs(self, file: str, on_disk: str) -> bool:
        """Whether the editor shows something else than this."""
        buffer = self._buffers.get(file)
        return buffer is not None and buffer.document.text != Document(file, on_disk).text

    @property
    def open_files(self) -> tuple[str, ...]:
        """The files that are open."""
        return tuple(self._buffers)

    # --- answers about one file

    def diagnostics(self, file: str) -> tuple[Problem, ...]:
        """Everything that ``paper check`` would say of the file as it stands in the editor."""
        self._read_buffers()
        unsaved = {name: each.serving for name, each in self._buffers.items()}
        if file in self._buffers:
            unsaved[file] = self._buffers[file].reading
        return self._registry.judge(file, unsaved)

    def preview(self, file: str) -> FileReading:
        """What a file that is open would be if it were saved, with everything that ``paper check`` would say."""
        problems = self.diagnostics(file)
        return replace(self._buffers[file].reading, problems=problems)

    def completions(self, file: str, at: Position) -> Completions:
        """What can stand at a place."""
        return Completer(self._view(file, at.line), at).completions()

    def hover(self, file: str, at: Position) -> Hover | None:
        """What there is to say about a place."""
        return find_hover(self._view(file), at)

    def symbols(self, file: str) -> list[Symbol]:
        """The parts of a file."""
        return find_symbols(self._view(file))

    def lenses(self, file: str) -> list[Lens]:
        """What can be done with the file's tool."""
        return list(find_lenses(self._view(file)))

    def tokens(self, file: str) -> list[Token]:
        """What the names in a file mean."""
        return find_tokens(self._view(file))

    def hints(self, file: str, first: int, last: int) -> list[Hint]:
        """The types of the references on some lines."""
        return list(find_hints(self._view(file), first, last))

    def fixes(self, file: str, span: Span) -> list[Fix]:
        """The repairs of the problems in a stretch of a file."""
        return self.fixes_of(file, [each for each in self.diagnostics(file) if _overlap(each.span, span)])

    def fixes_of(self, file: str, problems: Iterable[Problem]) -> list[Fix]:
        """The repairs of these problems of a file."""
        view = self._view(file)
        return [fix for problem in problems for fix in find_fixes(view, problem)]

    # --- answers across files

    def definition(self, file: str, at: Position) -> list[Location]:
        """Where what is named at a place is defined."""
        occurrence = self._view(file).occurrence_at(at)
        home = home_of(self._current_catalog(), occurrence.name) if occurrence is not None else None
        if occurrence is None or home is None:
            return []
        found = (each for each in self._view(home).occurrences if each.name == occurrence.name and each.is_definition)
        return [Location(file=each.file, span=each.span) for each in found]

    def references(self, file: str, at: Position, *, with_definition: bool = True) -> list[Location]:
        """Every place that names the same."""
        occurrence = self._view(file).occurrence_at(at)
        found = self._occurrences(occurrence.name) if occurrence is not None else ()
        chosen = {
            (each.file, each.span.line, each.span.column): Location(file=each.file, span=each.span)
            for each in found
            if with_definition or not each.is_definition
        }
        return list(chosen.values())

    def renamable(self, file: str, at: Position) -> tuple[Span, str] | None:
        """The stretch that a new name would replace, and the name now; None where nothing is named.

        Raises UsageError where it cannot be renamed.
        """
        view = self._view(file)
        occurrence = view.occurrence_at(at)
        if occurrence is None:
            return None
        require_renamable(view.catalog, occurrence.name)
        return occurrence.span, occurrence.name.text

    def rename(self, file: str, at: Position, new: str) -> list[Edit]:
        """The edits of all files that give a parameter, label or tool another name. Raises UsageError."""
        occurrence = self._view(file).occurrence_at(at)
        if occurrence is None:
            return []
        name = occurrence.name
        require_renamable(self._current_catalog(), name)
        if new == name.text:
            return []
        views = list(self._views(name))
        require_free(views, name, new)
        return [edit for view in views for edit in rename_in(view, name, new)]

    # --- views

    def _view(self, file: str, typing: int | None = None) -> View:
        """A file; ``typing`` is the line on which something is being typed, which need not make sense yet."""
        buffer = self._buffers.get(file)
        document = buffer.document if buffer is not None else self._read(file)
        readable = document
        if typing is None:
            self._read_buffers()
        elif not document.is_readable:
            readable = document.without_line(typing)
        if not readable.is_readable and buffer is not None:
            readable = buffer.readable
        return View(document, readable, self._current_catalog(), self._recordings)

    def _read_buffers(self) -> None:
        """Find out what the files in the editor are now."""
        for file, buffer in self._buffers.items():
            if not buffer.is_read:
                buffer.reading = self._registry.read(file, utf8(buffer.document.text))
                buffer.is_read = True
                if buffer.reading.definition is not None or not buffer.reading.problems:
                    buffer.serving = buffer.reading
                self._catalog = None

    def _read(self, file: str) -> Document:
        with VaultFolder(self._registry.root) as folder:
            try:
                return Document(file, folder.read_text(file).content)
            except PaperError:
                return Document(file, "")

    def _current_catalog(self) -> Catalog:
        if self._catalog is None:
            self._catalog = Catalog(self._registry, {name: each.serving for name, each in self._buffers.items()})
        return self._catalog

    def _occurrences(self, name: Name) -> Iterator[Occurrence]:
        for view in self._views(name):
            yield from (each for each in view.occurrences if each.name == name)

    def _views(self, name: Name) -> Iterator[View]:
        """The files that can name somebody: those in which the name stands at all."""
        if name.kind == "label":
            yield self._view(name.owner)
            return
        catalog = self._current_catalog()
        entry = catalog.find(name.owner if name.kind == "parameter" else name.text)
        words = {name.text.lower(), *([entry.name.lower()] if entry is not None else [])}
        for each in catalog.entries:
            if each.file is None:
                continue
            view = self._view(each.file)
            content = view.document.text.lower()
            if (entry is not None and each.file == entry.file) or any(word in content for word in words):
                yield view


def _overlap(one: Span, other: Span) -> bool:
    start, end = Position(line=other.line, column=other.column), Position(line=other.end_line, column=other.end_column)
    inside = (other.line, other.column) <= (one.line, one.column) <= (other.end_line, other.end_column)
    return inside or covers(one, start) or covers(one, end)
