"""What a file, or the program itself, says a tool or an agent is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Literal

from paperagents.definitions.agent import Eval, ModelOptions
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.source import Excerpt, Span
from paperagents.messages import text
from paperagents.values import dataclass

TYPES = ("string", "number", "integer", "boolean", "array", "object")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
ToolType = Literal["single", "chain"]
Block = Literal["preprocess", "tool", "postprocess", "custom_function"]
"""The parts of a definition that execute."""
AGENT_PREFIX = "agent:"
"""Before the id of an agent: a tool may have the same id."""
STORE_PREFIX = "store:"
"""Before a kind of entries of one's own: a tool may have that as its id."""
ToolKind = Literal["markdown", "javascript", "builtin", "agent", "mcp", "store"]
Pieces = tuple[str | None, ...]
"""A text in pieces; None is a reference, which can be anything."""
Protocol = Literal["native", "tags", "auto"]
DEFAULT_TOOLS = ("search_files", "read_file")
"""What an agent may use whose note names no tools: it can look, and change nothing."""
QUERY = "query"
CONVERSATION = "conversation"
DEFINITION_VERSION = "definition_version"
HIDDEN = frozenset({CONVERSATION, DEFINITION_VERSION})
"""Parameters that the program itself gives; a model is not told of them."""


_LONGEST_CHAIN = 16
"""References that are followed one after the other: they may lead in a circle."""
_PREFIXES = {"agent": AGENT_PREFIX, "store": STORE_PREFIX}


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One argument: its name, whether it must be given, and its JSON Schema."""

    name: str
    schema: Mapping[str, JsonValue] = field(default_factory=dict)
    """The keywords of JSON Schema, ``type``, ``description`` and ``default`` among them."""
    required: bool = True

    @property
    def must_be_given(self) -> bool:
        """A default satisfies ``required``."""
        return self.required and "default" not in self.schema

    @property
    def service(self) -> str | None:
        """The host that a variable says its value belongs to, perhaps with a port."""
        named = self.schema.get("service")
        return service_name(named) if isinstance(named, str) else None


def service_name(written: str) -> str:
    """A host as it is kept: in small letters, without what an address has around it."""
    host = written.strip().casefold()
    return host.partition("://")[2].partition("/")[0] if "://" in host else host


def declared_types(schema: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The types that a value may have, also by one of several ways; empty where the schema does not tell them."""
    declared = schema.get("type")
    if declared is not None:
        return declared if isinstance(declared, list) else [declared]
    ways = schema.get("anyOf", schema.get("oneOf"))
    found = [declared_types(each) if isinstance(each, dict) else [] for each in ways] if isinstance(ways, list) else []
    return [kind for each in found for kind in each] if all(found) else []


