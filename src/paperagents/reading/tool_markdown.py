"""A Markdown note with ``tool: true`` becomes a tool definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.shapes import Shape
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.text import lossless_bytes, slug, stem_of
from paperagents.definitions.tool import Example, Parameter, Step, ToolDefinition, ToolType
from paperagents.patterns import late_pattern
from paperagents.reading.execution_log import digest_without_log
from paperagents.reading.fields import MAX_SCHEDULE, Fields, is_schedule, looks_like_schedule
from paperagents.reading.javascript_checks import check_block
from paperagents.reading.javascript_fields import ANYTHING, ProducedFields, find_produced_fields
from paperagents.reading.javascript_names import Surroundings
from paperagents.reading.markdown import Blocks, Note, read_blocks
from paperagents.reading.problems import ProblemList
from paperagents.reading.reference_checks import Scope
from paperagents.reading.tool_parameters import read_parameters, warn_of_loop_values
from paperagents.reading.tool_steps import read_step, read_steps
from paperagents.reading.written_schema import read_schema
from paperagents.reading.written_values import read_written
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar, YamlSequence

TOOL_FIELDS = (
    "tool", "id", "name", "description", "type", "parameters", "custom_function", "steps", "version", "category",
    "tags", "author", "timeout", "log", "strict", "approval", "examples", "environment", "schedule", "returns",
)  # fmt: skip
EXAMPLE_FIELDS = ("name", "input", "output", "output_contains", "error", "responses", "environment")
LOG_FILES = (".md", ".txt", ".log", ".yaml", ".yml", ".json", ".jsonl")
IDENTIFIER = late_pattern(r"[A-Za-z0-9_-]{1,200}")
_OTHER_NOTES = (
    "agent",
    "tag",
    "aliases",
    "cssclasses",
    "tools",
    "agents",
    "approved",
    "authors",
    "scheduled",
    "vision",
)
"""Properties of other notes that are near a field of ours but no slip of it."""


def read_tool(
    note: Note, front: YamlMapping, *, data: bytes, problems: ProblemList, answers: Mapping[str, Shape]
) -> ToolDefinition:
    """The definition, as far as it can be understood; what cannot is among the problems."""
    fields = Fields(front, problems)
    fields.warn_of_slips(TOOL_FIELDS, also_fine=_OTHER_NOTES)
    name = read_name(fields)
    in_front = fields.given("steps") or fields.given("custom_function")
    blocks = read_blocks(note.body, problems, expects_block=in_front is None)
    kind = read_type(fields, blocks)
    problems.extend(blocks.found.get("steps" if kind == "chain" else "tool", problems.new_list()))
    parameters = read_parameters(fields.sequence("parameters"), problems)
    environment = read_environment(front, problems)
    arguments = {parameter.name: dict(parameter.schema) for parameter in parameters}
    # Before the steps: what preprocessing hands on decides which references can exist.
    produced = _check_scripts(blocks, fields, arguments, problems)
    strict = fields.boolean("strict", default=False)
    scope = Scope(
        arguments=arguments,
        input=make_input_shape(parameters, produced),
        environment=frozenset(each.name for each in environment),
        strict=strict,
        answers=answers,
        input_has_arguments=produced.keeps_arguments,
        input_fields=known_input_fields(arguments, produced),
    )
    definition = ToolDefinition(
        id=read_id(fields, name, problems.file),
        name=name or stem_of(problems.file),
        kind="markdown",
        type=kind,
        description=read_description(fields),
        parameters=parameters,
        strict=strict,
        preprocess=blocks.preprocess,
        steps=_steps(kind, fields, blocks, scope),
        custom_function=_custom_function(kind, fields, blocks),
        postprocess=blocks.postprocess,
        timeout=fields.number("timeout", above=0),
        log=read_log(fields),
        schedule=read_schedule(fields, parameters),
        approval=fields.choice("approval", ("always", "together")),
        examples=read_examples(fields),
        environment=environment,
        answer=read_schema(fields, "returns") or {},
        version=fields.word("version"),
        category=fields.word("category"),
        tags=fields.texts("tags"),
        author=", ".join(fields.texts("author")) or None,
        file=problems.file,
        span=identity_span(front),
        digest=sha256(data).hexdigest(),
        text_digest=digest_without_log(data),
    )
    # Only a loop has these values; without one the names are free.
    if any(step.for_each is not None for step in definition.all_steps()):
        warn_of_loop_values(front.get("parameters"), problems)
    return definition


def read_name(fields: Fields) -> str | None:
    """The name, which every tool and agent must have."""
    name = fields.text("name")
    if name is not None and name.strip():
        return name
    node = fields.mapping.get("name")
    if node is None or node.plain() is None or name is not None:
        marker = next(key for key in ("tool", "agent", *fields.mapping.entries) if key in fields.mapping.entries)
        span = fields.mapping.key("name" if node is not None else marker).span
        fields.problems.error("missing-field", span, field="name")
    return None


def read_id(fields: Fields, name: str | None, file: str) -> str:
    """The id as written, else a slug of the name, else of the file's stem."""
    written = fields.word("id")
    if written is not None:
        if IDENTIFIER.fullmatch(written):
            return written
        span = fields.mapping.entries["id"][1].span
        fields.problems.error("invalid-id", span, id=written)
    return slug(name or "") or id_of_file(stem_of(file))


