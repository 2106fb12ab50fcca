"""``paper list``: every tool and agent of the vault, broken ones too."""

from __future__ import annotations

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import (
    complete_tool,
    current_notes,
    current_vault,
    json_option,
    vault_option,
)
from paperagents.interfaces.command_line.output import (
    hanging,
    one_line,
    padded,
    paint,
    print_json,
    say,
    terminal_columns,
    visible,
    width,
)
from paperagents.interfaces.command_line.run_commands import choose_approver
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import Progress, coloured_diff_line, stopping_on_interrupt
from paperagents.messages import text
from paperagents.registry.entry import Entry, definition_document
from paperagents.registry.manual import manual
from paperagents.tool_modes import configured


@click.command("list", cls=LocalisedCommand, help=text("cli.list"))
@vault_option
@json_option
@click.pass_context
def list_command(context: click.Context, *, as_json: bool) -> None:
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


# --- ``paper show``: the manual of a tool or agent


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@vault_option
@json_option
@click.pass_context
def show_command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show a manual."""
    notes = current_notes(context)
    definition = notes.registry.find_definition(tool)
    grants = notes.npm_grants(definition.id).as_json()
    if as_json:
        print_json(definition_document(definition, grants))
    else:
        click.echo(visible(manual(definition, grants)), nl=False)


# --- ``paper test``: tries the examples in tool files


@click.command("test", cls=LocalisedCommand, help=text("cli.test"))
@click.argument("tools", nargs=-1, shell_complete=complete_tool, metavar="[TOOL]…")
@vault_option
@json_option
@click.pass_context
def test_command(context: click.Context, *, tools: tuple[str, ...], as_json: bool) -> None:
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


# --- ``paper env``: settings and secrets that a tool declares


@click.command("env", cls=LocalisedCommand, help=text("cli.env"))
@click.argument("tool", shell_complete=complete_tool)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]…")
@vault_option
@json_option
@click.pass_context
def env_command(context: click.Context, *, tool: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Show what a tool needs, or set it. ``KEY=`` removes a value. Values are never shown."""
    with current_vault(context) as vault:
        definition = vault.registry.tool(tool)
        shown = configured(vault, definition, dict(map(_pair, pairs)))
    if as_json:
        print_json(shown)
        return
    for name, each in shown.items():
        assert isinstance(each, dict)
        state = text(
            "cli.env.set" if each["configured"] else "cli.env.missing" if each["required"] else "cli.env.unset"
        )
        click.echo(f"{paint(padded(name, 24), bold=True)} {state}  {visible(str(each['description'] or ''))}")


def _pair(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals:
        raise UsageError("param-without-value", pair=pair)
    return name, value


# --- ``paper install``: the npm packages of a tool, and what it may touch, agreed on before its first run


@click.command("install", cls=LocalisedCommand, help=text("cli.install"))
@click.argument("tool", shell_complete=complete_tool)
@click.option("--rebuild", is_flag=True, help=text("cli.install.rebuild"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def install_command(context: click.Context, *, tool: str, rebuild: bool, yes: bool, as_json: bool) -> None:
    """Install the packages of a tool."""
    with current_vault(context) as vault, stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
        tool = vault.registry.tool(tool).id
        approver = choose_approver(yes=yes, progress=progress, stop=stop)
        record = vault.install(tool, rebuild=rebuild, approver=approver, on_event=progress.on_event, stop=stop)
    print_record(record, as_json=as_json, log_format=None)
    context.exit(record.exit_code)
