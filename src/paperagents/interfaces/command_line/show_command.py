"""``paper show``: the manual of a tool or agent."""

from __future__ import annotations

import click

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import UnknownToolError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import print_json, visible
from paperagents.messages import text
from paperagents.registry.manual import manual
from paperagents.registry.tool_registry import ToolRegistry


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show a manual."""
    definition = _find(current_notes(context).registry, tool)
    if as_json:
        print_json(_document(definition))
    else:
        click.echo(visible(manual(definition)), nl=False)


def _find(registry: ToolRegistry, name: str) -> ToolDefinition | AgentDefinition:
    try:
        return registry.tool(name)
    except UnknownToolError as unknown:
        try:
            return registry.agent(name)
        except UnknownToolError:
            raise unknown from None


def _document(definition: ToolDefinition | AgentDefinition) -> JsonObject:
    document: JsonObject = {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "category": definition.category,
        "version": definition.version,
        "author": definition.author,
        "tags": list(definition.tags),
        "file": definition.file,
        "manual": manual(definition),
    }
    if isinstance(definition, AgentDefinition):
        return {**document, "kind": "agent", "model": definition.model, "tools": list(definition.tools)}
    examples: list[JsonObject] = [
        {"name": each.name, "input": dict(each.input), **each.expects} for each in definition.examples
    ]
    return {
        **document,
        "type": definition.type,
        "kind": definition.kind,
        "parameters": definition.schema,
        "steps": [step.tool for step in definition.all_steps()],
        "examples": [*examples],
    }
