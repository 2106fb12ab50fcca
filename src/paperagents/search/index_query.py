"""Finds notes in an open index, in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import tantivy
from tantivy import FieldType, Occur

from paperagents.files.listing import ListedFile
from paperagents.search.documents import FOLDER, KEYS, PROPERTY, TAG, Vocabulary, key, number_key, read_stored, schema
from paperagents.search.index_store import OpenIndex, told_as_damage
from paperagents.search.matching import Found, Order, wanted_words
from paperagents.search.notes import folded
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
from paperagents.search.words import LONGEST_SOUGHT, is_dense, pairs, runs

Look = Callable[[ListedFile], Found | None]
"""Reads a note and says whether it is one that is asked for."""


@dataclass(frozen=True, kw_only=True)
class IndexSearch:
    """One search in an index, which leaves some notes out and looks below one folder."""

    opened: OpenIndex
    query: Query
    folder: str
    left_out: tuple[int, ...]
    look: Look

    def find(self, order: Order, limit: int) -> tuple[list[Found], int]:
        """The first notes in an order, and how many there are."""
        with told_as_damage():
            return self._find(order, limit)

    def _find(self, order: Order, limit: int) -> tuple[list[Found], int]:
        question = Question(query=self.query, vocabulary=self.opened.vocabulary)
        matching = self._narrowed(question.answer.query)
        if not question.answer.exact:
            found = [each for hit in self._all(matching) if (each := self.look(hit.file)) is not None]
            return order.first(found, limit), len(found)
        count = _count(self.opened.searcher.search(matching, 1))
        if limit <= 0 or not count:
            return [], count
        match order:
            case Order.PATH:
                return order.first(list(self._all(matching)), limit), count
            case Order.MODIFIED:
                return order.first(list(self._newest(matching, limit, 0)), limit), count
        return order.first(list(self._best(matching, question.levels, limit)), limit), count

    def _narrowed(self, query: tantivy.Query) -> tantivy.Query:
        below = [term(KEYS, key(FOLDER, self.folder))] if self.folder else []
        out = [tantivy.Query.term_set_query(schema(), KEYS, [*map(number_key, self.left_out)])] if self.left_out else []
        return all_of([query, *below], out)

    def _best(self, matching: tantivy.Query, levels: list[tantivy.Query], limit: int) -> Iterator[Found]:
        """Level by level until there are enough; a note counts at the first level it is found on."""
        seen: set[str] = set()
        for level, narrowing in enumerate([*levels, None]):
            query = matching if narrowing is None else all_of([matching, narrowing])
            for found in self._newest(query, limit + len(seen), level):
                if found.path not in seen:
                    seen.add(found.path)
                    yield found
            if len(seen) >= limit:
                return

    def _newest(self, query: tantivy.Query, limit: int, level: int) -> Iterator[Found]:
        """At least so many of the newest, with all that are as old as the last of them."""
        hits = self.opened.searcher.search(query, limit + 1, count=False, order_by_field="modified").hits
        if len(hits) > limit and hits[limit][0] == hits[limit - 1][0]:
            same = hits[limit][0]
            of_that_time = tantivy.Query.range_query(schema(), "modified", FieldType.Integer, same, same)
            older = self._addresses(all_of([query, of_that_time]))
            hits = [*(hit for hit in hits if hit[0] != same), *((same, address) for address in older)]
        return self._found([address for _, address in hits], level)

    def _all(self, query: tantivy.Query) -> Iterator[Found]:
        return self._found(self._addresses(query), 0)

    def _addresses(self, query: tantivy.Query) -> list[tantivy.DocAddress]:
        searcher = self.opened.searcher
        return [address for _, address in searcher.search(query, max(searcher.num_docs, 1), count=False).hits]

    def _found(self, addresses: list[tantivy.DocAddress], level: int) -> Iterator[Found]:
        searcher = self.opened.searcher
        times = searcher.fast_field_values("modified", addresses)
        for address, modified in zip(addresses, times, strict=True):
            path, tags, size = read_stored(searcher.doc(address))
            file = ListedFile(path=path, size=size, modified_ns=int(modified or 0))
            yield Found(level=level, file=file, tags=tags)


def _count(result: tantivy.SearchResult) -> int:
    counted: Any = result  # the library's own description does not mention the count
    return int(counted.count)


# --- a query as a question to the index


_MOST_PHRASES = 1000
_MOST_WORDS = 16
"""Of a long phrase so many words narrow enough down; following thousands from place to place takes minutes."""
_FEW_TERMS = 64
"""So many words are asked for one by one, which is quicker; more of them as a set."""
# Between the words nothing but what surely ends one, whichever version of Unicode is asked.
_IN_WORDS = re.compile(r"[^\W_]+(?:[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+[^\W_]+)+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What to ask the index; where it is not exact, the index gives some notes too many and none too few."""

    query: tantivy.Query
    exact: bool = True


