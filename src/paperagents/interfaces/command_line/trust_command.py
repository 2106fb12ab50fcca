"""``paper trust``: what a vault brings along, and what of it counts here."""

from __future__ import annotations

from collections.abc import Iterable

import click

from paperagents.approval.trust import KINDS, Brought
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say, say_next, visible
from paperagents.interfaces.command_line.terminal import discard_pending_input, is_interactive
from paperagents.inventory import as_json as thing_as_json
from paperagents.inventory import choose_things, give_trust, list_brought, list_undecided, state_of, take_trust
from paperagents.messages import text
from paperagents.vault import Vault

_SHOWN_DIGITS = 12


@click.group("trust", cls=LocalisedGroup, help=text("cli.trust"), invoke_without_command=True)
@common_options
def trust_command(context: click.Context, *, as_json: bool) -> None:
    """Decide what of the things that a vault brings along counts here; without a subcommand, list them."""
    if context.invoked_subcommand is None:
        context.invoke(show, as_json=as_json)


@trust_command.command("show", cls=LocalisedCommand, help=text("cli.trust.show"))
@common_options
def show(context: click.Context, *, as_json: bool) -> None:
    """List everything that the vault brings along, with what it could do."""
    vault = current_vault(context, keeps=False)
    found = [(thing, state_of(vault, thing)) for thing in list_brought(vault)]
    if as_json:
        print_json([thing_as_json(thing, state) for thing, state in found])
        return
    for thing, state in found:
        click.echo(f"{paint(thing.digest[:_SHOWN_DIGITS], bold=True)}  {text(f'trust.state.{state}')}")
        click.echo(describe(thing))
    if not found:
        click.echo(text("cli.trust.nothing"))


@trust_command.command("give", cls=LocalisedCommand, help=text("cli.trust.give"))
@click.argument("digests", nargs=-1, metavar="[DIGEST]...")
@click.option("--kind", type=click.Choice(KINDS), help=text("cli.trust.kind"))
@click.option("--all", "everything", is_flag=True, help=text("cli.trust.all"))
@click.option("--yes", is_flag=True, help=text("cli.trust.yes"))
@common_options
def give(  # noqa: PLR0913  each option is one
    context: click.Context, *, digests: tuple[str, ...], kind: str | None, everything: bool, yes: bool, as_json: bool
) -> None:
    """Trust things of the vault; several at once are shown and asked about."""
    vault = current_vault(context, keeps=False)
    chosen = [
        thing for thing in choose_things(vault, digests, kind, everything=everything) if not vault.trust.trusts(thing)
    ]
    if chosen and not digests and not yes:
        if not is_interactive():
            raise UsageError("trust-needs-yes")
        if not ask(chosen):
            return
    give_trust(vault, chosen)
    tell(vault, chosen, "cli.trust.given", as_json=as_json)


@trust_command.command("take", cls=LocalisedCommand, help=text("cli.trust.take"))
@click.argument("digests", nargs=-1, metavar="[DIGEST]...")
@click.option("--kind", type=click.Choice(KINDS), help=text("cli.trust.kind"))
@click.option("--all", "everything", is_flag=True, help=text("cli.trust.all"))
@click.option("--yes", is_flag=True, help=text("cli.trust.yes"))
@common_options
def take(  # noqa: PLR0913  each option is one
    context: click.Context, *, digests: tuple[str, ...], kind: str | None, everything: bool, yes: bool, as_json: bool
) -> None:
    """Trust things of the vault no more. Nobody has to be asked about less."""
    assert yes in (True, False)
    vault = current_vault(context, keeps=False)
    chosen = [
        thing
        for thing in choose_things(vault, digests, kind, everything=everything)
        if thing.kind == "rule" or vault.trust.trusts(thing)
    ]
    take_trust(vault, chosen)
    tell(vault, chosen, "cli.trust.taken", as_json=as_json)


def tell(vault: Vault, chosen: list[Brought], message: str, *, as_json: bool) -> None:
    """What has just been decided."""
    if as_json:
        print_json([thing_as_json(thing, state_of(vault, thing)) for thing in chosen])
        return
    for thing in chosen:
        click.echo(text(message, what=visible(thing.what)))
    if not chosen:
        click.echo(text("cli.trust.unchanged"))


def settle_trust(vault: Vault, things: Iterable[Brought]) -> None:
    """Ask once about what the vault brings along; without a terminal it is left out, and that is said.

    What the user trusts or has declined is not asked about again.
    """
    open_things = list_undecided(vault, things)
    if not open_things:
        return
    if not is_interactive():
        say_left_out(open_things)
    elif ask(open_things):
        vault.trust.give(open_things)
        vault.read_settings_again()
    else:
        vault.trust.decline(open_things)
        say_next(text("trust.left-out.hint"))


def say_left_out(things: Iterable[Brought]) -> None:
    """What does not count, and how it would."""
    for thing in things:
        words = text("trust.left-out", what=one_line(thing.what), where=one_line(thing.where), kind=thing.kind)
        say(paint(words, "yellow", err=True))
    say_next(text("trust.left-out.hint"))


def ask(things: list[Brought]) -> bool:
    """Whether the person trusts all of these, shown with what each could do."""
    say(text("trust.question"))
    for thing in things:
        say(describe(thing))
    discard_pending_input()
    return bool(click.confirm(text("trust.ask"), default=False, err=True))


def describe(thing: Brought) -> str:
    """A thing, where it stands, and what it could do."""
    return f"  {visible(thing.what)}  ({visible(thing.where)})\n    {text(f'trust.could.{thing.kind}')}"
