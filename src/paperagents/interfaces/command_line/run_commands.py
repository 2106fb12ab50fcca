"""``paper run``: carry out a tool, with progress on a terminal and a person asked before anything is changed."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from paperagents.approval.question import ApproveEverything, Approver
from paperagents.calls.conversion import CannotConvertError, read_arguments, read_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import complete_tool, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import local_time, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_output import print_full_record, print_record, print_tree
from paperagents.interfaces.command_line.terminal import (
    Progress,
    TerminalApprover,
    somebody_is_there,
    stopping_on_interrupt,
)
from paperagents.messages import text
from paperagents.runs.tree import is_agents
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
def run_command(  # noqa: PLR0913  one argument per option
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


# --- ``paper runs``: the history; show, do again, go on


_STATES = ("succeeded", "failed", "denied", "waiting", "cancelled", "planned", "running", "queued")
_COMPARED = ("name", "status", "parameters", "output")


@click.group("runs", cls=LocalisedGroup, help=text("cli.runs"), invoke_without_command=True)
@vault_option
@json_option
@click.pass_context
def runs_command(context: click.Context, *, as_json: bool) -> None:
    """Look back. Without a further word: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_runs, tool=None, status=None, since=None, limit=50, as_json=as_json)


@runs_command.command("list", cls=LocalisedCommand, help=text("cli.runs.list"))
@click.option("--tool", help=text("cli.runs.tool"))
@click.option("--status", type=click.Choice(_STATES))
@click.option("--since", metavar="DATE", help=text("cli.runs.since"))
@click.option("--limit", type=click.IntRange(1), default=50)
@vault_option
@json_option
@click.pass_context
def list_runs(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str | None, status: str | None, since: str | None, limit: int, as_json: bool
) -> None:
    """The newest first."""
    vault = current_vault(context)
    tool = vault.registry.id_of(tool) if tool is not None else None
    runs = vault.store.history(tool=tool, status=status, since=since, limit=limit)
    if as_json:
        print_json(runs)
        return
    for run in runs:
        took = f"{run['duration_ms']:9.1f} ms"
        started = local_time(run["started"], vault.settings.zone)
        click.echo(f"{run['run_id']}  {run['status']:10} {started}  {took}  {visible(str(run['tool']))}")


@runs_command.command("show", cls=LocalisedCommand, help=text("cli.runs.show"))
@click.argument("run")
@vault_option
@json_option
@click.pass_context
def show(context: click.Context, *, run: str, as_json: bool) -> None:
    """The record of a run."""
    vault = current_vault(context)
    store = vault.store
    record = store.record(run)
    if as_json:
        print_json(record.as_json())
    else:
        draw = partial(print_tree, store, record.run_id) if is_agents(record.execution_log) else None
        print_full_record(record, draw, zone=vault.settings.zone)


@runs_command.command("rerun", cls=LocalisedCommand, help=text("cli.runs.rerun"))
@click.argument("run")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def rerun(context: click.Context, *, run: str, yes: bool, as_json: bool) -> None:
    """The same tool with the same arguments, as a new run."""
    with current_vault(context) as vault, stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
        tool, arguments = vault.store.arguments(run)
        approver = choose_approver(yes=yes, progress=progress, stop=stop)
        record = vault.run(tool, arguments, approver=approver, on_event=progress.on_event, stop=stop)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)


@runs_command.command("resume", cls=LocalisedCommand, help=text("cli.runs.resume"))
@click.argument("run", required=False)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@vault_option
@json_option
@click.pass_context
def resume(context: click.Context, *, run: str | None, yes: bool, as_json: bool) -> None:
    """Go on with a run that waits or was interrupted; without one, with all that need no answer."""
    if run is None:
        _resume_all(context, as_json=as_json)
        return
    with current_vault(context) as vault, stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
        run_id = vault.store.record(run).run_id
        approver = choose_approver(yes=yes, progress=progress, stop=stop)
        record = vault.resume(run_id, approver=approver, on_event=progress.on_event, stop=stop)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)


def _resume_all(context: click.Context, *, as_json: bool) -> None:
    from paperagents.cluster.continuing import continue_runs  # noqa: PLC0415  only here

    with current_vault(context) as vault:
        records = continue_runs(vault)
    if as_json:
        print_json([record.as_json() for record in records])
    for record in records if not as_json else ():
        click.echo(f"{record.run_id}  {record.status:10} {visible(record.tool)}")


@runs_command.command("compare", cls=LocalisedCommand, help=text("cli.runs.compare"))
@click.argument("one")
@click.argument("other")
@vault_option
@json_option
@click.pass_context
def compare(context: click.Context, *, one: str, other: str, as_json: bool) -> None:
    """What differs between two runs, step by step."""
    store = current_vault(context).store
    first, second = store.record(one), store.record(other)
    rows = []
    for number in range(max(len(first.execution_log), len(second.execution_log))):
        left, right = (log[number] if number < len(log) else {} for log in (first.execution_log, second.execution_log))
        different = [key for key in _COMPARED if left.get(key) != right.get(key)]
        rows.append({"step": number + 1, "one": left or None, "other": right or None, "different": different})
        if not as_json:
            mark = paint("≠ " + ", ".join(different), "yellow") if different else paint("=", "green")
            click.echo(f"{number + 1:3}  {visible(str(left.get('name') or right.get('name')))}  {mark}")
    if as_json:
        same_data = first.data == second.data
        print_json({"one": first.run_id, "other": second.run_id, "same_data": same_data, "steps": rows})
