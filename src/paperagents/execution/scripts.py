"""JavaScript of a run: blocks of a note, tools that are one file, scripts that came with a call.

What it wants done to the vault are steps of the run: it has no way around the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from paperagents.calls.references import Names, fill_script
from paperagents.calls.tool_call import ToolCall
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt
from paperagents.errors import PaperError, SandboxError, ToolError
from paperagents.execution.frame import Frame
from paperagents.execution.module_tool import HELPERS, Keeping, module_block, module_names, outcome, told_as_not_granted
from paperagents.execution.run_log import OpenEntry, Place
from paperagents.execution.script_tool import (
    ended_by_a_call,
    failing_as_its_call,
    host_functions,
    script_with_helpers,
)
from paperagents.execution.session import Services, Session
from paperagents.sandbox import EndsBlock, HostFunctions, JavaScriptResult

Step = Callable[[ToolCall, Place, Frame], JsonValue]


class Scripts:
    """Runs the JavaScript of one session; ``step`` carries out what it calls."""

    def __init__(self, services: Services, session: Session, step: Step) -> None:
        self._services = services
        self._session = session
        self._step = step

    def block(self, script: Excerpt, names: Names, frame: Frame, place: Place) -> JsonValue:
        """A block of the tool itself, with its entry in the log."""
        if (done := frame.log.replayed(place)) is not None:
            return done["output"]
        with frame.log.block(place, dict(names.input)) as entry:
            entry.output = self.evaluate(script, names, frame, entry)
            if place.block == "preprocess" and not isinstance(entry.output, dict):
                raise ToolError("preprocess-not-an-object")
            return entry.output

    def module(self, names: Names, frame: Frame, place: Place) -> JsonValue:
        """A tool that is one JavaScript file."""
        if frame.tool.dependencies:
            self._install_packages(frame, replace(place, path="npm", block="tool", name="install_packages"))
        if (done := frame.log.replayed(place)) is not None:
            return done["output"]
        with frame.log.block(place, dict(names.input)) as entry:
            entry.output = self._execute_module(names, frame, place, entry)
            return entry.output

    def _install_packages(self, frame: Frame, place: Place) -> None:
        """Before a tool with npm packages first runs on a machine: a step like any other; examples install nothing."""
        self._services.masking.learn(self._services.packages.variables(frame.tool))
        if self._session.responses is None and not self._services.packages.is_ready(frame.tool):
            frame.log.forget(place.path)
            self._step(ToolCall(tool=place.name, arguments={"tool": frame.tool.id}), place, frame)
        elif frame.log.goes_on:
            frame.log.replayed(place)

    def _execute_module(self, names: Names, frame: Frame, place: Place, entry: OpenEntry) -> JsonValue:
        tool, mocked = frame.tool, self._session.plan is not None
        keeping = Keeping(self._services.storage.load(tool.id))
        visible = module_names(tool, dict(names.input), names.environment, keeping.before, mocked=mocked)
        failures: list[PaperError] = []
        host = host_functions(self._step, self._services.entries, place, frame, failures)
        packed = partial(self._services.packages.run, tool, planned=mocked)
        run = partial(packed if tool.dependencies else self._services.sandbox.run, helpers=HELPERS)
        refused = told_as_not_granted(tool, self._session.plan, frame.root_step or place.step)
        functions = {"call_tool": host["call_tool"], "keep_storage": keeping.keep}
        try:
            with ended_by_a_call(), failing_as_its_call(failures), refused:
                answer = self._in_sandbox(module_block(tool), visible, frame, entry, functions, run)
            return outcome(answer)
        finally:
            # What a tool has kept before it failed is kept like what it has kept before it was done.
            if not mocked:
                self._services.storage.change(tool.id, keeping.before, keeping.after)

    def written(self, code: str, place: Place, frame: Frame, entry: OpenEntry) -> JsonValue:
        """A script that came with the call; what it does to the vault are calls of its own."""
        script = script_with_helpers(code, self._services.vault_content)
        host = host_functions(self._step, self._services.entries, place, frame)
        with ended_by_a_call():
            return self._in_sandbox(script, {}, frame, entry, host)

    def evaluate(self, script: Excerpt, names: Names, frame: Frame, entry: OpenEntry) -> JsonValue:
        """The value of a block of a tool's file."""
        code = replace(script, text=fill_script(script.text, names)) if "{{" in script.text else script
        visible: JsonObject = {"input": dict(names.input), "context": {}}
        if "context" in code.text:
            # Everything that happened so far can be large; it is only sent where it is looked at.
            visible["context"] = names.context()
        if names.has_previous:
            visible["output"] = names.previous
        entry.repeatable = True
        return self._in_sandbox(code, visible, frame, entry)

    def _in_sandbox(  # noqa: PLR0913, PLR0917  everything a piece of JavaScript stands on
        self,
        code: Excerpt,
        names: JsonObject,
        frame: Frame,
        entry: OpenEntry,
        host: HostFunctions | None = None,
        run: Callable[..., JavaScriptResult] | None = None,
    ) -> JsonValue:
        """What the code writes to the console goes into the log, also when it fails."""
        usual = self._services.module_limits if frame.tool.module is not None else self._services.limits
        limits = usual if frame.tool.timeout is None else usual.lowered_to(seconds=frame.tool.timeout)
        stop = self._session.cancellation
        try:
            result = (run or self._services.sandbox.run)(code, names=names, limits=limits, host=host, cancellation=stop)
        except SandboxError as error:
            entry.console = self._masked(error.details.pop("console", []))
            raise
        except EndsBlock as ending:
            entry.console = self._masked([*ending.console])
            raise
        entry.console = self._masked([line.as_json() for line in result.console])
        return result.value

    def _masked(self, value: Any) -> Any:
        return self._services.masking.value(value)
