"""Finds notes in an open index, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import tantivy
from tantivy import FieldType

from paperagents.builtin_tools.file_listing import ListedFile
from paperagents.builtin_tools.search_found import Found, Order
from paperagents.builtin_tools.search_index.damage import told_as_damage
from paperagents.builtin_tools.search_index.documents import FOLDER, KEYS, key, number_key, schema, shown
from paperagents.builtin_tools.search_index.index_store import OpenIndex
from paperagents.builtin_tools.search_index.questions import Question, all_of, term
from paperagents.builtin_tools.search_query import Query

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
            path, tags, size = shown(searcher.doc(address))
            file = ListedFile(path=path, size=size, modified_ns=int(modified or 0))
            yield Found(level=level, file=file, tags=tags)


def _count(result: tantivy.SearchResult) -> int:
    counted: Any = result  # the library's own description does not mention the count
    return int(counted.count)
