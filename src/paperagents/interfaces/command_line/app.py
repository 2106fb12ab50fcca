"""The command line as a whole: which commands there are, and the one place where an error becomes an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.closest import closest
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedGroup
from paperagents.interfaces.command_line.output import prepare_streams, print_error, print_json
from paperagents.messages import text, use_language
from paperagents.settings import load_settings
from paperagents.vault import find_vault
from paperagents.version import __version__

COMMANDS = (
    "init", "list", "show", "new", "check", "run", "test", "search", "runs", "approvals", "stats", "config", "doctor",
    "completion",
)  # fmt: skip


class PaperGroup(LocalisedGroup):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Every command, in the order a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """The command of that name; each stands in a module of its own."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"paperagents.interfaces.command_line.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command, or the nearest names."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = ", ".join(f"'{name}'" for name in closest(args[0], COMMANDS))
            raise UsageError("unknown-command", name=args[0], suggestion=near, case="suggestion" if near else None)
        return super().resolve_command(ctx, args)


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; the answer is the exit code."""
    prepare_streams()
    try:
        use_language(_language(arguments))
        # A command that calls context.exit(code) makes that code the answer; any other gives none.
        return _make_group().main(list(arguments), prog_name="paper", standalone_mode=False) or 0
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # The reader has seen enough: paper list | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("PAPER_DEBUG"):
            raise
        return _fail(_in_our_words(error), as_json="--json" in arguments or "json" in arguments)


def _make_group() -> PaperGroup:
    group = PaperGroup("paper", help=text("cli.paper"), context_settings={"help_option_names": ["-h", "--help"]})
    group.params.append(
        click.Option(["--vault"], type=click.Path(path_type=Path), help=text("cli.vault"), callback=_remember_vault)
    )
    group.params.append(
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, help=text("cli.version"), callback=_version
        )
    )
    group.callback = lambda **_: None
    return group


def _remember_vault(context: click.Context, _: click.Parameter, value: Path | None) -> Path | None:
    if value is not None:
        context.find_root().meta["vault"] = value
    return value


def _version(context: click.Context, _: click.Parameter, value: Any) -> None:
    if value:
        click.echo(f"paper {__version__}")
        context.exit(0)


def _language(arguments: Sequence[str]) -> str | None:
    """The language must be known before the first help text is made, so the vault is looked up early."""
    named = next((following for option, following in pairwise(arguments) if option == "--vault"), None)
    try:
        language: str | None = load_settings(Path(named) if named else find_vault()).get("language")
    except PaperError:
        return None
    return language


def _fail(error: PaperError, *, as_json: bool) -> int:
    if as_json:
        print_json({"success": False, "error": error.as_json()})
    else:
        print_error(error)
    return error.exit_code


def _in_our_words(error: Exception) -> PaperError:
    """Whatever went wrong, as an error of ours in the reader's language."""
    match error:
        case PaperError():
            return error
        case click.NoSuchOption():
            near = ", ".join(f"'{name}'" for name in error.possibilities or ())
            case = "suggestion" if near else None
            return UsageError("unknown-option", name=error.option_name, suggestion=near, case=case)
        case click.MissingParameter(param=click.Parameter() as parameter, ctx=click.Context() as context):
            return UsageError("missing-parameter", name=parameter.make_metavar(context))
        case click.BadParameter(param=click.Parameter() as parameter):
            return UsageError("bad-parameter", name=parameter.opts[0], reason=error.message)
        case click.ClickException():
            return UsageError("wrong-usage", reason=error.format_message())
    return PaperError("internal-error", reason=f"{type(error).__name__}: {error}")
