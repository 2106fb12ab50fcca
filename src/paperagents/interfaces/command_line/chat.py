"""A conversation with an agent: questions, command words, streamed answers, and what it has cost."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import click

from paperagents.agents.toolbox import open_toolbox
from paperagents.calls.answers import show_answer
from paperagents.definitions.text import closest
from paperagents.interfaces.command_line.output import (
    one_line,
    pad,
    paint,
    print_json,
    say,
    say_next,
    say_warning,
    say_wrapped,
    visible,
)
from paperagents.interfaces.command_line.progress import Progress
from paperagents.interfaces.command_line.run_output import format_value, print_failure
from paperagents.interfaces.command_line.terminal import choose_approver, stopping_on_interrupt
from paperagents.messages import text
from paperagents.runs.record import RunRecord
from paperagents.runs.usage import add_up, describe_usage
from paperagents.settings import KEEPING_FOLDER, user_folder
from paperagents.vault import Vault

WORDS = ("help", "tools", "new", "quit")
COMMAND = re.compile(r"/[a-z]+\s*", re.IGNORECASE)
"""A line that is one word behind a slash: a path or a sentence is none."""
_FENCE = '"""'
"""Stands alone in a line before and after a question of several lines."""
_MORE = "… "
"""The prompt of a line that belongs to the one before."""


class Chat:
    """A conversation at the terminal, or through a pipe with one question per line."""

    def __init__(  # noqa: PLR0913  one argument per option
        self, vault: Vault, agent: str, *, yes: bool, together: bool, model: str | None, as_json: bool
    ) -> None:
        self.conversation: str | None = None
        self._vault = vault
        self._agent = agent
        self._yes = yes
        self._together = together
        self._model = model
        self._as_json = as_json
        self._streamed = ""
        self._thought = 0

    def talk(self) -> int:
        """Answer questions until there are no more; returns the exit code of the last answer."""
        records: list[RunRecord] = []
        for line in read_questions():
            if COMMAND.fullmatch(line):
                if not self.obey(line[1:].strip()):
                    break
                continue
            # A text that begins with a slash and is no command is written with two.
            records.append(self.answer(line.removeprefix("/") if line.startswith("//") else line))
            if not self._as_json:
                self.show(records[-1])
        if self._as_json:
            print_json([record.as_json() for record in records])
        self.say_goodbye(records)
        return records[-1].exit_code if records else 0

    def obey(self, word: str) -> bool:
        """Do what a command word says; whether the conversation goes on."""
        match word:
            case "quit" | "exit":
                return False
            case "help":
                for each in WORDS:
                    say(f"  {paint(pad(f'/{each}', 8), bold=True, err=True)}{text(f'cli.chat.word.{each}')}")
                say_wrapped(text("cli.chat.lines"))
                say_wrapped(text("cli.chat.slash"))
            case "new":
                self.conversation = None
                say(text("cli.chat.new"))
            case "tools":
                self.list_tools()
            case _:
                near = ", ".join(f"/{each}" for each in closest(word, WORDS))
                say(text("cli.chat.unknown", word=one_line(word), suggestion=near or "/help"))
        return True

    def list_tools(self) -> None:
        """What the agent may call."""
        registry = self._vault.registry
        agent = registry.agent(self._agent)
        toolbox = open_toolbox(agent, registry.entries(), registry.tool, self._vault.tag_registry())
        for name, tool in sorted(toolbox.tools.items()):
            description = tool.description.split("\n", 1)[0]
            say(f"  {paint(one_line(name), bold=True, err=True)}  {one_line(description)}")
        if not toolbox.tools:
            say(text("cli.chat.no-tools"))

    def say_goodbye(self, records: Sequence[RunRecord]) -> None:
        """Where the conversation is kept, and what it has cost as far as the model's server tells."""
        if used := describe_usage(add_up(each.usage for each in records if each.usage is not None)):
            say(used)
        if self.conversation is not None:
            name = one_line(self.conversation)
            file = f"{KEEPING_FOLDER}/conversations/{name}.md"
            say_next(text("cli.chat.kept", file=file, name=name, agent=one_line(self._agent)))

    def answer(self, question: str) -> RunRecord:
        """Run the agent with one question."""
        arguments: dict[str, Any] = {"query": question}
        if self.conversation is not None:
            arguments["conversation"] = self.conversation
        self._streamed, self._thought = "", 0
        with stopping_on_interrupt() as stop, Progress(quiet=self._as_json) as progress:
            record = self._vault.run(
                f"agent:{self._agent}",
                arguments,
                approver=choose_approver(yes=self._yes, progress=progress, stop=stop),
                on_event=lambda event: self.on_event(event, progress),
                stop=stop,
                model=self._model,
                together=self._together,
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
        elif event["type"] == "model-reasoning":
            self._thought += len(event["text"])
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
        """Print the answer, unless it has been streamed; of what the model thought, how much it was."""
        if self._thought:
            self.end_line()
            shown = text("cli.chat.thought", count=self._thought, run=record.run_id)
            say(paint(shown, "bright_black", err=True))
        if not record.success:
            self.end_line()
            print_failure(self._vault, record)
        elif not self._streamed.rstrip().endswith((answer := format_value(show_answer(record.data))).rstrip()):
            # What was streamed may have been wrapped in tags, or nothing was streamed at all.
            self.end_line()
            click.echo(visible(answer))
        elif self._streamed:
            click.echo()
        for warning in record.warnings:
            say_warning(warning)


# --- reading questions


def read_questions() -> Iterator[str]:
    """One question per line, or per block. Ctrl-C at the prompt discards it, the end of the input ends it all."""
    asking = sys.stdin.isatty()
    if asking:
        prepare_line_editing()
        say(text("cli.chat.help"))
    while True:
        try:
            question = read_block(asking=asking)
        except EOFError:
            return
        except KeyboardInterrupt:
            if not asking:
                raise
            say("")
            continue
        if question.strip():
            yield question


def read_block(*, asking: bool) -> str:
    """A line; where it opens a block, or ends with a backslash, all that belongs to it."""
    line = input(text("cli.chat.prompt") if asking else "").rstrip("\r")
    lines = []
    if line.strip() == _FENCE:
        # At the end of the input a block ends, too.
        with suppress(EOFError):
            while (line := input(_MORE if asking else "").rstrip("\r")).strip() != _FENCE:
                lines.append(line)
        return "\n".join(lines)
    while line.endswith("\\"):
        lines.append(line.removesuffix("\\"))
        line = input(_MORE if asking else "").rstrip("\r")
    return "\n".join([*lines, line])


def prepare_line_editing() -> None:
    """Earlier questions by the arrow keys, command words by the tabulator, where the system supports it."""
    with suppress(ImportError, OSError):
        import atexit  # noqa: PLC0415  only for a person at a terminal
        import readline  # noqa: PLC0415  the same

        readline.set_completer_delims("")
        readline.set_completer(complete_word)
        readline.parse_and_bind("tab: complete")
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


def complete_word(written: str, number: int) -> str | None:
    """The command word that comes as this one of those that begin so, as readline asks for them."""
    fitting = [f"/{each}" for each in WORDS if written.startswith("/") and f"/{each}".startswith(written)]
    return fitting[number] if number < len(fitting) else None
