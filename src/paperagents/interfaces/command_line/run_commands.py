"""``paper run``: carry out a tool."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_parameter, complete_tool
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import say_next, say_warning
from paperagents.interfaces.command_line.run_arguments import (
    ask_missing,
    find_definition,
    read_pairs,
    read_params,
)
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run, is_interactive
from paperagents.messages import text


@click.command("run", cls=LocalisedCommand, help=text("cli.run"))
@click.argument("tool", shell_complete=complete_tool)
@click.argument("words", nargs=-1, metavar="[NAME=VALUE]…", shell_complete=complete_parameter)
@click.option(
    "-p",
    "--param",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help=text("cli.run.param"),
    shell_complete=complete_parameter,
)
@click.option("--params", "given", metavar="JSON|@FILE|-", help=text("cli.run.params"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--together", is_flag=True, help=text("cli.together"))
@click.option("--dry-run", is_flag=True, help=text("cli.run.dry"))
@click.option("--detach", is_flag=True, help=text("cli.run.detach"))
@click.option("--field", metavar="NAME", help=text("cli.run.field"))
@click.option("--log-format", type=click.Choice(["yaml"]), help=text("cli.run.log"))
@common_options
def run_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str, words: tuple[str, ...], pairs: tuple[str, ...], given: str | None, yes: bool,
    together: bool, dry_run: bool, detach: bool, field: str | None, log_format: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Run a tool."""
    with current_vault(context) as vault:
        definition = find_definition(vault, tool)
        if definition is not None and (definition.custom_function or definition.preprocess) and not detach:
            vault.sandbox.prepare()
        arguments = {**read_params(given), **read_pairs((*pairs, *words), definition)}
        if definition is not None and is_interactive():
            arguments |= ask_missing(definition, arguments)
        if dry_run:
            record = vault.plan(tool, arguments)
        elif detach:
            record = vault.enqueue(tool, arguments, yes=yes, together=together)
        else:
            with attend_run(vault, yes=yes, quiet=as_json) as attended:
                record = vault.run(tool, arguments, together=together, **attended)
    for warning in record.warnings if dry_run or detach else ():
        say_warning(warning)
    if detach and not dry_run and not as_json:
        click.echo(record.run_id)
        say_next(text("cli.run.queued", id=record.run_id))
        return
    print_record(vault, record, as_json=as_json, log_format=log_format, field=field)
    context.exit(0 if detach and not dry_run else record.exit_code)
