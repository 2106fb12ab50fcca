"""Kinds of entries of one's own: each is stored by a tool, which its tag defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from paperagents.approval.question import Effect
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import AttributeSchema, TagDefinition
from paperagents.definitions.text import ENTRY_KINDS, identifying_argument
from paperagents.definitions.tool import DEFINITION_VERSION, STORE_PREFIX, Parameter, ToolDefinition
from paperagents.errors import UnknownToolError
from paperagents.tags import TagRegistry
from paperagents.tools.built_in import ANY, BOOLEAN, TEXT, ToolContext, one_of, optional
from paperagents.tools.entries import RESULT, prepare_change


class OwnStores:
    """The tools of the kinds that the tags of a vault define, as these are now."""

    def __init__(self, tags: Callable[[], TagRegistry]) -> None:
        self._tags = tags

    def find_tool(self, name: str) -> ToolDefinition | None:
        """The tool that stores a kind, by that or by its key; None where no tag stores it."""
        tag = self._tags().store(name.removeprefix(STORE_PREFIX))
        return store_tool(tag) if tag is not None else None

    def prepare(self, context: ToolContext, key: str, arguments: JsonObject) -> Effect:
        """What a call of such a tool will do."""
        registry = self._tags()
        tag = registry.store(key.removeprefix(STORE_PREFIX))
        if tag is None:
            raise UnknownToolError(key)
        return prepare_change(tag, registry, context, arguments)

    def address(self, kind: str, identifier: str) -> tuple[str, JsonObject]:
        """The tool of any kind, and the argument by which it is told which entry is meant."""
        if kind in ENTRY_KINDS:
            return kind, identifying_argument(kind, identifier)
        tag = self._tags().store(kind)
        return f"{STORE_PREFIX}{kind}", {tag.identifier if tag is not None else "identifier": identifier}


def store_tool(tag: TagDefinition) -> ToolDefinition:
    """The tool that stores what a tag of one's own stores."""
    parameters = [
        Parameter(name=name, schema=schema_of(each), required=each.required and each.made_from is None)
        for name, each in tag.schema.attributes.items()
    ]
    return ToolDefinition(
        id=str(tag.storage),
        name=tag.name,
        kind="store",
        description=tag.description,
        parameters=(*parameters, optional(DEFINITION_VERSION, TEXT)),
        strict=not tag.schema.open_attributes,
        answer=RESULT,
        leaves_the_vault=False,
        judges_words=True,
    )


def schema_of(attribute: AttributeSchema) -> JsonObject:
    """JSON Schema of an attribute, without its default: only a new entry gets that."""
    kinds: Mapping[str, JsonObject] = {
        "enum": one_of(attribute.values),
        "flag": BOOLEAN,
        "number": {"type": ["number", "string"] if attribute.values else "number"},
        "any": ANY,
    }
    schema: JsonObject = kinds.get(attribute.type, {"type": attribute.type})
    return {**schema, "description": attribute.description} if attribute.description else schema
