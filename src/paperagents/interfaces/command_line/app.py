"""Help pages in the reader's language."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.names import closest
from paperagents.errors import PaperError, SettingsError, ToolError, UsageError
from paperagents.interfaces.command_line.options import Invocation, remember_vault
from paperagents.interfaces.command_line.output import prepare_streams, print_error, print_json
from paperagents.messages import system_text, text, use_language
from paperagents.notes_folder import find_vault
from paperagents.settings import load_settings, read_language
from paperagents.version import __version__


class LocalisedCommand(click.Command):
    """A command whose help page speaks the reader's language."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Too many arguments are told in the reader's language, too."""
        allowed, ctx.allow_extra_args = ctx.allow_extra_args, True
        surplus = super().parse_args(ctx, args)
        ctx.allow_extra_args = allowed
        if surplus and not allowed and not ctx.resilient_parsing:
            raise UsageError("extra-arguments", arguments=" ".join(surplus))
        return surplus

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first line: how it is called."""
        formatter.write_usage(
            ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix=text("cli.usage") + " "
        )

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        rows = [row for each in options if (row := each.get_help_record(ctx)) is not None]
        if rows:
            with formatter.section(text("cli.options")):
                formatter.write_dl(rows)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option --help itself."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = text("cli.help")
        return option


class LocalisedGroup(LocalisedCommand, click.Group):
    """The same for the command that has the others."""

    command_class = LocalisedCommand

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Nothing at all is told as what it lacks; the page comes with --help."""
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            arguments = [each.make_metavar(ctx) for each in self.params if isinstance(each, click.Argument)]
            raise UsageError("missing-parameter", name=next(iter(arguments), "COMMAND"))
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command, or the nearest names."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            near = ", ".join(f"'{name}'" for name in closest(args[0], names))
            raise UsageError(
                "unknown-command",
                name=args[0],
                path=ctx.command_path,
                suggestion=near,
                case="suggestion" if near else None,
            )
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the commands."""
        LocalisedCommand.format_options(self, ctx, formatter)
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(limit=90)))
        if rows:
            with formatter.section(text("cli.commands")):
                formatter.write_dl(rows)


# --- the command line as a whole: which commands there are, and the one place where an error becomes an exit code


_MODULES = {
    "new_commands": ("init", "new"),
    "tool_commands": ("list", "show", "test", "env", "install"),
    "check_command": ("check",),
    "run_commands": ("run", "runs"),
    "search_command": ("search",),
    "approvals_command": ("approvals",),
    "text_commands": ("extract", "resolve"),
    "store_command": ("store",),
    "agent_commands": ("chat", "ask"),
    "vault_commands": ("stats", "config", "doctor", "backup", "completion"),
    "server_commands": ("serve", "worker", "mcp"),
    "import_command": ("import",),
}
"""Which module has which commands; it is loaded when one of them is called."""
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
COMMANDS = (
    "init", "list", "show", "new", "check", "run", "test", "search", "runs", "approvals", "extract", "resolve", "store",
    "env", "install", "chat", "ask", "stats", "config", "doctor", "serve", "worker", "backup", "mcp", "import",
    "completion",
)  # fmt: skip
"""In the order a newcomer meets them."""
COMPLETE_VARIABLE = "_PAPER_COMPLETE"


class PaperGroup(LocalisedGroup):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Every command."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """The command of that name, from the module it stands in."""
        if cmd_name not in _HOMES:
            return None
        module = import_module(f"paperagents.interfaces.command_line.{_HOMES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; the answer is the exit code."""
    prepare_streams()
    try:
        return _answer(arguments)
    except BrokenPipeError:
        # The reader has seen enough: paper list | head
        _let_go_of_streams()
        return 0
    except OSError as error:
        print_error(ToolError("cannot-write", path="stdout", reason=system_text(error)))
        _let_go_of_streams()
        return ToolError.exit_code


def _answer(arguments: Sequence[str]) -> int:
    invocation = Invocation()
    try:
        use_language(_language(arguments, invocation))
        return _carry_out(arguments, invocation)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("PAPER_DEBUG") or _cannot_be_told(error):
            raise
        # A command line that could not be read does not say what was wanted; what stands there must do.
        # A group's own options are read before those of its commands: only a yes is an answer.
        as_json = invocation.as_json or _asks_for_json(arguments)
        return _fail(_in_our_words(error), as_json=as_json)


