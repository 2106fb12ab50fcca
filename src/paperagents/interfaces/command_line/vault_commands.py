"""Commands about the vault as a whole: config, doctor, stats, backup, completion."""

from __future__ import annotations

import math
import platform
import sys
from collections.abc import Container
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from paperagents.approval.trust import KINDS
from paperagents.cluster.operations import NO_DATABASE, check_database, measure_sizes
from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup, missing_parameter
from paperagents.interfaces.command_line.completion import complete_setting
from paperagents.interfaces.command_line.options import common_options, current_notes, current_vault, require_vault
from paperagents.interfaces.command_line.output import (
    format_duration,
    format_size,
    hang_note,
    one_line,
    pad,
    paint,
    print_json,
    read_secret,
    say,
    visible,
    width,
)
from paperagents.interfaces.command_line.trust_command import say_left_out
from paperagents.inventory import as_json as thing_as_json
from paperagents.inventory import list_rules, list_schedules, list_settings, list_stored, state_of
from paperagents.known_settings import find_spec, parse_setting
from paperagents.mcp_client.error_output import SHOWN_LINES, error_file, read_errors
from paperagents.messages import text
from paperagents.notes_folder import NotesFolder
from paperagents.npm.process import deno_walls
from paperagents.runs.statistics import tag_statistics, tool_statistics
from paperagents.runs.usage import describe_usage, read_usage
from paperagents.runs.usage_totals import total_usage
from paperagents.sandbox import check_walls
from paperagents.settings import KEEPING_FOLDER, Setting, load_settings, mask_value, name_in_table, user_folder
from paperagents.settings_writing import unset_setting, write_setting
from paperagents.version import __version__

_ORIGIN = "paper config"
_TOOL_COLUMNS = (
    "runs",
    "succeeded",
    "failed",
    "denied",
    "waiting",
    "success_rate",
    "median_ms",
    "p95_ms",
    "tokens",
    "cost",
)
_RARE = ("denied", "waiting", "tokens", "cost")
"""Columns that are shown where they have a value."""
_TAG_COLUMNS = ("calls", "valid", "invalid", "succeeded", "mean_ms")


@click.group("config", cls=LocalisedGroup, help=text("cli.config"), invoke_without_command=True)
@common_options
def config_command(context: click.Context, *, as_json: bool) -> None:
    """Show every setting and where it comes from."""
    if context.invoked_subcommand is not None:
        return
    notes = current_notes(context)
    settings = notes.settings.values
    say_untrusted(notes, KINDS)
    if as_json:
        print_json({name: {"value": mask_value(name, each), "origin": each.origin} for name, each in settings.items()})
        return
    for name, each in settings.items():
        value = format_setting(mask_value(name, each)) or paint(text("cli.config.empty"), "bright_black")
        click.echo(f"{paint(pad(name, 20), bold=True)} {value}  {visible(each.origin)}")


@config_command.command("get", help=text("cli.config.get"))
@click.argument("name", shell_complete=complete_setting)
@common_options
def get(context: click.Context, *, name: str, as_json: bool) -> None:
    """One setting."""
    known = find_spec(name, _ORIGIN)
    unset = Setting(value=known.default, origin="default")
    notes = current_notes(context)
    setting = notes.settings.values.get(name, unset)
    if not setting.origin.startswith("PAPER_"):
        say_untrusted(notes, (known.grants,))
    if as_json:
        print_json({"name": name, "value": mask_value(name, setting), "origin": setting.origin})
    else:
        click.echo(format_setting(mask_value(name, setting)))


def say_untrusted(notes: NotesFolder, kinds: Container[str | None]) -> None:
    """Tell which settings of these kinds do not count: whoever wrote one into the file looks for it here."""
    found = (each for each in list_settings(notes) if each.kind in kinds)
    if untrusted := [each for each in found if not notes.trust.trusts(each)]:
        say_left_out(untrusted)


