"""Puts entries of the data vault where a text refers to them: ``{{<vaultref id="x" />}}``.

An entry is inserted as it is. Its own references are resolved in turn, down to the depth limit; nothing
else in it is looked at. References count wherever they stand, in code too: they are how an entry
gets into code. What cannot be resolved stays as it is written; only a missing entry leaves a remark.

The functions here with ``resolve`` and ``expand`` insert, ``analyze`` and ``validate`` only look, and
``replace`` puts in what the caller gives.

``lookup`` names where entries are: ``vault.vault_content`` of an open vault, or a mapping. Without it, the one of
``in_vault_lookup`` counts, and without that every entry is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from paperagents.definitions.text import compile_regex
from paperagents.errors import ToolError
from paperagents.messages import text as sentence
from paperagents.tags.grammar import ATTRIBUTE, BLANKS, parse_attributes
from paperagents.tags.operation import SourceText

MAX_DEPTH = 3
MAX_INSERTED = 16_000_000
"""How many characters may be inserted in all: entries that repeat each other would grow without end."""
MAX_INSERTIONS = 1_000_000
"""How many references may be resolved in all: entries without text cost time too."""

OnMissing: TypeAlias = Callable[[str], str | None]
OnError: TypeAlias = Callable[[dict[str, Any]], str | None]


def resolve_vault_references(  # noqa: PLR0913  the options are those of the documented function
    text: str,
    *,
    throw_on_missing: bool = False,
    max_depth: int = MAX_DEPTH,
    on_missing: OnMissing | None = None,
    on_error: OnError | None = None,
    lookup: Lookup | None = None,
) -> dict[str, Any]:
    """The text with its entries, and what was found on the way.

    ``on_missing(id)`` and ``on_error(error)`` may give the text to put in the place of a reference.
    """
    resolution = _Resolution(reader_of(lookup), max_depth, throw_on_missing, on_missing, on_error)
    resolved = resolution.resolve(text)
    return {
        "original_text": text,
        "resolved_text": resolved,
        "references": list(resolution.references),
        "missing": list(resolution.missing),
        "errors": resolution.errors,
        "depth": resolution.depth,
        "fully_resolved": not resolution.missing and not resolution.errors,
    }


def resolve_vault_references_simple(text: str, *, lookup: Lookup | None = None) -> str:
    """The text with its entries, and nothing else."""
    return str(resolve_vault_references(text, lookup=lookup)["resolved_text"])


def expand_vault_references(code: str, *, max_depth: int = MAX_DEPTH, lookup: Lookup | None = None) -> dict[str, Any]:
    """Code with its entries, for execution. A missing entry is an error here."""
    result = resolve_vault_references(code, max_depth=max_depth, lookup=lookup)
    errors = all_errors(result)
    return {
        "original_code": code,
        "resolved_code": result["resolved_text"],
        "vault_refs": result["references"],
        "errors": errors,
        "has_errors": bool(errors),
    }


def analyze_vault_references(text: str, *, lookup: Lookup | None = None) -> dict[str, Any]:
    """The references that a text itself makes: ``{has_references, count, references, found, missing, occurrences}``."""
    source, read = SourceText(text), reader_of(lookup)
    occurrences: list[dict[str, Any]] = []
    for match in REFERENCE.finditer(text):
        line, column = source.position(match.start())
        place = {"start": match.start(), "end": match.end(), "line": line, "column": column}
        occurrences.append({"id": identifier_of(match), "raw": match[0], **place})
    references = list(dict.fromkeys(item["id"] for item in occurrences if item["id"]))
    found = [identifier for identifier in references if read(identifier) is not None]
    return {
        "has_references": bool(occurrences),
        "count": len(occurrences),
        "references": references,
        "found": found,
        "missing": [identifier for identifier in references if identifier not in set(found)],
        "occurrences": occurrences,
    }


def validate_vault_references(text: str, *, max_depth: int = MAX_DEPTH, lookup: Lookup | None = None) -> dict[str, Any]:
    """Whether every reference can be resolved, those inside entries too: ``{valid, errors, references, missing}``."""
    result = resolve_vault_references(text, max_depth=max_depth, lookup=lookup)
    errors = all_errors(result)
    return {"valid": not errors, "errors": errors, "references": result["references"], "missing": result["missing"]}


def all_errors(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The errors of a resolution, and one for each missing entry."""
    missing = [make_error("vault-reference-missing", identifier) for identifier in result["missing"]]
    return [*missing, *result["errors"]]


