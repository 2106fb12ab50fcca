"""The tags that are known: the built-in ones, and those that a vault or a program adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from paperagents.definitions.tag import RawContent, TagCategory, TagDefinition
from paperagents.errors import UsageError
from paperagents.reading.tag_definition import read_definition
from paperagents.tags.builtin import BUILTIN_TAGS

RAW_SIGNS = {RawContent.ALWAYS: "", RawContent.WHEN_CODE: "code"}


class TagRegistry:
    """Tag definitions by id and by the words they are written with. Each vault has one of its own."""

    def __init__(self, definitions: Iterable[TagDefinition | Mapping[str, Any]] = BUILTIN_TAGS) -> None:
        self._by_id: dict[str, TagDefinition] = {}
        self._by_word: dict[str, TagDefinition] = {}
        self.heads: dict[str, dict[str, str]] = {}
        """How an operation begins, by the words of its tag in small letters."""
        self.raw_signs: dict[str, str] = {}
        """What an opening tag holds wherever its content is raw, by the words of tags of which it may be."""
        for definition in definitions:
            self.register(definition)

    def register(self, definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
        """Add a definition, or put it in the place of the one with the same id."""
        value = read_definition(definition)
        for word in value.words:
            other = self._by_word.get(word.lower())
            if other is not None and other.id != value.id:
                raise UsageError("tag-word-taken", word=word, tag=value.id, other=other.id)
        self.remove(value.id)
        self._by_id[value.id] = value
        words = [word.lower() for word in value.words]
        self._by_word.update(dict.fromkeys(words, value))
        self.heads.update({word: {"tool_id": value.id} for word in words})
        if value.schema.raw_content is not RawContent.NEVER:
            self.raw_signs.update(dict.fromkeys(words, RAW_SIGNS[value.schema.raw_content]))
        return value

    def remove(self, tag: str) -> None:
        """Forget a definition, for example when its file was deleted."""
        definition = self._by_id.pop(tag, None)
        for word in definition.words if definition else ():
            self._by_word.pop(word.lower(), None)
            self.heads.pop(word.lower(), None)
            self.raw_signs.pop(word.lower(), None)

    def get(self, tag: str) -> TagDefinition | None:
        """The definition with this id, in any case of letters, or None."""
        return self._by_id.get(tag) or self._by_id.get(tag.lower())

    def find(self, word: str) -> TagDefinition | None:
        """The definition that is written with this word, in any case of letters, or None."""
        return self._by_word.get(word) or self._by_word.get(word.lower())

    def by_category(self, category: str) -> list[TagDefinition]:
        """The definitions of a category."""
        return [value for value in self._by_id.values() if value.category == category]

    def nearest(self, word: str) -> str | None:
        """The known word that is most like this one, if any is."""
        return next(iter(get_close_matches(word.lower(), self._by_word, n=1, cutoff=0.6)), None)

    def __iter__(self) -> Iterator[TagDefinition]:
        return iter(self._by_id.values())


CALLS = tuple(category for category in TagCategory if category not in {"reasoning", "reference"})
"""The categories that are read where none is named: thoughts and references are no calls."""

DEFAULT_REGISTRY = TagRegistry()