def _carry_out(arguments: Sequence[str], invocation: Invocation) -> int:
    group = _make_group()
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete  # noqa: PLC0415  only a shell needs it

        return shell_complete(group, {"obj": invocation}, "paper", COMPLETE_VARIABLE, instruction)
    try:
        with group.make_context("paper", list(arguments), obj=invocation) as context:
            group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def _asks_for_json(arguments: Sequence[str]) -> bool:
    return "--json" in arguments or "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def _cannot_be_told(error: Exception) -> bool:
    """Whether it is standard output itself that takes no more, on a full disk for example."""
    try:
        sys.stdout.flush()
    except OSError:
        return isinstance(error, OSError)
    return False


def _let_go_of_streams() -> None:
    """Nothing can be written any more, not even when Python empties its buffers at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _make_group() -> PaperGroup:
    group = PaperGroup(
        "paper",
        help=text("cli.paper"),
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.params.append(
        click.Option(["--vault"], type=click.Path(path_type=Path), help=text("cli.vault"), callback=remember_vault)
    )
    group.params.append(
        click.Option(
            ["--version"], is_flag=True, is_eager=True, expose_value=False, help=text("cli.version"), callback=_version
        )
    )
    group.callback = _help_without_command
    return group


@click.pass_context
def _help_without_command(context: click.Context, /, **_: Any) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _version(context: click.Context, _: click.Parameter, value: Any) -> None:
    if value:
        click.echo(f"paper {__version__}")
        context.exit(0)


def _language(arguments: Sequence[str], invocation: Invocation) -> str | None:
    """The language must be known before the first help text is made, so the settings are loaded early."""
    try:
        root = Path(os.path.realpath(_named_vault(arguments) or find_vault()))
    except (OSError, ValueError):
        # Help must be had wherever one stands; the commands that need a vault say what is wrong with it.
        return None
    try:
        invocation.settings[root] = load_settings(root)
    except SettingsError:
        return read_language(root)
    language: str | None = invocation.settings[root].get("language")
    return language


def _named_vault(arguments: Sequence[str]) -> Path | None:
    for argument, following in pairwise((*arguments, "")):
        if argument.startswith("--vault="):
            return Path(argument.removeprefix("--vault="))
        if argument == "--vault":
            return Path(following)
    return None


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
        case click.ClickException():
            return _wrong_usage(error)
    return PaperError("internal-error", reason=f"{type(error).__name__}: {error}")


def _wrong_usage(error: click.ClickException) -> UsageError:
    match error:
        case click.NoSuchOption():
            near = ", ".join(f"'{name}'" for name in error.possibilities or ())
            case = "suggestion" if near else None
            return UsageError("unknown-option", name=error.option_name, suggestion=near, case=case)
        case click.MissingParameter(param=click.Parameter() as parameter, ctx=click.Context() as context):
            return UsageError("missing-parameter", name=parameter.make_metavar(context))
        case click.BadParameter(param=click.Parameter() as parameter):
            return _bad_parameter(parameter, error)
        case click.BadOptionUsage():
            return UsageError("bad-option", name=error.option_name)
        case click.UsageError(ctx=click.Context(command=LocalisedGroup())):
            # An unknown word is told where it is read: all that a group can miss here is any word at all.
            return UsageError("missing-parameter", name="COMMAND")
    return UsageError("wrong-usage", reason=error.format_message())


def _bad_parameter(parameter: click.Parameter, error: click.BadParameter) -> UsageError:
    name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
    match parameter.type:
        case click.Choice(choices=choices):
            return UsageError("bad-parameter", name=name, choices=", ".join(map(str, choices)), case="choice")
        case click.IntRange(min=int(least), max=int(most)):
            return UsageError("bad-parameter", name=name, least=least, most=most, case="range")
        case click.IntRange(min=int(least)):
            return UsageError("bad-parameter", name=name, least=least, case="least")
        case click.types.IntParamType():
            return UsageError("bad-parameter", name=name, case="number")
    return UsageError("bad-parameter", name=name, reason=error.message)
