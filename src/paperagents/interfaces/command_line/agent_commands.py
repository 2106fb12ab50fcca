"""``paper chat``: talk with an agent, answer by answer. Ctrl-C ends one answer, Ctrl-D the conversation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from paperagents.agents.conversation import list_conversations, resolve_conversation
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import complete_agent, current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_commands import choose_approver
from paperagents.interfaces.command_line.run_output import print_failure, print_record, shown_value
from paperagents.interfaces.command_line.terminal import Progress, stopping_on_interrupt
from paperagents.messages import text
from paperagents.notes_folder import KEEPING_FOLDER
from paperagents.runs.record import RunRecord
from paperagents.settings import user_folder
from paperagents.vault import Vault


@click.command("chat", cls=LocalisedCommand, help=text("cli.chat"))
@click.argument("agent", shell_complete=complete_agent)
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--model", metavar="NAME", help=text("cli.ask.model"))
@click.option("--conversation", metavar="NAME|last", help=text("cli.ask.conversation"))
@click.option("--list", "only_list", is_flag=True, help=text("cli.chat.list"))
@vault_option
@json_option
@click.pass_context
def chat_command(  # noqa: PLR0913  one argument per option
    context: click.Context,
    *,
    agent: str,
    yes: bool,
    model: str | None,
    conversation: str | None,
    only_list: bool,
    as_json: bool,
) -> None:
    """Talk with an agent."""
    with current_vault(context) as vault:
        identifier = vault.registry.agent(agent).id
        known = list_conversations(vault.root / KEEPING_FOLDER, identifier)
        if only_list:
            _print_list(known, as_json=as_json)
            return
        chat = Chat(vault, identifier, yes=yes, model=model, as_json=as_json)
        chat.conversation = _chosen(conversation, known)
        context.exit(chat.talk())


class Chat:
    """One conversation at the terminal, or through a pipe with one question per line."""

    def __init__(self, vault: Vault, agent: str, *, yes: bool, model: str | None, as_json: bool) -> None:
        self.conversation: str | None = None
        self._vault = vault
        self._agent = agent
        self._yes = yes
        self._model = model
        self._as_json = as_json
        self._streamed = ""

    def talk(self) -> int:
        """Answer every question until there is none; the exit code is that of the last answer."""
        code, records = 0, []
        for question in _questions():
            record = self._answer(question)
            code = record.exit_code
            records.append(record.as_json())
            if not self._as_json:
                self._show(record)
        if self._as_json:
            print_json(records)
        if self.conversation is not None:
            place = f"{KEEPING_FOLDER}/conversations/{self.conversation}.md"
            say(
                text(
                    "cli.chat.kept", file=one_line(place), name=one_line(self.conversation), agent=one_line(self._agent)
                )
            )
        return code

    def _answer(self, question: str) -> RunRecord:
        arguments: dict[str, Any] = {"query": question}
        if self.conversation is not None:
            arguments["conversation"] = self.conversation
        self._streamed = ""
        with stopping_on_interrupt() as stop, Progress(quiet=self._as_json) as progress:

            def on_event(event: Any) -> None:
                self._follow(event, progress)

            approver = choose_approver(yes=self._yes, progress=progress, stop=stop)
            tool = f"agent:{self._agent}"
            record = self._vault.run(
                tool, arguments, approver=approver, on_event=on_event, stop=stop, model=self._model
            )
        self._remember(record)
        return record

    def _follow(self, event: Any, progress: Progress) -> None:
        """The words of the agent itself as they come; of everything else one line when it is done."""
        if event["type"] == "model-text" and "." not in event["run_id"] and self._is_shown():
            progress.clear()
            sys.stdout.write(visible(event["text"]))
            sys.stdout.flush()
            self._streamed += event["text"]
        elif event["type"] == "model-waits":
            progress.clear()
            say(paint(one_line(event["message"]), "yellow", err=True))
        elif event["type"] != "step-finished" or event["entry"]["name"] != "model":
            if event["type"] in ("step-started", "step-finished"):
                self._end_line()
            progress.on_event(event)

    def _end_line(self) -> None:
        """What follows is not the agent's own words, and begins on a line of its own."""
        if self._streamed and not self._streamed.endswith("\n"):
            click.echo()
            self._streamed += "\n"

    def _is_shown(self) -> bool:
        return not self._as_json and sys.stdout.isatty()

    def _remember(self, record: RunRecord) -> None:
        """The note that this conversation is written to, from the beginning of its first run."""
        for entry in record.execution_log[:1]:
            output = entry.get("output")
            if isinstance(output, dict) and isinstance(name := output.get("conversation"), str):
                self.conversation = name

    def _show(self, record: RunRecord) -> None:
        if not record.success:
            self._end_line()
            print_failure(record)
        elif not self._streamed.rstrip().endswith(shown_value(record.data).rstrip()):
            # What was streamed may have been wrapped in tags, or nothing was streamed at all.
            self._end_line()
            click.echo(visible(shown_value(record.data)))
        elif self._streamed:
            click.echo()


def _questions() -> Iterator[str]:
    """One per line. Ctrl-C at the prompt takes back the line, the end of the input ends the conversation."""
    asking = sys.stdin.isatty()
    if asking:
        _remember_lines()
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


def _remember_lines() -> None:
    """Earlier questions by the arrow keys, where the system can do that."""
    with suppress(ImportError, OSError):
        import atexit  # noqa: PLC0415  only for a person at a terminal
        import readline  # noqa: PLC0415  the same

        file = user_folder() / "chat_history"
        with suppress(FileNotFoundError):
            readline.read_history_file(file)
        readline.set_history_length(1000)
        atexit.register(_keep_lines, file)


def _keep_lines(file: Path) -> None:
    import readline  # noqa: PLC0415  it was there at the beginning

    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        readline.write_history_file(file)


def _chosen(wanted: str | None, known: list[str]) -> str | None:
    if wanted is None:
        return None
    if (name := resolve_conversation(wanted, known)) not in known:
        raise UsageError("conversation-unknown", name=wanted)
    return name


def _print_list(known: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json(known)
        return
    for name in known:
        click.echo(one_line(name))


# --- ``paper ask``: one question to an agent, and its answer


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
def ask_command(  # noqa: PLR0913  one argument per option
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
            arguments["conversation"] = resolve_conversation(
                conversation, list_conversations(vault.root / KEEPING_FOLDER, identifier)
            )
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
