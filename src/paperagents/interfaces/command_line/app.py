"""The command line as a whole: its commands, help in the reader's language, and errors as exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.text import closest
from paperagents.errors import CancelledError, PaperError, SettingsError, ToolError, UsageError
from paperagents.interfaces.command_line.options import VAULT_PATH, Invocation, remember_vault
from paperagents.interfaces.command_line.output import name_vault, prepare_streams, print_error, print_json
from paperagents.messages import language_of_locale, system_text, text, use_language
from paperagents.notes_folder import find_vault
from paperagents.settings import load_settings, read_language
from paperagents.shortages import error_from
from paperagents.version import __version__

_SHORT = 90


def missing_parameter(name: str, context: click.Context | None = None) -> UsageError:
    """The error for a word that the command needs and was not given."""
    return UsageError("missing-parameter", name=name, command=typed_command(context or click.get_current_context()))


def typed_command(context: click.Context) -> str:
    """The command as it was typed, without options: ``paper store task set``."""
    above = []
    if (parent := context.parent) is not None:
        words = [each.name for each in parent.command.params if isinstance(each, click.Argument)]
        above = [typed_command(parent), *(str(parent.params[word]) for word in words)]
    return " ".join([*above, str(context.info_name)])


class LocalisedCommand(click.Command):
    """A command with help in the reader's language."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Report surplus arguments in the reader's language, too."""
        allowed, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            surplus = super().parse_args(ctx, args)
        except click.UsageError as error:
            # The parser of options does not always say whose they are.
            error.ctx = error.ctx or ctx
            raise
        ctx.allow_extra_args = allowed
        if surplus and not allowed and not ctx.resilient_parsing:
            raise UsageError("extra-arguments", arguments=" ".join(surplus), command=typed_command(ctx))
        return surplus

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The usage line."""
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
    """The same for a command with subcommands."""

    command_class = LocalisedCommand

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A group without a subcommand is an error; the help page comes with --help."""
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            arguments = [each.make_metavar(ctx) for each in self.params if isinstance(each, click.Argument)]
            raise missing_parameter(next(iter(arguments), "COMMAND"), ctx)
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
        rows = [(name, self.describe_command(ctx, name)) for name in self.list_commands(ctx)]
        if rows:
            with formatter.section(text("cli.commands")):
                formatter.write_dl(rows)

    def describe_command(self, ctx: click.Context, name: str) -> str:
        """What a command does, in one line."""
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=_SHORT) if command is not None else ""


_MODULES = {
    "new_commands": ("init", "new"),
    "tool_commands": ("test", "env", "install"),
    "notes_commands": ("list", "show", "check", "search"),
    "run_commands": ("run",),
    "history_commands": ("runs",),
    "change_commands": ("changes", "blame", "undo"),
    "approval_commands": ("approvals",),
    "text_commands": ("extract", "resolve"),
    "store_command": ("store",),
    "agent_commands": ("chat", "ask"),
    "eval_command": ("eval",),
    "vault_commands": ("stats", "config", "doctor", "backup", "completion"),
    "server_commands": ("serve", "worker", "mcp", "lsp"),
    "trust_command": ("trust",),
    "import_command": ("import",),
    "obsidian_command": ("obsidian",),
}
"""The module of each command, loaded when the command is called."""
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
COMMANDS = (
    "init", "list", "show", "new", "check", "run", "test", "search", "runs", "changes", "undo", "blame", "approvals",
    "extract", "resolve", "store", "env", "install", "chat", "ask", "eval", "stats", "config", "trust", "doctor",
    "serve", "worker", "backup", "mcp", "lsp", "obsidian", "import", "completion",
)  # fmt: skip
"""In the order a newcomer meets them."""
COMPLETE_VARIABLE = "_PAPER_COMPLETE"


class PaperGroup(LocalisedGroup):
    """Loads a command when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Every command."""
        return list(COMMANDS)

    def describe_command(self, ctx: click.Context, name: str) -> str:  # noqa: ARG002  as above
        """The first line of a command's help, without loading the command: all together load the whole program."""
        return click.Command(name, help=text(f"cli.{name}")).get_short_help_str(limit=_SHORT)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """The command of that name, from the module it stands in."""
        if cmd_name not in _HOMES:
            return None
        module = import_module(f"paperagents.interfaces.command_line.{_HOMES[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


def run(arguments: Sequence[str]) -> int:
    """Carry out a command line; returns the exit code."""
    prepare_streams()
    try:
        return run_catching(arguments)
    except BrokenPipeError:
        # The reader has seen enough: paper list | head
        discard_output()
        return 0
    except OSError as error:
        print_error(ToolError("cannot-write", path="stdout", reason=system_text(error)))
        discard_output()
        return ToolError.exit_code


def run_catching(arguments: Sequence[str]) -> int:
    """Carry out a command line and print its error; raises only what cannot be printed."""
    invocation = Invocation()
    name_vault(None)
    try:
        # Once: a command says hundreds of sentences.
        use_language(find_language(arguments, invocation) or language_of_locale())
        return invoke(arguments, invocation)
    except (click.Abort, KeyboardInterrupt):
        if awaits_json(arguments, invocation):
            print_json({"success": False, "error": CancelledError().as_json()})
        return 130
    except BrokenPipeError:
        raise
    except Exception as error:
        if os.environ.get("PAPER_DEBUG") or is_output_failure(error):
            raise
        failure = translate_error(error)
        if awaits_json(arguments, invocation):
            print_json({"success": False, "error": failure.as_json()})
        else:
            print_error(failure)
        return failure.exit_code


def awaits_json(arguments: Sequence[str], invocation: Invocation) -> bool:
    """Whether the reader asked for JSON, be it by options that were not parsed any more, and has none yet."""
    json_options = {"--json", "--format=json"} & {*arguments} or ("--format", "json") in pairwise(arguments)
    return bool(invocation.as_json or json_options) and not invocation.has_document


def invoke(arguments: Sequence[str], invocation: Invocation) -> int:
    """Parse and call a command, or answer a shell that completes one."""
    group = make_group()
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete  # noqa: PLC0415  only a shell needs it

        return shell_complete(group, {"obj": invocation}, "paper", COMPLETE_VARIABLE, instruction)
    try:
        with group.make_context("paper", list(arguments), obj=invocation) as context:
            group.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def is_output_failure(error: Exception) -> bool:
    """Whether standard output itself cannot be written, on a full disk for example."""
    try:
        sys.stdout.flush()
    except OSError:
        return isinstance(error, OSError)
    return False


def discard_output() -> None:
    """Nothing can be written any more, not even when Python flushes its buffers at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def make_group() -> PaperGroup:
    """The command ``paper``, its texts in the language that is in use now."""
    group = PaperGroup(
        "paper",
        help=text("cli.paper"),
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.params.append(click.Option(["--vault"], type=VAULT_PATH, help=text("cli.vault"), callback=remember_vault))
    group.params.append(
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help=text("cli.version"),
            callback=_print_version,
        )
    )
    group.callback = _print_help
    return group


@click.pass_context
def _print_help(context: click.Context, /, **_: Any) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _print_version(context: click.Context, _: click.Parameter, value: Any) -> None:
    if value:
        click.echo(f"paper {__version__}")
        context.exit(0)


def find_language(arguments: Sequence[str], invocation: Invocation) -> str | None:
    """The language of the vault, from its settings, which are loaded early: the first help text needs it."""
    named = None
    for argument, following in pairwise((*arguments, "")):
        if argument == "--vault" or argument.startswith("--vault="):
            named = Path(following if argument == "--vault" else argument.removeprefix("--vault="))
            break
    try:
        root = Path(os.path.realpath(named or find_vault()))
    except (OSError, ValueError):
        # Help must be available everywhere; the commands that need a vault say what is wrong with it.
        return None
    try:
        invocation.settings[root] = load_settings(root)
    except SettingsError:
        return read_language(root)
    language: str | None = invocation.settings[root].get("language")
    return language


def translate_error(error: Exception) -> PaperError:
    """Any exception as an error of ours, in the reader's language."""
    match error:
        case click.ClickException():
            return _translate_usage_error(error)
    return error_from(error)


def _translate_usage_error(error: click.ClickException) -> UsageError:
    match error:
        case click.NoSuchOption(ctx=click.Context() as context):
            return _translate_unknown_option(error.option_name, context)
        case click.MissingParameter(param=click.Parameter() as parameter, ctx=click.Context() as context):
            return missing_parameter(parameter.make_metavar(context), context)
        case click.BadParameter(param=click.Parameter() as parameter):
            return _translate_bad_parameter(parameter, error)
        case click.BadOptionUsage(ctx=click.Context() as context):
            options = (each for each in context.command.params if error.option_name in each.opts)
            is_flag = any(isinstance(each, click.Option) and each.is_flag for each in options)
            command, case = typed_command(context), "flag" if is_flag else "value"
            return UsageError("bad-option", name=error.option_name, command=command, case=case)
        case click.UsageError(ctx=click.Context(command=LocalisedGroup()) as context):
            # Unknown subcommands have their own error: all that a group can miss here is any subcommand at all.
            return missing_parameter("COMMAND", context)
    return UsageError("wrong-usage", reason=error.format_message())


def _translate_unknown_option(name: str, context: click.Context) -> UsageError:
    options = (option for each in context.command.get_params(context) for option in (*each.opts, *each.secondary_opts))
    # Without the dashes, which make any two of them alike: --yes must not be proposed for --items.
    by_word = {option.lstrip("-"): option for option in options if option.startswith("-")}
    word, command = name.lstrip("-"), typed_command(context)
    near = ", ".join(f"'{by_word[each]}'" for each in closest(word, by_word))
    case = "suggestion" if near else "parameter" if command == "paper run" else "help"
    return UsageError("unknown-option", name=name, word=word, suggestion=near, command=command, case=case)


def _translate_bad_parameter(parameter: click.Parameter, error: click.BadParameter) -> UsageError:
    name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
    match parameter.type:
        case click.Choice(choices=choices):
            return UsageError("bad-parameter", name=name, choices=", ".join(map(str, choices)), case="choice")
        case click.IntRange(min=int(least), max=int(most)):
            return UsageError("bad-parameter", name=name, least=least, most=most, case="range")
        case click.IntRange(min=int(least)):
            return UsageError("bad-parameter", name=name, least=least, case="least")
        case click.FloatRange(min=least):
            return UsageError("bad-parameter", name=name, least=least, case="amount")
        case click.types.IntParamType():
            return UsageError("bad-parameter", name=name, case="number")
    return UsageError("bad-parameter", name=name, reason=error.message)
