"""The tags that every text may use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from paperagents.definitions.tag import (
    DELETE,
    IDENTIFIER,
    TASK_STATUSES,
    VAULT_ACTIONS,
    VAULT_TYPES,
    AttributeSchema,
    RawContent,
    TagCategory,
    TagDefinition,
    TagSchema,
    TagType,
)
from paperagents.errors import UsageError
from paperagents.reading.tag_markdown import read_tag_definition

FULL_LENGTH = "full-length"

ENTRY = {
    "identifier": IDENTIFIER,
    "heading": AttributeSchema(description="Title; the identifier is made from it where none is given"),
    "content": AttributeSchema(description="The text itself"),
    "notes": AttributeSchema(description="Remarks beside the text"),
    "delete": DELETE,
}
STATUS = AttributeSchema(type="enum", values=TASK_STATUSES, default="pending", description="How far it is")
DATA_VAULT = {
    "id": replace(IDENTIFIER, aliases=("identifier",), made_from=None),
    "action": AttributeSchema(type="enum", values=VAULT_ACTIONS, description="What to do; else create or update"),
    "type": AttributeSchema(type="enum", values=VAULT_TYPES, default="text", description="What it holds"),
    "description": AttributeSchema(description="What the entry is for"),
    "limit": AttributeSchema(type="number", values=(FULL_LENGTH,), description="How many characters to read"),
    "content": AttributeSchema(description="The entry itself"),
    "delete": DELETE,
}
SUBAGENT = {
    "agent": AttributeSchema(required=True, description="Which agent to ask"),
    "query": AttributeSchema(description="What to ask"),
    "timeout": AttributeSchema(type="number", description="Seconds to wait"),
    "maxResults": AttributeSchema(type="integer", description="How many results", aliases=("max_results",)),
}


def entry_tag(tag: str, name: str, attributes: dict[str, AttributeSchema]) -> TagDefinition:
    """A tag that stores an entry."""
    return TagDefinition(
        id=tag,
        name=name,
        type=TagType.SELF_CLOSING,
        category=TagCategory.STORAGE,
        schema=TagSchema(attributes=MappingProxyType(attributes), has_content=True, content_attribute="content"),
        storage=tag,
    )


def block_tag(tag: str, name: str, category: TagCategory, schema: TagSchema) -> TagDefinition:
    """A tag that is a block."""
    return TagDefinition(id=tag, name=name, type=TagType.BLOCK, category=category, schema=schema)


BUILTIN_TAGS: tuple[TagDefinition, ...] = (
    block_tag("reasoning_text", "Reasoning", TagCategory.REASONING, TagSchema(has_content=True, open_attributes=True)),
    entry_tag("memory", "Memory", ENTRY),
    entry_tag("task", "Task", {**ENTRY, "status": STATUS}),
    entry_tag("goal", "Goal", ENTRY),
    TagDefinition(
        id="datavault",
        name="Data vault",
        type=TagType.HYBRID,
        category=TagCategory.STORAGE,
        schema=TagSchema(
            attributes=MappingProxyType(DATA_VAULT),
            has_content=True,
            content_attribute="content",
            raw_content=RawContent.WHEN_CODE,
        ),
        storage="datavault",
    ),
    block_tag(
        "js_execute",
        "JavaScript",
        TagCategory.EXECUTION,
        TagSchema(
            attributes=MappingProxyType({"code": AttributeSchema(aliases=("content",), description="The JavaScript")}),
            has_content=True,
            requires_content=True,
            content_attribute="code",
            raw_content=RawContent.ALWAYS,
            open_attributes=True,
        ),
    ),
    block_tag("final_output", "Final output", TagCategory.OUTPUT, TagSchema(has_content=True, open_attributes=True)),
    TagDefinition(
        id="subagent",
        name="Sub-agent",
        type=TagType.HYBRID,
        category=TagCategory.EXECUTION,
        schema=TagSchema(
            attributes=MappingProxyType(SUBAGENT),
            has_content=True,
            content_attribute="query",
            open_attributes=True,
        ),
    ),
    TagDefinition(
        id="vaultref",
        name="Data vault reference",
        type=TagType.SELF_CLOSING,
        category=TagCategory.REFERENCE,
        schema=TagSchema(attributes=MappingProxyType({"id": replace(DATA_VAULT["id"], description="Which entry")})),
    ),
)


RAW_SIGNS = {RawContent.ALWAYS: "", RawContent.WHEN_CODE: "code"}


class TagRegistry:
    """Tag definitions by id and by the words they are written with. Each vault has one of its own."""

    def __init__(self, definitions: Iterable[TagDefinition | Mapping[str, Any]] = BUILTIN_TAGS) -> None:
        self._by_id: dict[str, TagDefinition] = {}
        self._by_word: dict[str, TagDefinition] = {}
        self.heads: dict[str, dict[str, str]] = {}
        """The first field of an operation, by the words of its tag in small letters."""
        self.raw_signs: dict[str, str] = {}
        """By word, the text without which the opening tag surely has no raw content."""
        for definition in definitions:
            self.register(definition)

    def register(self, definition: TagDefinition | Mapping[str, Any]) -> TagDefinition:
        """Add a definition, or put it in the place of the one with the same id."""
        value = read_tag_definition(definition)
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
        """Remove a definition, for example when its file was deleted."""
        definition = self._by_id.pop(tag, None)
        for word in definition.words if definition else ():
            self._by_word.pop(word.lower(), None)
            self.heads.pop(word.lower(), None)
            self.raw_signs.pop(word.lower(), None)

    def store(self, kind: str) -> TagDefinition | None:
        """The tag that defines a kind of entries of its own: the first that stores them."""
        return next((tag for tag in self if tag.has_own_store and tag.storage == kind), None)

    @property
    def own_kinds(self) -> list[str]:
        """The kinds of entries that tags of one's own store, each once."""
        return list(dict.fromkeys(tag.storage for tag in self if tag.has_own_store and tag.storage))

    def get(self, tag: str) -> TagDefinition | None:
        """The definition with this id, in any case of letters, or None."""
        return self._by_id.get(tag) or self._by_id.get(tag.lower())

    def find(self, word: str) -> TagDefinition | None:
        """The definition that is written with this word, in any case of letters, or None."""
        return self._by_word.get(word) or self._by_word.get(word.lower())

    def proper_id(self, tag: str) -> str:
        """The id of the tag that is meant, in any case of letters; an unknown one as it is."""
        definition = self.get(tag)
        return definition.id if definition else tag

    def category(self, tag: str) -> TagCategory | None:
        """The category of the tag with this id, or None where there is none."""
        definition = self.get(tag)
        return definition.category if definition else None

    def is_call(self, tag: str) -> bool:
        """Whether a tag wants something done; reasoning and references do not."""
        return self.category(tag) in CALLS

    def is_reasoning(self, tag: str) -> bool:
        """Whether calls inside of this tag are carried out."""
        return self.category(tag) == TagCategory.REASONING

    def nearest(self, word: str) -> str | None:
        """The known word that is most like this one, if any is."""
        return next(iter(get_close_matches(word.lower(), self._by_word, n=1, cutoff=0.6)), None)

    def __iter__(self) -> Iterator[TagDefinition]:
        return iter(self._by_id.values())


CALLS = tuple(category for category in TagCategory if category not in {"reasoning", "reference"})
"""The categories that are read where none is named: reasoning and references are no calls."""

DEFAULT_REGISTRY = TagRegistry()
