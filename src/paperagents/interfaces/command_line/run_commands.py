"""``paper run``, ``paper runs`` and ``paper approvals``: carry out a tool, look back, answer."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from paperagents.approval.question import Approved, Decision, Denied
from paperagents.calls.conversion import CannotConvertError, read_arguments, read_text
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.completion import complete_tool
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import local_time, pad, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_output import print_full_record, print_record
from paperagents.interfaces.command_line.terminal import attend_run, paint_diff_line
from paperagents.messages import text
from paperagents.secrets.redaction import Redaction
from paperagents.vault import Vault

_STATES = ("succeeded", "failed", "denied", "waiting", "cancelled", "planned", "running", "queued")
_COMPARED = ("name", "status", "parameters", "output")


@click.command("run", cls=LocalisedCommand, help=text("cli.run"))
@click.argument("tool", shell_complete=complete_tool)
@click.option("-p", "--param", "pairs", multiple=True, metavar="NAME=VALUE", help=text("cli.run.param"))
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
            with attend_run(yes=yes, quiet=as_json) as attended:
                record = vault.run(tool, arguments, **attended)
    if detach and not dry_run and not as_json:
        click.echo(record.run_id)
        say(text("cli.run.queued", id=record.run_id))
        return
    print_record(record, as_json=as_json, log_format=log_format)
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


# --- ``paper runs``


@click.group("runs", cls=LocalisedGroup, help=text("cli.runs"), invoke_without_command=True)
@common_options
def runs_command(context: click.Context, *, as_json: bool) -> None:
    """Look back; without a subcommand, list."""
    if context.invoked_subcommand is None:
        context.invoke(list_runs, tool=None, status=None, since=None, limit=50, as_json=as_json)


@runs_command.command("list", help=text("cli.runs.list"))
@click.option("--tool", help=text("cli.runs.tool"))
@click.option("--status", type=click.Choice(_STATES))
@click.option("--since", metavar="DATE", help=text("cli.runs.since"))
@click.option("--limit", type=click.IntRange(1), default=50)
@common_options
def list_runs(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str | None, status: str | None, since: str | None, limit: int, as_json: bool
) -> None:
    """The newest first."""
    vault = current_vault(context)
    tool = vault.registry.id_of(tool) if tool is not None else None
    runs = vault.history.runs(tool=tool, status=status, since=since, limit=limit)
    if as_json:
        print_json(runs)
        return
    for run in runs:
        took = f"{run['duration_ms']:9.1f} ms"
        started = local_time(run["started"], vault.settings.zone)
        status = pad(text(f"status.{run['status']}"), 10)
        click.echo(f"{run['run_id']}  {status} {started}  {took}  {visible(str(run['tool']))}")


@runs_command.command("show", help=text("cli.runs.show"))
@click.argument("run")
@common_options
def show(context: click.Context, *, run: str, as_json: bool) -> None:
    """The record of a run."""
    vault = current_vault(context)
    record = vault.history.record(run)
    if as_json:
        print_json(record.as_json())
    else:
        print_full_record(vault, record)


@runs_command.command("rerun", help=text("cli.runs.rerun"))
@click.argument("run")
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def rerun(context: click.Context, *, run: str, yes: bool, as_json: bool) -> None:
    """The same tool with the same arguments, as a new run."""
    with current_vault(context) as vault, attend_run(yes=yes, quiet=as_json) as attended:
        record = vault.run(*vault.history.arguments(run), **attended)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)


@runs_command.command("resume", help=text("cli.runs.resume"))
@click.argument("run", required=False)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def resume(context: click.Context, *, run: str | None, yes: bool, as_json: bool) -> None:
    """Continue a run that waits or was interrupted; without one, all that need no answer."""
    if run is None:
        _resume_all(context, as_json=as_json)
        return
    with current_vault(context) as vault, attend_run(yes=yes, quiet=as_json) as attended:
        record = vault.resume(vault.history.record(run).run_id, **attended)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)


def _resume_all(context: click.Context, *, as_json: bool) -> None:
    from paperagents.cluster.worker import continue_runs  # noqa: PLC0415  only here

    with current_vault(context) as vault:
        records = continue_runs(vault)
    if as_json:
        print_json([record.as_json() for record in records])
        return
    for record in records:
        click.echo(f"{record.run_id}  {pad(text(f'status.{record.status}'), 10)} {visible(record.tool)}")


@runs_command.command("compare", help=text("cli.runs.compare"))
@click.argument("one")
@click.argument("other")
@common_options
def compare(context: click.Context, *, one: str, other: str, as_json: bool) -> None:
    """What differs between two runs, step by step."""
    history = current_vault(context).history
    first, second = history.record(one), history.record(other)
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


# --- ``paper approvals``


@click.group("approvals", cls=LocalisedGroup, help=text("cli.approvals"), invoke_without_command=True)
@common_options
def approvals_command(context: click.Context, *, as_json: bool) -> None:
    """Answer questions; without a subcommand, list them."""
    if context.invoked_subcommand is None:
        context.invoke(list_approvals, as_json=as_json)


@approvals_command.command("list", help=text("cli.approvals.list"))
@common_options
def list_approvals(context: click.Context, *, as_json: bool) -> None:
    """Every open question, the oldest first."""
    vault = current_vault(context)
    requests = vault.history.questions()
    if as_json:
        print_json([Redaction().value(request.as_json()) for request in requests])
        return
    for request in requests:
        title = text("ask.title", tool=request.tool, step=request.step, run=request.run_id)
        requested = local_time(request.requested, vault.settings.zone)
        click.echo(f"{paint(request.id, bold=True)}  {requested}  {visible(title)}")
        for line in request.preview.split("\n"):
            click.echo("    " + paint_diff_line(line))
    if not requests:
        say(text("cli.approvals.none"))


@approvals_command.command("approve", help=text("cli.approvals.approve"))
@click.argument("approval")
@click.option("--edit", metavar="JSON", help=text("cli.approvals.edit"))
@click.option("--run", "for_run", is_flag=True, help=text("cli.approvals.run"))
@click.option("--always", is_flag=True, help=text("cli.approvals.always"))
@common_options
def approve(  # noqa: PLR0913  one argument per option
    context: click.Context, *, approval: str, edit: str | None, for_run: bool, always: bool, as_json: bool
) -> None:
    """Yes; the run goes on."""
    arguments = None if edit is None else read_arguments(edit)
    answer(context, approval, Approved(for_run=for_run, always=always, arguments=arguments), as_json=as_json)


@approvals_command.command("deny", help=text("cli.approvals.deny"))
@click.argument("approval")
@click.option("--reason", default="", help=text("cli.approvals.reason"))
@common_options
def deny(context: click.Context, *, approval: str, reason: str, as_json: bool) -> None:
    """No; the reason reaches whoever called."""
    answer(context, approval, Denied(reason=reason), as_json=as_json)


@approvals_command.command("rules", help=text("cli.approvals.rules"))
@common_options
def rules(context: click.Context, *, as_json: bool) -> None:
    """What has been allowed from now on."""
    found = current_vault(context).rules.rules()
    if as_json:
        print_json([rule.as_json() for rule in found])
        return
    for rule in found:
        click.echo(visible(f"{rule.id}  {rule.tool}  {rule.target}  {text('cli.approvals.until', date=rule.expires)}"))


@approvals_command.command("revoke", help=text("cli.approvals.revoke"))
@click.argument("rule")
@common_options
def revoke(context: click.Context, *, rule: str, as_json: bool) -> None:
    """Take a rule back."""
    rules = current_vault(context).rules
    known = {each.id: each.as_json() for each in rules.rules()}
    if not rules.revoke(rule):
        raise UsageError("unknown-rule", id=rule)
    if as_json:
        print_json(known[rule])


def answer(context: click.Context, approval: str, decision: Decision, *, as_json: bool) -> None:
    """Answer a question and continue its run."""
    with current_vault(context) as vault, attend_run(yes=False, quiet=as_json) as attended:
        record = vault.answer(approval, decision, **attended)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)
