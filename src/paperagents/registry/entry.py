"""What the program remembers about a file it has read: enough to list it, find it and judge its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from paperagents.definitions.file_reading import FileReading
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Problem, Span
from paperagents.definitions.tag import TagNote
from paperagents.definitions.text import stem_of
from paperagents.definitions.tool import (
    AgentDefinition,
    AnswerReference,
    NearReference,
    Pieces,
    Step,
    ToolDefinition,
    WrittenValue,
    tool_of_agent,
)
from paperagents.registry.manual import manual
from paperagents.values import dataclass

_FOR_PEOPLE = frozenset({"description", "title", "examples"})
_REFERRED_TO = ("$defs", "definitions")


@dataclass(frozen=True, kw_only=True, slots=True)
class CallSite:
    """A step that calls a tool, and where its file says so."""

    tool: str
    span: Span
    arguments: Mapping[str, Span] = field(default_factory=dict)
    conditional: bool = False
    """It may be left out, so a circle through it can end."""
    values: tuple[WrittenValue, ...] = ()
    near_references: tuple[NearReference, ...] = ()
    answer_references: tuple[AnswerReference, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One tool or agent of the vault, good or broken."""

    id: str
    name: str
    kind: str
    type: str | None = None
    description: str = ""
    category: str | None = None
    tags: tuple[str, ...] = ()
    file: str | None = None
    span: Span | None = None
    problems: tuple[Problem, ...] = ()
    calls: tuple[CallSite, ...] = ()
    """The steps of a chain; for an agent the tools it names, which may be patterns."""
    agents: tuple[CallSite, ...] = ()
    """The agents that an agent names."""
    required: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    strict: bool = False
    schema: JsonObject = field(default_factory=dict)
    """JSON Schema of the parameters, as far as values are judged by it."""
    answer: JsonObject = field(default_factory=dict)
    """JSON Schema of what it answers; references into it are judged by it."""
    refuses: Mapping[str, Callable[[Pieces], None]] = field(default_factory=dict)
    """Of a built-in tool: what no schema says about its texts."""
    example_values: tuple[WrittenValue, ...] = ()
    """What its examples give, unless they expect an error."""
    words: Mapping[str, Span] = field(default_factory=dict)
    """How a tag is written, and where its note says so."""
    schedule: str | None = None
    """When it runs by itself, in the notation of cron."""
    log: str | None = None
    """Where else than in the store the log of each run is kept."""
    stale: bool = False
    """The file is broken now; the last good version goes on serving."""

    @property
    def is_tool(self) -> bool:
        """Whether it can be called as a tool."""
        return self.kind not in ("agent", "tag")

    @property
    def valid(self) -> bool:
        """Whether it can be used."""
        return all(problem.severity != "error" for problem in self.problems)

    def with_problems(self, problems: tuple[Problem, ...]) -> Entry:
        """The same entry with these problems added, in the order of the file."""
        if not problems:
            return self
        together = sorted((*self.problems, *problems), key=lambda each: (each.span.line, each.span.column))
        return replace(self, problems=tuple(together))

    def as_json(self) -> JsonObject:
        """The form of ``paper list --json``."""
        return {
            "id": self.id,
            "name": self.name,
            "type": self.type,
            "kind": self.kind,
            "description": self.description,
            "category": self.category,
            "file": self.file,
            "valid": self.valid,
            "problems": [problem.as_json() for problem in self.problems],
        }


def make_entry(reading: FileReading) -> Entry | None:
    """What to remember of a file; None for an ordinary note."""
    if reading.definition is not None:
        described = describe_definition(reading.definition)
        return replace(described, problems=reading.problems)
    if not any(problem.severity == "error" for problem in reading.problems):
        return None
    from paperagents.reading.tool_markdown import id_of_file  # noqa: PLC0415  its libraries are slow to load

    stem = stem_of(reading.file)
    kind = "javascript" if reading.file.lower().endswith(".tool.js") else "markdown"
    return Entry(id=id_of_file(stem), name=stem, kind=kind, file=reading.file, problems=reading.problems)


def describe_definition(definition: ToolDefinition | AgentDefinition | TagNote) -> Entry:
    """The entry of a good definition."""
    shared: dict[str, Any] = {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "category": definition.category,
        "tags": () if isinstance(definition, TagNote) else definition.tags,
        "file": definition.file,
        "span": definition.span,
    }
    if isinstance(definition, AgentDefinition):
        return _entry_of_agent(definition, shared)
    if isinstance(definition, TagNote):
        return Entry(**shared, kind="tag", type="tag", words=definition.words)
    return Entry(
        **shared,
        kind=definition.kind,
        type=definition.type,
        calls=tuple(find_calls(definition.steps)),
        required=tuple(parameter.name for parameter in definition.parameters if parameter.must_be_given),
        parameters=tuple(parameter.name for parameter in definition.parameters),
        aliases=definition.aliases,
        strict=definition.strict,
        schema=schema_of_parameters(definition),
        answer=dict(definition.answer),
        refuses=definition.refuses,
        example_values=tuple(
            value for each in definition.examples if "error" not in each.expects for value in each.written
        ),
        schedule=definition.schedule,
        log=definition.log,
    )


