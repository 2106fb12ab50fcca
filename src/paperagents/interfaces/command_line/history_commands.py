"""``paper runs``: look back at runs, do one again, go on with one."""

from __future__ import annotations

import click

from paperagents.approval.question import Approved
from paperagents.calls.conversion import read_arguments
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.completion import complete_run
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    format_duration,
    format_size,
    local_time,
    pad,
    paint,
    print_json,
    say,
    say_next,
    visible,
)  # fmt: skip
from paperagents.interfaces.command_line.run_output import paint_status, print_full_record, print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text

_STATES = ("succeeded", "failed", "denied", "waiting", "cancelled", "planned", "running", "queued")
_UNFINISHED = ("waiting", "running", "queued")
_COMPARED = ("name", "status", "parameters", "output")
_SHOWN = 50


@click.group("runs", cls=LocalisedGroup, help=text("cli.runs"), invoke_without_command=True)
@common_options
def runs_command(context: click.Context, *, as_json: bool) -> None:
    """Look back; without a subcommand, list."""
    if context.invoked_subcommand is None:
        context.invoke(list_runs, tool=None, status=None, since=None, limit=_SHOWN, as_json=as_json)


@runs_command.command("list", help=text("cli.runs.list"))
@click.option("--tool", help=text("cli.runs.tool"))
@click.option("--status", type=click.Choice(_STATES), help=text("cli.runs.status"))
@click.option("--since", metavar="DATE|2d|3h", help=text("cli.runs.since"))
@click.option("--limit", type=click.IntRange(1), default=_SHOWN, help=text("cli.runs.limit"))
@common_options
def list_runs(  # noqa: PLR0913  one argument per option
    context: click.Context, *, tool: str | None, status: str | None, since: str | None, limit: int, as_json: bool
) -> None:
    """The newest first."""
    vault = current_vault(context)
    tool = vault.registry.id_of(tool) if tool is not None else None
    # One more than wanted: whether there are more is told without counting them all.
    runs = vault.history.runs(tool=tool, status=status, since=since, limit=limit + 1)
    if as_json:
        print_json(runs[:limit])
        return
    for run in runs[:limit]:
        started = local_time(run["started"], vault.settings.zone)
        state = paint_status(str(run["status"]), columns=15)
        took = pad(format_duration(run["duration_ms"]), 10)
        is_foreign = run["status"] in _UNFINISHED and not vault.journal.is_own(str(run["run_id"]))
        mark = f"  ({text('web.run.foreign')})" if is_foreign else ""
        click.echo(f"{run['run_id']}  {state} {started}  {took} {visible(str(run['tool']))}{mark}")
    if len(runs) > limit:
        say(text("cli.runs.more", limit=limit, more=10 * limit))
    elif not runs:
        say(text("cli.runs.none"))


@runs_command.command("show", help=text("cli.runs.show"))
@click.argument("run", metavar="RUN|last", shell_complete=complete_run)
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
@click.argument("run", metavar="RUN|last", shell_complete=complete_run)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@common_options
def rerun(context: click.Context, *, run: str, yes: bool, as_json: bool) -> None:
    """The same tool with the same arguments, as a new run."""
    with current_vault(context) as vault, attend_run(vault, yes=yes, quiet=as_json) as attended:
        record = vault.run(*vault.history.arguments(run), **attended)
    print_record(vault, record, as_json=as_json)
    context.exit(record.exit_code)


@runs_command.command("resume", help=text("cli.runs.resume"))
@click.argument("run", required=False, metavar="[RUN|last]", shell_complete=complete_run)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--done", metavar="[JSON]", is_flag=False, flag_value="", help=text("cli.runs.resume.done"))
@common_options
def resume(context: click.Context, *, run: str | None, yes: bool, done: str | None, as_json: bool) -> None:
    """Continue a run that waits or was interrupted; without one, all that need no answer."""
    if run is None:
        if done is not None:
            raise click.MissingParameter(ctx=context, param=context.command.params[0])
        _resume_all(context, as_json=as_json)
        return
    with current_vault(context) as vault, attend_run(vault, yes=yes, quiet=as_json) as attended:
        run_id = vault.history.record(run).run_id
        if done is not None:
            vault.confirm_done(run_id, read_arguments(done) if done else None, approved=Approved(via="terminal"))
        record = vault.resume(run_id, **attended)
    print_record(vault, record, as_json=as_json)
    context.exit(record.exit_code)


def _resume_all(context: click.Context, *, as_json: bool) -> None:
    from paperagents.cluster.worker import continue_runs  # noqa: PLC0415  only here

    with current_vault(context) as vault:
        records = continue_runs(vault)
    if as_json:
        print_json([record.as_json() for record in records])
        return
    for record in records:
        click.echo(f"{record.run_id}  {paint_status(record.status, columns=15)} {visible(record.tool)}")
    if not records:
        say_next(text("cli.runs.none-to-resume"))


@runs_command.command("prune", help=text("cli.runs.prune"))
@click.option("--older-than", type=click.FloatRange(0), metavar="DAYS", help=text("cli.runs.prune.older-than"))
@click.option("--undoable", is_flag=True, help=text("cli.runs.prune.undoable"))
@click.option("--dry-run", is_flag=True, help=text("cli.runs.prune.dry-run"))
@common_options
def prune(context: click.Context, *, older_than: float | None, undoable: bool, dry_run: bool, as_json: bool) -> None:
    """Remove runs that are over: older than so many days, else what the settings do not keep."""
    with current_vault(context) as vault:
        pruned = vault.retention.prune(older_than=older_than, undoable=undoable, dry_run=dry_run)
        is_limited = older_than is not None or vault.retention.keep_days or vault.retention.keep_mb
    if as_json:
        print_json({"removed": pruned.runs, "bytes": pruned.bytes, "dry_run": dry_run,
                    "kept": {"unfinished": pruned.unfinished, "undoable": pruned.undoable}})  # fmt: skip
        return
    if not is_limited:
        say_next(text("cli.runs.prune.no-limit"))
        return
    case = "cli.runs.prune.would" if dry_run else "cli.runs.prune.done"
    say(text(case, count=pruned.runs, size=format_size(pruned.bytes)))
    if pruned.unfinished:
        say_next(text("cli.runs.prune.unfinished", count=pruned.unfinished))
    if pruned.undoable:
        say(text("cli.runs.prune.undoable-kept", count=pruned.undoable))


@runs_command.command("compare", help=text("cli.runs.compare"))
@click.argument("one", metavar="RUN|last", shell_complete=complete_run)
@click.argument("other", metavar="RUN", shell_complete=complete_run)
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
