"""``paper config``: the settings in force, each with its origin."""

from __future__ import annotations

import math
import platform
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from paperagents.cluster.operations import condition
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_notes, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import hanging, one_line, padded, paint, print_json, say, visible, width
from paperagents.known_settings import find_spec, parse_setting
from paperagents.messages import text
from paperagents.npm.process import deno_walls
from paperagents.sandbox import Wall, check_walls
from paperagents.settings import Setting, load_settings, mask_value, write_setting
from paperagents.version import __version__

_ORIGIN = "paper config"


@click.group("config", cls=LocalisedGroup, help=text("cli.config"), invoke_without_command=True)
@vault_option
@json_option
@click.pass_context
def config_command(context: click.Context, *, as_json: bool) -> None:
    """Show every setting and where it comes from."""
    if context.invoked_subcommand is not None:
        return
    settings = current_notes(context).settings.values
    if as_json:
        print_json({name: {"value": mask_value(name, each), "origin": each.origin} for name, each in settings.items()})
        return
    for name, each in settings.items():
        click.echo(f"{paint(padded(name, 20), bold=True)} {_as_text(mask_value(name, each))}  {visible(each.origin)}")


@config_command.command("get", cls=LocalisedCommand, help=text("cli.config.get"))
@click.argument("name")
@vault_option
@json_option
@click.pass_context
def get(context: click.Context, *, name: str, as_json: bool) -> None:
    """One setting."""
    known = find_spec(name, _ORIGIN)
    unset = Setting(value=known.default, origin="default")
    _print_one(name, current_notes(context).settings.values.get(name, unset), as_json=as_json)


@config_command.command("set", cls=LocalisedCommand, help=text("cli.config.set"))
@click.argument("name")
@click.argument("value")
@vault_option
@json_option
@click.pass_context
def set_(context: click.Context, *, name: str, value: str, as_json: bool) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed."""
    root = current_notes(context).root
    write_setting(root, name, parse_setting(value, find_spec(name, _ORIGIN)), origin=_ORIGIN)
    if as_json:
        _print_one(name, load_settings(root).values[name], as_json=True)


def _print_one(name: str, setting: Setting, *, as_json: bool) -> None:
    value = mask_value(name, setting)
    if as_json:
        print_json({"name": name, "value": value, "origin": setting.origin})
    else:
        click.echo(_as_text(value))


def _as_text(value: Any) -> str:
    """A value as ``set`` takes it."""
    return visible("" if value is None else ",".join(value) if isinstance(value, list) else str(value))


# --- ``paper doctor``: does everything stand that should?


@click.command("doctor", cls=LocalisedCommand, help=text("cli.doctor"))
@vault_option
@json_option
@click.pass_context
def doctor_command(context: click.Context, *, as_json: bool) -> None:
    """Look at the walls of the sandbox and at the vault."""
    vault = current_vault(context)
    walls, around_packages = check_walls(), deno_walls()
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


# --- ``paper stats``: per tool, how often, how well, how long


_TOOL_COLUMNS = ("runs", "succeeded", "failed", "denied", "waiting", "success_rate", "median_ms", "p95_ms")
_RARE = ("denied", "waiting")
"""Shown where there is anything to show."""
_SECOND = 1000
_TAG_COLUMNS = ("calls", "valid", "invalid", "succeeded", "mean_ms")


@click.command("stats", cls=LocalisedCommand, help=text("cli.stats"))
@vault_option
@json_option
@click.pass_context
def stats_command(context: click.Context, *, as_json: bool) -> None:
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


# --- ``paper backup``: a copy of runs, entries and approvals, and putting one back


@click.command("backup", cls=LocalisedCommand, help=text("cli.backup"))
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--restore", is_flag=True, help=text("cli.backup.restore"))
@vault_option
@json_option
@click.pass_context
def backup_command(context: click.Context, *, file: Path | None, restore: bool, as_json: bool) -> None:
    """Write a copy, or put one back."""
    from paperagents.storage import backup  # noqa: PLC0415  only this command needs it

    with current_vault(context) as vault:
        if restore and file is None:
            raise click.MissingParameter(ctx=context, param=context.command.params[0])
        chosen = (file or Path(f"paper-backup-{datetime.now():%Y%m%d-%H%M%S}.db")).absolute()  # noqa: DTZ005  for people
        if restore:
            backup.restore(vault.database, chosen)
        else:
            backup.back_up(vault.database, chosen)
    if as_json:
        print_json({"file": str(chosen), "restored": restore})
    else:
        say(text("cli.backup.restored" if restore else "cli.backup.written", file=one_line(str(chosen))))


# --- ``paper completion``: what a shell needs to complete commands, options and tool names


@click.command("completion", cls=LocalisedCommand, help=text("cli.completion"))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, *, shell: str) -> None:
    """Print the completion script."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  --help lists every command

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "paper", "_PAPER_COMPLETE").source())
