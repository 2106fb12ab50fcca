"""``paper new`` and ``paper init``: a new tool or agent, and a new vault."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.text import slug
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import common_options, current_notes, require_vault
from paperagents.interfaces.command_line.output import one_line, own_command, own_program, print_json, say
from paperagents.messages import language, system_text, text
from paperagents.settings import KEEPING_FOLDER

_DESCRIPTION = re.compile(r"description: (\"[^\"\n]*\"|'[^'\n]*'|[^\n]+)")
"""In YAML or JavaScript, whatever the quotation marks."""


@click.command("new", cls=LocalisedCommand, help=text("cli.new"))
@click.argument("kind", type=click.Choice(["tool", "agent"]))
@click.argument("name")
@click.option("--chain", "form", flag_value="chain", help=text("cli.new.chain"))
@click.option("--javascript", "form", flag_value="javascript", help=text("cli.new.javascript"))
@common_options
def new_command(context: click.Context, *, kind: str, name: str, form: str | None, as_json: bool) -> None:
    """Write a new file that works as it stands; never over an existing one."""
    if not name.strip() or one_line(name) != name:
        raise UsageError("invalid-name")
    if kind == "agent" and form is not None:
        raise UsageError("unknown-option", name=f"--{form}", case="agent")
    vault = current_notes(context)
    require_vault(context, vault)
    ending = ".tool.js" if kind == "tool" and form == "javascript" else ".md"
    place, name = split_place(name, ending)
    taken = {entry.id: entry for entry in vault.registry.entries() if (entry.kind == "agent") == (kind == "agent")}
    identifier = slug(name) or next(each for number in count(1) if (each := f"{kind}-{number}") not in taken)
    file = f"{place}{ending}" if place is not None else f"{kind}s/{identifier}{ending}"
    if identifier in taken and taken[identifier].file != file:
        other = taken[identifier].file
        raise UsageError("duplicate-id", id=identifier, other=other, case="builtin" if other is None else "new")
    content = fill_template(kind, form, name, identifier)
    try:
        for folder in reversed(Path(file).parents):
            make_folder(vault.root / folder)
        write_new(vault.root / file, content.encode())
    except FileExistsError as error:
        raise PaperError("file-exists", path=str(vault.root / file), case="new") from error
    except OSError as error:
        raise PaperError("cannot-write", path=str(vault.root / file), reason=system_text(error)) from error
    if as_json:
        print_json({"file": file, "id": identifier})
    else:
        click.echo(one_line(file))
        quoted = shlex.quote(file)
        said = "agent" if kind == "agent" else "done"
        say(text(f"cli.new.{said}", file=quoted, id=shlex.quote(identifier), paper=own_command()))


def split_place(name: str, ending: str) -> tuple[str | None, str]:
    """A path without its ending, and the name at its end; None where the name is no plain path into the vault."""
    parts = name.removesuffix(ending).split("/")
    if len(parts) == 1 or any(not each.strip() or each.startswith(".") or "\\" in each for each in parts):
        return None, name
    return "/".join(parts), parts[-1]


def fill_template(kind: str, form: str | None, name: str, identifier: str) -> str:
    """The content of a new file, with the fields of its template (``@name@``) filled in."""
    template = read_template("javascript.tool.js" if form == "javascript" else f"{form or kind}.md").decode("utf-8")
    # A JSON text is a YAML and a JavaScript text, whatever the name contains.
    fields = {
        "name": json.dumps(name, ensure_ascii=False),
        "id": json.dumps(identifier),
        "description": json.dumps(text("cli.new.description"), ensure_ascii=False),
        "parameter": json.dumps(text("cli.new.parameter"), ensure_ascii=False),
        "prompt": text("cli.new.prompt"),
        "greeting": text("cli.new.greeting", who="${input.who}"),
        "greeted": json.dumps(text("cli.new.greeting", who="Ada"), ensure_ascii=False),
    }
    return re.sub(r"@(\w+)@", lambda field: fields[field[1]], template)


def read_template(name: str) -> bytes:
    """A file that new ones are made from."""
    return (files("paperagents.interfaces.command_line") / "new_files" / name).read_bytes()


@click.command("init", cls=LocalisedCommand, help=text("cli.init"))
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@click.option("--examples/--no-examples", default=None, help=text("cli.init.examples"))
@common_options
def init_command(context: click.Context, *, folder: Path | None, examples: bool | None, as_json: bool) -> None:
    """Make a folder a vault, with examples where it is empty. Nothing that exists is changed."""
    folder = folder or context.obj.vault or Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Hidden files are no notes: examples would not be among somebody's own.
        is_empty = all(each.name.startswith(".") for each in folder.iterdir())
        wanted = is_empty if examples is None else examples
        written = write_settings(folder)
        if wanted:
            written += write_examples(folder)
    except OSError as error:
        raise PaperError("cannot-write", path=str(error.filename or folder), reason=system_text(error)) from error
    except ValueError as error:
        # A zero byte: no file system takes such a name.
        raise PaperError("cannot-write", path=str(folder), reason=str(error)) from error
    paths = [each.relative_to(folder).as_posix() for each in written]
    if as_json:
        print_json({"vault": str(folder.resolve()), "written": paths})
        return
    for each in paths:
        click.echo(one_line(each))
    outcome = "done" if wanted else "plain" if examples is False else "without"
    command, named = own_program(), one_line(shlex.quote(str(folder)))
    if folder.resolve() == Path.cwd():
        following = f"{command} list"
    else:
        # A path to the program may lead nowhere from another folder.
        following = f"cd {named} && paper list" if command == "paper" else f"{command} --vault {named} list"
    say(text(f"cli.init.{outcome}", next=following, paper=command, folder=named))


def write_settings(folder: Path) -> list[Path]:
    """Make the program's own folder, ignored by version control, with commented settings."""
    own = folder / KEEPING_FOLDER
    make_folder(own)
    contents = {own / ".gitignore": b"*\n!settings.toml\n", own / "settings.toml": read_template("settings.toml")}
    return [write_new(place, content) for place, content in contents.items() if is_free(place)]


