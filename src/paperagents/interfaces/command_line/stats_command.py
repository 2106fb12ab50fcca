"""``paper stats``: per tool, how often, how well, how long."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, print_json, visible
from paperagents.messages import text


@click.command("stats", cls=LocalisedCommand, help=text("cli.stats"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Figures of all runs."""
    figures = current_vault(context).store.figures()
    if as_json:
        print_json({"tools": figures, "runs": sum(int(str(each["runs"])) for each in figures)})
        return
    columns = ("runs", "succeeded", "failed", "denied", "waiting", "success_rate", "median_ms", "p95_ms")
    click.echo("  ".join([padded(text("cli.stats.tool"), 24), *(f"{name:>12}" for name in columns)]))
    for each in figures:
        click.echo(
            "  ".join([padded(visible(str(each["tool"])), 24), *(f"{_number(each[name]):>12}" for name in columns)])
        )


def _number(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