def make_error(code: str, identifier: str, **values: object) -> dict[str, Any]:
    """``{code, id, message}``."""
    return {"code": code, "id": identifier, "message": sentence(code, id=identifier, **values)}


def replace_vault_references(text: str, replacement: Callable[[str], str | None] | Mapping[str, str]) -> str:
    """The text with each reference replaced by what is given for its id; without one it stays."""
    give = replacement if callable(replacement) else replacement.get

    def put(match: re.Match[str]) -> str:
        identifier = identifier_of(match)
        given = give(identifier) if identifier else None
        return match[0] if given is None else str(given)

    return REFERENCE.sub(put, text)


class _OpenEntry(NamedTuple):
    """An entry whose own references are still to be resolved."""

    identifier: str
    content: str


class _Resolution:
    """One text on its way to being resolved, and what was found so far."""

    def __init__(
        self,
        read: Callable[[str], str | None],
        max_depth: int,
        throw_on_missing: bool,  # noqa: FBT001  an option of the documented function
        on_missing: OnMissing | None,
        on_error: OnError | None,
    ) -> None:
        self.read = cache(read)
        self.graph = ReferenceGraph(read)
        self.max_depth = max_depth
        self.throw_on_missing = throw_on_missing
        self.on_missing = on_missing
        self.on_error = on_error
        self.path: dict[str, None] = {}
        """The entries that the text at hand stands in, the outermost first."""
        self.references: dict[str, None] = {}
        self.missing: dict[str, None] = {}
        self.errors: list[dict[str, Any]] = []
        self.depth = self.inserted = self.insertions = 0

    def resolve(self, text: str) -> str:
        """The text with its references resolved, and those of the entries they bring."""
        pieces: list[str] = []
        texts = [self.split(text)]
        # Without recursion: the depth is the caller's to choose, Python's stack is not.
        while texts:
            part = next(texts[-1], None)
            if isinstance(part, _OpenEntry):
                self.path[part.identifier] = None
                texts.append(self.split(part.content))
            elif part is not None:
                pieces.append(part)
            else:
                texts.pop()
                if self.path:
                    self.path.popitem()
        return "".join(pieces)

    def split(self, text: str) -> Iterator[str | _OpenEntry]:
        position = 0
        for match in REFERENCE_OR_UNCLOSED.finditer(text):
            yield text[position : match.start()]
            yield self.content_for(match) if match["slash"] else self.fail(match, "vault-reference-unclosed")
            position = match.end()
        yield text[position:]

    def content_for(self, match: re.Match[str]) -> str | _OpenEntry:
        identifier = identifier_of(match)
        if not identifier:
            return self.fail(match, "vault-reference-without-id")
        self.references[identifier] = None
        names, circle = list(self.path), None
        if identifier in self.path:
            circle = (*names[names.index(identifier) :], identifier)
        elif len(names) >= self.max_depth:
            circle = self.graph.circle_from(identifier)
        if circle:
            shown = circle if len(circle) <= 20 else (*circle[:10], "…", *circle[-9:])
            return self.fail(match, "vault-reference-cycle", path=" → ".join(shown))
        if len(names) >= self.max_depth:
            return self.fail(match, "vault-reference-too-deep", limit=self.max_depth)
        return self.entry_for(match, identifier)

    def entry_for(self, match: re.Match[str], identifier: str) -> str | _OpenEntry:
        self.depth = max(self.depth, len(self.path) + 1)
        if self.is_too_large():
            return self.fail(match, "vault-reference-too-large", limit=MAX_INSERTED)
        try:
            content = self.read(identifier)
        except Exception as error:
            return self.fail(match, "vault-reference-failed", reason=str(error))
        if content is None:
            return self.remark_for(identifier)
        self.insertions += 1
        self.inserted += len(content)
        if self.is_too_large():
            return self.fail(match, "vault-reference-too-large", limit=MAX_INSERTED)
        return _OpenEntry(identifier, content) if "{{<" in content else content

    def is_too_large(self) -> bool:
        return self.inserted > MAX_INSERTED or self.insertions > MAX_INSERTIONS

    def remark_for(self, identifier: str) -> str:
        if self.throw_on_missing:
            raise ToolError("vault-reference-missing", id=identifier)
        self.missing[identifier] = None
        given = self.on_missing(identifier) if self.on_missing else None
        # An id must not be able to end the comment that it stands in.
        return f"/* [MISSING_VAULT:{identifier.replace('*/', '* /')}] */" if given is None else str(given)

    def fail(self, match: re.Match[str], code: str, **values: object) -> str:
        error = make_error(code, identifier_of(match), **values)
        # The same error comes again and again where many references lead to one entry; once is enough.
        if error not in self.errors[-MOST_COMPARED:]:
            self.errors.append(error)
        given = self.on_error(error) if self.on_error else None
        return match[0] if given is None else str(given)


