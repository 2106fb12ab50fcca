"""``paper test``: tries the examples in tool files."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import paint, print_json, say, visible
from paperagents.interfaces.command_line.terminal_approver import coloured_diff_line
from paperagents.messages import text


@click.command("test", cls=LocalisedCommand, help=text("cli.test"))
@click.argument("tools", nargs=-1, shell_complete=complete_tool, metavar="[TOOL]…")
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tools: tuple[str, ...], as_json: bool) -> None:
    """Try examples; nothing is touched."""
    with current_vault(context) as vault:
        kinds = ("markdown", "javascript")
        every = [entry.id for entry in vault.registry.entries() if entry.kind in kinds and entry.valid]
        results = [result for tool in tools or every for result in vault.test(tool)]
    failed = [result for result in results if not result.passed]
    if as_json:
        print_json([result.as_json() for result in results])
    else:
        for result in results:
            mark = paint("✓", "green") if result.passed else paint("✗", "red")
            click.echo(f"{mark} {visible(result.tool)}: {visible(result.example)}")
            for line in (result.difference or "").split("\n") if result.difference else ():
                click.echo("    " + coloured_diff_line(line))
        say(text("cli.test.summary", passed=len(results) - len(failed), failed=len(failed)))
    context.exit(1 if failed else 0)
