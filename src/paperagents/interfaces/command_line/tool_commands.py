"""Commands that use a tool: test, env, install."""

from __future__ import annotations

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import common_options, complete_tool, current_vault
from paperagents.interfaces.command_line.output import (
    pad,
    paint,
    print_json,
    say,
    visible,
)  # fmt: skip
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run, paint_diff_line
from paperagents.messages import text
from paperagents.tool_modes import configure


@click.command("test", cls=LocalisedCommand, help=text("cli.test"))
@click.argument("tools", nargs=-1, shell_complete=complete_tool, metavar="[TOOL]…")
@common_options
def test_command(context: click.Context, *, tools: tuple[str, ...], as_json: bool) -> None:
    """Try the examples in tool files; nothing is touched."""
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
                click.echo("    " + paint_diff_line(line))
        say(text("cli.test.summary", passed=len(results) - len(failed), failed=len(failed)))
    context.exit(1 if failed else 0)


@click.command("env", cls=LocalisedCommand, help=text("cli.env"))
@click.argument("tool", shell_complete=complete_tool)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]…")
@common_options
def env_command(context: click.Context, *, tool: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Show the variables of a tool, or set them. ``KEY=`` removes a value. Values are never shown."""
    changes = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise UsageError("param-without-value", pair=pair)
        changes[name] = value
    with current_vault(context) as vault:
        shown = configure(vault, vault.registry.tool(tool), changes)
    if as_json:
        print_json(shown)
        return
    for name, each in shown.items():
        assert isinstance(each, dict)
        state = text(
            "cli.env.set" if each["configured"] else "cli.env.missing" if each["required"] else "cli.env.unset"
        )
        click.echo(f"{paint(pad(name, 24), bold=True)} {state}  {visible(str(each['description'] or ''))}")


@click.command("install", cls=LocalisedCommand, help=text("cli.install"))
@click.argument("tool", shell_complete=complete_tool)
@click.option("--rebuild", is_flag=True, help=text("cli.install.rebuild"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def install_command(context: click.Context, *, tool: str, rebuild: bool, yes: bool, as_json: bool) -> None:
    """Install the npm packages of a tool, once somebody agrees to them."""
    with current_vault(context) as vault, attend_run(yes=yes, quiet=as_json) as attended:
        record = vault.install(vault.registry.tool(tool).id, rebuild=rebuild, **attended)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)
