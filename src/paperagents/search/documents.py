"""What the index knows about a note. With its neighbours in this package the one place that knows tantivy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from paperagents.definitions.text import lossless_bytes
from paperagents.files.listing import ListedFile
from paperagents.search.matching import folded_values
from paperagents.search.notes import Note, folded
from paperagents.search.words import words_text

if TYPE_CHECKING:
    import tantivy

KEYS = "keys"
TAG, PROPERTY, FOLDER, _NUMBER = "t", "p", "f", "n"
"""What a key says about a note."""
_WORDS = "words"
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LONGEST_KEY = 1000


@cache
def schema() -> tantivy.Schema:
    """The fields, as few as possible: each takes its time with every note.

    Positions let runs of Chinese characters and phrases be found exactly.
    """
    import tantivy  # noqa: PLC0415  loaded by the first search that needs the index

    builder = tantivy.SchemaBuilder()
    for field in ("text", "path", "name", "headings"):
        builder.add_text_field(field, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field(KEYS, tokenizer_name=KEYS, index_option="basic")
    builder.add_integer_field("modified", fast=True)
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def add_analysers(index: tantivy.Index) -> None:
    """Cut texts at everything but letters and digits, and keys at blanks; folding them is done before."""
    import tantivy  # noqa: PLC0415  as above

    index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build())
    index.register_tokenizer(KEYS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())


def document(number: int, file: ListedFile, note: Note) -> tantivy.Document:
    """A note as it is put into the index."""
    import tantivy  # noqa: PLC0415  as above

    made = tantivy.Document()
    path = words_text(note.path)
    for part in (words_text(note.text), path, words_text("\n".join(note.tags))):
        made.add_text("text", part)
    made.add_text("path", path)
    made.add_text("name", words_text(note.name))
    made.add_text("headings", words_text("\n".join(note.headings)))
    made.add_text(KEYS, " ".join(_keys(number, note)))
    made.add_integer("modified", file.modified_ns)
    made.add_bytes("shown", _ENCODER.encode([note.path, note.tags, file.size]).encode())
    return made


def read_stored(stored: tantivy.Document) -> tuple[str, tuple[str, ...], int]:
    """Path, tags and size of a note that was found."""
    path, tags, size = json.loads(bytes(stored.get_first("shown") or b""))
    return path, tuple(tags), size


@lru_cache(maxsize=512)
def key(kind: str, *parts: str) -> str:
    """One word for what is so of a note. What cannot be written as one is stood for by its digest."""
    joined = "".join(parts)
    if len(joined) <= _LONGEST_KEY and joined.isprintable():
        return "\0".join((kind, *parts)).replace(" ", "\1")
    return f"{kind}\2{hashlib.sha256(lossless_bytes(repr(parts))).hexdigest()}"


def number_key(number: int) -> str:
    """The key of the note with this number."""
    return f"{_NUMBER}{number}"


def _keys(number: int, note: Note) -> Iterator[str]:
    yield number_key(number)
    yield from _folder_keys(note.path.rpartition("/")[0])
    yield from _tag_keys(note)
    yield from _property_keys(note)


def _tag_keys(note: Note) -> Iterator[str]:
    """Each tag and those above it."""
    for tag in map(folded, note.tags):
        yield key(TAG, tag)
        for place, character in enumerate(tag if "/" in tag else ""):
            if character == "/":
                yield key(TAG, tag[:place])


def _property_keys(note: Note) -> Iterator[str]:
    for written, value in note.properties.items():
        name = folded(written)
        yield key(PROPERTY, name)
        yield from (key(PROPERTY, name, each) for each in folded_values(value))


@lru_cache(maxsize=64)
def _folder_keys(folder: str) -> list[str]:
    """A folder and those it is in, from the vault down."""
    segments = folder.split("/") if folder else []
    return [key(FOLDER, "/".join(segments[:depth])) for depth in range(1, len(segments) + 1)]


# --- all words of an index in one text, so that those with a part in them are found at once


class Vocabulary:
    """The words of an index, a line each."""

    def __init__(self, words: bytes) -> None:
        self._words = words

    @staticmethod
    def of(words: Iterable[str]) -> Vocabulary:
        """The vocabulary with these words."""
        return Vocabulary("\n".join(["", *words, ""]).encode())

    def stored(self) -> bytes:
        """What the vocabulary can be made from again."""
        return self._words

    def containing(self, part: str) -> list[str]:
        """The words in which a part stands."""
        words, sought = self._words, part.encode()
        found: list[str] = []
        place = words.find(sought)
        while place >= 0:
            end = words.index(b"\n", place)
            found.append(words[words.rindex(b"\n", 0, place) + 1 : end].decode())
            place = words.find(sought, end)
        return found