def id_of_file(stem: str) -> str:
    """A slug of the file's stem; of letters that no id can have, their digest."""
    return slug(stem) or f"tool-{sha256(lossless_bytes(stem)).hexdigest()[:12]}"


def identity_span(front: YamlMapping) -> Span:
    """Where the file says who it is: the id, else the name, else that it is a tool at all."""
    key = next((key for key in ("id", "name") if key in front.entries), next(iter(front.entries)))
    return front.entries[key][1].span


def read_description(fields: Fields) -> str:
    """The description; a tool without one is hard to choose for people and models."""
    description = fields.text("description")
    # A slip is told where it stands, and not as missing, too.
    if fields.is_blank("description") and "description" not in fields.slips:
        present = (key for key in ("description", "name", *fields.mapping.entries) if key in fields.mapping.entries)
        fields.problems.warning("missing-description", fields.mapping.key(next(present)).span)
    return description or ""


def read_type(fields: Fields, blocks: Blocks) -> ToolType:
    """The type as written, else what the file carries out: its steps, or the block that comes first."""
    match fields.choice("type", ("single", "chain")):
        case "single":
            return "single"
        case "chain":
            return "chain"
    if fields.given("steps") is not None:
        return "chain"
    if blocks.steps is None or blocks.tool is None:
        return "chain" if blocks.steps is not None else "single"
    return "chain" if blocks.steps.span.line < blocks.tool.span.line else "single"


def _check_scripts(
    blocks: Blocks, fields: Fields, arguments: dict[str, JsonObject], problems: ProblemList
) -> ProducedFields:
    produced = ProducedFields(keeps_arguments=True)
    around = Surroundings(arguments=arguments, input_fields=arguments)
    if blocks.preprocess is not None:
        code = check_block(blocks.preprocess, around, problems)
        produced = find_produced_fields(code) if code is not None else ANYTHING
    around = replace(around, input_fields=known_input_fields(arguments, produced))
    if blocks.postprocess is not None:
        check_block(blocks.postprocess, replace(around, names=(*around.names, "output")), problems)
    custom_function = fields.script("custom_function")
    if custom_function is not None:
        check_block(custom_function, around, problems)
    return produced


def known_input_fields(arguments: Iterable[str], produced: ProducedFields) -> frozenset[str] | None:
    """What ``input`` can have after preprocessing: what is declared, and what is made; None where it can have more."""
    return None if produced.anything else frozenset({*arguments, *produced.names})


def make_input_shape(parameters: tuple[Parameter, ...], produced: ProducedFields) -> JsonObject:
    """What is known about ``input`` after preprocessing."""
    properties: JsonObject = {}
    if produced.keeps_arguments:
        properties.update({parameter.name: dict(parameter.schema) for parameter in parameters})
    properties.update({name: {} for name in produced.names | produced.read})
    return {"type": "object", "properties": properties, "additionalProperties": produced.anything}


def _steps(kind: ToolType, fields: Fields, blocks: Blocks, scope: Scope) -> tuple[Step, ...]:
    problems = fields.problems
    if kind == "single":
        return _tool_block(fields, blocks, scope)
    in_front = fields.given("steps")
    if in_front is not None and blocks.steps is not None:
        problems.error("steps-twice", blocks.steps.key("steps").span, line=fields.mapping.key("steps").span.line)
    source = fields if in_front is not None or blocks.steps is None else Fields(blocks.steps, problems)
    sequence = source.sequence("steps")
    if sequence is not None and sequence.items:
        return read_steps(sequence, scope, problems)
    if blocks.broken:
        return ()
    if isinstance(source.mapping.get("steps"), YamlSequence):
        problems.error("empty-steps", source.mapping.key("steps").span, field="steps")
    elif source.mapping.get("steps") is None or source.mapping.entries["steps"][1].plain() is None:
        marker = next(key for key in ("steps", "type", "tool") if key in source.mapping.entries)
        problems.error("missing-steps", source.mapping.key(marker).span)
    return ()


