"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.vault import Vault, open_vault

Decorated = TypeVar("Decorated", bound=Callable[..., object])


def current_vault(context: click.Context) -> Vault:
    """The vault this command works on: --vault, PAPER_VAULT, the nearest upwards, or the current folder."""
    return open_vault(context.find_root().meta.get("vault"))


def vault_option(command: Decorated) -> Decorated:
    """``--vault`` after the command's name, too."""
    return click.option(
        "--vault", type=click.Path(path_type=Path), expose_value=False, callback=_remember, help=text("cli.vault")
    )(command)


def json_option(command: Decorated) -> Decorated:
    """``--json`` for commands whose output is data."""
    return click.option("--json", "as_json", is_flag=True, help=text("cli.json"))(command)


def complete_tool(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of the vault's tools, for the shell."""
    try:
        entries = current_vault(context).registry.entries()
    except PaperError:
        return []
    return [CompletionItem(each.id, help=each.description) for each in entries if each.id.startswith(incomplete)]


def _remember(context: click.Context, _: click.Parameter, value: Path | None) -> None:
    if value is not None:
        context.find_root().meta["vault"] = value
