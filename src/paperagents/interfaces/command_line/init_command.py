"""``paper init``: a vault with a working example of every kind of file."""

from __future__ import annotations

import errno
import os
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from paperagents.errors import PaperError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.messages import system_text, text
from paperagents.notes_folder import KEEPING_FOLDER

SETTINGS = """\
# Settings of this vault. Every value can also be given as a variable: PAPER_LANGUAGE, PAPER_SANDBOX_TIMEOUT, …
# language = "en"                    # en, de, zh; else the locale
# timezone = "Europe/Berlin"         # else the system's
# allowed_hosts = ["127.0.0.1"]      # private addresses that rest_request may reach

# [sandbox]
# timeout = 5.0
# memory_mb = 256
"""


@click.command("init", cls=LocalisedCommand, help=text("cli.init"))
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@click.option("--examples/--no-examples", default=None, help=text("cli.init.examples"))
@vault_option
@json_option
@click.pass_context
def command(context: click.Context, *, folder: Path | None, examples: bool | None, as_json: bool) -> None:
    """Make a folder a vault. Nothing that exists is changed."""
    folder = folder or context.obj.vault or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        wanted = _is_fresh(folder) if examples is None else examples
        written = _keep(folder)
        if wanted:
            written += _copy(files("paperagents") / "example_vault", folder, folder)
    except OSError as error:
        raise PaperError("cannot-write", path=str(error.filename or folder), reason=system_text(error)) from error
    except ValueError as error:
        # A zero byte: no file system takes such a name.
        raise PaperError("cannot-write", path=str(folder), reason=str(error)) from error
    if as_json:
        print_json({"vault": str(folder.resolve()), "written": written})
        return
    for each in written:
        click.echo(one_line(each))
    outcome = "done" if wanted else "plain" if examples is False else "without"
    say(text(f"cli.init.{outcome}", folder=one_line(str(folder))))


def _is_fresh(folder: Path) -> bool:
    """Only hidden things, or nothing: examples would not be among somebody's notes."""
    return all(each.name.startswith(".") for each in folder.iterdir())


def _keep(folder: Path) -> list[str]:
    """The folder for what the program keeps, ignored by version control, with commented settings."""
    kept = folder / KEEPING_FOLDER
    _make_folder(kept)
    contents = {".gitignore": "*\n!settings.toml\n", "settings.toml": SETTINGS}
    return [
        _write(kept / name, content.encode(), folder) for name, content in contents.items() if _is_free(kept / name)
    ]


def _copy(source: Traversable, target: Path, root: Path) -> list[str]:
    written = []
    for each in sorted(source.iterdir(), key=lambda child: child.name):
        place = target / each.name
        if each.is_dir():
            _make_folder(place)
            written += _copy(each, place, root)
        elif _is_free(place):
            written.append(_write(place, each.read_bytes(), root))
    return written


def _make_folder(place: Path) -> None:
    if place.is_symlink():
        # What is written behind a link would be outside of the vault.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    place.mkdir(exist_ok=True)


def _is_free(place: Path) -> bool:
    return not place.exists() and not place.is_symlink()


def _write(place: Path, content: bytes, root: Path) -> str:
    with place.open("xb") as file:
        file.write(content)
    return place.relative_to(root).as_posix()
