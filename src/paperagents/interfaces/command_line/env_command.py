"""``paper env``: settings and secrets that a tool declares."""

from __future__ import annotations

import click

from paperagents.calls.conversion import CannotConvertError, read_text
from paperagents.definitions.closest import closest
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import padded, paint, print_json, visible
from paperagents.messages import text
from paperagents.reading.json_schema import Schema


@click.command("env", cls=LocalisedCommand, help=text("cli.env"))
@click.argument("tool", shell_complete=complete_tool)
@click.argument("pairs", nargs=-1, metavar="[KEY=VALUE]…")
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, tool: str, pairs: tuple[str, ...], as_json: bool) -> None:
    """Show what a tool needs, or set it. ``KEY=`` removes a value. Values are never shown."""
    with current_vault(context) as vault:
        definition = vault.registry.tool(tool)
        changes = dict(_pair(definition, pair) for pair in pairs)
        if changes:
            vault.environments.set(definition.id, changes)
        configured = vault.environments.values(definition.id)
    shown = {each.name: _shown(each, configured) for each in definition.environment}
    if as_json:
        print_json(shown)
        return
    for name, each in shown.items():
        state = text(
            "cli.env.set" if each["configured"] else "cli.env.missing" if each["required"] else "cli.env.unset"
        )
        click.echo(f"{paint(padded(name, 24), bold=True)} {state}  {visible(str(each['description'] or ''))}")


def _pair(tool: ToolDefinition, pair: str) -> tuple[str, str | None]:
    name, equals, value = pair.partition("=")
    declared = {each.name: each for each in tool.environment}
    if not equals:
        raise UsageError("param-without-value", pair=pair)
    if name not in declared:
        near = ", ".join(f"'{each}'" for each in closest(name, declared))
        raise UsageError(
            "unknown-variable", name=name, tool=tool.id, suggestion=near, case="suggestion" if near else None
        )
    if value == "":
        return name, None
    _require_fit(declared[name], value)
    return name, value


def _require_fit(variable: Parameter, value: str) -> None:
    """Wrong values are refused when they are set, not when the tool runs; the value itself is never told."""
    try:
        fits = Schema(variable.schema).accepts(read_text(value, variable.schema))
    except CannotConvertError:
        fits = False
    if not fits:
        raise UsageError("variable-does-not-fit", name=variable.name, kind=variable.schema.get("type"))


def _shown(variable: Parameter, configured: dict[str, str]) -> JsonObject:
    return {
        "required": variable.must_be_given,
        "configured": variable.name in configured,
        "value": "***" if variable.name in configured else None,
        "description": variable.schema.get("description"),
        "default": variable.schema.get("default"),
    }
