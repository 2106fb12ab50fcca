"""``paper doctor``: does everything stand that should?"""

from __future__ import annotations

import platform
import sys

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, paint, print_json, visible
from paperagents.messages import text
from paperagents.sandbox import standing_walls
from paperagents.version import __version__


@click.command("doctor", cls=LocalisedCommand, help=text("cli.doctor"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Look at the walls of the sandbox and at the vault."""
    vault = current_vault(context)
    walls = standing_walls()
    broken = [entry for entry in vault.registry.entries() if not entry.valid]
    if as_json:
        print_json({
            "version": __version__,
            "python": platform.python_version(),
            "system": sys.platform,
            "vault": str(vault.root),
            "walls": [{"name": wall.name, "stands": wall.stands, "reason": wall.reason} for wall in walls],
            "broken_files": [entry.file for entry in broken],
        })  # fmt: skip
        return
    click.echo(f"Paper Agents {__version__}, Python {platform.python_version()}, {sys.platform}")
    for wall in walls:
        mark = paint("✓", "green") if wall.stands else paint("✗", "red")
        click.echo(f"{mark} {padded(wall.name, 16)} {visible(wall.reason or '')}")
    mark = paint("✓", "green") if not broken else paint("✗", "red")
    click.echo(f"{mark} {text('cli.doctor.files', count=len(broken))}")
