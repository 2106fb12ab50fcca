"""``paper list``: every tool and agent of the vault, broken ones too."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import (
    hanging,
    one_line,
    padded,
    paint,
    print_json,
    say,
    terminal_columns,
    width,
)
from paperagents.messages import text
from paperagents.registry.entry import Entry


@click.command("list", cls=LocalisedCommand, help=text("cli.list"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, as_json: bool) -> None:
    """List the vault."""
    vault = current_notes(context)
    entries = vault.registry.entries()
    if as_json:
        print_json([entry.as_json() for entry in entries])
        return
    own = [entry for entry in entries if entry.kind != "builtin"]
    _print_table(own)
    if own:
        click.echo()
    _print_table([entry for entry in entries if entry.kind == "builtin"])
    broken = sum(not entry.valid for entry in own)
    if broken:
        say(text("cli.list.broken", count=broken))
    elif not own:
        say(text("cli.list.empty", vault=one_line(str(vault.root))))


def _print_table(entries: list[Entry]) -> None:
    columns = max((width(one_line(entry.id)) for entry in entries), default=0)
    # One long id must not leave the others without room.
    columns = min(columns, max((terminal_columns() or 5 * columns) * 2 // 5, 12))
    for entry in entries:
        mark = " " if entry.valid else paint("✗", "red")
        kind = padded(text(f"cli.kind.{entry.type or 'broken'}"), 8)
        note = one_line(entry.description.split("\n", 1)[0]) if entry.valid else _first_problem(entry)
        before = f"{mark} {paint(padded(one_line(entry.id), columns), bold=True)}  {kind} "
        click.echo(hanging(before, note, indent=columns + 13, colour=None if entry.valid else "red"))


def _first_problem(entry: Entry) -> str:
    problem = next(each for each in entry.problems if each.severity == "error")
    return one_line(f"{entry.file}:{problem.span.line}:{problem.span.column} {problem.message}")
