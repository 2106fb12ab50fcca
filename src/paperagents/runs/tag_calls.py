"""What the tags of a text mean, decided in one place, and their calls carried out in the order of the text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from inspect import signature
from itertools import groupby
from typing import Any, TypeAlias

from paperagents.calls.arguments import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.tag import Handler, TagCategory, TagDefinition, TagNote, TagSchema, TagType
from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import AGENT_PREFIX, DEFINITION_VERSION, STORE_PREFIX
from paperagents.errors import PaperError, ToolError, UsageError
from paperagents.messages import text
from paperagents.reading.tag_markdown import TAG_ID
from paperagents.registry.entry import Entry
from paperagents.runs.record import RunRecord
from paperagents.storage.entries import EntryStore, KindStore
from paperagents.tags import (
    TagRegistry,
    given_attributes,
    resolve_vault_references_simple,
    unknown_words,
    validate_operation,
)
from paperagents.tags.extraction import toplevel_calls
from paperagents.tags.registry import DEFAULT_REGISTRY
from paperagents.values import dataclass

FINAL_OUTPUT = "final_output"
SUBAGENT = "subagent"
STATUSES = {"succeeded": "success", "planned": "success", "denied": "denied", "waiting": "waiting"}
LONGEST_WORD = 180
NO_DETAILS: JsonObject = {"hint": None, "step": None, "block": None, "retryable": False, "details": {}}


@dataclass(frozen=True, kw_only=True, slots=True)
class TagCall:
    """What one tag means: the call of a tool, or an answer of its own where ``call`` is None."""

    tag: TagDefinition
    values: JsonObject
    """The validated operation: its content, and every attribute by its proper name."""
    start: int
    """Where in the text it begins."""
    problems: Sequence[Mapping[str, Any]] = ()
    """What is wrong with its attributes."""
    call: ToolCall | None = None
    failure: PaperError | None = None
    """Why it cannot be carried out, though nothing is wrong with its attributes."""

    @property
    def is_storage(self) -> bool:
        """Whether it stores an entry."""
        return self.tag.storage is not None or self.tag.category == TagCategory.STORAGE

    @property
    def has_no_effect(self) -> bool:
        """Whether it only says something."""
        return self.tag.category == TagCategory.OUTPUT and self.tag.handler is None and self.tag.storage is None

    @property
    def deletes(self) -> bool:
        """Whether it deletes an entry, and a person is asked."""
        return bool(self.values.get("delete")) or self.values.get("action") == "delete"

    def answer(self, entries: EntryStore | None = None) -> JsonValue:
        """What its handler answers, or what it says."""
        if self.tag.handler is not None:
            options = {}
            if entries is not None and self.tag.storage is not None:
                options = {"storage": KindStore(kind=self.tag.storage, entries=entries)}
            return call_handler(self.tag.id, self.tag.handler, self.values, options)
        return self.values["content"] or self.values.get("message")


def read_tag_call(operation: Mapping[str, Any], registry: TagRegistry) -> TagCall:
    """What an operation means."""
    tag = registry.get(operation["tool_id"])
    assert tag is not None
    checked = validate_operation(operation, registry)
    values = checked["normalized"]
    meant = TagCall(tag=tag, values=values, start=operation["start"], problems=checked["errors"])
    if meant.problems or tag.handler is not None or meant.has_no_effect:
        return meant
    written: JsonObject = dict(values["attributes"])
    if tag.storage:
        # Whether an unknown word becomes the default, or changes nothing, depends on the entry: the tool decides.
        given = given_attributes(operation, registry)
        written |= {name: given[name] for name in unknown_words(checked)}
    try:
        return replace(meant, call=_tool_call(tag, operation, written, registry))
    except PaperError as failure:
        return replace(meant, failure=failure)


def _tool_call(tag: TagDefinition, operation: Mapping[str, Any], values: JsonObject, registry: TagRegistry) -> ToolCall:
    """Only what the tag names: an update must not fill in defaults over what is stored."""
    if tag.schema.open_attributes and not operation["content"].strip():
        # A block with nothing in it is another way to write a tag without content.
        operation = {**operation, "type": "self_closing", "content": "", "has_content": False}
    given = {*given_attributes(operation, registry), "identifier"}
    known = given if tag.schema.open_attributes else given & {*tag.schema.attributes}
    arguments = {key: value for key, value in values.items() if key in known}
    if tag.storage and tag.version is not None:
        arguments[DEFINITION_VERSION] = tag.version
    if tag.has_own_store:
        return ToolCall(tool=f"{STORE_PREFIX}{tag.storage}", arguments=arguments, as_text=True)
    home = registry.get(tag.storage) if tag.storage else None
    if home is not None and home.id != tag.id:
        # A tag of one's own is the entry that it stores. What such an entry does not know is left for it to refuse.
        entry = {**operation, "tool_id": home.id, "attributes": arguments}
        values = validate_operation(entry, registry)["normalized"]["attributes"]
        given = {*given_attributes(entry, registry), "identifier"}
        kept = {key: value for key, value in arguments.items() if key == DEFINITION_VERSION}
        arguments = {key: value for key, value in values.items() if key in given} | kept
        return ToolCall(tool=home.id, arguments=arguments, as_text=True)
    if tag.id != SUBAGENT:
        return ToolCall(tool=tag.id, arguments=arguments, as_text=True)
    return subagent_call(arguments, as_text=True)


def subagent_call(arguments: JsonObject, *, as_text: bool = False) -> ToolCall:
    """The call of the agent that the arguments name."""
    rest = {key: value for key, value in arguments.items() if key != "agent"}
    agent = str(arguments["agent"]).removeprefix(AGENT_PREFIX)
    return ToolCall(tool=f"{AGENT_PREFIX}{agent}", arguments=rest, as_text=as_text)


def call_handler(tag: str, handler: Handler, values: Mapping[str, Any], options: Mapping[str, Any]) -> JsonObject:
    """What a handler answers; whatever is wrong with it fails this one call alone."""
    operation = dict(values)
    try:
        answer = handler(operation) if takes_one(handler) else handler(operation, dict(options))
    except PaperError:
        raise
    except Exception as error:
        raise ToolError("tag-handler-failed", tag=tag, reason=f"{type(error).__name__}: {error}") from error
    return answer if isinstance(answer, dict) else {} if answer is None else {"output": answer}


def takes_one(handler: Handler) -> bool:
    """Whether a handler takes the operation alone, or with options as the documentation of tags shows it."""
    try:
        signature(handler).bind({})
    except TypeError:
        return False
    except ValueError:
        pass  # Functions of Python itself may not tell what they take.
    return True


def final_text(written: str, vault_content: Callable[[str], str | None]) -> str:
    """An answer with its references to the data vault resolved."""
    return resolve_vault_references_simple(written, lookup=vault_content) if "{{<" in written else written


Evaluate: TypeAlias = Callable[[Excerpt, JsonObject], JsonValue]
"""Runs JavaScript with these names in sight and gives the value it returns."""


def vault_tags(notes: Iterable[TagNote], entries: Iterable[Entry], evaluate: Evaluate) -> TagRegistry:
    """The tags of a vault: the built-in ones, those that notes define, and every tool and agent under its id."""
    registry = TagRegistry(DEFAULT_REGISTRY)
    for note in notes:
        # One note that takes the word of another tag must not cost all the others.
        with suppress(UsageError):
            if registry.get(note.id) is None:
                validators = [partial(ask_script, script, evaluate) for script in note.validators]
                registry.register({**note.fields, "validators": validators})
    for entry in entries:
        if entry.kind != "tag" and entry.valid and registry.get(entry.id) is None:
            word = tag_word(entry.id, registry)
            if word is not None:
                registry.register(tool_tag(entry, word))
    return registry


def ask_script(script: Excerpt, evaluate: Evaluate, operation: Mapping[str, Any]) -> list[str]:
    """What the JavaScript of a note says against a call: texts, or nothing."""
    names: JsonObject = {"attributes": operation["attributes"], "content": operation["content"]}
    answer = evaluate(script, names)
    said = answer if isinstance(answer, list) else [answer]
    return [str(each) for each in said if each not in (None, True, "")]


def tag_word(tool: str, registry: TagRegistry) -> str | None:
    """How a tool is written as a tag, ``mcp:clock/now`` as ``mcp_clock_now``; None where that is another tag."""
    word = tool if TAG_ID.fullmatch(tool) else re.sub(r"[^\w.\-]+", "_", tool).strip("_.-")[:LONGEST_WORD]
    if not word or (word != tool and registry.find(word) is not None):
        # Two ids that differ in such signs alone: neither must be called in the place of the other.
        word = f"{word or 'tool'}_{sha256(lossless_bytes(tool)).hexdigest()[:8]}"
    return word if registry.find(word) is None else None


def tool_tag(entry: Entry, word: str) -> TagDefinition:
    """A tool of the vault as a tag; the tool itself says what its attributes may be."""
    return TagDefinition(
        id=entry.id,
        name=entry.name,
        type=TagType.HYBRID,
        category=TagCategory.EXECUTION,
        description=entry.description,
        schema=TagSchema(has_content=True, content_attribute="content", open_attributes=True),
        words=(word,),
    )


# --- the calls of a whole text


class _RollbackError(Exception):
    """Something failed, and all or nothing was asked for."""


@dataclass(frozen=True, kw_only=True)
class TagApplier:
    """Carries out the calls of one text."""

    registry: TagRegistry
    run: Callable[[ToolCall], RunRecord]
    """The pipeline: every operation takes the same path as any call."""
    transaction: Callable[[], AbstractContextManager[Any]]
    """What is stored inside becomes visible at once, and survives a kill completely or not at all."""
    vault_content: Callable[[str], str | None]
    """What references in the final output stand for."""
    entries: EntryStore | None = None
    """What handlers of tags that store something may use."""
    asks_a_person: bool = False
    count: Callable[..., None] = lambda tag, **figures: None  # noqa: ARG005  nobody counts

    def apply(
        self, operations: Iterable[Mapping[str, Any]], *, tool: str | None = None, all_or_nothing: bool = False
    ) -> list[JsonObject]:
        """One result per call, or per call of this tool: ``{tool, id, action, status, error}``.

        There is an ``output`` where it says more, and ``warnings`` where there are some. By default what failed is
        reported and the rest is kept. With ``all_or_nothing`` everything is stored first and in one step, or nothing
        is; scripts and tools, which cannot be taken back, follow only then.
        """
        chosen = toplevel_calls(operations, self.registry)
        if tool is not None:
            meant = self.registry.get(tool) or self.registry.find(tool)
            chosen = [each for each in chosen if meant is not None and each["tool_id"] == meant.id]
        calls = [read_tag_call(operation, self.registry) for operation in chosen]
        results = self._apply_atomically(calls) if all_or_nothing else self._apply_in_groups(calls)
        return [{"tool": call.tag.id, **result} for call, result in zip(calls, results, strict=True)]

    def _apply_in_groups(self, calls: list[TagCall]) -> list[JsonObject]:
        results: list[JsonObject] = []
        for stored, members in groupby(calls, key=lambda call: call.is_storage or call.has_no_effect):
            group = list(members)
            # While a person thinks about a question, nobody else must be kept from storing.
            asks = self.asks_a_person and any(call.deletes for call in group)
            with self.transaction() if stored and not asks else nullcontext():
                results += map(self._apply_one, group)
        return results

    def _apply_atomically(self, calls: list[TagCall]) -> list[JsonObject]:
        results: dict[int, JsonObject] = {}
        has_failed = False
        # Scripts and tools come after the transaction: what they did outside could not be rolled back.
        with suppress(_RollbackError), self.transaction():
            for place, call in enumerate(calls):
                if call.is_storage or call.problems:
                    results[place] = self._apply_one(call)
            has_failed = any(result["status"] != "success" for result in results.values())
            if has_failed:
                raise _RollbackError
        if has_failed:
            return [_roll_back(results.get(place)) for place in range(len(calls))]
        return [results[place] if place in results else self._apply_one(call) for place, call in enumerate(calls)]

    def _apply_one(self, call: TagCall) -> JsonObject:
        started = time.perf_counter()
        name = call.values.get(call.tag.identifier) or call.values.get("id")
        try:
            result = self._perform(call, name)
        except PaperError as error:
            result = _result(name, None, "error", _error(error.as_json()))
        took = (time.perf_counter() - started) * 1000
        self.count(call.tag.id, valid=not call.problems, succeeded=result["status"] == "success", duration_ms=took)
        return result

    def _perform(self, call: TagCall, name: JsonValue) -> JsonObject:
        if call.problems:
            message = " ".join(each["message"] for each in call.problems)
            return _result(name, None, "error", _error({**call.problems[0], "message": message}))
        if call.failure is not None:
            raise call.failure
        if call.call is not None:
            return _record_result(self.run(call.call), name)
        answer = call.answer(self.entries)
        if call.tag.handler is not None:
            assert isinstance(answer, dict)
            return {**_result(name, "handled", "success", None), **answer}
        if call.tag.id == FINAL_OUTPUT and isinstance(answer, str):
            answer = final_text(answer, self.vault_content)
        return {**_result(name, call.tag.id, "success", None), "output": answer}


def _record_result(record: RunRecord, name: Any) -> JsonObject:
    status = STATUSES.get(record.status, "error")
    data = record.data if isinstance(record.data, dict) else {}
    action = data.get("action") if "entry" in data else ("executed" if status == "success" else None)
    result = _result(name or data.get("id"), action, status, _error(record.error) if record.error else None)
    if status == "success" and (data.get("action") == "read" or "entry" not in data):
        result["output"] = data.get("entry", record.data)
    if "entry" in data and data.get("warnings"):
        result["warnings"] = data["warnings"]
    return result


def _roll_back(result: JsonObject | None) -> JsonObject:
    """Nothing stays of what was done, nor of a question about it."""
    if result is not None and result["status"] == "waiting":
        return {
            **result,
            "status": "denied",
            "error": _error({"code": "nobody-to-ask", "message": text("nobody-to-ask")}),
        }
    if result is not None and result["status"] != "success":
        return result
    return _result(
        result and result["id"], None, "error", _error({"code": "taken-back", "message": text("taken-back")})
    )


def _result(name: Any, action: JsonValue, status: str, error: JsonObject | None) -> JsonObject:
    return {"id": name, "action": action, "status": status, "error": error}


def _error(error: Mapping[str, Any]) -> JsonObject:
    """An error as every record has it, also one that no run has met."""
    return {key: error.get(key, NO_DETAILS.get(key)) for key in ("code", "message", *NO_DETAILS)}
