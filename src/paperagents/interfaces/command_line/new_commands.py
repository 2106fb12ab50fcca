"""``paper new``: a file to start from, correct as it stands."""

from __future__ import annotations

import errno
import os
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path

import click

from paperagents.definitions.names import slug
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, print_json, say
from paperagents.messages import system_text, text
from paperagents.notes_folder import KEEPING_FOLDER
from paperagents.registry.entry import Entry

SINGLE = """\
---
tool: true
name: {name}
description: {description}
parameters:
  - name: text
    type: string
    description: {parameter}
---

```javascript
// @preprocess
input.text = input.text.trim();
return input;
```

```javascript
// @postprocess
return {{ text: output.text, length: output.text.length }};
```
"""

CHAIN = """\
---
tool: true
name: {name}
description: {description}
parameters:
  - name: query
    type: string
    description: {parameter}
steps:
  - name: find
    tool: search_files
    parameters:
      query: "{{{{query}}}}"
  - name: read
    tool: read_file
    for_each: steps.find.output.results
    parameters:
      filePath: "{{{{item.path}}}}"
---
"""

JAVASCRIPT = """\
module.exports = {{
  getMetadata() {{
    return {{ id: {id_json}, name: {name}, description: {description} }};
  }},

  getSchema() {{
    return {{
      parameters: {{
        type: 'object',
        properties: {{ text: {{ type: 'string', description: {parameter}, minLength: 1 }} }},
        required: ['text']
      }}
    }};
  }},

  async execute(params) {{
    return params.text.toUpperCase();
  }}
}};
"""

AGENT = """\
---
agent: true
name: {name}
description: {description}
tools: [search_files, read_file]
---

{prompt}
"""


@click.command("new", cls=LocalisedCommand, help=text("cli.new"))
@click.argument("kind", type=click.Choice(["tool", "agent"]))
@click.argument("name")
@click.option("--chain", "form", flag_value="chain", help=text("cli.new.chain"))
@click.option("--javascript", "form", flag_value="javascript", help=text("cli.new.javascript"))
@vault_option
@json_option
@click.pass_context
def new_command(context: click.Context, *, kind: str, name: str, form: str | None, as_json: bool) -> None:
    """Write a new file; never over an existing one."""
    if not name.strip() or one_line(name) != name:
        raise UsageError("invalid-name")
    if kind == "agent" and form is not None:
        raise UsageError("unknown-option", name=f"--{form}", case="agent")
    vault = current_notes(context)
    taken = {entry.id: entry for entry in vault.registry.entries() if (entry.kind == "agent") == (kind == "agent")}
    identifier = slug(name) or next(each for number in count(1) if (each := f"{kind}-{number}") not in taken)
    ending = ".tool.js" if kind == "tool" and form == "javascript" else ".md"
    file = f"{kind}s/{identifier}{ending}"
    if identifier in taken and taken[identifier].file != file:
        raise _id_taken(taken[identifier])
    _write(vault.root / file, _content(kind, form, name, identifier))
    if as_json:
        print_json({"file": file, "id": identifier})
    else:
        click.echo(file)
        say(text("cli.new.done", file=file))


def _id_taken(entry: Entry) -> UsageError:
    return UsageError("duplicate-id", id=entry.id, other=entry.file, case="builtin" if entry.file is None else "new")


def _content(kind: str, form: str | None, name: str, identifier: str) -> str:
    import json  # noqa: PLC0415  a JSON text is a YAML and a JavaScript text, whatever the name contains

    template = AGENT if kind == "agent" else {"chain": CHAIN, "javascript": JAVASCRIPT}.get(form or "", SINGLE)
    return template.format(
        name=json.dumps(name, ensure_ascii=False),
        id_json=json.dumps(identifier),
        description=json.dumps(text("cli.new.description"), ensure_ascii=False),
        parameter=json.dumps(text("cli.new.parameter"), ensure_ascii=False),
        prompt=text("cli.new.prompt"),
    )


def _write(place: Path, content: str) -> None:
    try:
        if place.parent.is_symlink():
            # What is written behind a link would be outside of the vault.
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        place.parent.mkdir(exist_ok=True)
        with place.open("xb") as file:
            file.write(content.encode())
    except FileExistsError as error:
        raise PaperError("file-exists", path=str(place), case="new") from error
    except OSError as error:
        raise PaperError("cannot-write", path=str(place), reason=system_text(error)) from error


# --- ``paper init``: a vault with a working example of every kind of file


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
def init_command(context: click.Context, *, folder: Path | None, examples: bool | None, as_json: bool) -> None:
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
        _write_bytes(kept / name, content.encode(), folder)
        for name, content in contents.items()
        if _is_free(kept / name)
    ]


def _copy(source: Traversable, target: Path, root: Path) -> list[str]:
    written = []
    for each in sorted(source.iterdir(), key=lambda child: child.name):
        place = target / each.name
        if each.is_dir():
            _make_folder(place)
            written += _copy(each, place, root)
        elif _is_free(place):
            written.append(_write_bytes(place, each.read_bytes(), root))
    return written


def _make_folder(place: Path) -> None:
    if place.is_symlink():
        # What is written behind a link would be outside of the vault.
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
    place.mkdir(exist_ok=True)


def _is_free(place: Path) -> bool:
    return not place.exists() and not place.is_symlink()


def _write_bytes(place: Path, content: bytes, root: Path) -> str:
    with place.open("xb") as file:
        file.write(content)
    return place.relative_to(root).as_posix()
