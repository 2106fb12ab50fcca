"""JavaScript of a run: blocks of a note, tools that are one file, scripts that came with a call.

What it wants done to the vault are steps of the run: it has no way around the pipeline.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from paperagents import tags
from paperagents.calls.arguments import ToolCall
from paperagents.calls.references import Names, fill_script
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.definitions.text import identifying_argument
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import (
    BusinessError,
    CancelledError,
    DeniedError,
    PaperError,
    PlanEndsError,
    SandboxError,
    ToolError,
    WaitingError,
)
from paperagents.patterns import late_pattern
from paperagents.runs.log import OpenEntry, RunContext
from paperagents.runs.record import PACKAGES, Place
from paperagents.runs.session import Services, Session
from paperagents.sandbox import EndsBlock, HostFunctions, JavaScriptResult
from paperagents.sandbox.values import with_module
from paperagents.storage.entries import EntryStore
from paperagents.values import dataclass

Step = Callable[[ToolCall, Place, RunContext], JsonValue]


class Scripts:
    """Runs the JavaScript of one session; ``step`` carries out what it calls."""

    def __init__(self, services: Services, session: Session, step: Step) -> None:
        self._services = services
        self._session = session
        self._step = step

    def block(self, script: Excerpt, names: Names, run: RunContext, place: Place) -> JsonValue:
        """A block of the tool itself, with its entry in the log."""
        if (done := run.log.replay(place)) is not None:
            return done["output"]
        with run.log.block(place, dict(names.input)) as entry:
            entry.output = self.evaluate(script, names, run, entry)
            if place.block == "preprocess" and not isinstance(entry.output, dict):
                raise ToolError("preprocess-not-an-object")
            return entry.output

    def module(self, names: Names, run: RunContext, place: Place) -> JsonValue:
        """A tool that is one JavaScript file."""
        if run.tool.needs_deno:
            self._install_packages(run, replace(place, path=PACKAGES, block="tool", name="install_packages"))
        if (done := run.log.replay(place)) is not None:
            return done["output"]
        with run.log.block(place, dict(names.input)) as entry:
            entry.output = self._execute_module(names, run, place, entry)
            return entry.output

    def _install_packages(self, run: RunContext, place: Place) -> None:
        """Before a tool with npm packages first runs on a machine: a step like any other; examples install nothing."""
        self._services.redaction.learn(self._services.packages.variables(run.tool))
        if self._session.responses is None and not self._services.packages.is_ready(run.tool):
            run.log.forget(place.path)
            self._step(ToolCall(tool=place.name, arguments={"tool": run.tool.id}), place, run)
        elif run.log.is_resumed:
            run.log.replay(place)

    def _execute_module(self, names: Names, run: RunContext, place: Place, entry: OpenEntry) -> JsonValue:
        tool, mocked = run.tool, self._session.plan is not None
        keeping = Keeping(self._services.storage.load(tool.id))
        visible = module_names(tool, dict(names.input), names.environment, keeping.before, mocked=mocked)
        failures: list[PaperError] = []
        host = host_functions(self._step, self._services.entries, place, run, failures)
        packed = partial(self._services.packages.run, tool, planned=mocked)
        execute = partial(packed if tool.needs_deno else self._services.sandbox.run, helpers=MODULE_HELPERS)
        refused = told_as_not_granted(tool, self._session.plan, run.root_step or place.step)
        functions = {"call_tool": host["call_tool"], "keep_storage": keeping.keep}
        try:
            with reraise_ending(), reraise_failed_call(failures), refused:
                answer = self._in_sandbox(module_block(tool), visible, run, entry, functions, execute)
            return outcome(answer)
        finally:
            # What a tool has kept before it failed is kept like what it has kept before it was done.
            if not mocked:
                self._services.storage.change(tool.id, keeping.before, keeping.after)

    def written(self, code: str, place: Place, run: RunContext, entry: OpenEntry) -> JsonValue:
        """A script that came with the call; what it does to the vault are calls of its own."""
        script = script_with_helpers(code, self._services.vault_content)
        host = host_functions(self._step, self._services.entries, place, run)
        with reraise_ending():
            return self._in_sandbox(script, {}, run, entry, host)

    def evaluate(self, script: Excerpt, names: Names, run: RunContext, entry: OpenEntry) -> JsonValue:
        """The value of a block of a tool's file."""
        code = fill_script(script, names)
        visible: JsonObject = {"input": dict(names.input), "context": {}}
        if "context" in code.text:
            # Everything that happened so far can be large; it is only sent where it is looked at.
            visible["context"] = names.context()
        if names.has_previous:
            visible["output"] = names.previous
        visible |= {name: value for name, value in names.loop.items() if name in code.text}
        entry.is_idempotent = True
        return self._in_sandbox(code, visible, run, entry)

    def _in_sandbox(  # noqa: PLR0913, PLR0917  everything a piece of JavaScript stands on
        self,
        code: Excerpt,
        names: JsonObject,
        run: RunContext,
        entry: OpenEntry,
        host: HostFunctions | None = None,
        execute: Callable[..., JavaScriptResult] | None = None,
    ) -> JsonValue:
        """What the code writes to the console goes into the log, also when it fails."""
        usual = self._services.module_limits if run.tool.module is not None else self._services.limits
        limits = usual if run.tool.timeout is None else usual.lowered_to(seconds=run.tool.timeout)
        stop = self._session.cancellation
        try:
            execute = execute or self._services.sandbox.run
            result = execute(code, names=names, limits=limits, host=host, cancellation=stop)
        except SandboxError as error:
            entry.console = self._redact(error.details.pop("console", []))
            raise
        except EndsBlock as ending:
            entry.console = self._redact([*ending.console])
            raise
        entry.console = self._redact([line.as_json() for line in result.console])
        return result.value

    def _redact(self, value: Any) -> Any:
        return self._services.redaction.value(value)


