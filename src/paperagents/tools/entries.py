"""Memories, tasks, goals and the data vault as tools: the same operations that tags write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from paperagents import tags
from paperagents.approval.question import Effect, Scope
from paperagents.definitions.change import Change
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tag import TASK_STATUSES, VAULT_ACTIONS, VAULT_TYPES, TagDefinition
from paperagents.definitions.tool import DEFINITION_VERSION, STORE_PREFIX, Parameter
from paperagents.errors import FileChangedError, InvalidArgumentsError, ToolError
from paperagents.messages import text
from paperagents.tools.built_in import ANY, BOOLEAN, TEXT, BuiltIn, ToolContext, list_of, object_of, one_of, optional
from paperagents.values import dataclass

if TYPE_CHECKING:
    # To list the tools, nothing that carries them out is loaded.
    from paperagents.storage.entries import Entry, EntryStore, Mode
    from paperagents.tags import TagRegistry

_SHOWN_LINES = 20
_LONGEST_QUOTE = 60


def prepare(kind: str, context: ToolContext, arguments: JsonObject) -> Effect:
    """What is done to an entry of a built-in kind."""
    tag = tags.get_tool_definition(kind)
    assert tag is not None
    return prepare_change(tag, None, context, arguments)


def prepare_change(
    tag: TagDefinition, registry: TagRegistry | None, context: ToolContext, arguments: JsonObject
) -> Effect:
    """What is done to an entry that a tag stores. Deleting asks; everything else can be undone and does not."""
    store, kind = context.entries, str(tag.storage)
    wish = read_wish(tag, registry, arguments)
    identifier, action = wish.identifier, wish.action
    # There is nothing to ask about an entry that is not there; the attempt itself tells so.
    before = store.get(kind, identifier)
    asks = action == "delete" and before is not None
    change = foresee_change(kind, before, wish)
    perform = {
        "delete": partial(delete, store, kind, identifier, state_of(before)),
        "request_read": partial(read, store, kind, identifier, wish.values.get("limit")),
    }
    return Effect(
        tool=f"{STORE_PREFIX}{kind}" if tag.has_own_store else kind,
        arguments=arguments,
        needs_approval=asks,
        preview=preview(before) if asks and before else "",
        scope=Scope(mode="delete" if action == "delete" else "", path=f"{kind}/{identifier}"),
        # Once it is another version, it is another entry that would be lost.
        before=state_of(before) if asks else "",
        runs_in_plan=action == "request_read" or store.forgets,
        after=state_of(None) if action == "delete" else None,
        changes=() if change is None or change.before == change.after else (change,),
        answer=foresee_answer(before, wish),
        current=lambda: state_of(store.get(kind, identifier)),
        transaction=None if action in perform else store.together,
        perform=perform.get(action) or partial(put, store, kind, wish, state_of(before)),
    )


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What a call wants of an entry."""

    tag: TagDefinition
    identifier: str
    action: str
    """``upsert`` where the call names none."""
    values: JsonObject
    """Everything that a new entry gets, defaults among it."""
    named: frozenset[str]
    """What the call itself says, and an entry that there is gets, too."""
    unknown: Mapping[str, JsonValue]
    """Words that cannot be, by the attribute: a new entry gets the default instead."""

    version: JsonValue = None
    """That of the definition of the tag that was written, where it is one of one's own."""

    def changes(self, before: Entry | None) -> JsonObject:
        """What is written into an entry."""
        named = {name: value for name, value in self.values.items() if before is None or name in self.named}
        if self.tag.has_own_store:
            from paperagents.storage.entries import split_values  # noqa: PLC0415  see above

            named = split_values({name: named[name] for name in named if name not in (self.tag.identifier, "delete")})
        return {**named, DEFINITION_VERSION: self.version}

    def warnings(self, before: Entry | None) -> list[JsonValue]:
        """What became of the words that cannot be."""
        return [
            text(
                "tag-attribute-replaced" if before is None else "tag-attribute-replaced.kept",
                tag=self.tag.id,
                attribute=name,
                value=str(word)[:_LONGEST_QUOTE],
                default=self.tag.schema.attributes[name].default,
                kept=before.as_json().get(name) if before is not None else None,
                values=", ".join(self.tag.schema.attributes[name].values),
            )
            for name, word in self.unknown.items()
        ]


def put(store: EntryStore, kind: str, wish: Wish, seen: str) -> JsonValue:
    """Create or change the entry that was seen."""
    with store.together():
        before = require_seen(store, kind, wish.identifier, seen)
        entry = store.put(kind, wish.identifier, wish.changes(before), mode=cast("Mode", wish.action))
    action = "created" if before is None else "updated"
    return answer(wish.identifier, action, entry.as_json(), wish.warnings(before))


def delete(store: EntryStore, kind: str, identifier: str, shown: str) -> JsonValue:
    """Delete the entry that was shown."""
    with store.together():
        require_seen(store, kind, identifier, shown)
        store.delete(kind, identifier)
    return answer(identifier, "deleted", None)


def require_seen(store: EntryStore, kind: str, identifier: str, seen: str) -> Entry | None:
    """The entry, while it is as it was seen. Raises FileChangedError where somebody was faster: then prepared anew."""
    entry = store.get(kind, identifier)
    if state_of(entry) != seen:
        raise FileChangedError(path=f"{kind}/{identifier}")
    return entry