@config_command.command("set", help=text("cli.config.set"))
@click.argument("name", shell_complete=complete_setting)
@click.argument("value", required=False)
@common_options
def set_(context: click.Context, *, name: str, value: str | None, as_json: bool) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed.

    A secret without a value is asked for and not shown.
    """
    spec = find_spec(name, _ORIGIN)
    if value is None:
        value = read_secret(text("cli.config.ask", name=name)) if spec.secret else ""
        if not value:
            raise missing_parameter("VALUE")
    notes = current_notes(context)
    require_vault(context, notes)
    root = notes.root
    write_setting(root, name, parse_setting(value, spec), origin=_ORIGIN)
    if spec.grants == "mcp_server" and name.endswith((".command", ".url")):
        # Whoever types what is to be started wants it started.
        written = NotesFolder(root).remote_servers
        written.agree(written.servers[name_in_table(name)])
    if as_json:
        print_setting(name, root)


@config_command.command("unset", help=text("cli.config.unset"))
@click.argument("name", shell_complete=complete_setting)
@common_options
def unset(context: click.Context, *, name: str, as_json: bool) -> None:
    """Remove a setting from the vault's file, and tell what counts now."""
    root = current_notes(context).root
    unset_setting(root, name, origin=_ORIGIN)
    if as_json:
        print_setting(name, root)
        return
    setting = load_settings(root).values.get(name)
    if setting is None or setting.origin == "default":
        say(text("cli.config.unset.done", name=one_line(name)))
    else:
        say(text("cli.config.unset.elsewhere", name=one_line(name), origin=visible(setting.origin)))


def print_setting(name: str, root: Path) -> None:
    """One setting as JSON, as it counts now."""
    unset = Setting(value=find_spec(name).default, origin="default")
    setting = load_settings(root).values.get(name, unset)
    print_json({"name": name, "value": mask_value(name, setting), "origin": setting.origin})


