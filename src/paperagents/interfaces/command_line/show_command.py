"""``paper show``: the manual of a tool or agent."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import print_json, visible
from paperagents.messages import text
from paperagents.registry.document import definition_document
from paperagents.registry.manual import manual


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show a manual."""
    notes = current_notes(context)
    definition = notes.registry.anything(tool)
    grants = notes.npm_grants(definition.id).as_json()
    if as_json:
        print_json(definition_document(definition, grants))
    else:
        click.echo(visible(manual(definition, grants)), nl=False)
