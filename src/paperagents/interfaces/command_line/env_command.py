"""``paper env``: settings and secrets that a tool declares."""

from __future__ import annotations

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, paint, print_json, visible
from paperagents.messages import text
from paperagents.tool_modes import configured


@click.command("env", cls=LocalisedCommand, help=text("cli.env"))
@click.argument("tool", shell_complete=complete_tool)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]…")
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Show what a tool needs, or set it. ``KEY=`` removes a value. Values are never shown."""
    with current_vault(context) as vault:
        definition = vault.registry.tool(tool)
        shown = configured(vault, definition, dict(map(_pair, pairs)))
    if as_json:
        print_json(shown)
        return
    for name, each in shown.items():
        assert isinstance(each, dict)
        state = text(
            "cli.env.set" if each["configured"] else "cli.env.missing" if each["required"] else "cli.env.unset"
        )
        click.echo(f"{paint(padded(name, 24), bold=True)} {state}  {visible(str(each['description'] or ''))}")


def _pair(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals:
        raise UsageError("param-without-value", pair=pair)
    return name, value
