"""``paper install``: the npm packages of a tool, and what it may touch, agreed on before its first run."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.record_output import print_record
from paperagents.interfaces.command_line.run_command import choose_approver
from paperagents.interfaces.command_line.stopping import stopping_on_interrupt
from paperagents.messages import text


@click.command("install", cls=LocalisedCommand, help=text("cli.install"))
@click.argument("tool", shell_complete=complete_tool)
@click.option("--rebuild", is_flag=True, help=text("cli.install.rebuild"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, rebuild: bool, yes: bool, as_json: bool) -> None:
    """Install the packages of a tool."""
    with current_vault(context) as vault, stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
        tool = vault.registry.tool(tool).id
        approver = choose_approver(yes=yes, progress=progress, stop=stop)
        record = vault.install(tool, rebuild=rebuild, approver=approver, on_event=progress.on_event, stop=stop)
    print_record(record, as_json=as_json, log_format=None)
    context.exit(record.exit_code)
