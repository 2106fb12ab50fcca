"""``paper approvals``: open questions, answers, and what has been allowed from now on."""

from __future__ import annotations

import click

from paperagents.approval.question import Approved, Decision, Denied
from paperagents.calls.conversion import read_arguments
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import local_time, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_commands import choose_approver
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import Progress, coloured_diff_line, stopping_on_interrupt
from paperagents.messages import text
from paperagents.secrets.redaction import Redaction


@click.group("approvals", cls=LocalisedGroup, help=text("cli.approvals"), invoke_without_command=True)
@vault_option
@json_option
@click.pass_context
def approvals_command(context: click.Context, *, as_json: bool) -> None:
    """Answer. Without a further word: list."""
    if context.invoked_subcommand is None:
        context.invoke(list_approvals, as_json=as_json)


@approvals_command.command("list", cls=LocalisedCommand, help=text("cli.approvals.list"))
@vault_option
@json_option
@click.pass_context
def list_approvals(context: click.Context, *, as_json: bool) -> None:
    """Every open question, the oldest first."""
    vault = current_vault(context)
    requests = vault.store.approvals()
    if as_json:
        print_json([Redaction().value(request.as_json()) for request in requests])
        return
    for request in requests:
        title = text("ask.title", tool=request.tool, step=request.step, run=request.run_id)
        requested = local_time(request.requested, vault.settings.zone)
        click.echo(f"{paint(request.id, bold=True)}  {requested}  {visible(title)}")
        for line in request.preview.split("\n"):
            click.echo("    " + coloured_diff_line(line))
    if not requests:
        say(text("cli.approvals.none"))


@approvals_command.command("approve", cls=LocalisedCommand, help=text("cli.approvals.approve"))
@click.argument("approval")
@click.option("--edit", metavar="JSON", help=text("cli.approvals.edit"))
@click.option("--run", "for_run", is_flag=True, help=text("cli.approvals.run"))
@click.option("--always", is_flag=True, help=text("cli.approvals.always"))
@vault_option
@json_option
@click.pass_context
def approve(  # noqa: PLR0913  one argument per option
    context: click.Context, *, approval: str, edit: str | None, for_run: bool, always: bool, as_json: bool
) -> None:
    """Yes; the run goes on."""
    arguments = None if edit is None else read_arguments(edit)
    _answer(context, approval, Approved(for_run=for_run, always=always, arguments=arguments), as_json=as_json)


@approvals_command.command("deny", cls=LocalisedCommand, help=text("cli.approvals.deny"))
@click.argument("approval")
@click.option("--reason", default="", help=text("cli.approvals.reason"))
@vault_option
@json_option
@click.pass_context
def deny(context: click.Context, *, approval: str, reason: str, as_json: bool) -> None:
    """No; the reason reaches whoever called."""
    _answer(context, approval, Denied(reason=reason), as_json=as_json)


@approvals_command.command("rules", cls=LocalisedCommand, help=text("cli.approvals.rules"))
@vault_option
@json_option
@click.pass_context
def rules(context: click.Context, *, as_json: bool) -> None:
    """What has been allowed from now on."""
    found = current_vault(context).rules.rules()
    if as_json:
        print_json([rule.as_json() for rule in found])
        return
    for rule in found:
        click.echo(visible(f"{rule.id}  {rule.tool}  {rule.target}  {text('cli.approvals.until', date=rule.expires)}"))


@approvals_command.command("revoke", cls=LocalisedCommand, help=text("cli.approvals.revoke"))
@click.argument("rule")
@vault_option
@json_option
@click.pass_context
def revoke(context: click.Context, *, rule: str, as_json: bool) -> None:
    """Take a rule back."""
    rules = current_vault(context).rules
    known = {each.id: each.as_json() for each in rules.rules()}
    if not rules.revoke(rule):
        raise UsageError("unknown-rule", id=rule)
    if as_json:
        print_json(known[rule])


def _answer(context: click.Context, approval: str, decision: Decision, *, as_json: bool) -> None:
    with current_vault(context) as vault, stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
        approver = choose_approver(yes=False, progress=progress, stop=stop)
        record = vault.answer(approval, decision, approver=approver, on_event=progress.on_event, stop=stop)
    print_record(record, as_json=as_json)
    context.exit(record.exit_code)