def follow_reference(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The schema with what its ``$ref`` names inside the root; what stands beside a reference comes first."""
    for _ in range(_LONGEST_CHAIN):
        target = schema.get("$ref")
        if not isinstance(target, str):
            break
        found: JsonValue = dict(root)
        for segment in target.removeprefix("#/").split("/"):
            name = segment.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            break
        schema = {**found, **{name: value for name, value in schema.items() if name != "$ref"}}
    return schema


def json_schema(parameters: Iterable[Parameter], *, strict: bool = False) -> JsonObject:
    """The one truth for forms, MCP and validation: JSON Schema 2020-12 for the arguments of a tool."""
    parameters = tuple(parameters)
    schema: JsonObject = {
        "$schema": DIALECT,
        "type": "object",
        "properties": {parameter.name: dict(parameter.schema) for parameter in parameters},
    }
    required: list[JsonValue] = [parameter.name for parameter in parameters if parameter.must_be_given]
    if required:
        schema["required"] = required
    if strict:
        schema["additionalProperties"] = False
    return schema


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentDefinition:
    """A language model with a prompt, tools and limits."""

    id: str
    name: str
    prompt: Excerpt
    description: str = ""
    model: str | None = None
    parameters: tuple[Parameter, ...] = ()
    """What it may be told besides the question; placeholders of the prompt."""
    tools: tuple[str, ...] = DEFAULT_TOOLS
    """Ids, names or patterns such as ``search_*``."""
    protocol: Protocol = "auto"
    max_iterations: int = 20
    options: ModelOptions = field(default_factory=ModelOptions)
    output: Mapping[str, JsonValue] | None = None
    """JSON Schema of its answer; None where that is a text."""
    context_tokens: int | None = None
    """How much its model can read at once."""
    fallback: tuple[str, ...] = ()
    """Models that are asked where the one before cannot answer."""
    images: bool = False
    """Pictures linked in the question or in the note are sent along."""
    evals: tuple[Eval, ...] = ()
    pass_rate: float = 1.0
    """How many of the evals must pass, as a fraction."""
    starters: tuple[str, ...] = ()
    """Questions that the pages offer to begin with."""
    memory: bool = True
    budget: Mapping[str, JsonValue] = field(default_factory=dict)
    """``tokens`` and/or ``money``; empty is no limit."""
    timeout: float | None = None
    approval: str | None = None
    """``always``: a person is asked before the agent is."""
    agents: tuple[str, ...] = ()
    """Other agents it may ask: ids, names or patterns."""
    wanted: Mapping[str, Span] = field(default_factory=dict)
    """Where the note names each of its tools and agents."""
    version: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    file: str | None = None
    span: Span | None = None
    """Where the file says its id or name."""
    digest: str = ""
    text_digest: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenValue:
    """A value that a file writes for an argument, as far as it is known before anything runs."""

    name: str
    value: JsonValue
    """Null where a text has references in it."""
    span: Span
    inner: Mapping[str, Span] = field(default_factory=dict)
    """Where the values inside it stand, by their paths."""
    templates: Mapping[str, Pieces] = field(default_factory=dict)
    """The texts with references, by their paths, as pieces; None is a reference."""


def value_path(segments: Iterable[str | int]) -> str:
    """The place of a value inside another; empty for that itself."""
    return "".join(f"/{segment}" for segment in segments)


@dataclass(frozen=True, kw_only=True, slots=True)
class NearReference:
    """A text of an argument that is nearly a reference, and how it would be one."""

    text: str
    suggestion: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerReference:
    """A reference into what a tool answers that is known only when all files of the vault are."""

    tool: str
    path: tuple[str | int, ...]
    text: str
    span: Span


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """An input and what must come of it; stand-ins for steps that would touch the world, and for variables."""

    input: Mapping[str, JsonValue] = field(default_factory=dict)
    name: str | None = None
    expects: Mapping[str, JsonValue] = field(default_factory=dict)
    """One of ``output``, ``output_contains`` or ``error``."""
    responses: Mapping[str, JsonValue] = field(default_factory=dict)
    environment: Mapping[str, JsonValue] = field(default_factory=dict)
    written: tuple[WrittenValue, ...] = ()
    """The input, and where the file has it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedFailure:
    """A failure that a tool has a name for, and what can be done about it."""

    code: str
    description: str = ""
    solution: str = ""
    retryable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolDefinition:
    """A tool: who it is, what it wants, and the blocks that run, in order."""

    id: str
    name: str
    kind: ToolKind
    type: ToolType = "single"
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    strict: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names under which an argument may be given."""

    preprocess: Excerpt | None = None
    steps: tuple[Step, ...] = ()
    """The steps of a chain; a single tool's tool block is the one step of a chain of one."""
    custom_function: Excerpt | None = None
    postprocess: Excerpt | None = None

    module: Excerpt | None = None
    """The whole file of a tool that is one JavaScript file."""
    dependencies: Mapping[str, str] = field(default_factory=dict)
    loads_node_modules: bool = False
    """It loads modules that Node brings along, such as ``path``."""
    """npm packages such a file declares, with their versions."""
    failures: tuple[NamedFailure, ...] = ()
    own_schema: Mapping[str, JsonValue] | None = None
    """The schema of the arguments, where the file gives a whole one instead of parameters."""
    agent: AgentDefinition | None = None
    """The agent that answers the call."""

    timeout: float | None = None
    log: str | None = None
    schedule: str | None = None
    """When it runs by itself, in the notation of cron."""
    approval: str | None = None
    examples: tuple[Example, ...] = ()
    environment: tuple[Parameter, ...] = ()
    answer: Mapping[str, JsonValue] = field(default_factory=dict)
    """JSON Schema of the result, ``returns`` in a file; an empty one says nothing about it."""
    refuses: Mapping[str, Callable[[Pieces], None]] = field(default_factory=dict)
    """By parameter, what raises the error of a run for a text that no schema can judge; see ``WrittenValue``."""
    reads_when: Callable[[Mapping[str, JsonValue]], bool] | None = None
    """Whether a built-in tool only reads when it is called with these arguments; None where it never does."""
    leaves_the_vault: bool = True
    """Whether a built-in tool may reach something else than the vault."""
    judges_words: bool = False
    """The tool itself decides what becomes of a word that an ``enum`` of its schema does not have."""

    version: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    author: str | None = None
    file: str | None = None
    span: Span | None = None
    """Where the file says its id or name."""
    digest: str = ""
    """Of the file's bytes: what was approved is what runs."""
    text_digest: str = ""
    """Of the file without its log: the log that a run adds makes no other tool of it."""

    def only_reads(self, arguments: Mapping[str, JsonValue]) -> bool:
        """Whether a call of a built-in tool with these arguments changes nothing."""
        defaults = {each.name: each.schema.get("default") for each in self.parameters}
        return self.reads_when is not None and self.reads_when({**defaults, **arguments})

    @property
    def needs_deno(self) -> bool:
        """Whether it is more than the small sandbox has: npm packages, or Node's own modules."""
        return bool(self.dependencies) or self.loads_node_modules

    @property
    def key(self) -> str:
        """The name under which it is surely found."""
        return f"{_PREFIXES.get(self.kind, '')}{self.id}"

    @property
    def schema(self) -> JsonObject:
        """JSON Schema of the arguments."""
        return dict(self.own_schema) if self.own_schema else json_schema(self.parameters, strict=self.strict)

    def block_at(self, line: int) -> Block:
        """The block that a line of the file belongs to."""
        scripts: Mapping[Block, Excerpt | None] = {
            "preprocess": self.preprocess,
            "custom_function": self.custom_function,
            "postprocess": self.postprocess,
        }
        for block, script in scripts.items():
            if script is not None and script.line <= line <= script.line + script.text.count("\n"):
                return block
        return "tool"

    def all_steps(self) -> Iterator[Step]:
        """Every step, those inside ``parallel`` too, in the order of the file."""
        waiting = list(reversed(self.steps))
        while waiting:
            step = waiting.pop()
            yield step
            waiting.extend(reversed(step.parallel))


# --- one call inside a chain, as its file describes it


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """How often a failing step is tried, and how long to wait in between."""

    attempts: int = 1
    delay: float = 0.0
    backoff: float = 1.0
    """The factor by which the delay grows from one attempt to the next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A tool to call, with parameters that may refer to what came before."""

    tool: str
    name: str
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    post_processing: Excerpt | None = None
    condition: JsonValue = None
    """``if:`` in the file; None where there is none."""
    condition_at: Excerpt | None = None
    """Where the file has it."""
    for_each: JsonValue = None
    max_parallel: int | None = None
    """None: the items of a list one after the other, steps side by side all at once."""
    retry: Retry = Retry()
    continue_on_error: bool = False
    timeout: float | None = None
    parallel: tuple[Step, ...] = ()
    """Independent steps that run side by side; a step that has them calls no tool of its own."""
    span: Span | None = None
    """Where the file names the tool."""
    parameter_spans: Mapping[str, Span] = field(default_factory=dict)
    """Where the file names each parameter."""
    written: tuple[WrittenValue, ...] = ()
    """The parameters as the file writes them; of a list to go through, each value on its own."""
    near_references: tuple[NearReference, ...] = ()
    answer_references: tuple[AnswerReference, ...] = ()


# --- an agent as a tool: asking it is a call like any other


def tool_of_agent(agent: AgentDefinition) -> ToolDefinition:
    """What a caller must know: a question goes in, an answer comes out. Other arguments fill in the prompt."""
    query: JsonObject = {"type": "string", "minLength": 1, "description": text("agent.query")}
    conversation = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,120}$", "description": text("agent.conversation")}
    return ToolDefinition(
        id=agent.id,
        name=agent.name,
        kind="agent",
        description=agent.description,
        parameters=(
            Parameter(name=QUERY, schema=query),
            *(each for each in agent.parameters if each.name not in (QUERY, CONVERSATION)),
            Parameter(name=CONVERSATION, schema={**conversation}, required=False),
        ),
        aliases={"content": QUERY},
        answer=agent.output or {"type": "string"},
        agent=agent,
        timeout=agent.timeout,
        approval=agent.approval,
        version=agent.version,
        category=agent.category,
        tags=agent.tags,
        author=agent.author,
        file=agent.file,
        span=agent.span,
        digest=agent.digest,
        text_digest=agent.text_digest,
    )
