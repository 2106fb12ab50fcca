"""The tags that every text may use."""

from __future__ import annotations

from types import MappingProxyType

from paperagents.definitions.tag import (
    AttributeSchema,
    RawContent,
    TagCategory,
    TagDefinition,
    TagSchema,
    TagType,
)

TASK_STATUSES = ("pending", "ongoing", "finished", "paused")
VAULT_TYPES = ("text", "code", "data")
VAULT_ACTIONS = ("create", "update", "delete", "request_read")
FULL_LENGTH = "full-length"

IDENTIFIER = AttributeSchema(
    required=True,
    validate="identifier",
    description="Unique name of the entry",
    aliases=("id",),
    made_from="heading",
)
DELETE = AttributeSchema(type="flag", description="Remove the entry")

ENTRY = {
    "identifier": IDENTIFIER,
    "heading": AttributeSchema(description="Title; the identifier is made from it where none is given"),
    "content": AttributeSchema(description="The text itself"),
    "notes": AttributeSchema(description="Remarks beside the text"),
    "delete": DELETE,
}
STATUS = AttributeSchema(type="enum", values=TASK_STATUSES, default="pending", description="How far it is")
DATA_VAULT = {
    "id": AttributeSchema(
        required=True,
        validate="identifier",
        description="Unique name of the entry",
        aliases=("identifier",),
    ),
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


def _entry_tag(tag: str, name: str, attributes: dict[str, AttributeSchema]) -> TagDefinition:
    return TagDefinition(
        id=tag,
        name=name,
        type=TagType.SELF_CLOSING,
        category=TagCategory.STORAGE,
        schema=TagSchema(attributes=MappingProxyType(attributes), has_content=True, content_attribute="content"),
        storage=tag,
    )


def _block_tag(tag: str, name: str, category: TagCategory, schema: TagSchema) -> TagDefinition:
    return TagDefinition(id=tag, name=name, type=TagType.BLOCK, category=category, schema=schema)


BUILTIN_TAGS: tuple[TagDefinition, ...] = (
    _block_tag(
        "reasoning_text",
        "Reasoning",
        TagCategory.REASONING,
        TagSchema(has_content=True, open_attributes=True),
    ),
    _entry_tag("memory", "Memory", ENTRY),
    _entry_tag("task", "Task", {**ENTRY, "status": STATUS}),
    _entry_tag("goal", "Goal", ENTRY),
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
    _block_tag(
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
    _block_tag(
        "final_output",
        "Final output",
        TagCategory.OUTPUT,
        TagSchema(has_content=True, open_attributes=True),
    ),
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
        schema=TagSchema(
            attributes=MappingProxyType(
                {
                    "id": AttributeSchema(
                        required=True, validate="identifier", aliases=("identifier",), description="Which entry"
                    )
                }
            )
        ),
    ),
)
