"""``paper backup``: a copy of runs, entries and approvals, and putting one back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.messages import text


@click.command("backup", cls=LocalisedCommand, help=text("cli.backup"))
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--restore", is_flag=True, help=text("cli.backup.restore"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, file: Path | None, restore: bool, as_json: bool) -> None:
    """Write a copy, or put one back."""
    from paperagents.records import backup  # noqa: PLC0415  only this command needs it

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
