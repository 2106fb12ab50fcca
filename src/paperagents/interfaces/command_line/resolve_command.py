"""``paper resolve``: a text with the entries of the data vault put where it refers to them."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.extract_command import as_text, echo_content, read_source
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import print_json, say, visible
from paperagents.messages import text
from paperagents.tags import resolve_vault_references


@click.command("resolve", cls=LocalisedCommand, help=text("cli.resolve"))
@click.argument("file", default="-", metavar="[FILE|-]")
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, file: str, as_json: bool) -> None:
    """Resolve the references of a text."""
    with current_vault(context) as vault:
        source = as_text(read_source(file, vault.root), file)
        result = resolve_vault_references(source, lookup=vault.vault_content)
    if as_json:
        print_json(result)
        return
    echo_content(result["resolved_text"], nl=False)
    for identifier in result["missing"]:
        say(text("cli.resolve.missing", id=visible(identifier)))
    for error in result["errors"]:
        say(visible(error["message"]))
