"""``paper stats``: per tool, how often, how well, how long."""

from __future__ import annotations

import math

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, print_json, visible, width
from paperagents.messages import text

_TOOL_COLUMNS = ("runs", "succeeded", "failed", "denied", "waiting", "success_rate", "median_ms", "p95_ms")
_RARE = ("denied", "waiting")
"""Shown where there is anything to show."""
_SECOND = 1000
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
    told = [column for column in columns if column not in _RARE or any(each[column] for each in figures)]
    rows = [[text(f"cli.stats.{column}") for column in (name, *told)]]
    rows += [[visible(str(each[name])), *(_number(column, each[column]) for column in told)] for each in figures]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for first, *numbers in rows:
        right = [" " * (room - width(each)) + each for each, room in zip(numbers, widths[1:], strict=True)]
        click.echo("  ".join([padded(first, widths[0]), *right]))


def _number(column: str, value: object) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    if column == "success_rate":
        # Rounded down: a hundred is all of them.
        return f"{math.floor(round(1000 * value, 6)) / 10:g} %"
    return f"{value:.1f} ms" if value < _SECOND else f"{value / _SECOND:.1f} s"
