"""Commands about the tools of a vault: list, show, test, env, install."""

from __future__ import annotations

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import common_options, complete_tool, current_notes, current_vault
from paperagents.interfaces.command_line.output import (
    hang_note,
    one_line,
    pad,
    paint,
    print_json,
    say,
    terminal_columns,
    visible,
    width,
)  # fmt: skip
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run, paint_diff_line
from paperagents.messages import text
from paperagents.registry.entry import Entry, definition_document
from paperagents.registry.manual import manual
from paperagents.tool_modes import configure


@click.command("list", cls=LocalisedCommand, help=text("cli.list"))
@common_options
def list_command(context: click.Context, *, as_json: bool) -> None:
    """List every tool and agent, broken ones too."""
    vault = current_notes(context)
    entries = vault.registry.entries()
    if as_json:
        print_json([entry.as_json() for entry in entries])
        return
    own = [entry for entry in entries if entry.kind != "builtin"]
    print_entries(own)
    if own:
        click.echo()
    print_entries([entry for entry in entries if entry.kind == "builtin"])
    broken = sum(not entry.valid for entry in own)
    if broken:
        say(text("cli.list.broken", count=broken))
    elif not own:
        say(text("cli.list.empty", vault=one_line(str(vault.root))))


def print_entries(entries: list[Entry]) -> None:
    """A table of ids, kinds and descriptions; of a broken file, its first error."""
    columns = max((width(one_line(entry.id)) for entry in entries), default=0)
    # One long id must not leave the others without room.
    columns = min(columns, max((terminal_columns() or 5 * columns) * 2 // 5, 12))
    for entry in entries:
        mark = " " if entry.valid else paint("✗", "red")
        kind = pad(text(f"cli.kind.{entry.type or 'broken'}"), 8)
        note = entry.description.split("\n", 1)[0]
        if not entry.valid:
            problem = next(each for each in entry.problems if each.severity == "error")
            note = f"{entry.file}:{problem.span.line}:{problem.span.column} {problem.message}"
        before = f"{mark} {paint(pad(one_line(entry.id), columns), bold=True)}  {kind} "
        click.echo(hang_note(before, one_line(note), indent=columns + 13, colour=None if entry.valid else "red"))


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@common_options
def show_command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show the manual of a tool or agent."""
    notes = current_notes(context)
    definition = notes.registry.find_definition(tool)
    grants = notes.npm_grants(definition.id).as_json()
    if as_json:
        print_json(definition_document(definition, grants))
    else:
        click.echo(visible(manual(definition, grants)), nl=False)


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
