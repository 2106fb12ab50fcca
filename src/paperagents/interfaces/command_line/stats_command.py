"""``paper stats``: per tool, how often, how well, how long."""

from __future__ import annotations

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, print_json, visible
from paperagents.messages import text

_TOOL_COLUMNS = ("runs", "succeeded", "failed", "denied", "waiting", "success_rate", "median_ms", "p95_ms")
_TAG_COLUMNS = ("calls", "valid", "invalid", "succeeded", "mean_ms")


@click.command("stats", cls=LocalisedCommand, help=text("cli.stats"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Figures of all runs, and of the calls that models wrote into texts."""
    store = current_vault(context).store
    tools, tags = store.figures(), store.tag_figures()
    if as_json:
        print_json({"tools": tools, "tags": tags, "runs": sum(int(str(each["runs"])) for each in tools)})
        return
    _print_table("tool", tools, _TOOL_COLUMNS)
    if tags:
        click.echo()
        _print_table("tag", tags, _TAG_COLUMNS)


def _print_table(name: str, figures: list[JsonObject], columns: tuple[str, ...]) -> None:
    click.echo("  ".join([padded(text(f"cli.stats.{name}"), 24), *(f"{column:>12}" for column in columns)]))
    for each in figures:
        numbers = [f"{_number(each[column]):>12}" for column in columns]
        click.echo("  ".join([padded(visible(str(each[name])), 24), *numbers]))


def _number(value: object) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
