"""``paper chat`` and ``paper ask``: a conversation with an agent, and a single question to one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import click

from paperagents.agents.conversation import list_conversations, resolve_conversation
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_agent
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_output import format_value, print_failure, print_record
from paperagents.interfaces.command_line.terminal import Progress, attend_run, choose_approver, stopping_on_interrupt
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.settings import KEEPING_FOLDER, user_folder
from paperagents.vault import Vault

LONGEST_QUESTION = 10_000_000


@click.command("chat", cls=LocalisedCommand, help=text("cli.chat"))
@click.argument("agent", shell_complete=complete_agent)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@click.option("--list", "only_list", is_flag=True, help=text("cli.chat.list"))
@common_options
def chat_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, agent: str, yes: bool, model: str | None, conversation: str | None, only_list: bool,
    as_json: bool,
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
        chat = Chat(vault, identifier, yes=yes, model=model, as_json=as_json)
        if conversation is not None:
            chat.conversation = resolve_conversation(conversation, known)
            if chat.conversation not in known:
                raise UsageError("conversation-unknown", name=conversation)
        context.exit(chat.talk())


class Chat:
    """A conversation at the terminal, or through a pipe with one question per line."""

    def __init__(self, vault: Vault, agent: str, *, yes: bool, model: str | None, as_json: bool) -> None:
        self.conversation: str | None = None
        self._vault = vault
        self._agent = agent
        self._yes = yes
        self._model = model
        self._as_json = as_json
        self._streamed = ""

    def talk(self) -> int:
        """Answer questions until there are no more; returns the exit code of the last answer."""
        code, records = 0, []
        for question in read_questions():
            record = self.answer(question)
            code = record.exit_code
            records.append(record.as_json())
            if not self._as_json:
                self.show(record)
        if self._as_json:
            print_json(records)
        if self.conversation is not None:
            name = one_line(self.conversation)
            file = f"{KEEPING_FOLDER}/conversations/{name}.md"
            say(text("cli.chat.kept", file=file, name=name, agent=one_line(self._agent)))
        return code

    def answer(self, question: str) -> RunRecord:
        """Run the agent with one question."""
        arguments: dict[str, Any] = {"query": question}
        if self.conversation is not None:
            arguments["conversation"] = self.conversation
        self._streamed = ""
        with stopping_on_interrupt() as stop, Progress(quiet=self._as_json) as progress:
            record = self._vault.run(
                f"agent:{self._agent}",
                arguments,
                approver=choose_approver(yes=self._yes, progress=progress, stop=stop),
                on_event=lambda event: self.on_event(event, progress),
                stop=stop,
                model=self._model,
            )
        # The first entry of the log names the note that the conversation is written to.
        for entry in record.execution_log[:1]:
            output = entry.get("output")
            if isinstance(output, dict) and isinstance(name := output.get("conversation"), str):
                self.conversation = name
        return record

    def on_event(self, event: Any, progress: Progress) -> None:
        """Stream the agent's own words; of everything else print one line when it is done."""
        is_shown = not self._as_json and sys.stdout.isatty()
        if event["type"] == "model-text" and "." not in event["run_id"] and is_shown:
            progress.clear()
            sys.stdout.write(visible(event["text"]))
            sys.stdout.flush()
            self._streamed += event["text"]
        elif event["type"] == "model-waits":
            progress.clear()
            say(paint(one_line(event["message"]), "yellow", err=True))
        elif event["type"] != "step-finished" or event["entry"]["name"] != "model":
            if event["type"] in ("step-started", "step-finished"):
                self.end_line()
            progress.on_event(event)

    def end_line(self) -> None:
        """End the line of streamed words: what follows are not the agent's own."""
        if self._streamed and not self._streamed.endswith("\n"):
            click.echo()
            self._streamed += "\n"

    def show(self, record: RunRecord) -> None:
        """Print the answer, unless it has been streamed."""
        if not record.success:
            self.end_line()
            print_failure(record)
        elif not self._streamed.rstrip().endswith(format_value(record.data).rstrip()):
            # What was streamed may have been wrapped in tags, or nothing was streamed at all.
            self.end_line()
            click.echo(visible(format_value(record.data)))
        elif self._streamed:
            click.echo()


def read_questions() -> Iterator[str]:
    """One question per line. Ctrl-C at the prompt discards the line, the end of the input ends the conversation."""
    asking = sys.stdin.isatty()
    if asking:
        load_line_history()
        say(text("cli.chat.help"))
    while True:
        try:
            line = input(text("cli.chat.prompt") if asking else "")
        except EOFError:
            return
        except KeyboardInterrupt:
            if not asking:
                raise
            say("")
            continue
        if line.strip() in ("/exit", "/quit"):
            return
        if line.strip():
            yield line.rstrip("\r")


def load_line_history() -> None:
    """Earlier questions by the arrow keys, where the system supports it."""
    with suppress(ImportError, OSError):
        import atexit  # noqa: PLC0415  only for a person at a terminal
        import readline  # noqa: PLC0415  the same

        file = user_folder() / "chat_history"
        with suppress(FileNotFoundError):
            readline.read_history_file(file)
        readline.set_history_length(1000)

        @atexit.register
        def save() -> None:
            with suppress(OSError):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch(mode=0o600)
                readline.write_history_file(file)


# --- ``paper ask``


@click.command("ask", cls=LocalisedCommand, help=text("cli.ask"))
@click.argument("agent", shell_complete=complete_agent)
@click.argument("words", metavar="TEXT", nargs=-1)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@common_options
def ask_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, agent: str, words: tuple[str, ...], yes: bool, model: str | None,
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
        with attend_run(yes=yes, quiet=as_json) as attended:
            record = vault.run(f"agent:{identifier}", arguments, model=model, **attended)
        print_record(record, as_json=as_json)
        context.exit(record.exit_code)


def read_question(words: tuple[str, ...]) -> str:
    """The words of the command line; ``-``, or none at all in a pipe, means standard input."""
    if words not in ((), ("-",)):
        return " ".join(words)
    question = sys.stdin.read(LONGEST_QUESTION) if words or not sys.stdin.isatty() else ""
    if not question.strip():
        raise UsageError("missing-parameter", name="TEXT")
    return question