def read(store: EntryStore, kind: str, identifier: str, limit: object) -> JsonValue:
    """The entry, with at most ``limit`` characters of its content."""
    entry = store.get(kind, identifier)
    if entry is None:
        raise ToolError("entry-not-found", kind=kind, id=identifier)
    shown = entry.as_json()
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        shown["content"] = entry.content[: max(int(limit), 0)]
    return answer(identifier, "read", shown)


def read_wish(tag: TagDefinition, registry: TagRegistry | None, arguments: JsonObject) -> Wish:
    """What the arguments want, by the rules of the tag. Raises InvalidArgumentsError with every problem."""
    given = {name: value for name, value in arguments.items() if value is not None and name != DEFINITION_VERSION}
    operation = {"tool_id": tag.id, "type": "self_closing", "attributes": given, "content": ""}
    checked = tags.validate_operation(operation, registry)
    if not checked["valid"]:
        problems = [
            {"parameter": each["attribute"], "code": each["code"], "message": each["message"]}
            for each in checked["errors"]
        ]
        raise InvalidArgumentsError(str(tag.storage), problems)
    values: JsonObject = checked["normalized"]["attributes"]
    action = "upsert" if tag.has_own_store else str(values.get("action") or "upsert")
    unknown = {name: given[name] for name in tags.unknown_words(checked)}
    return Wish(
        tag=tag,
        identifier=str(values[tag.identifier]),
        action="delete" if values.get("delete") else action,
        values=values,
        named=frozenset(given) - unknown.keys(),
        unknown=unknown,
        version=arguments.get(DEFINITION_VERSION),
    )


def foresee_change(kind: str, before: Entry | None, wish: Wish) -> Change | None:
    """What becomes of the entry; None where it is only read."""
    from paperagents.storage.entries import change_entry, new_entry  # noqa: PLC0415  see above
    from paperagents.storage.entry_text import text_of  # noqa: PLC0415  see above

    if wish.action == "request_read":
        return None
    changed = None
    if wish.action != "delete":
        changed = change_entry(before or new_entry(kind, wish.identifier), wish.changes(before))
    return Change(path=wish.identifier, kind=kind, before=text_of(before), after=text_of(changed))


def foresee_answer(before: Entry | None, wish: Wish) -> JsonValue:
    """The answer as it will be, for plans."""
    if wish.action == "delete":
        return answer(wish.identifier, "deleted", None)
    changes = {name: value for name, value in wish.changes(before).items() if value is not None}
    attributes = changes.pop("attributes", {})
    entry: JsonObject = {**(before.as_json() if before else {"identifier": wish.identifier}), **changes}
    if isinstance(attributes, dict):
        entry |= attributes
    return answer(wish.identifier, "updated" if before else "created", entry, wish.warnings(before))


def answer(identifier: str, action: str, entry: JsonObject | None, warnings: Sequence[JsonValue] = ()) -> JsonObject:
    """The result of an operation, as tags have it, and the entry itself. What fails is an error, not an answer."""
    return {
        "id": identifier,
        "action": action,
        "status": "success",
        "error": None,
        "entry": entry,
        "warnings": [*warnings],
    }


def preview(entry: Entry) -> str:
    """The entry that would be lost."""
    lines = (entry.heading or "", *entry.content.split("\n")[:_SHOWN_LINES])
    return "\n".join([f"- {entry.kind}/{entry.identifier}", *(f"- {line}" for line in lines if line)])


def state_of(entry: Entry | None) -> str:
    """What changes with every change of an entry; empty where there is none."""
    return f"version {entry.version}" if entry is not None else ""


def entry_tool(name: str, *more: Parameter) -> BuiltIn:
    """The tool of one kind of entry."""
    shared = [optional(field, TEXT) for field in ("identifier", "heading", "content", "notes", DEFINITION_VERSION)]
    return BuiltIn(
        name=name,
        parameters=(*shared, optional("delete", BOOLEAN, default=False), *more),
        answer=RESULT,
        leaves_the_vault=False,
        judges_words=True,
        prepare=partial(prepare, name),
    )


RESULT = object_of(id=TEXT, action=TEXT, status=TEXT, error=ANY, entry=ANY, warnings=list_of(TEXT))
MEMORY = entry_tool("memory")
TASK = entry_tool("task", optional("status", one_of(TASK_STATUSES)))
GOAL = entry_tool("goal")


def only_requests_content(arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a call of the data vault only asks for what an entry holds."""
    action, delete = (str(arguments.get(name)).strip().lower() for name in ("action", "delete"))
    return action == "request_read" and delete == "false"


DATAVAULT = BuiltIn(
    name="datavault",
    parameters=(
        optional("id", TEXT),
        optional("action", one_of(VAULT_ACTIONS)),
        optional("type", one_of(VAULT_TYPES)),
        *(optional(field, TEXT) for field in ("description", "content", DEFINITION_VERSION)),
        optional("limit", {"type": ["integer", "string"]}),
        optional("delete", BOOLEAN, default=False),
    ),
    aliases={"identifier": "id"},
    answer=RESULT,
    reads_when=only_requests_content,
    leaves_the_vault=False,
    judges_words=True,
    prepare=partial(prepare, "datavault"),
)
