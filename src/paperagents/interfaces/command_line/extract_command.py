"""``paper extract``: the calls in a model's text, and carrying them out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagCategory
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.help_pages import LocalisedCommand
from paperagents.interfaces.command_line.options import current_vault, json_option, vault_option
from paperagents.interfaces.command_line.output import paint, print_json, say, visible
from paperagents.interfaces.command_line.run_command import choose_approver
from paperagents.messages import text
from paperagents.tags import TagReader, TagRegistry, validate_operation

_PIECE = 65536


@click.command("extract", cls=LocalisedCommand, help=text("cli.extract"))
@click.argument("file", default="-", metavar="[FILE|-]")
@click.option("--apply", "carry_out", is_flag=True, help=text("cli.extract.apply"))
@click.option("--tool", help=text("cli.extract.tool"))
@click.option("--yes", is_flag=True, help=text("cli.yes"))
@click.option("--all-or-nothing", is_flag=True, help=text("cli.extract.all"))
@vault_option
@json_option
@click.pass_context
def command(  # noqa: PLR0913  one argument per option
    context: click.Context,
    *,
    file: str,
    carry_out: bool,
    tool: str | None,
    yes: bool,
    all_or_nothing: bool,
    as_json: bool,
) -> None:
    """Read a text as it comes, show its calls, and carry them out where asked to."""
    with current_vault(context) as vault:
        registry = vault.tag_registry()
        content, reader = _read(file, registry, shown=not as_json and not carry_out)
        operations = [each for each in reader.operations if _is_wanted(each, tool, registry)]
        diagnostics = [*reader.diagnostics, *_invalid(operations, registry)]
        diagnostics.sort(key=lambda each: (each["line"], each["column"]))
        results: list[JsonObject] = []
        if carry_out:
            approver = choose_approver(yes=yes)
            results = vault.apply(content, tool=tool, all_or_nothing=all_or_nothing, approver=approver)
    if as_json:
        shown = [dict(each) for each in operations]
        print_json({"operations": shown, "diagnostics": diagnostics, "results": results})
    else:
        _print(diagnostics, results)
    context.exit(_exit_code(results))


def read_source(file: str) -> bytes:
    """A file, or standard input for ``-``."""
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UsageError("no-such-file", path=file) from error


def _read(file: str, registry: TagRegistry, *, shown: bool) -> tuple[str, TagReader]:
    """Feed the text as it arrives: a call is shown as soon as it is complete."""
    reader = TagReader(registry)
    pieces = []
    for piece in iter(lambda: os.read(sys.stdin.fileno(), _PIECE), b"") if file == "-" else [read_source(file)]:
        pieces.append(piece)
        for operation in reader.feed(piece):
            if shown:
                _show(operation)
    for operation in reader.close():
        if shown:
            _show(operation)
    return b"".join(pieces).decode("utf-8", "replace"), reader


def _is_wanted(operation: Any, tool: str | None, registry: TagRegistry) -> bool:
    """Thoughts and references are no calls; they are shown where somebody asks for them by name."""
    if tool is not None:
        return bool(operation["tool_id"] == tool)
    tag = registry.get(operation["tool_id"])
    return tag is not None and tag.category not in (TagCategory.REASONING, TagCategory.REFERENCE)


def _invalid(operations: list[Any], registry: TagRegistry) -> list[dict[str, Any]]:
    problems = []
    for operation in operations:
        checked = validate_operation(operation, registry)
        place = {"line": operation["line"], "column": operation["column"]}
        for severity, found in (("error", checked["errors"]), ("warning", checked["warnings"])):
            problems += [
                {**place, "severity": severity, "code": each["code"], "message": each["message"]}
                for each in found
                if each["code"] != "tag-duplicate-attribute"
            ]
    return problems


def _show(operation: Any) -> None:
    where = f"{operation['line']}:{operation['column']}"
    click.echo(
        f"{where:>8}  {paint(visible(operation['tool_id']), bold=True)}  {visible(str(operation['attributes']))}"
    )


def _print(diagnostics: list[dict[str, Any]], results: list[JsonObject]) -> None:
    for each in diagnostics:
        say(visible(f"{each['line']}:{each['column']}: {each['severity']} {each['code']}: {each['message']}"))
    for result in results:
        mark = paint("✓", "green") if result["status"] == "success" else paint("✗", "red")
        error = result["error"]
        told = str(error["message"]) if isinstance(error, dict) else ""
        click.echo(visible(f"{mark} {result['id'] or ''}  {result['action'] or ''}  {result['status']}  {told}"))


def _exit_code(results: list[JsonObject]) -> int:
    # What was only taken back did not fail itself; the exit code tells about what did.
    statuses = {result["status"] for result in results if not _was_taken_back(result)}
    if "error" in statuses:
        return 1
    return 3 if statuses & {"waiting", "denied"} else 0


def _was_taken_back(result: JsonObject) -> bool:
    error = result["error"]
    return isinstance(error, dict) and error["code"] == "taken-back"