# --- runs a tool that is one JavaScript file: ``init``, ``execute``, ``cleanup``, with ``this.api`` at hand


SECONDS = 30.0
"""How long ``execute`` may take, where nothing lower is set."""

_ADVICE_OF_DENO = late_pattern(r", run again with the --allow-\w+ flag")
_EXECUTE = Path(__file__).with_name("module_tool.js").read_text("utf-8")
MODULE_HELPERS = {"make_api": 7, "name_failure": 8}
"""What the execution calls only where it needs it."""


def module_block(tool: ToolDefinition) -> Excerpt:
    """The file, and then its execution."""
    assert tool.module is not None
    return with_module(tool.module, _EXECUTE, packages="real" if tool.needs_deno else "none")


def module_names(
    tool: ToolDefinition, arguments: JsonObject, environment: Mapping[str, str], storage: JsonObject, *, mocked: bool
) -> JsonObject:
    """What the execution sees."""
    typed: JsonObject = {name: _typed(tool, name, value) for name, value in environment.items()}
    info: JsonObject = {
        "id": tool.id,
        "name": tool.name,
        "description": tool.description,
        "version": tool.version,
        "author": tool.author,
        "category": tool.category,
        "tags": [*tool.tags],
        "dry_run": mocked,
    }
    return {"input": arguments, "environment": typed, "storage": storage, "mocked": mocked, "info": info}


@contextmanager
def told_as_not_granted(tool: ToolDefinition, plan: list[JsonObject] | None, step: int) -> Iterator[None]:
    """Around the execution: what Deno or the kernel refused is told by what the settings could grant.

    A dry run may not write nor connect; where the tool would, its plan ends.
    """
    try:
        yield
    except SandboxError as error:
        refused = error.details.get("name") == "NotCapable" or error.details.get("code") in ("EACCES", "EPERM")
        if not refused or not tool.needs_deno:
            raise
        reason = _ADVICE_OF_DENO.sub("", str(error.details.get("message", "")))
        if plan is None:
            raise ToolError("npm-not-granted", tool=tool.id, reason=reason, details=error.details) from None
        plan.append({"step": step, "tool": tool.id, "arguments": {}, "preview": reason, "would_ask": False})
        raise PlanEndsError from None


class Keeping:
    """What the tool keeps between runs, as the execution leaves it."""

    def __init__(self, before: JsonObject) -> None:
        self.before = before
        self.after = before

    def keep(self, content: Any) -> None:
        """The execution's last word on it."""
        if not isinstance(content, dict):
            raise ToolError("module-answer")
        self.after = content


def outcome(answer: Any) -> JsonValue:
    """The value. Raises BusinessError for a failure the tool itself has named."""
    failure = answer.get("failure", {}) if isinstance(answer, dict) else None
    if not isinstance(failure, dict) or (failure and not {"code", "description", "retryable"} <= failure.keys()):
        raise ToolError("module-answer")
    if failure:
        raise BusinessError(failure)
    return answer.get("value")  # type: ignore[no-any-return]  # JSON gives a JSON value


def _typed(tool: ToolDefinition, name: str, value: str) -> JsonValue:
    declared = next((each.schema.get("type") for each in tool.environment if each.name == name), "string")
    if declared in ("number", "integer", "boolean", "array", "object"):
        try:
            return json.loads(value)  # type: ignore[no-any-return]  # JSON gives a JSON value
        except (ValueError, RecursionError):
            return value
    return value


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
    expanded = tags.expand_vault_references(code, lookup=lookup)
    if expanded["has_errors"]:
        raise ToolError("script-reference", reason=str(expanded["errors"][0]["message"]))
    lines = (0, *source_lines(code, lookup))
    return ExpandedScript(text=f"{HELPERS}{expanded['resolved_code']}\n}}", line=0, lines=lines)


def source_lines(code: str, lookup: Callable[[str], str | None]) -> list[int]:
    """For each line of the expanded code, the line on which it was written."""
    lines, line, end = [1], 1, 0
    for reference in tags.analyze_vault_references(code, lookup=lookup)["occurrences"]:
        before = code.count("\n", end, reference["start"])
        lines += range(line + 1, line + before + 1)
        inserted = tags.resolve_vault_references_simple(reference["raw"], lookup=lookup).count("\n")
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
        code, message = error.details.get("code"), str(error.details.get("message"))
        # The name of a system error may stand before it.
        failed = next((each for each in failures if each.code == code and message.endswith(each.message)), None)
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
