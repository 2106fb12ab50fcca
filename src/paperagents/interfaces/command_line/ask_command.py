"""``paper ask``: one question to an agent, and its answer."""

from __future__ import annotations

import sys

import click

from paperagents.agents.conversation import listed, meant
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_agent, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.record_output import print_record
from paperagents.interfaces.command_line.run_command import choose_approver
from paperagents.interfaces.command_line.stopping import stopping_on_interrupt
from paperagents.messages import text
from paperagents.notes_folder import KEEPING_FOLDER

LONGEST = 10_000_000


@click.command("ask", cls=LocalisedCommand, help=text("cli.ask"))
@click.argument("agent", shell_complete=complete_agent)
@click.argument("words", metavar="TEXT", nargs=-1)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@vault_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913  one argument per option
    context: click.Context,
    *,
    agent: str,
    words: tuple[str, ...],
    yes: bool,
    model: str | None,
    conversation: str | None,
    as_json: bool,
) -> None:
    """Ask an agent."""
    with current_vault(context) as vault:
        identifier = vault.registry.agent(agent).id
        arguments = {"query": _question(words)}
        if conversation is not None:
            arguments["conversation"] = meant(conversation, listed(vault.root / KEEPING_FOLDER, identifier))
        with stopping_on_interrupt() as stop, Progress(quiet=as_json) as progress:
            approver = choose_approver(yes=yes, progress=progress, stop=stop)
            record = vault.run(
                f"agent:{identifier}", arguments, approver=approver, on_event=progress.on_event, stop=stop, model=model
            )
        print_record(record, as_json=as_json)
        context.exit(record.exit_code)


def _question(words: tuple[str, ...]) -> str:
    """The words of the command line; ``-``, or none at all in a pipe, is standard input."""
    if words not in ((), ("-",)):
        return " ".join(words)
    if not words and sys.stdin.isatty():
        raise UsageError("missing-parameter", name="TEXT")
    question = sys.stdin.read(LONGEST)
    if not question.strip():
        raise UsageError("missing-parameter", name="TEXT")
    return question
