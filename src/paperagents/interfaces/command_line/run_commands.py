"""``paper run``: carry out a tool."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from paperagents.calls.conversion import CannotConvertError, read_arguments, read_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_parameter, complete_tool
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import say
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text
from paperagents.vault import Vault

_STATES = ("succeeded", "failed", "denied", "waiting", "cancelled", "planned", "running", "queued")
_COMPARED = ("name", "status", "parameters", "output")


@click.command("run", cls=LocalisedCommand, help=text("cli.run"))
@click.argument("tool", shell_complete=complete_tool)
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
@click.option("--dry-run", is_flag=True, help=text("cli.run.dry"))
@click.option("--detach", is_flag=True, help=text("cli.run.detach"))
@click.option("--log-format", type=click.Choice(["yaml"]), help=text("cli.run.log"))
@common_options
def run_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str, pairs: tuple[str, ...], given: str | None, yes: bool, dry_run: bool,
    detach: bool, log_format: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Run a tool."""
    with current_vault(context) as vault:
        arguments = {**read_params(given), **read_pairs(pairs, vault, tool)}
        if dry_run:
            record = vault.plan(tool, arguments)
        elif detach:
            record = vault.enqueue(tool, arguments, yes=yes)
        else:
            with attend_run(vault, yes=yes, quiet=as_json) as attended:
                record = vault.run(tool, arguments, **attended)
    if detach and not dry_run and not as_json:
        click.echo(record.run_id)
        say(text("cli.run.queued", id=record.run_id))
        return
    print_record(vault, record, as_json=as_json, log_format=log_format)
    context.exit(0 if detach and not dry_run else record.exit_code)


def read_params(given: str | None) -> JsonObject:
    """``--params``: JSON, a file with JSON, or standard input."""
    if given is None:
        return {}
    try:
        source = sys.stdin.read() if given == "-" else Path(given[1:]).read_text("utf-8") if given[:1] == "@" else given
    except OSError as error:
        raise UsageError("no-such-file", path=given[1:]) from error
    except ValueError as error:
        raise UsageError("params-not-json", reason=text("cli.run.not-utf-8")) from error
    return read_arguments(source)


def read_pairs(pairs: tuple[str, ...], vault: Vault, tool: str) -> JsonObject:
    """``-p NAME=VALUE``, each read as the type its parameter declares."""
    arguments: JsonObject = {}
    schemas = parameter_schemas(vault, tool) if pairs else {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError("param-without-value", pair=pair)
        try:
            arguments[name] = read_text(value, schemas.get(name, {"type": "string"}))
        except CannotConvertError:
            # The run reports this together with everything else that is wrong with the call.
            arguments[name] = value
    return arguments


def parameter_schemas(vault: Vault, tool: str) -> dict[str, dict[str, JsonValue]]:
    """The schema of each parameter by its name and aliases; none where the run will say what is wrong with the tool."""
    try:
        definition = vault.registry.tool(tool)
    except PaperError:
        return {}
    own = {parameter.name: dict(parameter.schema) for parameter in definition.parameters}
    return {**own, **{alias: own[name] for alias, name in definition.aliases.items()}}
