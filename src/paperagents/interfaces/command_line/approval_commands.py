"""``paper approvals``: answer open questions, and see what has been allowed from now on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.approval.rule_words import describe_proposal
from paperagents.calls.conversion import read_arguments
from paperagents.errors import UnknownApprovalError, UsageError
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.completion import complete_question
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import (
    local_time,
    one_line,
    paint,
    paint_diff_line,
    print_json,
    say,
    say_next,
    say_wrapped,
)
from paperagents.interfaces.command_line.questions import describe_question, tool_name
from paperagents.interfaces.command_line.rule_commands import allow, revoke, rules
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text
from paperagents.secrets.redaction import Redaction
from paperagents.vault import Vault


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
        print_question(vault, request)
    say_next(text("cli.approvals.how") if requests else text("cli.approvals.none"))


@approvals_command.command("show", help=text("cli.approvals.show"))
@click.argument("approval", metavar="ID|last", shell_complete=complete_question)
@common_options
def show(context: click.Context, *, approval: str, as_json: bool) -> None:
    """One open question."""
    vault = current_vault(context)
    request = vault.history.question(approval)
    if as_json:
        print_json(Redaction().value(request.as_json()))
    else:
        print_question(vault, request)


def print_question(vault: Vault, request: ApprovalRequest) -> None:
    """A question with exactly what would happen."""
    run = vault.history.run(request.run_id)
    wish = describe_question(request, tool_name(vault, run.tool if run is not None else request.tool))
    place = text("ask.place", tool=request.tool, step=request.step, run=request.run_id)
    requested = local_time(request.requested, vault.settings.zone)
    click.echo(f"{paint(request.id, bold=True)}  {requested}  {wish}")
    click.echo(f"    {one_line(place)}")
    if not vault.journal.is_own(request.run_id):
        click.echo(f"    {text('run-not-trusted', id=request.run_id)}")
    for line in request.preview.split("\n"):
        click.echo("    " + paint_diff_line(line))
    if always := describe_proposal(request, vault.settings.zone):
        click.echo(f"    {one_line(text('ask.rule', rule=always))}")


@approvals_command.command("approve", help=text("cli.approvals.approve"))
@click.argument("approval", required=False, metavar="[ID|last]", shell_complete=complete_question)
@click.option("--all", "every", is_flag=True, help=text("cli.approvals.all"))
@click.option("--run", "of_run", metavar="RUN|last", help=text("cli.approvals.run"))
@click.option("--edit", metavar="JSON", help=text("cli.approvals.edit"))
@click.option("--files", metavar="JSON", help=text("cli.approvals.files"))
@click.option("--together", is_flag=True, help=text("cli.approvals.together"))
@click.option("--for-run", is_flag=True, help=text("cli.approvals.for-run"))
@click.option("--always", is_flag=True, help=text("cli.approvals.always"))
@click.option("--path", metavar="GLOB", help=text("cli.approvals.always-path"))
@common_options
def approve(  # noqa: PLR0913  one argument per option
    context: click.Context, *, approval: str | None, every: bool, of_run: str | None, edit: str | None,
    files: str | None, together: bool, for_run: bool, always: bool, path: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Yes; the run goes on."""
    if (approval is not None) + every + (of_run is not None) != 1:
        raise UsageError("which-approval")
    if edit is not None and approval is None:
        raise UsageError("edit-of-one")
    if files is not None and approval is None:
        raise UsageError("files-of-one")
    arguments = None if edit is None else read_arguments(edit)
    decision = Approved(
        via="terminal",
        for_run=for_run,
        always=always or path is not None,
        path=path or "",
        arguments=arguments,
        together=together,
        files=None if files is None else read_arguments(files),
    )
    if approval is not None:
        answer(context, approval, decision, as_json=as_json)
    else:
        approve_several(context, of_run, decision, as_json=as_json)


@approvals_command.command("deny", help=text("cli.approvals.deny"))
@click.argument("approval", metavar="ID|last", shell_complete=complete_question)
@click.option("--reason", default="", help=text("cli.approvals.reason"))
@common_options
def deny(context: click.Context, *, approval: str, reason: str, as_json: bool) -> None:
    """No; the reason reaches whoever called."""
    answer(context, approval, Denied(reason=reason, via="terminal"), as_json=as_json)


for command in (allow, rules, revoke):
    approvals_command.add_command(command)


def answer(context: click.Context, approval: str, decision: Decision, *, as_json: bool) -> None:
    """Answer a question and continue its run."""
    with current_vault(context) as vault, attend_run(vault, yes=False, quiet=as_json) as attended:
        record = vault.answer(approval, decision, **attended)
    print_record(vault, record, as_json=as_json)
    context.exit(record.exit_code)


def approve_several(context: click.Context, of_run: str | None, decision: Approved, *, as_json: bool) -> None:
    """Say yes to every question that is open now, or to those of one run, and continue each run once."""
    with current_vault(context) as vault, attend_run(vault, yes=False, quiet=as_json) as attended:
        run = None if of_run is None else vault.history.record(of_run)
        requests = vault.history.questions(None if run is None else run.run_id)
        answered = list(answer_each(vault, requests, decision))
        if run is not None and not answered:
            raise UsageError("nothing-to-answer", id=run.run_id)
        records = [
            vault.continuation.resume_answered(run_id, partial(vault.resume, run_id, **attended), attended["stop"])
            for run_id in dict.fromkeys(request.run_id for request in answered)
        ]
    if as_json:
        print_json(records[0].as_json() if run is not None else [record.as_json() for record in records])
    else:
        for record in records:
            print_record(vault, record, as_json=False)
        say(text("cli.approvals.approved", count=len(answered)))
    codes = {record.exit_code for record in records}
    context.exit(next((code for code in (1, 2, 3) if code in codes), 0))


def answer_each(vault: Vault, requests: list[ApprovalRequest], decision: Approved) -> Iterator[ApprovalRequest]:
    """Those that were answered. What cannot be, such as a stranger's run, is left, and said; alone it is refused."""
    refused: list[UsageError] = []
    for request in requests:
        try:
            vault.continuation.answer(request.id, decision)
        except UnknownApprovalError:
            # Somebody else has just answered it.
            continue
        except UsageError as error:
            refused.append(error)
            continue
        yield request
    if refused and len(refused) == len(requests):
        raise refused[0]
    for each in refused:
        say_wrapped(str(each))
