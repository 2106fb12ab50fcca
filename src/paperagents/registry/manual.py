"""The manual of a tool or agent as Markdown, made from its definition: for people and for models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import AgentDefinition, Example, NamedFailure, Parameter, ToolDefinition
from paperagents.messages import text

_SHOWN_ELSEWHERE = {"type", "description", "default"}


def manual(
    definition: ToolDefinition | AgentDefinition | TagNote, grants: Mapping[str, JsonValue] | None = None
) -> str:
    """The manual in the current language; ``grants`` are what the settings allow a tool with npm packages to touch."""
    match definition:
        case AgentDefinition():
            parts = _agent_parts(definition)
        case TagNote():
            parts = _tag_parts(definition)
        case _:
            parts = _tool_parts(definition, grants)
    return "\n\n".join(parts) + "\n"


def _tool_parts(tool: ToolDefinition, grants: Mapping[str, JsonValue] | None) -> Iterator[str]:
    yield f"# {tool.name}"
    if tool.description:
        yield tool.description
    yield _facts(
        {
            "manual.id": f"`{tool.id}`",
            "manual.type": tool.type,
            "manual.version": tool.version,
            "manual.author": tool.author,
            "manual.category": tool.category,
            "manual.file": f"`{tool.file}`" if tool.file else None,
        }
    )
    yield f"## {text('manual.parameters')}"
    yield _parameter_table(tool.parameters) if tool.parameters else text("manual.no-parameters")
    if tool.answer:
        yield f"## {text('manual.returns')}"
        yield f"```json\n{json.dumps(tool.answer, ensure_ascii=False, indent=2)}\n```"
    if tool.steps:
        yield f"## {text('manual.steps')}"
        yield "\n".join(f"{number}. `{step.tool or 'parallel'}`" for number, step in enumerate(tool.steps, 1))
    if tool.environment:
        yield f"## {text('manual.environment')}"
        yield _parameter_table(tool.environment)
    if tool.dependencies:
        yield f"## {text('manual.dependencies')}"
        yield "\n".join(f"- `{name}` {wanted}" for name, wanted in tool.dependencies.items())
    if tool.dependencies and grants is not None:
        yield f"## {text('manual.grants')}"
        yield "\n".join(map(_grant, grants.items())) or text("npm.nothing-granted")
    if tool.failures:
        yield f"## {text('manual.failures')}"
        yield _table(("code", "description", "solution", "retryable"), map(_failure_row, tool.failures))
    if tool.examples:
        yield f"## {text('manual.examples')}"
        yield from map(_example, tool.examples)
    yield f"## {text('manual.call')}"
    yield f"```sh\n{_command(tool)}\n```"


def _agent_parts(agent: AgentDefinition) -> Iterator[str]:
    yield f"# {agent.name}"
    if agent.description:
        yield agent.description
    yield _facts(
        {
            "manual.id": f"`{agent.id}`",
            "manual.model": agent.model,
            "manual.tools": ", ".join(f"`{tool}`" for tool in agent.tools) or None,
            "manual.protocol": agent.protocol,
            "manual.iterations": str(agent.max_iterations),
            "manual.file": f"`{agent.file}`" if agent.file else None,
        }
    )
    yield f"## {text('manual.prompt')}"
    yield agent.prompt.text.strip() or text("manual.no-prompt")


def _tag_parts(tag: TagNote) -> Iterator[str]:
    yield f"# {tag.name}"
    if tag.description:
        yield tag.description
    yield _facts({"manual.id": f"`{tag.id}`", "manual.type": str(tag.fields.get("type", "self_closing")),
                  "manual.file": f"`{tag.file}`"})  # fmt: skip
    schema = tag.fields.get("schema")
    attributes = schema.get("attributes") if isinstance(schema, dict) else None
    if isinstance(attributes, dict):
        yield f"## {text('manual.parameters')}"
        yield _parameter_table(
            tuple(
                Parameter(name=name, schema={key: value for key, value in each.items() if key != "required"},
                          required=bool(each.get("required")))
                for name, each in attributes.items() if isinstance(each, dict)
            )
        )  # fmt: skip
    yield f"## {text('manual.call')}"
    word = next(iter(tag.words), tag.id)
    is_block = str(tag.fields.get("type", "")).lower() == "block"
    yield f"```\n{{{{<{word} …>}}}}…{{{{</{word}>}}}}\n```" if is_block else f"```\n{{{{<{word} … />}}}}\n```"


def _facts(facts: dict[str, str | None]) -> str:
    return "\n".join(f"- {text(key)}: {value}" for key, value in facts.items() if value)


def _parameter_table(parameters: tuple[Parameter, ...]) -> str:
    return _table(("name", "type", "required", "default", "description"), map(_parameter_row, parameters))


def _table(columns: tuple[str, ...], rows: Iterable[list[str]]) -> str:
    header = [text(f"manual.column.{name}") for name in columns]
    cells = ([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *cells))


def _parameter_row(parameter: Parameter) -> list[str]:
    schema = parameter.schema
    kind = schema.get("type", "")
    rules = {key: value for key, value in schema.items() if key not in _SHOWN_ELSEWHERE}
    described = [str(schema.get("description", "")), f"`{_json(rules)}`" if rules else ""]
    return [
        f"`{parameter.name}`",
        ", ".join(map(str, kind)) if isinstance(kind, list) else str(kind),
        text("manual.yes" if parameter.must_be_given else "manual.no"),
        f"`{_json(schema['default'])}`" if "default" in schema else "",
        " ".join(filter(None, described)),
    ]


def _failure_row(failure: NamedFailure) -> list[str]:
    again = text("manual.yes" if failure.retryable else "manual.no")
    return [f"`{failure.code}`", failure.description, failure.solution, again]


def _example(example: Example) -> str:
    title = f"**{example.name}**\n\n" if example.name else ""
    shown: dict[str, JsonValue] = {"input": dict(example.input), **example.expects}
    return f"{title}```json\n{json.dumps(shown, ensure_ascii=False, indent=2)}\n```"


def _grant(grant: tuple[str, JsonValue]) -> str:
    kind, values = grant
    shown = ", ".join(f"`{each}`" for each in values) if isinstance(values, list) else ""
    return f"- {text(f'npm.{kind}')}: {shown}"


def _command(tool: ToolDefinition) -> str:
    """A command line that gives every argument that must be given."""
    wanted = [f"-p {parameter.name}=…" for parameter in tool.parameters if parameter.must_be_given]
    return " ".join(["paper run", tool.id, *wanted])


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
