"""``paper chat`` and ``paper ask``: a conversation with an agent, and a single question to one."""

from __future__ import annotations

import sys

import click

from paperagents.agents.conversation import list_conversations, resolve_conversation
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, missing_parameter
from paperagents.interfaces.command_line.chat import Chat
from paperagents.interfaces.command_line.completion import complete_agent
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import one_line, print_json
from paperagents.interfaces.command_line.run_output import print_record
from paperagents.interfaces.command_line.terminal import attend_run
from paperagents.messages import text
from paperagents.settings import KEEPING_FOLDER

LONGEST_QUESTION = 10_000_000


@click.command("chat", cls=LocalisedCommand, help=text("cli.chat"))
@click.argument("agent", shell_complete=complete_agent)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--together", is_flag=True, help=text("cli.together"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@click.option("--list", "only_list", is_flag=True, help=text("cli.chat.list"))
@common_options
def chat_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, agent: str, yes: bool, together: bool, model: str | None, conversation: str | None,
    only_list: bool, as_json: bool,
) -> None:  # fmt: skip
    """Talk with an agent. Ctrl-C ends one answer, Ctrl-D the conversation."""
    with current_vault(context) as vault:
        identifier = vault.registry.agent(agent).id
        known = list_conversations(vault.root / KEEPING_FOLDER, identifier)
        if only_list:
            if as_json:
                print_json(known)
            for name in known if not as_json else ():
                click.echo(one_line(name))
            return
        chat = Chat(vault, identifier, yes=yes, together=together, model=model, as_json=as_json)
        if conversation is not None:
            chat.conversation = resolve_conversation(conversation, known)
            if chat.conversation not in known:
                raise UsageError("conversation-unknown", name=conversation)
        context.exit(chat.talk())


# --- ``paper ask``


@click.command("ask", cls=LocalisedCommand, help=text("cli.ask"))
@click.argument("agent", shell_complete=complete_agent)
@click.argument("words", metavar="TEXT", nargs=-1)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--together", is_flag=True, help=text("cli.together"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@common_options
def ask_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, agent: str, words: tuple[str, ...], yes: bool, together: bool, model: str | None,
    conversation: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Ask an agent."""
    with current_vault(context) as vault:
        identifier = vault.registry.agent(agent).id
        arguments = {"query": read_question(words)}
        if conversation is not None:
            arguments["conversation"] = resolve_conversation(
                conversation, list_conversations(vault.root / KEEPING_FOLDER, identifier)
            )
        with attend_run(vault, yes=yes, quiet=as_json) as attended:
            record = vault.run(f"agent:{identifier}", arguments, model=model, together=together, **attended)
        print_record(vault, record, as_json=as_json)
        context.exit(record.exit_code)


def read_question(words: tuple[str, ...]) -> str:
    """The words of the command line; ``-``, or none at all in a pipe, means standard input."""
    if words not in ((), ("-",)):
        return " ".join(words)
    question = sys.stdin.read(LONGEST_QUESTION) if words or not sys.stdin.isatty() else ""
    if not question.strip():
        raise missing_parameter("TEXT")
    return question
