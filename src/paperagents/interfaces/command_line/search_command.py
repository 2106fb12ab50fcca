"""``paper search``: the notes of the vault."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import paint, print_json, say, visible
from paperagents.messages import text


@click.command("search", cls=LocalisedCommand, help=text("cli.search"))
@click.argument("query")
@click.option("--path", default="/", help=text("cli.search.path"))
@click.option("--limit", type=click.IntRange(1), default=20, help=text("cli.search.limit"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, query: str, path: str, limit: int, as_json: bool) -> None:
    """Search; the same answer as the tool ``search_files`` gives."""
    with current_vault(context) as vault:
        effect = vault.services.built_in["search_files"]({"query": query, "path": path, "limit": limit})
        answer = effect.perform()
    if as_json:
        print_json(answer)
        return
    assert isinstance(answer, dict)
    for result in answer["results"] if isinstance(answer["results"], list) else ():
        assert isinstance(result, dict)
        click.echo(paint(visible(str(result["path"])), bold=True))
        if result["snippet"]:
            click.echo("    " + visible(str(result["snippet"])))
    say(text("cli.search.count", count=answer["count"]))
