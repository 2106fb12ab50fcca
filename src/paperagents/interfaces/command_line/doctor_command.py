"""``paper doctor``: does everything stand that should?"""

from __future__ import annotations

import platform
import sys

import click

from paperagents.cluster.operations import condition
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import hanging, padded, paint, print_json, visible
from paperagents.messages import text
from paperagents.sandbox import Wall, standing_walls
from paperagents.sandbox.deno_walls import deno_walls
from paperagents.version import __version__


@click.command("doctor", cls=LocalisedCommand, help=text("cli.doctor"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Look at the walls of the sandbox and at the vault."""
    vault = current_vault(context)
    walls, around_packages = standing_walls(), deno_walls()
    broken = [entry for entry in vault.registry.entries() if not entry.valid]
    kept = condition(vault)
    if as_json:
        print_json({
            "version": __version__,
            "python": platform.python_version(),
            "system": sys.platform,
            "vault": str(vault.root),
            "walls": _as_json(walls),
            "npm_walls": _as_json(around_packages),
            "broken_files": [entry.file for entry in broken],
            "database": kept,
        })  # fmt: skip
        context.exit(1 if kept["problems"] else 0)
    click.echo(f"Paper Agents {__version__}, Python {platform.python_version()}, {sys.platform}")
    for wall in (*walls, *around_packages):
        mark = paint("✓", "green") if wall.stands else paint("✗", "red")
        click.echo(hanging(f"{mark} {padded(wall.name, 17)} ", visible(wall.reason or ""), indent=20))
    mark = paint("✓", "green") if not broken else paint("✗", "red")
    click.echo(f"{mark} {text('cli.doctor.files', count=len(broken))}")
    _print_database(kept)
    context.exit(1 if kept["problems"] else 0)


def _as_json(walls: tuple[Wall, ...]) -> list[JsonValue]:
    return [{"name": wall.name, "stands": wall.stands, "reason": wall.reason} for wall in walls]


def _print_database(kept: JsonObject) -> None:
    problems = kept["problems"]
    assert isinstance(problems, list)
    mark = paint("✗", "red") if problems else paint("✓", "green")
    click.echo(f"{mark} {text('cli.doctor.database', count=len(problems), place=visible(str(kept['place'])))}")
    for each in problems[:10]:
        click.echo(f"    {visible(str(each))}")
    if kept["workers"] is not None and not problems:
        figures = {name: kept[name] for name in ("queued", "running", "waiting")}
        click.echo(f"  {text('cli.doctor.workers', count=kept['workers'], **figures)}")
