"""What a tag is: the calls a language model may write into its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.text import ENTRY_KINDS
from paperagents.values import dataclass


class TagType(StrEnum):
    """How a tag is written."""

    BLOCK = "block"
    """``{{<tool>}}content{{</tool>}}``"""
    SELF_CLOSING = "self_closing"
    """``{{<tool attribute="value" />}}``"""
    HYBRID = "hybrid"
    """Either way."""


class TagCategory(StrEnum):
    """What a tag is for."""

    REASONING = "reasoning"
    STORAGE = "storage"
    EXECUTION = "execution"
    OUTPUT = "output"
    REFERENCE = "reference"
    """Stands for other text and is no call of its own."""


class RawContent(StrEnum):
    """Whether the content of a tag is code of its own, in which neither Markdown nor other tags count."""

    NEVER = "never"
    ALWAYS = "always"
    WHEN_CODE = "when_code"
    """Where the attribute ``type`` is ``code``."""


TASK_STATUSES = ("pending", "ongoing", "finished", "paused")
VAULT_TYPES = ("text", "code", "data")
VAULT_ACTIONS = ("create", "update", "delete", "request_read")


@dataclass(frozen=True, kw_only=True, slots=True)
class AttributeSchema:
    """What one attribute of a tag may be."""

    type: str = "string"
    """``string``, ``number``, ``integer``, ``boolean``, ``flag``, ``enum``, ``object``, ``array`` or ``any``."""
    required: bool = False
    default: Any = None
    values: tuple[str, ...] = ()
    """What an ``enum`` may be; a ``number`` may also be one of these words."""
    validate: str | None = None
    """``identifier``, or None."""
    description: str = ""
    aliases: tuple[str, ...] = ()
    made_from: str | None = None
    """The attribute whose slug is taken where this one is not given."""


IDENTIFIER = AttributeSchema(
    required=True, validate="identifier", description="Unique name of the entry", aliases=("id",), made_from="heading"
)
DELETE = AttributeSchema(type="flag", description="Remove the entry")


@dataclass(frozen=True, kw_only=True, slots=True)
class TagSchema:
    """What the attributes and the content of a tag may be."""

    attributes: Mapping[str, AttributeSchema] = field(default_factory=lambda: MappingProxyType({}))
    has_content: bool = False
    requires_content: bool = False
    content_attribute: str | None = None
    """The attribute that the content of a block is the same as."""
    raw_content: RawContent = RawContent.NEVER
    open_attributes: bool = False
    """Whether attributes that are not named here are fine."""


Validator: TypeAlias = Callable[[Mapping[str, Any]], "str | list[str] | None"]
"""Looks at a normalised operation and answers with what is wrong with it, if anything."""

Handler: TypeAlias = Callable[..., Any]
"""Carries a normalised operation out and answers with ``{id, action, status}``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TagDefinition:
    """A tag: its name, how it is written, what it accepts and what it is for."""

    id: str
    name: str
    type: TagType = TagType.SELF_CLOSING
    category: TagCategory = TagCategory.EXECUTION
    description: str = ""
    schema: TagSchema = field(default_factory=TagSchema)
    storage: str | None = None
    version: str | None = None
    words: tuple[str, ...] = ()
    """What stands behind ``{{<``; the id where nothing is said."""
    patterns: Mapping[str, str | re.Pattern[str]] = field(default_factory=lambda: MappingProxyType({}))
    validators: tuple[Validator, ...] = ()
    handler: Handler | None = None

    @property
    def has_own_store(self) -> bool:
        """Whether it stores entries of a kind that is its own."""
        return self.storage is not None and self.storage not in ENTRY_KINDS

    @property
    def identifier(self) -> str:
        """The attribute that names the entry it stores."""
        names = (name for name, schema in self.schema.attributes.items() if schema.validate == "identifier")
        return next(names, "identifier")

    def __getitem__(self, key: str) -> Any:
        """The field of this name, as ``definition["id"]``."""
        if key not in self.__dataclass_fields__:
            raise KeyError(key)
        return getattr(self, key)


BUILTIN_WORDS = (
    "reasoning_text", *ENTRY_KINDS, "js_execute", "final_output", "subagent", "vaultref",
)  # fmt: skip
"""How the built-in tags are written: nothing else can be."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TagNote:
    """What a note with ``tag: true`` says; the fields are those of a definition."""

    id: str
    name: str
    description: str = ""
    fields: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    words: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))
    """What stands behind ``{{<``, and where the note says so."""
    validators: tuple[Excerpt, ...] = ()
    """JavaScript that looks at a call and returns what is wrong with it."""
    category: str | None = None
    file: str | None = None
    span: Span | None = None
    digest: str = ""
