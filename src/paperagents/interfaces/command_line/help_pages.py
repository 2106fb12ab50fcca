"""Help pages in the reader's language."""

from __future__ import annotations

import click

from paperagents.definitions.closest import closest
from paperagents.errors import UsageError
from paperagents.messages import text


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
