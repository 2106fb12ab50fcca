"""``paper changes``, ``paper blame`` and ``paper undo``: what runs changed, whose a line is, and back."""

from __future__ import annotations

from pathlib import Path

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.completion import complete_run
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    local_time,
    own_command,
    pad,
    paint,
    paint_diff_line,
    print_json,
    say,
    visible,
)
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text
from paperagents.runs.history import LAST
from paperagents.vault import Vault

_COLOURS = {"created": "green", "changed": "yellow", "deleted": "red"}
_SHORT_ID = 8


@click.group("changes", cls=LocalisedGroup, help=text("cli.changes"), invoke_without_command=True)
@common_options
def changes_command(context: click.Context, *, as_json: bool) -> None:
    """Look back at changes; without a subcommand, list."""
    if context.invoked_subcommand is None:
        context.invoke(list_changes, file=None, run=None, limit=None, as_json=as_json)


@changes_command.command("list", help=text("cli.changes.list"))
@click.option("--file", metavar="PATH", help=text("cli.changes.file"))
@click.option("--run", metavar="RUN|last", shell_complete=complete_run, help=text("cli.changes.run"))
@click.option("--limit", type=click.IntRange(1), help=text("cli.changes.limit"))
@common_options
def list_changes(
    context: click.Context, *, file: str | None, run: str | None, limit: int | None, as_json: bool
) -> None:
    """The newest first."""
    vault = current_vault(context)
    changes = vault.changes(file=file and find_note(vault, file), run=run, limit=limit)
    if as_json:
        print_json(changes)
        return
    for each in changes:
        word = str(each["change"])
        counts = pad(f"+{each['added']} -{each['removed']}", 11)
        undone = f"  ({text('cli.changes.undone')})" if each["undone"] else ""
        click.echo(
            f"{each['run_id']}  {local_time(each['when'], vault.settings.zone)}  "
            f"{paint(pad(text(f'cli.changes.{word}'), 9), _COLOURS[word])} {counts} "
            f"{visible(str(each['path']))}  {visible(str(each['tool'] or ''))}{undone}"
        )
    if not changes:
        say(text("cli.changes.none"))


@changes_command.command("show", help=text("cli.changes.show"))
@click.argument("run", metavar="RUN|last", shell_complete=complete_run)
@common_options
def show_changes(context: click.Context, *, run: str, as_json: bool) -> None:
    """Each note and entry with its diff."""
    changes = current_vault(context).show_changes(run)
    if as_json:
        print_json(changes)
        return
    for each in changes:
        for line in str(each["diff"]).split("\n") if each["diff"] else ():
            click.echo(paint_diff_line(line))
        if not each["diff"]:
            say(text("cli.changes.not-kept", path=visible(str(each["path"]))))
    if not changes:
        say(text("cli.changes.none"))


@click.command("blame", cls=LocalisedCommand, help=text("cli.blame"))
@click.argument("file", metavar="FILE")
@common_options
def blame_command(context: click.Context, *, file: str, as_json: bool) -> None:
    """Each line with the run that wrote it."""
    vault = current_vault(context)
    lines = vault.blame(find_note(vault, file))
    if as_json:
        print_json(lines)
        return
    rows = []
    for each in lines:
        if each["run_id"] is None:
            rows.append(("", text("cli.blame.outside"), "", ""))
        else:
            who = f"{each['tool'] or ''} {each['step']}"
            when = local_time(each["when"], vault.settings.zone)
            rows.append((str(each["run_id"])[:_SHORT_ID], who, str(each["approved_by"] or ""), when))
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    for each, row in zip(lines, rows, strict=True):
        whose = "  ".join(pad(visible(cell), room) for cell, room in zip(row, widths, strict=True))
        click.echo(f"{paint(whose, 'cyan' if row[0] else None)}  {each['line']:>4}  {visible(str(each['text']))}")


@click.command("undo", cls=LocalisedCommand, help=text("cli.undo"))
@click.argument("run", metavar="[RUN|last]", required=False, default=LAST, shell_complete=complete_run)
@click.option("--file", "files", metavar="PATH", multiple=True, help=text("cli.undo.file"))
@click.option("--dry-run", is_flag=True, help=text("cli.undo.dry-run"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def undo_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, run: str, files: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Take back what a run changed; you are asked first."""
    with current_vault(context) as vault, attend_run(vault, yes=yes, quiet=as_json) as attended:
        chosen = [find_note(vault, file) for file in files]
        record = vault.undo(run, files=chosen, dry_run=dry_run, **attended)
    undone = record.data.get("files") if isinstance(record.data, dict) else None
    if as_json or not record.success or record.planned is not None or not isinstance(undone, list):
        print_record(vault, record, as_json=as_json)
    else:
        files_shown = visible(", ".join(map(str, undone)))
        say(text("cli.undo.done", files=files_shown, run=record.run_id[:_SHORT_ID], command=own_command()))
    context.exit(record.exit_code)


def find_note(vault: Vault, written: str) -> str:
    """A path as written on the command line, from here or from the vault's top; what is gone is taken as written."""
    from paperagents.interfaces.command_line.notes_commands import path_in_vault  # noqa: PLC0415  where a file is named

    try:
        return path_in_vault(vault, Path(written))
    except UsageError:
        return written
