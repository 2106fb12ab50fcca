"""``paper serve token``: tokens for programs, each with a name and its rights; ``paper serve pair``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand, LocalisedGroup
from paperagents.interfaces.command_line.options import common_options, current_vault
from paperagents.interfaces.command_line.output import local_time, one_line, paint, print_json, say, say_next
from paperagents.messages import text

if TYPE_CHECKING:
    from paperagents.interfaces.serving.callers import Right

PORT = 8765
"""Where a server listens unless it is told otherwise."""


@click.group("token", cls=LocalisedGroup, help=text("cli.serve.token"))
def token_command() -> None:
    """Make, list and revoke tokens."""


@token_command.command("new", help=text("cli.serve.token.new"))
@click.argument("name")
@click.option("--may", "wanted", multiple=True, metavar="call,answer,edit", help=text("cli.serve.token.may"))
@common_options
def new(context: click.Context, *, name: str, wanted: tuple[str, ...], as_json: bool) -> None:
    """Print a new token, once."""
    from paperagents.interfaces.serving.tokens import open_token_book  # noqa: PLC0415  needed here alone

    rights = read_rights(wanted or ("call",))
    token = open_token_book(current_vault(context)).create(name, rights)
    if as_json:
        print_json({"name": name, "may": rights, "token": token})
        return
    say(text("cli.serve.token.once", name=name, rights=", ".join(rights)))
    click.echo(token)


@token_command.command("list", help=text("cli.serve.token.list"))
@common_options
def list_tokens(context: click.Context, *, as_json: bool) -> None:
    """Every token by name, with its rights; the token itself is not kept."""
    from paperagents.interfaces.serving.tokens import open_token_book  # noqa: PLC0415  as above

    vault = current_vault(context)
    found = open_token_book(vault).tokens()
    if as_json:
        print_json([each.as_json() for each in found])
        return
    for each in found:
        created = local_time(each.created, vault.settings.zone)
        click.echo(f"{paint(one_line(each.name), bold=True)}  {', '.join(each.rights)}  {created}")
    if not found:
        say_next(text("cli.serve.token.none"))


@token_command.command("revoke", help=text("cli.serve.token.revoke"))
@click.argument("name")
@common_options
def revoke(context: click.Context, *, name: str, as_json: bool) -> None:
    """A server that runs notices at once."""
    from paperagents.interfaces.serving.tokens import open_token_book  # noqa: PLC0415  as above

    open_token_book(current_vault(context)).revoke(name)
    if as_json:
        print_json({"name": name, "revoked": True})
    else:
        say(text("cli.serve.token.revoked", name=name))


@click.command("pair", cls=LocalisedCommand, help=text("cli.serve.pair"))
@click.option("--url", metavar="URL", help=text("cli.serve.pair.url"))
@common_options
def pair_command(context: click.Context, *, url: str | None, as_json: bool) -> None:
    """Print a code that a server of this vault exchanges for a token, once, and the QR code that leads there."""
    from paperagents.interfaces.serving.pairing import CODE_SECONDS, open_pairing  # noqa: PLC0415  as above
    from paperagents.interfaces.serving.pairing_link import (  # noqa: PLC0415  as above
        answers_devices,
        network_address,
        pairing_link,
        read_address,
    )

    guess = f"http://{network_address() or '127.0.0.1'}:{PORT}"
    address = read_address(url) if url else guess if answers_devices(guess) else None
    code = open_pairing(current_vault(context)).new_code()
    link = pairing_link(address, code) if address else None
    if as_json:
        print_json({"code": code, "seconds": CODE_SECONDS, "link": link})
        return
    say(text("cli.serve.pair.once"))
    click.echo(code)
    if link:
        print_qr(link)
    else:
        say(text("cli.serve.pair.unreachable", address=guess))


def print_qr(link: str) -> None:
    """The link, and for a person at a terminal its QR code; standard output has the code alone."""
    from paperagents.interfaces.serving.pairing_link import draw_terminal  # noqa: PLC0415  as above

    say(text("cli.serve.pair.scan"))
    if sys.stderr.isatty():
        say(draw_terminal(link))
    say(link)


def read_rights(wanted: tuple[str, ...]) -> list[Right]:
    """The rights that ``--may`` names, in one order. Raises UsageError for another word."""
    from paperagents.interfaces.serving.callers import RIGHTS  # noqa: PLC0415  as above

    named = [word.strip() for each in wanted for word in each.split(",")]
    for word in named:
        if word not in RIGHTS:
            raise UsageError("unknown-right", name=word, rights=", ".join(RIGHTS))
    return [right for right in RIGHTS if right in named]