def write_examples(folder: Path) -> list[Path]:
    """The example vault, with its welcome and all descriptions in the reader's language."""
    texts = files("paperagents.interfaces.command_line") / "example_words"
    told: dict[str, Any] = {"parameters": {}}
    if language() != "en":
        told = tomllib.loads((texts / f"{language()}.toml").read_text("utf-8"))
        told["Welcome.md"] = (texts / f"Welcome.{language()}.md").read_text("utf-8")
    return _copy_new(files("paperagents") / "example_vault", folder, "", told)


def _copy_new(source: Traversable, target: Path, above: str, told: Mapping[str, Any]) -> list[Path]:
    written = []
    for each in sorted(source.iterdir(), key=lambda child: child.name):
        place, name = target / each.name, above + each.name
        if each.is_dir():
            make_folder(place)
            written += _copy_new(each, place, f"{name}/", told)
        elif is_free(place):
            content = each.read_bytes()
            written.append(write_new(place, translate(content, name, told) if name in told else content))
    return written


def translate(content: bytes, file: str, told: Mapping[str, Any]) -> bytes:
    """A file of the example vault in another language: all of the welcome, the descriptions of anything else."""
    if file == "Welcome.md":
        return str(told[file]).encode()
    own = iter([told[file]])

    def replace(found: re.Match[str]) -> str:
        # The first one is the file's own.
        translated = next(own, None) or told["parameters"].get(found[1].strip("\"'"))
        # A JSON text is a YAML and a JavaScript text.
        return f"description: {json.dumps(translated, ensure_ascii=False)}" if translated else found[0]

    return _DESCRIPTION.sub(replace, content.decode()).encode()


def make_folder(place: Path) -> None:
    """Make a folder where there is none. Raises NotADirectoryError for a link."""
    if place.is_symlink():
        # What is written behind a link would be outside of the vault.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    place.mkdir(exist_ok=True)


def is_free(place: Path) -> bool:
    """Whether nothing stands there, not even a broken link."""
    return not place.exists() and not place.is_symlink()


def write_new(place: Path, content: bytes) -> Path:
    """Write a new file. Raises FileExistsError where there is one."""
    with place.open("xb") as file:
        file.write(content)
    return place