def _tool_block(fields: Fields, blocks: Blocks, scope: Scope) -> tuple[Step, ...]:
    problems = fields.problems
    if fields.given("steps") is not None:
        problems.error("steps-in-single", fields.mapping.key("steps").span)
        return ()
    if blocks.tool is None:
        require_something_to_run(fields, blocks)
        return ()
    step = read_step(blocks.tool, scope, problems)
    return (step,) if step is not None else ()


def require_something_to_run(fields: Fields, blocks: Blocks) -> None:
    """Steps in the body of a single tool are documentation, unless they would be all there is."""
    if blocks.broken or fields.given("custom_function") is not None:
        return
    if blocks.steps is not None:
        fields.problems.error("steps-in-single", blocks.steps.key("steps").span)
    elif not (blocks.preprocess or blocks.postprocess):
        code, key = ("missing-steps", "steps") if "steps" in fields.mapping.entries else ("nothing-to-run", "tool")
        fields.problems.error(code, fields.mapping.key(key).span)


def read_log(fields: Fields) -> str | None:
    """``file``, ``store``, or the path of a note or plain text file: inside the vault and not hidden.

    Nobody is asked before a log is written, so it is never added to a file that somebody or something carries out.
    """
    path = fields.text("log")
    if path is None or path in ("file", "store"):
        return path
    segments = [segment for segment in path.split("/") if segment not in ("", ".")]
    if not path.endswith(LOG_FILES) or any(segment.startswith(".") for segment in segments):
        fields.problems.error("invalid-log", fields.mapping.entries["log"][1].span, path=path)
        return None
    return "/".join(segments)


def read_schedule(fields: Fields, parameters: tuple[Parameter, ...]) -> str | None:
    """When it runs by itself; nobody is there then to give it arguments.

    Notes have properties of this name that mean something else, and are tools all the same.
    """
    node = fields.given("schedule")
    if node is None:
        return None
    span = node.span
    schedule = str(node.plain()).strip()
    if not is_schedule(schedule):
        tell = fields.problems.error if looks_like_schedule(schedule) else fields.problems.warning
        tell("invalid-schedule", span, schedule=schedule[:MAX_SCHEDULE])
        return None
    for parameter in parameters:
        if parameter.must_be_given:
            fields.problems.error("schedule-needs-argument", span, name=parameter.name)
    return schedule


def _custom_function(kind: ToolType, fields: Fields, blocks: Blocks) -> Excerpt | None:
    script = fields.script("custom_function")
    if script is None:
        return None
    span = fields.mapping.key("custom_function").span
    if kind == "chain":
        fields.problems.error("custom-function-in-chain", span)
    elif blocks.tool is not None:
        fields.problems.error("tool-and-custom-function", span, line=blocks.tool.span.line)
    return script


def read_examples(fields: Fields) -> tuple[Example, ...]:
    """Inputs with what must come of them."""
    nodes = fields.sequence("examples")
    examples = []
    for node in nodes.items if nodes is not None else ():
        if not isinstance(node, YamlMapping):
            fields.problems.error("wrong-type", node.span, field="examples", case="mappings")
            continue
        inner = Fields(node, fields.problems)
        inner.warn_of_slips(EXAMPLE_FIELDS)
        plain = node.plain()
        given, responses, variables = map(inner.mapping_of, ("input", "responses", "environment"))
        examples.append(
            Example(
                input=given.plain() if given is not None else {},
                name=inner.word("name"),
                expects={key: plain[key] for key in ("output", "output_contains", "error") if key in plain},
                responses=responses.plain() if responses is not None else {},
                environment=variables.plain() if variables is not None else {},
                written=tuple(read_written(given)),
            )
        )
    return tuple(examples)


def read_environment(front: YamlMapping, problems: ProblemList) -> tuple[Parameter, ...]:
    """Settings and secrets the tool needs: a list of names, or of parameters.

    A single word is a property of the note that means something else.
    """
    node = front.get("environment")
    if isinstance(node, YamlScalar) and node.value is not None:
        problems.warning("wrong-type", node.span, field="environment", case="list")
        return ()
    if isinstance(node, YamlSequence) and all(isinstance(item, YamlScalar) for item in node.items):
        return tuple(
            Parameter(name=str(name), schema={"type": "string"})
            for name in Fields(front, problems).texts("environment")
        )
    return read_parameters(Fields(front, problems).sequence("environment"), problems, more_fields=("service",))
