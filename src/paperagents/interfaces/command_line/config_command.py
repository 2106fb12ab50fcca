"""``paper config``: the settings in force, each with its origin."""

from __future__ import annotations

from typing import Any

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, paint, print_json, visible
from paperagents.known_settings import from_text, known_setting
from paperagents.messages import text
from paperagents.settings import Setting, load_settings, shown_value
from paperagents.settings_file import write_setting

_ORIGIN = "paper config"


@click.group("config", cls=LocalisedGroup, help=text("cli.config"), invoke_without_command=True)
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """Show every setting and where it comes from."""
    if context.invoked_subcommand is not None:
        return
    settings = current_notes(context).settings.values
    if as_json:
        print_json({name: {"value": shown_value(name, each), "origin": each.origin} for name, each in settings.items()})
        return
    for name, each in settings.items():
        click.echo(f"{paint(padded(name, 20), bold=True)} {_as_text(shown_value(name, each))}  {visible(each.origin)}")


@command.command("get", cls=LocalisedCommand, help=text("cli.config.get"))
@click.argument("name")
@vault_option
@json_option
@click.pass_context
def get(context: click.Context, *, name: str, as_json: bool) -> None:
    """One setting."""
    known = known_setting(name, _ORIGIN)
    unset = Setting(value=known.default, origin="default")
    _print_one(name, current_notes(context).settings.values.get(name, unset), as_json=as_json)


@command.command("set", cls=LocalisedCommand, help=text("cli.config.set"))
@click.argument("name")
@click.argument("value")
@vault_option
@json_option
@click.pass_context
def set_(context: click.Context, *, name: str, value: str, as_json: bool) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed."""
    root = current_notes(context).root
    write_setting(root, name, from_text(value, known_setting(name, _ORIGIN)), origin=_ORIGIN)
    if as_json:
        _print_one(name, load_settings(root).values[name], as_json=True)


def _print_one(name: str, setting: Setting, *, as_json: bool) -> None:
    value = shown_value(name, setting)
    if as_json:
        print_json({"name": name, "value": value, "origin": setting.origin})
    else:
        click.echo(_as_text(value))


def _as_text(value: Any) -> str:
    """A value as ``set`` takes it."""
    return visible("" if value is None else ",".join(value) if isinstance(value, list) else str(value))
