"""``paper extract`` and ``paper resolve``: the calls and the references in a text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import indent
from typing import Any

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import cannot_read, common_options, current_vault
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say, visible
from paperagents.interfaces.command_line.run_output import format_value
from paperagents.interfaces.command_line.terminal import choose_approver
from paperagents.messages import has_text, join_sentences, text
from paperagents.tags import TagReader, TagRegistry, resolve_vault_references
from paperagents.tags.document import describe_reading, is_wanted, require_tag

_PIECE = 65536


@click.command("extract", cls=LocalisedCommand, help=text("cli.extract"))
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--apply", "carry_out", is_flag=True, help=text("cli.extract.apply"))
@click.option("--tool", help=text("cli.extract.tool"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--all-or-nothing", is_flag=True, help=text("cli.extract.all"))
@common_options
def extract_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, file: str, carry_out: bool, tool: str | None, yes: bool, all_or_nothing: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Read a text as it arrives, show its calls, and carry them out where asked to."""
    with current_vault(context, keeps=carry_out) as vault:
        registry = vault.tag_registry()
        if tool is not None:
            tool = require_tag(tool, registry)

        def is_shown(operation: Any) -> bool:
            return not as_json and not carry_out and is_wanted(operation, tool, registry)

        content, reader = read_tags(file, vault.root, registry, is_shown)
        document = describe_reading(reader.reading, registry, tool)
        results: list[JsonObject] = []
        if carry_out:
            approver = choose_approver(yes=yes)
            results = vault.apply(as_text(content, file), tool=tool, all_or_nothing=all_or_nothing, approver=approver)
    if as_json:
        print_json({**document, "results": results})
    else:
        _print_outcome(document["diagnostics"], results)
    # What was only rolled back did not fail itself; the exit code is about what did.
    statuses = {each["status"] for each in results if error_field(each, "code") != "taken-back"}
    context.exit(1 if "error" in statuses else 3 if statuses & {"waiting", "denied"} else 0)


def read_source(file: str, root: Path) -> bytes:
    """A file, from here or from the vault's root, or standard input for ``-``."""
    if file == "-":
        return sys.stdin.buffer.read()
    place = Path(file)
    try:
        return (place if place.exists() else root / file).read_bytes()
    except OSError as error:
        raise cannot_read(file, error) from error


def as_text(content: bytes, file: str) -> str:
    """Decode strictly: a replaced character would be lost silently."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("not-utf8", path=file, position=error.start) from error


def echo_content(content: str, *, nl: bool = True) -> None:
    """Print content as it is for a file or another program; escaped for a terminal."""
    click.echo(visible(content) if sys.stdout.isatty() else content, nl=nl, color=True)


def read_tags(file: str, root: Path, registry: TagRegistry, shown: Callable[[Any], bool]) -> tuple[bytes, TagReader]:
    """Feed the text as it arrives: a call is shown as soon as it is complete."""
    reader = TagReader(registry)
    pieces = []
    for piece in iter(lambda: os.read(sys.stdin.fileno(), _PIECE), b"") if file == "-" else [read_source(file, root)]:
        pieces.append(piece)
        _print_operations(filter(shown, reader.feed(piece)))
    _print_operations(filter(shown, reader.close()))
    return b"".join(pieces), reader


def _print_operations(operations: Iterable[Any]) -> None:
    for operation in operations:
        where = f"{operation['line']}:{operation['column']}"
        name = paint(visible(operation["tool_id"]), bold=True)
        attributes = json.dumps(operation["attributes"], ensure_ascii=False)
        click.echo(f"{where:>8}  {name}  {visible(attributes)}")


def _print_outcome(diagnostics: list[dict[str, Any]], results: list[JsonObject]) -> None:
    for each in diagnostics:
        say(visible(f"{each['line']}:{each['column']}: {each['severity']} {each['code']}: {each['message']}"))
    for result in results:
        _print_result(result)


def _print_result(result: JsonObject) -> None:
    """The tool, the entry if any, and what came of it; below, what it answered."""
    is_done = result["status"] == "success"
    mark = paint("✓", "green") if is_done else paint("✗", "red")
    key = f"cli.result.{result['action'] if is_done else result['status']}"
    word = text(key) if has_text(key) else text("cli.result.executed")
    entry = f" {result['id']}" if result["id"] else ""
    reason = error_field(result, "message") if result["status"] != "waiting" else ""
    name = paint(one_line(str(result["tool"])), bold=True)
    click.echo(f"{mark} {name}{one_line(join_sentences(f'{entry}: {word}', reason))}")
    for warning in result.get("warnings") or ():  # type: ignore[union-attr]  # a list of texts
        say(f"  {paint(text('cli.severity.warning'), 'yellow', err=True)}: {one_line(str(warning))}")
    output = result.get("output")
    if result["action"] == "read" and isinstance(output, dict):
        output = output.get("content")
    if output is not None:
        click.echo(visible(indent(format_value(output), "    ")))


def error_field(result: JsonObject, name: str) -> str:
    """A field of a result's error; empty where it has none."""
    error = result["error"]
    return str(error[name]) if isinstance(error, dict) else ""


# --- ``paper resolve``: replaces references to the data vault


@click.command("resolve", cls=LocalisedCommand, help=text("cli.resolve"))
@click.argument("file", default="-", metavar="[FILE|-]")
@common_options
def resolve_command(context: click.Context, *, file: str, as_json: bool) -> None:
    """Resolve the references of a text."""
    with current_vault(context) as vault:
        source = as_text(read_source(file, vault.root), file)
        result = resolve_vault_references(source, lookup=vault.vault_content)
    if as_json:
        print_json(result)
        return
    echo_content(result["resolved_text"], nl=False)
    for identifier in result["missing"]:
        say(text("cli.resolve.missing", id=visible(identifier)))
    for error in result["errors"]:
        say(visible(error["message"]))
