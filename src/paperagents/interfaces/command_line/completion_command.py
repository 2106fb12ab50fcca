"""``paper completion``: what a shell needs to complete commands, options and tool names."""

from __future__ import annotations

import click

from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.messages import text


@click.command("completion", cls=LocalisedCommand, help=text("cli.completion"))
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, *, shell: str) -> None:
    """Print the completion script."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  --help lists every command

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "paper", "_PAPER_COMPLETE").source())
