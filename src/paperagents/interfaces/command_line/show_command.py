"""``paper show``: the manual of a tool or agent."""

from __future__ import annotations

import click

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import ToolDefinition
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import print_json, visible
from paperagents.messages import text
from paperagents.registry.manual import manual


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show a manual."""
    definition = current_notes(context).registry.anything(tool)
    if as_json:
        print_json(_document(definition))
    else:
        click.echo(visible(manual(definition)), nl=False)


def _document(definition: ToolDefinition | AgentDefinition | TagNote) -> JsonObject:
    document: JsonObject = {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "category": definition.category,
        "file": definition.file,
        "manual": manual(definition),
    }
    if isinstance(definition, TagNote):
        return {**document, "kind": "tag", "definition": dict(definition.fields)}
    document |= {
        "version": definition.version,
        "author": definition.author,
        "tags": list(definition.tags),
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