# --- which entry refers to which


MOST_COMPARED = 20
MOST_ENTRIES = 100_000
"""How many entries are looked at in all to find a circle."""

_REFERENCE = rf"\{{\{{<{BLANKS}vaultref(?P<attributes>(?:{ATTRIBUTE})*+)[\s,]*+(?P<slash>/){BLANKS}>\}}\}}"
REFERENCE = compile_regex(_REFERENCE, re.IGNORECASE | re.DOTALL)
REFERENCE_OR_UNCLOSED = compile_regex(_REFERENCE.replace("(?P<slash>/)", "(?P<slash>/?+)"), re.IGNORECASE | re.DOTALL)
"""Also one whose slash was forgotten: it stays as it is, and is told."""


def identifier_of(match: re.Match[str]) -> str:
    """The entry that a reference names, or nothing."""
    attributes = {key.lower(): value for key, value in parse_attributes(match["attributes"]).items()}
    value = attributes.get("id", attributes.get("identifier", ""))
    return value.strip() if isinstance(value, str) else ""


class ReferenceGraph:
    """Follows references from entry to entry; each entry is read once, whoever asks."""

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._read = read
        self._circles: dict[str, tuple[str, ...] | None] = {}

    def circle_from(self, identifier: str) -> tuple[str, ...] | None:
        """A circle that one gets into from this entry, first and last name the same, or None."""
        if identifier not in self._circles:
            self._walk(identifier)
        return self._circles[identifier]

    def _walk(self, start: str) -> None:
        path: dict[str, Iterator[str]] = {start: self._links(start)}
        while path:
            current = next(reversed(path))
            following = next((name for name in path[current] if self._circles.get(name, ()) is not None), None)
            if following is None:
                self._circles[current] = None
                del path[current]
            elif following in path or following in self._circles:
                self._remember_circle(path, following)
                return
            else:
                path[following] = self._links(following)

    def _remember_circle(self, path: dict[str, Iterator[str]], closing: str) -> None:
        names = tuple(path)
        known = self._circles.get(closing)
        circle = known or (*names[names.index(closing) :], closing)
        self._circles.update(dict.fromkeys(names, circle))

    def _links(self, identifier: str) -> Iterator[str]:
        # Where there are too many entries to look at, the depth limit still ends what goes round.
        if len(self._circles) > MOST_ENTRIES:
            return iter(())
        try:
            content = self._read(identifier) or ""
        except Exception:
            return iter(())
        return (name for match in REFERENCE.finditer(content) if (name := identifier_of(match)))


# --- where entries are read


Lookup: TypeAlias = Callable[[str], str | None] | Mapping[str, str]
"""Gives the content of an entry by its identifier, or None where there is none."""

_chosen: ContextVar[Lookup | None] = ContextVar("vault_lookup", default=None)


@contextmanager
def in_vault_lookup(lookup: Lookup) -> Iterator[None]:
    """Calls without a ``lookup`` read from here inside this block, in this thread and task only."""
    token = _chosen.set(lookup)
    try:
        yield
    finally:
        _chosen.reset(token)


def reader_of(lookup: Lookup | None) -> Callable[[str], str | None]:
    """The function that reads an entry: the given one, else that of the block, else one that has nothing."""
    chosen = lookup if lookup is not None else _chosen.get()
    return chosen if callable(chosen) else (chosen or {}).get
