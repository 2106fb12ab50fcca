"""Finds notes in an open index, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any

import tantivy
from tantivy import FieldType, Occur

from paperagents.files.listing import ListedFile
from paperagents.search.documents import (
    FOLDER,
    KEYS,
    PROPERTY,
    TAG,
    Vocabulary,
    make_key,
    make_number_key,
    read_stored,
    schema,
)
from paperagents.search.index_store import OpenIndex, translate_engine_errors
from paperagents.search.matching import Found, Order, collect_words
from paperagents.search.notes import LONGEST_SOUGHT, find_runs, fold, is_dense, make_pairs
from paperagents.search.query import (
    And,
    Everything,
    InFileName,
    InPath,
    Not,
    Or,
    Pattern,
    Property,
    Query,
    Tag,
    Text,
)
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True)
class IndexSearch:
    """One search in an index, which leaves some notes out and looks below one folder."""

    opened: OpenIndex
    query: Query
    folder: str
    left_out: tuple[int, ...]
    match: Callable[[ListedFile], Found | None]
    """Reads a file; gives it where it is one that is asked for."""

    def find(self, order: Order, limit: int) -> tuple[list[Found], int]:
        """The first notes in an order, and how many there are."""
        with translate_engine_errors():
            return self.find_or_fail(order, limit)

    def find_or_fail(self, order: Order, limit: int) -> tuple[list[Found], int]:
        """The same, with the engine's own errors."""
        translator = QueryTranslator(vocabulary=self.opened.vocabulary)
        translation = translator.translate(self.query)
        matching = self.narrow(translation.query)
        if not translation.exact:
            found = [each for hit in self.find_all(matching) if (each := self.match(hit.file)) is not None]
            return order.first(found, limit), len(found)
        counted: Any = self.opened.searcher.search(matching, 1)  # the library's own description knows no count
        count = int(counted.count)
        if limit <= 0 or not count:
            return [], count
        match order:
            case Order.NAME | Order.PATH:
                return order.first(list(self.find_all(matching)), limit), count
            case Order.MODIFIED:
                return order.first(list(self.find_newest(matching, limit, 0)), limit), count
        return order.first(list(self.find_best(matching, translator.levels(self.query), limit)), limit), count

    def narrow(self, query: tantivy.Query) -> tantivy.Query:
        """Only below the folder, and without the notes to leave out."""
        below = [term(KEYS, make_key(FOLDER, self.folder))] if self.folder else []
        out = (
            [tantivy.Query.term_set_query(schema(), KEYS, [*map(make_number_key, self.left_out)])]
            if self.left_out
            else []
        )
        return all_of([query, *below], out)

    def find_best(self, matching: tantivy.Query, levels: list[tantivy.Query], limit: int) -> Iterator[Found]:
        """Level by level until there are enough; a note counts at the first level it is found on."""
        seen: set[str] = set()
        for level, narrowing in enumerate([*levels, None]):
            query = matching if narrowing is None else all_of([matching, narrowing])
            for found in self.find_newest(query, limit + len(seen), level):
                if found.path not in seen:
                    seen.add(found.path)
                    yield found
            if len(seen) >= limit:
                return

    def find_newest(self, query: tantivy.Query, limit: int, level: int) -> Iterator[Found]:
        """At least so many of the newest, with all that are as old as the last of them."""
        hits = self.opened.searcher.search(query, limit + 1, count=False, order_by_field="modified").hits
        if len(hits) > limit and hits[limit][0] == hits[limit - 1][0]:
            same = hits[limit][0]
            of_that_time = tantivy.Query.range_query(schema(), "modified", FieldType.Integer, same, same)
            older = self.find_addresses(all_of([query, of_that_time]))
            hits = [*(hit for hit in hits if hit[0] != same), *((same, address) for address in older)]
        return self.load([address for _, address in hits], level)

    def find_all(self, query: tantivy.Query) -> Iterator[Found]:
        """Every note, in no order."""
        return self.load(self.find_addresses(query), 0)

    def find_addresses(self, query: tantivy.Query) -> list[tantivy.DocAddress]:
        """Where in the index the notes are."""
        searcher = self.opened.searcher
        return [address for _, address in searcher.search(query, max(searcher.num_docs, 1), count=False).hits]

    def load(self, addresses: list[tantivy.DocAddress], level: int) -> Iterator[Found]:
        """The notes at these addresses."""
        searcher = self.opened.searcher
        times = searcher.fast_field_values("modified", addresses)
        for address, modified in zip(addresses, times, strict=True):
            path, tags, size = read_stored(searcher.doc(address))
            file = ListedFile(path=path, size=size, modified_ns=int(modified or 0))
            yield Found(level=level, file=file, tags=tags)


# --- a query in the terms of the index


