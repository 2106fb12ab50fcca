"""``paper config``: the settings in force, each with its origin."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from pathlib import Path

import click

from paperagents.definitions.closest import closest
from paperagents.errors import PaperError, SettingsError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, paint, print_json, visible
from paperagents.messages import text
from paperagents.notes_folder import KEEPING_FOLDER, NotesFolder
from paperagents.settings import FILE, KNOWN, from_text, load_settings, shown_value


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
        click.echo(
            f"{paint(padded(name, 20), bold=True)} {visible(str(shown_value(name, each)))}  {visible(each.origin)}"
        )


@command.command("get", cls=LocalisedCommand, help=text("cli.config.get"))
@click.argument("name")
@vault_option
@json_option
@click.pass_context
def get(context: click.Context, *, name: str, as_json: bool) -> None:
    """One setting."""
    setting = current_notes(context).settings.values.get(name)
    if setting is None:
        raise _unknown(name)
    value = shown_value(name, setting)
    if as_json:
        print_json({"name": name, "value": value, "origin": setting.origin})
    else:
        click.echo(visible("" if value is None else str(value)))


@command.command("set", cls=LocalisedCommand, help=text("cli.config.set"))
@click.argument("name")
@click.argument("value")
@vault_option
@click.pass_context
def set_(context: click.Context, *, name: str, value: str) -> None:
    """Write a setting into the vault's file; a value it cannot have is refused and nothing is changed."""
    if name not in KNOWN:
        raise _unknown(name)
    if any(unicodedata.category(character) == "Cs" for character in value):
        raise SettingsError("invalid-setting", name=name, value=ascii(value), origin="paper config", case="text")
    _write(current_notes(context), name, from_text(value, KNOWN[name]))


def _unknown(name: str) -> SettingsError:
    near = ", ".join(f"'{each}'" for each in closest(name, KNOWN))
    return SettingsError(
        "unknown-setting", name=name, origin="paper config", suggestion=near, case="suggestion" if near else None
    )


def _write(vault: NotesFolder, name: str, value: object) -> None:
    import json  # noqa: PLC0415  a JSON text, number or list is a TOML one

    file = vault.root / KEEPING_FOLDER / FILE
    before = file.read_text("utf-8") if file.exists() else None
    table, _, key = name.rpartition(".")
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    after = _with_line(before or "", table, key, line)
    try:
        _replace(file, after)
        load_settings(vault.root)
    except PaperError:
        if before is None:
            file.unlink()
        else:
            _replace(file, before)
        raise
    except OSError as error:
        raise PaperError("cannot-write", path=str(file), reason=error.strerror) from error


def _replace(file: Path, content: str) -> None:
    """All at once, for the owner's eyes only, and never through a link that somebody has put there."""
    file.parent.mkdir(exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as opened:
        opened.write(content)
    draft.replace(file)


def _with_line(content: str, table: str, key: str, line: str) -> str:
    """The file with one line changed or added, comments and order kept."""
    lines = content.split("\n") if content else []
    current, last_of_table = "", -1 if table else 0
    for number, each in enumerate(lines):
        if header := re.match(r"\s*\[([^\]]+)\]", each):
            current = header[1].strip()
            last_of_table = number + 1 if current == table else last_of_table
        elif current == table and re.match(rf"\s*{re.escape(key)}\s*=", each):
            return "\n".join([*lines[:number], line, *lines[_end_of_value(lines, number) :]])
    if last_of_table < 0:
        return "\n".join([*lines, f"[{table}]", line, ""]).lstrip("\n")
    return "\n".join([*lines[:last_of_table], line, *lines[last_of_table:]] if lines else [line, ""])


def _end_of_value(lines: list[str], start: int) -> int:
    """The line after a value, which may be a list over several lines."""
    import tomllib  # noqa: PLC0415  only to change a setting that is already there

    for end in range(start + 1, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[start:end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    return start + 1