def format_setting(value: Any) -> str:
    """A value as ``set`` takes it."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list():
            return visible(",".join(value))
    return visible(str(value))


@click.command("doctor", cls=LocalisedCommand, help=text("cli.doctor"))
@common_options
def doctor_command(context: click.Context, *, as_json: bool) -> None:
    """Check the walls of the sandbox, the files and the database."""
    vault = current_vault(context, keeps=False)
    walls, npm_walls = check_walls(), deno_walls()
    broken = [entry for entry in vault.registry.entries() if not entry.valid]
    # Outside of a vault there is none yet, and looking must not make one.
    database = check_database(vault) if (vault.root / KEEPING_FOLDER).is_dir() else NO_DATABASE
    sizes = measure_sizes(vault)
    is_readable = database["place"] is not None and not database["problems"]
    stored = list_stored(vault) if is_readable else ()
    brought = [*list_settings(vault), *list_schedules(vault), *list_rules(vault), *stored]
    untrusted = [(thing, state) for thing in brought if (state := state_of(vault, thing)) != "trusted"]
    known = vault.remote_servers.servers.values()
    server_errors = {
        each.name: lines for each in known if (lines := read_errors(error_file(user_folder(), vault.root, each.name)))
    }
    if as_json:
        print_json({
            "version": __version__,
            "python": platform.python_version(),
            "system": sys.platform,
            "vault": str(vault.root),
            "walls": [{"name": each.name, "stands": each.stands, "reason": each.reason} for each in walls],
            "npm_walls": [{"name": each.name, "stands": each.stands, "reason": each.reason} for each in npm_walls],
            "broken_files": [entry.file for entry in broken],
            "untrusted": [thing_as_json(thing, state) for thing, state in untrusted],
            "server_errors": server_errors,
            "database": database,
            "sizes": sizes,
        })  # fmt: skip
        context.exit(1 if database["problems"] else 0)
    click.echo(f"Paper Agents {__version__}, Python {platform.python_version()}, {sys.platform}")
    for wall in (*walls, *npm_walls):
        click.echo(hang_note(f"{_mark(wall.stands)} {pad(wall.name, 17)} ", visible(wall.reason or ""), indent=20))
    click.echo(f"{_mark(not broken)} {text('cli.doctor.files', count=len(broken))}")
    for thing, _ in untrusted:
        click.echo(paint("•", "yellow") + " " + text("trust.left-out", what=visible(thing.what), where=thing.where))
    for server, lines in server_errors.items():
        click.echo(text("cli.doctor.server-errors", server=visible(server)))
        for line in lines[-SHOWN_LINES:]:
            click.echo(f"    {one_line(line)}")
    if database["place"] is not None:
        print_database(database)
        shown = {name: "?" if size is None else format_size(size) for name, size in sizes.items()}
        click.echo(f"  {text('cli.doctor.sizes', **shown)}")
    context.exit(1 if database["problems"] else 0)


def _mark(good: object) -> str:
    return paint("✓", "green") if good else paint("✗", "red")


def print_database(database: JsonObject) -> None:
    """The state of the database, and how busy the workers are."""
    problems = database["problems"]
    assert isinstance(problems, list)
    place = visible(str(database["place"]))
    click.echo(f"{_mark(not problems)} {text('cli.doctor.database', count=len(problems), place=place)}")
    for each in problems[:10]:
        click.echo(f"    {visible(str(each))}")
    if database["workers"] is not None and not problems:
        figures = {name: database[name] for name in ("queued", "running", "waiting")}
        click.echo(f"  {text('cli.doctor.workers', count=database['workers'], **figures)}")


@click.command("stats", cls=LocalisedCommand, help=text("cli.stats"))
@common_options
def stats_command(context: click.Context, *, as_json: bool) -> None:
    """Per tool and per tag: how often, how well, how long."""
    journal = current_vault(context).journal
    tools, tags = tool_statistics(journal), tag_statistics(journal)
    used = total_usage(journal.database)
    if as_json:
        total = sum(int(str(each["runs"])) for each in tools)
        print_json({"tools": tools, "tags": tags, "runs": total, "usage": used and used.as_json()})
        return
    for each in tools:
        usage = read_usage(each["usage"])
        each["tokens"] = usage.input_tokens + usage.output_tokens if usage is not None else None
        each["cost"] = f"{usage.cost:.4f}" if usage is not None and usage.cost is not None else None
    print_figures("tool", tools, _TOOL_COLUMNS)
    if tags:
        click.echo()
        print_figures("tag", tags, _TAG_COLUMNS)
    if line := describe_usage(used):
        click.echo()
        click.echo(line)


def print_figures(name: str, figures: list[JsonObject], columns: tuple[str, ...]) -> None:
    """A table with a heading, numbers to the right."""
    shown = [column for column in columns if column not in _RARE or any(each[column] for each in figures)]
    rows = [[text(f"cli.stats.{column}") for column in (name, *shown)]]
    rows += [
        [visible(str(each[name])), *(_format_figure(column, each[column]) for column in shown)] for each in figures
    ]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for first, *numbers in rows:
        right = [" " * (room - width(each)) + each for each, room in zip(numbers, widths[1:], strict=True)]
        click.echo("  ".join([pad(first, widths[0]), *right]))


def _format_figure(column: str, value: object) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    if column == "success_rate":
        # Rounded down: a hundred is all of them.
        return f"{math.floor(round(1000 * value, 6)) / 10:g} %"
    return format_duration(value)


@click.command("backup", cls=LocalisedCommand, help=text("cli.backup"))
@click.argument("file", required=False, type=click.Path(path_type=Path, readable=False))
@click.option("--restore", is_flag=True, help=text("cli.backup.restore"))
@common_options
def backup_command(context: click.Context, *, file: Path | None, restore: bool, as_json: bool) -> None:
    """Write a copy of runs, entries and approvals, or restore one."""
    from paperagents.storage import backup  # noqa: PLC0415  only this command needs it

    with current_vault(context) as vault:
        if restore and file is None:
            raise missing_parameter("FILE")
        chosen = (file or Path(f"paper-backup-{datetime.now():%Y%m%d-%H%M%S}.db")).absolute()  # noqa: DTZ005  for people
        if restore:
            backup.restore(vault.database, chosen)
        else:
            backup.back_up(vault.database, chosen)
    if as_json:
        print_json({"file": str(chosen), "restored": restore})
    else:
        say(text("cli.backup.restored" if restore else "cli.backup.written", file=one_line(str(chosen))))


@click.command("completion", cls=LocalisedCommand, help=text("cli.completion"))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, *, shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  --help lists every command

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "paper", "_PAPER_COMPLETE").source())
