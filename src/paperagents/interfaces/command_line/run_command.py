"""``paper run``: carry out a tool, with progress on a terminal and a person asked before anything is changed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from paperagents.approval.decision import ApproveEverything, Approver
from paperagents.calls.conversion import CannotConvertError, read_text
from paperagents.calls.json_arguments import read_arguments
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import print_json, say
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.record_output import print_record
from paperagents.interfaces.command_line.stopping import stopping_on_interrupt
from paperagents.interfaces.command_line.terminal_approver import TerminalApprover, somebody_is_there
from paperagents.messages import text
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault


@click.command("run", cls=LocalisedCommand, help=text("cli.run"))
@click.argument("tool", shell_complete=complete_tool)
@click.option("-p", "--param", "pairs", multiple=True, metavar="NAME=VALUE", help=text("cli.run.param"))
@click.option("--params", "given", metavar="JSON|@FILE|-", help=text("cli.run.params"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--dry-run", is_flag=True, help=text("cli.run.dry"))
@click.option("--detach", is_flag=True, help=text("cli.run.detach"))
@click.option("--log-format", type=click.Choice(["yaml"]), help=text("cli.run.log"))
@vault_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913  one argument per option
    context: click.Context,
    *,
    tool: str,
    pairs: tuple[str, ...],
    given: str | None,
    yes: bool,
    dry_run: bool,
    detach: bool,
    log_format: str | None,
    as_json: bool,
) -> None:
    """Run a tool."""
    with current_vault(context) as vault:
        arguments = {**_given(given), **_typed(pairs, vault, tool)}
        if detach and not dry_run:
            _leave(vault, tool, arguments, yes=yes, as_json=as_json)
            return
        if dry_run:
            record = vault.plan(tool, arguments)
        else:
            with stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
                approver = choose_approver(yes=yes, progress=progress, stop=stop)
                record = vault.run(tool, arguments, approver=approver, on_event=progress.on_event, stop=stop)
        print_record(record, as_json=as_json, log_format=log_format)
        context.exit(record.exit_code)


def _leave(vault: Vault, tool: str, arguments: JsonObject, *, yes: bool, as_json: bool) -> None:
    """Put the run into the queue, and say under which id it is found there."""
    record = vault.enqueue(tool, arguments, yes=yes)
    if as_json:
        print_json(record.as_json())
    else:
        click.echo(record.run_id)
        say(text("cli.run.queued", id=record.run_id))


def choose_approver(*, yes: bool, progress: Progress | None = None, stop: Cancellation | None = None) -> Approver:
    """Who is asked: nobody with ``--yes``, the person at the terminal, else what must be asked waits."""
    if yes:
        return ApproveEverything()
    return TerminalApprover(progress, stop) if somebody_is_there() else Approver()


def _given(given: str | None) -> JsonObject:
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


def _typed(pairs: tuple[str, ...], vault: Vault, tool: str) -> JsonObject:
    """``-p NAME=VALUE``, each read as the type its parameter declares."""
    arguments: JsonObject = {}
    schemas = _schemas(vault, tool) if pairs else {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError("param-without-value", pair=pair)
        try:
            arguments[name] = read_text(value, schemas.get(name, {"type": "string"}))
        except CannotConvertError:
            # The run tells this together with everything else that is wrong with the call.
            arguments[name] = value
    return arguments


def _schemas(vault: Vault, tool: str) -> dict[str, dict[str, JsonValue]]:
    try:
        definition: ToolDefinition = vault.registry.tool(tool)
    except PaperError:
        # The run itself says what is wrong with the tool.
        return {}
    own = {parameter.name: dict(parameter.schema) for parameter in definition.parameters}
    return {**own, **{alias: own[name] for alias, name in definition.aliases.items()}}
