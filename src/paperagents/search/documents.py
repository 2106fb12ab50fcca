"""What the index knows about a note. With ``index_store`` and ``index_query`` the place that knows tantivy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

import tantivy

from paperagents.definitions.text import lossless_bytes
from paperagents.files.listing import ListedFile
from paperagents.search.matching import fold_values
from paperagents.search.notes import Note, fold, separate_words

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
    builder = tantivy.SchemaBuilder()
    for field in ("text", "path", "name", "headings"):
        builder.add_text_field(field, tokenizer_name=_WORDS, index_option="position")
    builder.add_text_field(KEYS, tokenizer_name=KEYS, index_option="basic")
    builder.add_integer_field("modified", fast=True)
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def register_tokenizers(index: tantivy.Index) -> None:
    """Cut texts at everything but letters and digits, and keys at blanks; folding them is done before."""
    index.register_tokenizer(_WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build())
    index.register_tokenizer(KEYS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())


def make_document(number: int, file: ListedFile, note: Note) -> tantivy.Document:
    """A note as it is put into the index."""
    made = tantivy.Document()
    path = separate_words(note.path)
    for part in (separate_words(note.text), path, separate_words("\n".join(note.tags))):
        made.add_text("text", part)
    made.add_text("path", path)
    made.add_text("name", separate_words(note.name))
    made.add_text("headings", separate_words("\n".join(note.headings)))
    made.add_text(KEYS, " ".join(collect_keys(number, note)))
    made.add_integer("modified", file.modified_ns)
    made.add_bytes("shown", _ENCODER.encode([note.path, note.tags, file.size]).encode())
    return made


def read_stored(stored: tantivy.Document) -> tuple[str, tuple[str, ...], int]:
    """Path, tags and size of a note that was found."""
    path, tags, size = json.loads(bytes(stored.get_first("shown") or b""))
    return path, tuple(tags), size


@lru_cache(maxsize=512)
def make_key(kind: str, *parts: str) -> str:
    """One word for what is so of a note. What cannot be written as one is stood for by its digest."""
    joined = "".join(parts)
    if len(joined) <= _LONGEST_KEY and joined.isprintable():
        return "\0".join((kind, *parts)).replace(" ", "\1")
    return f"{kind}\2{hashlib.sha256(lossless_bytes(repr(parts))).hexdigest()}"


def make_number_key(number: int) -> str:
    """The key of the note with this number."""
    return f"{_NUMBER}{number}"


def collect_keys(number: int, note: Note) -> Iterator[str]:
    """All keys of a note."""
    yield make_number_key(number)
    yield from make_folder_keys(note.path.rpartition("/")[0])
    for tag in map(fold, note.tags):
        yield make_key(TAG, tag)
        if "/" in tag:
            # A tag is found by those above it, too.
            yield from (make_key(TAG, tag[:place]) for place, character in enumerate(tag) if character == "/")
    for written, value in note.properties.items():
        name = fold(written)
        yield make_key(PROPERTY, name)
        yield from (make_key(PROPERTY, name, each) for each in fold_values(value))


@lru_cache(maxsize=64)
def make_folder_keys(folder: str) -> list[str]:
    """A folder and those it is in, from the vault down."""
    segments = folder.split("/") if folder else []
    return [make_key(FOLDER, "/".join(segments[:depth])) for depth in range(1, len(segments) + 1)]


# --- all words of an index in one text, so that those with a part in them are found at once


class Vocabulary:
    """The words of an index, a line each."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    @staticmethod
    def from_words(words: Iterable[str]) -> Vocabulary:
        """The vocabulary with these words."""
        return Vocabulary("\n".join(["", *words, ""]).encode())

    def find_containing(self, part: str) -> list[str]:
        """The words in which a part stands."""
        words, sought = self.content, part.encode()
        found: list[str] = []
        place = words.find(sought)
        while place >= 0:
            end = words.index(b"\n", place)
            found.append(words[words.rindex(b"\n", 0, place) + 1 : end].decode())
            place = words.find(sought, end)
        return found