@dataclass(frozen=True, kw_only=True)
class Question:
    """A query for an index with this vocabulary."""

    query: Query
    vocabulary: Vocabulary

    @cached_property
    def answer(self) -> Answer:
        """All notes that match, perhaps with others."""
        return self._answer(self.query)

    @cached_property
    def levels(self) -> list[tantivy.Query]:
        """The notes that come first, best ones first, as ``level`` has them; those of no level come last."""
        words = wanted_words(self.query)
        if not words:
            return []
        parts = {field: [self._having(field, word) for word in words] for field in ("name", "headings")}
        whole = {field: [self._whole(field, word) for word in words] for field in ("name", "headings", "text")}
        best = [[all_of(whole[field]), all_of(parts[field]), any_of(parts[field])] for field in ("name", "headings")]
        return [*best[0], *best[1], all_of(whole["text"])]

    def _answer(self, query: Query) -> Answer:  # noqa: C901, PLR0911  one answer per kind of term
        match query:
            case Everything():
                return Answer(query=tantivy.Query.all_query())
            case Text(text=text):
                return self._in_field("text", folded(text))
            case InFileName(text=text):
                return self._in_field("name", folded(text))
            case InPath(text=text):
                return self._in_field("path", folded(text.lstrip("/")))
            case Tag(name=name):
                return Answer(query=term(KEYS, key(TAG, folded(name))))
            case Property(name=name, value=value):
                parts = (folded(name),) if value is None else (folded(name), folded(value).strip())
                return Answer(query=term(KEYS, key(PROPERTY, *parts)))
            case Pattern():
                return Answer(query=tantivy.Query.all_query(), exact=False)
            case Not(operand=operand):
                return _not(self._answer(operand))
            case And(operands=operands):
                return _joined(all_of, [self._answer(operand) for operand in operands])
            case Or(operands=operands):
                return _joined(any_of, [self._answer(operand) for operand in operands])

    def _in_field(self, field: str, text: str) -> Answer:
        parts = runs(text)
        if not parts:
            return Answer(query=tantivy.Query.all_query(), exact=not text)
        if parts == [text]:
            return Answer(query=self._having(field, text), exact=text == _sought(text))
        phrases = self._phrases(field, text, parts)
        few = dict.fromkeys(parts[:_MOST_WORDS])
        return Answer(query=phrases or all_of([self._having(field, part) for part in few]), exact=False)

    def _phrases(self, field: str, text: str, parts: list[str]) -> tantivy.Query | None:
        """The notes in which these words follow each other: the first may begin earlier, the last end later.

        None where that cannot be said, or would be too many questions.
        """
        if len(parts) < 2 or not _IN_WORDS.fullmatch(text) or any(map(is_dense, parts)):
            return None
        if len(parts) > _MOST_WORDS or any(len(part) > LONGEST_SOUGHT for part in parts):
            return None
        first = [word for word in self._containing(parts[0]) if word.endswith(parts[0])]
        last = [word for word in self._containing(parts[-1]) if word.startswith(parts[-1])]
        if len(first) * len(last) > _MOST_PHRASES:
            return None
        phrases = ([one, *parts[1:-1], other] for one in first for other in last)
        return any_of([tantivy.Query.phrase_query(schema(), field, list(phrase)) for phrase in phrases])

    def _having(self, field: str, part: str) -> tantivy.Query:
        """The notes with a word that has this part in it."""
        part = _sought(part)
        if not is_dense(part) or len(part) == 1:
            return _any_term(field, self._containing(part))
        words = pairs(part)
        return term(field, part) if len(words) == 1 else tantivy.Query.phrase_query(schema(), field, list(words))

    def _whole(self, field: str, word: str) -> tantivy.Query:
        """The notes with this word, not as a part of a longer one."""
        return self._having(field, word) if is_dense(word) else term(field, word)

    def _containing(self, part: str) -> list[str]:
        if part not in self._looked_up:
            self._looked_up[part] = self.vocabulary.containing(part)
        return self._looked_up[part]

    @cached_property
    def _looked_up(self) -> dict[str, list[str]]:
        return {}


def _sought(part: str) -> str:
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


def _joined(join: Callable[[list[tantivy.Query]], tantivy.Query], answers: list[Answer]) -> Answer:
    return Answer(query=join([each.query for each in answers]), exact=all(each.exact for each in answers))


def _not(answer: Answer) -> Answer:
    """Of an answer with some notes too many, the others would be some too few: then it could be any note."""
    everything = tantivy.Query.all_query()
    return Answer(query=all_of([everything], [answer.query])) if answer.exact else Answer(query=everything, exact=False)


def term(field: str, word: str) -> tantivy.Query:
    """What has this word in a field."""
    return tantivy.Query.term_query(schema(), field, word, "basic")


def _any_term(field: str, words: list[str]) -> tantivy.Query:
    if len(words) > _FEW_TERMS:
        return tantivy.Query.term_set_query(schema(), field, words)
    return any_of([term(field, word) for word in words])