_MOST_PHRASES = 1000
_MOST_WORDS = 16
"""Of a long phrase so many words narrow enough down; following thousands from place to place takes minutes."""
_FEW_TERMS = 64
"""So many words are asked for one by one, which is quicker; more of them as a set."""
# Between the words nothing but what surely ends one, whichever version of Unicode is asked.
_IN_WORDS = re.compile(r"[^\W_]+(?:[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+[^\W_]+)+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Translation:
    """What to ask the index; where it is not exact, the index gives some notes too many and none too few."""

    query: tantivy.Query
    exact: bool = True


@dataclass(frozen=True, kw_only=True)
class QueryTranslator:
    """Translates queries for an index with this vocabulary."""

    vocabulary: Vocabulary
    _found_words: dict[str, list[str]] = field(default_factory=dict)

    def levels(self, query: Query) -> list[tantivy.Query]:
        """The notes that come first, best ones first, as ``rank_note`` has them; those of no level come last."""
        words = collect_words(query)
        if not words:
            return []
        parts = {field: [self.find_part(field, word) for word in words] for field in ("name", "headings")}
        whole = {field: [self.find_word(field, word) for word in words] for field in ("name", "headings", "text")}
        best = [[all_of(whole[field]), all_of(parts[field]), any_of(parts[field])] for field in ("name", "headings")]
        return [*best[0], *best[1], all_of(whole["text"])]

    def translate(self, query: Query) -> Translation:  # noqa: C901, PLR0911  one answer per kind of term
        """All notes that match, perhaps with others."""
        match query:
            case Everything():
                return Translation(query=tantivy.Query.all_query())
            case Text(text=text):
                return self.find_in_field("text", fold(text))
            case InFileName(text=text):
                return self.find_in_field("name", fold(text))
            case InPath(text=text):
                return self.find_in_field("path", fold(text.lstrip("/")))
            case Tag(name=name):
                return Translation(query=term(KEYS, make_key(TAG, fold(name))))
            case Property(name=name, value=value):
                parts = (fold(name),) if value is None else (fold(name), fold(value).strip())
                return Translation(query=term(KEYS, make_key(PROPERTY, *parts)))
            case Pattern():
                return Translation(query=tantivy.Query.all_query(), exact=False)
            case Not(operand=operand):
                return negate(self.translate(operand))
            case And(operands=operands):
                return join_translations(all_of, [self.translate(operand) for operand in operands])
            case Or(operands=operands):
                return join_translations(any_of, [self.translate(operand) for operand in operands])

    def find_in_field(self, field: str, text: str) -> Translation:
        """The notes with a text in a field."""
        parts = find_runs(text)
        if not parts:
            return Translation(query=tantivy.Query.all_query(), exact=not text)
        if parts == [text]:
            return Translation(query=self.find_part(field, text), exact=text == shorten(text))
        phrases = self.find_phrases(field, text, parts)
        few = dict.fromkeys(parts[:_MOST_WORDS])
        return Translation(query=phrases or all_of([self.find_part(field, part) for part in few]), exact=False)

    def find_phrases(self, field: str, text: str, parts: list[str]) -> tantivy.Query | None:
        """The notes in which these words follow each other: the first may begin earlier, the last end later.

        None where that cannot be said, or would be too many questions.
        """
        if len(parts) < 2 or not _IN_WORDS.fullmatch(text) or any(map(is_dense, parts)):
            return None
        if len(parts) > _MOST_WORDS or any(len(part) > LONGEST_SOUGHT for part in parts):
            return None
        first = [word for word in self.words_containing(parts[0]) if word.endswith(parts[0])]
        last = [word for word in self.words_containing(parts[-1]) if word.startswith(parts[-1])]
        if len(first) * len(last) > _MOST_PHRASES:
            return None
        phrases = ([one, *parts[1:-1], other] for one in first for other in last)
        return any_of([tantivy.Query.phrase_query(schema(), field, list(phrase)) for phrase in phrases])

    def find_part(self, field: str, part: str) -> tantivy.Query:
        """The notes with a word that has this part in it."""
        part = shorten(part)
        if not is_dense(part) or len(part) == 1:
            return any_term(field, self.words_containing(part))
        words = make_pairs(part)
        return term(field, part) if len(words) == 1 else tantivy.Query.phrase_query(schema(), field, list(words))

    def find_word(self, field: str, word: str) -> tantivy.Query:
        """The notes with this word, not as a part of a longer one."""
        return self.find_part(field, word) if is_dense(word) else term(field, word)

    def words_containing(self, part: str) -> list[str]:
        """The words of the index in which a part stands; looked up once."""
        if part not in self._found_words:
            self._found_words[part] = self.vocabulary.find_containing(part)
        return self._found_words[part]


def shorten(part: str) -> str:
    """As much of the beginning of a word as is looked up."""
    return part[: _MOST_WORDS + 1] if is_dense(part) else part[:LONGEST_SOUGHT]


def all_of(queries: Sequence[tantivy.Query], but: Sequence[tantivy.Query] = ()) -> tantivy.Query:
    """What all of these find, and none of the others."""
    if len(queries) == 1 and not but:
        return queries[0]
    found = [(Occur.Must, query) for query in queries or [tantivy.Query.all_query()]]
    return tantivy.Query.boolean_query([*found, *((Occur.MustNot, query) for query in but)])


def any_of(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """What one of these finds."""
    if not queries:
        return tantivy.Query.empty_query()
    return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(Occur.Should, each) for each in queries])


def join_translations(
    combine: Callable[[list[tantivy.Query]], tantivy.Query], translations: list[Translation]
) -> Translation:
    """Several translations as one, exact where all of them are."""
    return Translation(
        query=combine([each.query for each in translations]), exact=all(each.exact for each in translations)
    )


def negate(answer: Translation) -> Translation:
    """Of an answer with some notes too many, the others would be some too few: then it could be any note."""
    everything = tantivy.Query.all_query()
    return (
        Translation(query=all_of([everything], [answer.query]))
        if answer.exact
        else Translation(query=everything, exact=False)
    )


def term(field: str, word: str) -> tantivy.Query:
    """What has this word in a field."""
    return tantivy.Query.term_query(schema(), field, word, "basic")


def any_term(field: str, words: list[str]) -> tantivy.Query:
    """What has one of these words in a field."""
    if len(words) > _FEW_TERMS:
        return tantivy.Query.term_set_query(schema(), field, words)
    return any_of([term(field, word) for word in words])
