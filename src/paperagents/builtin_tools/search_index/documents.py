"""What the index knows about a note. With its neighbours in this package the one place that knows tantivy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from paperagents.builtin_tools.file_listing import ListedFile
from paperagents.builtin_tools.notes import Note, folded
from paperagents.builtin_tools.search_matching import folded_values
from paperagents.builtin_tools.search_words import words_text

if TYPE_CHECKING:
    import tantivy

WORDS = "words"
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_LONGEST_KEY = 1000


@cache
def schema() -> tantivy.Schema:
    """The fields. Positions let runs of Chinese characters and phrases be found exactly."""
    import tantivy  # noqa: PLC0415  loaded by the first search that needs the index

    builder = tantivy.SchemaBuilder()
    for field in ("text", "path", "name", "headings"):
        builder.add_text_field(field, tokenizer_name=WORDS, index_option="position")
    for field in ("tags", "properties", "folders"):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    # The library deletes nothing by a number without a sign.
    builder.add_integer_field("number", indexed=True)
    builder.add_integer_field("modified", fast=True)
    builder.add_unsigned_field("size", fast=True)
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def add_analyser(index: tantivy.Index) -> None:
    """Cut texts at everything but letters and digits; folding them is done before."""
    import tantivy  # noqa: PLC0415  as above

    index.register_tokenizer(WORDS, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).build())


def document(number: int, file: ListedFile, note: Note) -> tantivy.Document:
    """A note as it is put into the index."""
    import tantivy  # noqa: PLC0415  as above

    made = tantivy.Document()
    made.add_text("text", words_text("\n".join([note.text, note.path, *note.tags])))
    made.add_text("path", words_text(note.path))
    made.add_text("name", words_text(note.name))
    made.add_text("headings", words_text("\n".join(note.headings)))
    for field, keys in (("tags", _tag_keys(note)), ("properties", _property_keys(note)), ("folders", _folders(note))):
        for key in keys:
            made.add_text(field, key)
    made.add_integer("number", number)
    made.add_integer("modified", file.modified_ns)
    made.add_unsigned("size", file.size)
    made.add_bytes("shown", _ENCODER.encode([note.path, note.tags]).encode())
    return made


def shown(stored: tantivy.Document) -> tuple[str, tuple[str, ...]]:
    """Path and tags of a note that was found."""
    path, tags = json.loads(bytes(stored.get_first("shown") or b""))
    return path, tuple(tags)


def key(*parts: str) -> str:
    """One word for several texts; very long ones are stood for by their digest."""
    joined = "\0".join(parts)
    return (
        joined if len(joined) <= _LONGEST_KEY else hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()
    )


def _tag_keys(note: Note) -> Iterator[str]:
    """Each tag and those above it."""
    for tag in map(folded, note.tags):
        yield key(tag)
        for place, character in enumerate(tag if "/" in tag else ""):
            if character == "/":
                yield key(tag[:place])


def _property_keys(note: Note) -> Iterator[str]:
    for written, value in note.properties.items():
        name = folded(written)
        yield key(name)
        yield from (key(name, each) for each in folded_values(value))


def _folders(note: Note) -> Iterator[str]:
    """The folders a note is in, from the vault down."""
    segments = note.path.split("/")[:-1]
    yield from (key("/".join(segments[:depth])) for depth in range(1, len(segments) + 1))
