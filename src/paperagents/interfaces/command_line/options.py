"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from paperagents.errors import UsageError
from paperagents.interfaces.command_line.output import name_vault, own_command
from paperagents.messages import language_of_locale, system_text, text, use_language
from paperagents.notes_folder import NotesFolder, find_vault
from paperagents.settings import KEEPING_FOLDER, Settings
from paperagents.values import dataclass

if TYPE_CHECKING:
    # Loaded by the commands that need them.
    from paperagents.vault import Vault

Decorated = TypeVar("Decorated", bound=Callable[..., object])
Opened = TypeVar("Opened", bound=NotesFolder)

# Whether it can be read is found out, and told, by whoever opens it.
VAULT_PATH = click.Path(path_type=Path, readable=False)


@dataclass(kw_only=True)
class Invocation:
    """What the options say, before and after the command's name. Every click context has it as ``obj``."""

    vault: Path | None = None
    as_json: bool | None = None
    """None while the command's own options have not been read."""
    has_document: bool = False
    """Whether a document stands on standard output already: there must not be a second one."""
    settings: dict[Path, Settings] = field(default_factory=dict)
    """By vault folder: loaded before the first sentence, for its language, and not read again by the command."""


def current_vault(context: click.Context, *, keeps: bool = True) -> Vault:
    """The vault this command works on: --vault, PAPER_VAULT, the nearest upwards, or the current folder.

    It is closed at the end of the command at the latest. With ``keeps``, something may be written into it, and what
    it brings along is asked about; commands without only tell of that.
    """
    from paperagents.vault import Vault  # noqa: PLC0415  running needs much that looking does not

    vault = context.with_resource(open_folder(context.obj, Vault))
    if not keeps:
        return vault
    require_vault(context, vault)
    if vault.settings.brought or vault.settings.table("mcp_servers"):
        from paperagents.interfaces.command_line.trust_command import settle_trust  # noqa: PLC0415  as above
        from paperagents.inventory import list_settings  # noqa: PLC0415  as above

        settle_trust(vault, list_settings(vault))
    return vault


def require_vault(context: click.Context, notes: NotesFolder) -> None:
    """Raises UsageError in a folder that nobody has named or made a vault: nothing is left behind in it.

    Where there are notes, tools or agents already, the folder is meant; the home folder and the root never are.
    """
    is_chosen = context.obj.vault is not None or bool(os.environ.get("PAPER_VAULT"))
    if is_chosen or (notes.root / KEEPING_FOLDER).is_dir():
        return
    is_meant = any(notes.root.glob("*.md")) or any(entry.file is not None for entry in notes.registry.entries())
    if notes.root in (Path.home(), Path(notes.root.anchor)) or not is_meant:
        raise UsageError("not-a-vault", path=str(notes.root), command=own_command())


def current_notes(context: click.Context) -> NotesFolder:
    """The same for a command that only reads notes."""
    return open_folder(context.obj, NotesFolder)


def open_folder(invocation: Invocation, kind: type[Opened], folder: Path | None = None) -> Opened:
    """Open a vault and switch to its language. Raises SettingsError where its settings are wrong."""
    folder = folder if folder is not None else invocation.vault
    try:
        vault = kind(folder if folder is not None else find_vault())
    except (OSError, ValueError) as error:
        # A name no file system takes, a folder that may not be entered, a current folder that was deleted.
        raise UsageError("no-such-vault", path=str(folder or "."), case="refused") from error
    if vault.root in invocation.settings:
        vault.settings = invocation.settings[vault.root]
    if kind is NotesFolder and vault.has_commit_markers():
        from paperagents.vault import Vault  # noqa: PLC0415  as above

        # Whoever looks at the notes sees all of what was agreed on, or nothing.
        Vault(vault.root)
    # Resolved once: every message needs it.
    use_language(vault.settings.get("language") or language_of_locale())
    return vault


def cannot_read(file: str, error: OSError) -> UsageError:
    """Why a file that was named on the command line cannot be read."""
    is_missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    return UsageError("no-such-file", path=file, reason=system_text(error), case=None if is_missing else "refused")


def common_options(command: Decorated) -> Decorated:
    """``--vault``, ``--json``, and the click context as first argument."""
    option = click.option("--json", "as_json", is_flag=True, callback=remember_json, help=text("cli.json"))
    return vault_option(option(click.pass_context(command)))  # type: ignore[return-value] # a wrapper of click's


def vault_option(command: Decorated) -> Decorated:
    """``--vault`` after the command's name, too."""
    return click.option(
        "--vault", type=VAULT_PATH, expose_value=False, callback=remember_vault, help=text("cli.vault")
    )(command)


def remember_vault(context: click.Context, _: click.Parameter, value: Path | None) -> None:
    """Keep the value of ``--vault``, before or after the command's name."""
    if value is not None:
        context.obj.vault = value
        name_vault(value)


def remember_format(context: click.Context, _: click.Parameter, value: str) -> str:
    """``--format json`` asks for JSON as ``--json`` does."""
    context.obj.as_json = context.obj.as_json or value == "json"
    return value


def remember_json(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001  click's signature
    """``--json`` before a subcommand holds for the subcommand, too."""
    context.obj.as_json = context.obj.as_json or value
    return bool(context.obj.as_json)
