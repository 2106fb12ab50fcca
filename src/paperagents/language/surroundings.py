"""What a reference or a piece of JavaScript can reach from where it stands, with its shape and last recorded value.

Everything reachable is one object: its shape is a JSON Schema, its value the one of the last recorded run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Protocol

from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import AgentDefinition, ToolDefinition, tool_of_agent
from paperagents.language.catalog import Catalog
from paperagents.language.outline import Outline, Script, Step
from paperagents.language.shapes import ANYTHING, Shape, fields_of, merge, observe
from paperagents.reading.javascript_fields import find_produced_fields
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.references import BUILT_IN_NAMES
from paperagents.values import dataclass

_IN_LOOP: dict[str, Shape] = {"item": ANYTHING, "index": {"type": "number"}}
_CLOCK: Mapping[str, Shape] = {name: {"type": "string"} for name in BUILT_IN_NAMES}


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRun:
    """What one run of a tool was given and what its steps answered, with secrets masked."""

    arguments: JsonObject = field(default_factory=dict)
    input: JsonObject | None = None
    """What preprocessing made of the arguments; None where there is none."""
    outputs: Mapping[str, JsonValue] = field(default_factory=dict)
    """By the label of the step."""
    result: JsonValue = None
    clock: JsonObject = field(default_factory=dict)


class Recordings(Protocol):
    """The runs that a vault remembers."""

    def last_runs(self, tool: str) -> list[RecordedRun]:
        """The newest runs of a tool that went well, the newest first."""


class NoRecordings:
    """Where nothing has been recorded, or nobody may look."""

    def last_runs(self, tool: str) -> list[RecordedRun]:  # noqa: ARG002  there are none
        """None."""
        return []


@dataclass(frozen=True, kw_only=True, slots=True)
class Reachable:
    """The object whose fields are the names."""

    shape: Shape
    value: JsonObject
    """As far as runs were recorded."""


class Surroundings:
    """What the parts of one document can reach."""

    def __init__(self, outline: Outline, catalog: Catalog, recordings: Recordings) -> None:
        self._outline = outline
        self._catalog = catalog
        self._recordings = recordings

    def of_text(self, step: Step | None) -> Reachable:
        """For a reference in a step, or in the prompt of an agent."""
        names: dict[str, Shape] = dict(_CLOCK)
        arguments, given = self._arguments, self._input
        value: JsonObject = {**self._last.clock, **self._input_value, **self._last.arguments}
        names |= {**fields_of(given), **fields_of(arguments)}
        if step is not None:
            names |= {"input": given, "preprocess": given, **self._of_steps(step, value)}
            value |= {"input": self._input_value, "preprocess": self._input_value}
        else:
            names |= {"query": {"type": "string"}}
        return Reachable(shape=_object(names), value=value)

    def of_script(self, script: Script) -> Reachable:
        """For JavaScript: ``input``, ``context``, and after a call ``output``."""
        before = self._outline.steps if script.block == "postprocess" else script.step.earlier if script.step else ()
        if script.block == "if" and script.step is not None:
            return self.of_text(script.step)
        is_first = script.block == "preprocess"
        given = self._arguments if is_first else self._input
        labels = {each.label: _object({"output": self.output_of(each)}) for each in before}
        steps: JsonObject = {
            label: {"output": self._last.outputs[label]} for label in labels if label in self._last.outputs
        }
        context: dict[str, Shape] = {**_CLOCK, "parameters": self._arguments, "steps": _object(labels)}
        names: dict[str, Shape] = {"input": given, "context": _object(context)}
        value: JsonObject = {
            "input": self._last.arguments if is_first else self._input_value,
            "context": {**self._last.clock, "parameters": self._last.arguments, "steps": steps},
        }
        of = script.step or (self._outline.last_step if script.block == "postprocess" else None)
        if script.block in ("post_processing", "postprocess"):
            if of is None:
                names["output"] = self._input
            else:
                names["output"] = self._answer_of(of) if of is script.step else self.output_of(of)
            if of is not None and of.label in self._last.outputs and script.block == "postprocess":
                value["output"] = self._last.outputs[of.label]
            if script.step is not None and script.step.in_loop:
                names |= _IN_LOOP
        return Reachable(shape=_object(names), value=value)

    def output_of(self, step: Step) -> Shape:
        """What is known about the output of a step: what its tool says and gave, what this step gave in past runs."""
        seen = [observe(run.outputs[step.label]) for run in self._runs if step.label in run.outputs]
        is_changed = step.node.get("post_processing") is not None or step.node.get("parallel") is not None
        called = ANYTHING if is_changed else self._answer_of(step)
        if called and step.node.get("for_each") is not None:
            called = {"type": "array", "items": dict(called)}
        return merge(called, *seen)

    # --- parts

    @cached_property
    def _runs(self) -> list[RecordedRun]:
        own = self._catalog.of_file(self._outline.document.file)
        return self._recordings.last_runs(own.id) if own is not None else []

    @cached_property
    def _last(self) -> RecordedRun:
        return self._runs[0] if self._runs else RecordedRun()

    @cached_property
    def _input_value(self) -> JsonObject:
        return self._last.input if self._last.input is not None else self._last.arguments

    @cached_property
    def _arguments(self) -> Shape:
        """The declared parameters, with what was seen of those that say little."""
        seen = [observe(run.arguments) for run in self._runs]
        declared = {name.raw: node.plain() for name, node in self._outline.parameters}
        return merge(_object(declared), *seen)

    @cached_property
    def _input(self) -> Shape:
        """The input after preprocessing."""
        block = next((each for each in self._outline.scripts if each.block == "preprocess"), None)
        if block is None:
            return self._arguments
        produced = find_produced_fields(JavaScript(block.code.text, (*self._outline.parameter_names, *BUILT_IN_NAMES)))
        seen = [observe(run.input) for run in self._runs if run.input is not None]
        kept = [self._arguments] if produced.keeps_arguments or produced.anything else []
        return merge(_object(dict.fromkeys(sorted(produced.names), ANYTHING)), *seen, *kept)

    def _of_steps(self, step: Step, value: JsonObject) -> dict[str, Shape]:
        """The labels before a step, the step before, and the values of a loop."""
        outputs = self._last.outputs
        labels = {each.label: _object({"output": self.output_of(each)}) for each in step.earlier if each.label}
        recorded: JsonObject = {label: {"output": outputs[label]} for label in labels if label in outputs}
        value |= {**recorded, "steps": recorded}
        names: dict[str, Shape] = {**labels, "steps": _object(labels)} if labels else {}
        if step.previous is not None:
            shape = self.output_of(step.previous)
            names |= {"prev_step": _object({"output": shape}), "output": shape}
            if step.previous.label in outputs:
                value |= {"prev_step": {"output": outputs[step.previous.label]}, "output": outputs[step.previous.label]}
        if step.in_loop:
            names |= _IN_LOOP
        environment = self._environment()
        return {**names, "env": environment} if environment else names

    def _environment(self) -> Shape:
        own = self._catalog.of_file(self._outline.document.file)
        definition = self._catalog.definition(own) if own is not None else None
        declared = definition.environment if isinstance(definition, ToolDefinition) else ()
        return _object({each.name: {"type": "string"} for each in declared}) if declared else ANYTHING

    def _answer_of(self, step: Step) -> Shape:
        """What the called tool answers: as it says itself, and as it did in recorded runs."""
        entry = self._catalog.find(step.tool)
        definition = self._catalog.definition(entry) if entry is not None else None
        if isinstance(definition, AgentDefinition):
            definition = tool_of_agent(definition)
        if entry is None or not isinstance(definition, ToolDefinition):
            return ANYTHING
        if definition.answer:
            return definition.answer
        return merge(*(observe(run.result) for run in self._recordings.last_runs(entry.id)))


def _object(fields: Mapping[str, Shape]) -> JsonObject:
    return {"type": "object", "properties": {name: dict(shape) for name, shape in fields.items()}}
