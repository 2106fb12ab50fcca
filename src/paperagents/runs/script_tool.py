"""``js_execute``: a script that a model or a person writes, with the entries and tools of the vault at hand.

Everything the script does to the vault is a call like any other: validated, approved, recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from paperagents.calls.call import ToolCall
from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.names import identifying_argument
from paperagents.definitions.source import Excerpt
from paperagents.errors import (
    CancelledError,
    DeniedError,
    PaperError,
    PlanEndsError,
    SandboxError,
    ToolError,
    WaitingError,
)
from paperagents.runs.log import RunContext
from paperagents.runs.record import Place
from paperagents.sandbox import EndsBlock, HostFunctions
from paperagents.storage.entries import EntryStore
from paperagents.tags import analyze_vault_references, expand_vault_references, resolve_vault_references_simple

HELPERS = (
    # A failed call comes from outside and knows no line; it gets the one on which the script made the call.
    "var placed_ = call => (...given) => { const { stack } = new Error();"
    " return call(...given).catch(error => { error.stack = stack; throw error; }); };"
    " var call_ = placed_(call_tool), get_ = placed_(entry_get), list_ = placed_(entry_list),"
    " set_ = placed_(entry_set), delete_ = placed_(entry_delete);"
    " var entries_ = kind => Object.freeze({"
    " get: id => get_(kind, id).then(found => found && found.content),"
    " entry: id => get_(kind, id), list: () => list_(kind), delete: id => delete_(kind, id),"
    " set: (id, value, more) => set_(kind, id, typeof value === 'object' && value ? { ...value, ...more }"
    " : { ...more, content: String(value) }) });"
    " var vault = entries_('datavault'), memory = entries_('memory'), tasks = entries_('task'),"
    " goals = entries_('goal');"
    " var callTool = (name, parameters) => call_(name, parameters ?? {});"
    # The script stands in a block of its own: it may use these names for something else.
    " {\n"
)
"""What a script finds: ``vault``, ``memory``, ``tasks``, ``goals`` and ``callTool``, each answering with a promise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpandedScript(Excerpt):
    """A script in which references were filled in; places in it are places of the script as it was written."""

    lines: tuple[int, ...]
    """Where each line was written; 0 for the helpers."""

    def position(self, line: int, column: int) -> tuple[int, int]:
        """The line and column of the script as it was written."""
        if (line, column) == (1, 1):
            # The very beginning stands for the whole, where nothing better is known.
            return 1, 1
        return self.lines[min(max(line, 1), len(self.lines)) - 1], column


class _EndsScript(EndsBlock):
    def __init__(self, error: PaperError) -> None:
        super().__init__(error.code)
        self.error = error
        # A suspended script is resumed, and a cancelled one stops; after a no a tool is over, and may clean up.
        self.failure = error if isinstance(error, DeniedError) else None


def script_with_helpers(code: str, lookup: Callable[[str], str | None]) -> Excerpt:
    """The code with references to the data vault filled in and the helpers before it, on a line of their own."""
    expanded = expand_vault_references(code, lookup=lookup)
    if expanded["has_errors"]:
        raise ToolError("script-reference", reason=str(expanded["errors"][0]["message"]))
    lines = (0, *source_lines(code, lookup))
    return ExpandedScript(text=f"{HELPERS}{expanded['resolved_code']}\n}}", line=0, lines=lines)


def source_lines(code: str, lookup: Callable[[str], str | None]) -> list[int]:
    """For each line of the expanded code, the line on which it was written."""
    lines, line, end = [1], 1, 0
    for reference in analyze_vault_references(code, lookup=lookup)["occurrences"]:
        before = code.count("\n", end, reference["start"])
        lines += range(line + 1, line + before + 1)
        inserted = resolve_vault_references_simple(reference["raw"], lookup=lookup).count("\n")
        lines += [line + before] * inserted
        line += before + reference["raw"].count("\n")
        end = reference["end"]
    return [*lines, *range(line + 1, line + code.count("\n", end) + 1)]


def host_functions(
    step: Callable[[ToolCall, Place, RunContext], JsonValue],
    entries: EntryStore,
    place: Place,
    frame: RunContext,
    failures: list[PaperError] | None = None,
) -> HostFunctions:
    """The functions behind the helpers; the errors of calls that fail are also added to the failures."""
    numbers = count(1)
    endings: list[_EndsScript] = []

    def call_tool(name: Any, parameters: Any) -> JsonValue:
        if not isinstance(name, str) or not isinstance(parameters, dict):
            raise ToolError("script-call")
        if endings:
            raise endings[0]
        inside = replace(place, path=place.path.script_call(next(numbers)), block="tool", name=name)
        with end_or_note(endings, failures):
            return step(ToolCall(tool=name, arguments=parameters), inside, frame)

    def entry_get(kind: Any, identifier: Any) -> JsonValue:
        entry = entries.get(str(kind), str(identifier))
        return entry.as_json() if entry is not None else None

    def entry_list(kind: Any) -> JsonValue:
        return [entry.as_json() for entry in entries.entries(str(kind))]

    def entry_set(kind: Any, identifier: Any, changes: Any) -> JsonValue:
        given = changes if isinstance(changes, dict) else {}
        return call_tool(str(kind), {**identifying_argument(str(kind), str(identifier)), **given})

    def entry_delete(kind: Any, identifier: Any) -> JsonValue:
        return call_tool(str(kind), {**identifying_argument(str(kind), str(identifier)), "delete": True})

    return {
        "call_tool": call_tool,
        "entry_get": entry_get,
        "entry_list": entry_list,
        "entry_set": entry_set,
        "entry_delete": entry_delete,
    }


@contextmanager
def reraise_ending() -> Iterator[None]:
    """Around a script: raise what ended it from inside a call."""
    try:
        yield
    except _EndsScript as ending:
        raise ending.error from None


@contextmanager
def reraise_failed_call(failures: list[PaperError]) -> Iterator[None]:
    """Around a tool: a failed call that it does not catch is its own failure, with nothing wrapped around it."""
    try:
        yield
    except SandboxError as error:
        told = (error.details.get("code"), error.details.get("message"))
        failed = next((each for each in failures if (each.code, each.message) == told), None)
        if failed is None:
            raise
        raise failed from None


@contextmanager
def end_or_note(endings: list[_EndsScript], failures: list[PaperError] | None) -> Iterator[None]:
    """Around a call: a script may catch a failed one, but not a person's no, a wait or a stop.

    After one of these it calls nothing more, so the first of the endings is the one that counts.
    """
    try:
        yield
    except PaperError as error:
        if failures is not None:
            failures.append(error)
        if not isinstance(error, WaitingError | DeniedError | CancelledError | PlanEndsError):
            raise
        endings.append(_EndsScript(error))
        raise endings[-1] from None
