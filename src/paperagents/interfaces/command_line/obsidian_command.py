"""``paper obsidian install``: the plugin for Obsidian, copied into a vault."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import click

from paperagents.errors import ToolError, UsageError
from paperagents.files.folder import VaultFolder
from paperagents.interfaces.command_line.app import LocalisedGroup
from paperagents.interfaces.command_line.options import common_options, current_notes
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.messages import text
from paperagents.version import __version__

PLUGIN = "paper-agents"
FILES = ("main.js", "styles.css", "manifest.json")
"""The manifest is written last: Obsidian knows a plugin by it."""


@click.group("obsidian", cls=LocalisedGroup, help=text("cli.obsidian"))
def obsidian_command() -> None:
    """The plugin for Obsidian."""


@obsidian_command.command("install", help=text("cli.obsidian.install"))
@click.argument("folder", metavar="[VAULT]", required=False, type=click.Path(path_type=Path))
@common_options
def install(context: click.Context, *, folder: Path | None, as_json: bool) -> None:
    """Copy the plugin into the vault that is named, or into this one."""
    vault = folder if folder is not None else current_notes(context).root
    made = copy_plugin(vault)
    if as_json:
        print_json({"vault": str(vault), "folder": str(made), "version": __version__, "files": [*FILES]})
        return
    click.echo(text("cli.obsidian.installed", folder=one_line(str(made))))
    say(text("cli.obsidian.next"))


def copy_plugin(vault: Path) -> Path:
    """Write the files of the plugin; returns their folder. Raises UsageError, and ToolError where a link leads away."""
    home = vault / ".obsidian"
    if not home.is_dir():
        raise UsageError("not-obsidian", path=str(vault))
    if home.is_symlink():
        raise ToolError("path-through-link", path=".obsidian", real=str(home.resolve()))
    place = f"plugins/{PLUGIN}"
    # Its writing follows no links: a vault may come from a stranger.
    with VaultFolder(home) as opened:
        there = {name: opened.find_text(f"{place}/{name}") for name in FILES}
        manifest = there["manifest.json"]
        if any(there.values()) and (manifest is None or not is_our_manifest(manifest.content)):
            raise UsageError("obsidian-foreign-files", path=str(home / place))
        for name in FILES:
            content = (plugin_folder() / name).read_text(encoding="utf-8")
            opened.write_text(f"{place}/{name}", content, overwrite=True)
    return home / place


def is_our_manifest(content: str) -> bool:
    """Whether a manifest is that of this plugin, of whichever version."""
    with suppress(ValueError, RecursionError):
        manifest = json.loads(content)
        return isinstance(manifest, dict) and manifest.get("id") == PLUGIN
    return False


def plugin_folder() -> Path:
    """Where the plugin is: in the package, or beside it in a checkout."""
    packaged = Path(__file__).parents[2] / "obsidian_plugin"
    return packaged if packaged.is_dir() else Path(__file__).parents[4] / "editors" / "obsidian"