def _entry_of_agent(agent: AgentDefinition, shared: dict[str, Any]) -> Entry:
    def sites(names: tuple[str, ...]) -> tuple[CallSite, ...]:
        return tuple(
            CallSite(tool=name, span=agent.wanted[name], conditional=True) for name in names if name in agent.wanted
        )

    tool = tool_of_agent(agent)
    return Entry(
        **shared,
        kind="agent",
        type="agent",
        calls=sites(agent.tools),
        agents=sites(agent.agents),
        required=tuple(parameter.name for parameter in tool.parameters if parameter.must_be_given),
        parameters=tuple(parameter.name for parameter in tool.parameters),
        aliases=tool.aliases,
        schema=schema_of_parameters(tool),
        answer=dict(tool.answer),
    )


def schema_of_parameters(tool: ToolDefinition) -> JsonObject:
    """The schema of each parameter and what it may refer to, without words for people."""
    # Other words than those of an enum have a meaning for some built-in tools.
    left_out = _FOR_PEOPLE | {"enum"} if tool.judges_words else _FOR_PEOPLE
    properties: JsonObject = {
        each.name: {key: value for key, value in each.schema.items() if key not in left_out} for each in tool.parameters
    }
    shared = {key: tool.own_schema[key] for key in _REFERRED_TO if key in tool.own_schema} if tool.own_schema else {}
    return {**shared, "properties": properties} if properties else {}


def find_calls(steps: Iterable[Step], *, conditional: bool = False) -> Iterator[CallSite]:
    """The calls in the order of the file; what may be left out may be so with all the steps inside it."""
    for step in steps:
        uncertain = conditional or may_be_skipped(step)
        if step.tool and step.span is not None:
            yield CallSite(
                tool=step.tool,
                span=step.span,
                arguments=step.parameter_spans,
                conditional=uncertain,
                values=step.written,
                near_references=step.near_references,
                answer_references=step.answer_references,
            )
        yield from find_calls(step.parallel, conditional=uncertain)


def may_be_skipped(step: Step) -> bool:
    """Whether a step has a condition that can be false, or a list that can be empty."""
    always_true = step.condition in (None, True, "true")
    never_empty = step.for_each is None or (isinstance(step.for_each, list) and bool(step.for_each))
    return not (always_true and never_empty)


# --- what programs read where people read the manual


def serving_entry(entry: Entry, last_good: FileReading | None) -> Entry:
    """A file that has just been broken goes on as it was, and says so."""
    if entry.valid or last_good is None or last_good.definition is None:
        return entry
    before = describe_definition(last_good.definition)
    # A tool that has become an agent, or the other way round, is no broken version of what it was.
    if entry.type is not None and entry.kind != before.kind:
        return entry
    return replace(before, problems=entry.problems, stale=True)


def names_referred_to(entry: Entry) -> Iterator[str]:
    """The tools and agents that an entry names; of an agent they may be patterns."""
    return (call.tool for call in (*entry.calls, *entry.agents))


def definition_document(
    definition: ToolDefinition | AgentDefinition | TagNote, grants: JsonObject | None = None
) -> JsonObject:
    """The document of ``paper show --json``."""
    document: JsonObject = {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "category": definition.category,
        "file": definition.file,
        "manual": manual(definition, grants),
    }
    if isinstance(definition, TagNote):
        return {**document, "kind": "tag", "definition": dict(definition.fields)}
    document |= {
        "version": definition.version,
        "author": definition.author,
        "tags": list(definition.tags),
    }
    if isinstance(definition, AgentDefinition):
        return {
            **document,
            "type": "agent",
            "kind": "agent",
            "parameters": tool_of_agent(definition).schema,
            "model": definition.model,
            "tools": list(definition.tools),
            "agents": list(definition.agents),
            "protocol": definition.protocol,
            "max_iterations": definition.max_iterations,
            "temperature": definition.options.temperature,
            "output": dict(definition.output) if definition.output is not None else None,
            "evals": len(definition.evals),
            "memory": definition.memory,
            "budget": dict(definition.budget),
        }
    examples: list[JsonObject] = [
        {"name": each.name, "input": dict(each.input), **each.expects} for each in definition.examples
    ]
    if definition.dependencies:
        document |= {"dependencies": dict(definition.dependencies), "grants": grants or {}}
    return {
        **document,
        "type": definition.type,
        "kind": definition.kind,
        "parameters": definition.schema,
        "returns": dict(definition.answer) or None,
        "steps": [step.tool for step in definition.all_steps()],
        "examples": [*examples],
    }
