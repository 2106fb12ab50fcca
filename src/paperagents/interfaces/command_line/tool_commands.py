"""Commands that use a tool: test, env, install."""

from __future__ import annotations

from functools import partial

import click

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import EnvironmentChangedError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, missing_parameter
from paperagents.interfaces.command_line.completion import complete_tool, complete_variable
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    one_line,
    pad,
    paint,
    paint_diff_line,
    print_json,
    read_secret,
    say,
    say_next,
    visible,
)
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text
from paperagents.npm.process import install_deno
from paperagents.tool_modes import configure, configure_service, require_declared


@click.command("test", cls=LocalisedCommand, help=text("cli.test"))
@click.argument("tools", nargs=-1, shell_complete=complete_tool, metavar="[TOOL]…")
@common_options
def test_command(context: click.Context, *, tools: tuple[str, ...], as_json: bool) -> None:
    """Try the examples in tool files; nothing is touched. A file that cannot be used fails."""
    with current_vault(context) as vault:
        results = [result for tool in tools for result in vault.test(tool)] if tools else vault.test()
        entries = [entry for entry in vault.registry.entries() if entry.file is not None]
    failed = [result for result in results if not result.passed]
    if as_json:
        print_json([result.as_json() for result in results])
    else:
        for result in results:
            mark = paint("✓", "green") if result.passed else paint("✗", "red")
            click.echo(f"{mark} {visible(result.tool)}: {visible(result.example)}")
            for line in (result.difference or "").split("\n") if result.difference else ():
                click.echo("    " + paint_diff_line(line))
        tried = [entry for entry in entries if not tools or entry.id in tools or entry.name in tools]
        broken = sum(not entry.valid for entry in tried)
        if len(results) > broken:
            say(text("cli.test.summary", passed=len(results) - len(failed), failed=len(failed)))
        else:
            say_next(text("cli.test.none", count=len(tools) or sum(entry.valid and entry.is_tool for entry in entries)))
        if broken:
            say_next(text("cli.test.broken", count=broken))
    context.exit(1 if failed else 0)


@click.command("env", cls=LocalisedCommand, help=text("cli.env"))
@click.argument("names", nargs=-1, metavar="TOOL [KEY]…", shell_complete=complete_variable)
@click.option("--service", metavar="HOST", help=text("cli.env.service"))
@click.option("--confirm", is_flag=True, help=text("cli.env.confirm"))
@common_options
def env_command(
    context: click.Context, *, names: tuple[str, ...], service: str | None, confirm: bool, as_json: bool
) -> None:
    """Show which variables are set, or set them: ``KEY`` asks for a value, ``KEY=`` removes it. None is ever shown."""
    if service is None and not names:
        raise missing_parameter("TOOL")
    with current_vault(context) as vault:
        if service is not None:
            configured, owner, keys = partial(configure_service, vault, service), service, names
        else:
            tool = vault.registry.tool(names[0])
            configured, owner, keys = partial(configure, vault, tool), tool.id, names[1:]
            if confirm:
                vault.environments.confirm(tool.id)
        # Before anybody is asked: a misspelt name must not cost a secret typed for nothing.
        declared = configured({})
        for key in keys:
            require_declared(owner, declared, key.partition("=")[0])
        shown = configured(read_values(owner, keys))
        stale = vault.environments.list_stale(owner) if service is None else []
    if as_json:
        print_json(shown)
        return
    for name, each in shown.items():
        assert isinstance(each, dict)
        state = text(
            "cli.env.set" if each["configured"] else "cli.env.missing" if each["required"] else "cli.env.unset"
        )
        click.echo(f"{paint(pad(name, 24), bold=True)} {state}  {visible(str(each['description'] or ''))}")
    if stale:
        changed = EnvironmentChangedError(owner, stale)
        say(one_line(f"{changed.message} {changed.hint}"))
    unset = next((name for name, each in shown.items() if isinstance(each, dict) and not each["configured"]), None)
    if not shown:
        say(text("cli.env.none", owner=one_line(owner)))
    elif unset is not None and not keys:
        target = f"--service {owner}" if service is not None else owner
        say_next(text("cli.env.how", target=one_line(target), name=one_line(unset)))


def read_values(owner: str, keys: tuple[str, ...]) -> dict[str, JsonValue]:
    """The value of each key: behind ``=``, else asked for, or the next line of a pipe; an empty one changes nothing."""
    values: dict[str, JsonValue] = {}
    for key in keys:
        name, equals, value = key.partition("=")
        if not equals:
            value = read_secret(text("cli.env.ask", name=name, owner=one_line(owner)))
            if not value:
                say(text("cli.env.kept", name=name))
                continue
        values[name] = value
    return values


@click.command("install", cls=LocalisedCommand, help=text("cli.install"))
@click.argument("tool", shell_complete=complete_tool, required=False)
@click.option("--deno", is_flag=True, help=text("cli.install.deno"))
@click.option("--rebuild", is_flag=True, help=text("cli.install.rebuild"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def install_command(  # noqa: PLR0913  its options
    context: click.Context, *, tool: str | None, deno: bool, rebuild: bool, yes: bool, as_json: bool
) -> None:
    """Install the npm packages of a tool, once somebody agrees to them; or Deno, which runs such tools."""
    if deno:
        program = install_deno()
        if as_json and tool is None:
            print_json({"deno": program})
        say(text("cli.install.deno-there", path=one_line(program)))
    if tool is None:
        if not deno:
            raise UsageError("install-what")
        return
    with current_vault(context) as vault, attend_run(vault, yes=yes, quiet=as_json) as attended:
        record = vault.install(vault.registry.tool(tool).id, rebuild=rebuild, **attended)
    print_record(vault, record, as_json=as_json)
    context.exit(record.exit_code)
