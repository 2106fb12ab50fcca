"""``paper check``: everything wrong with the files of a vault, at line and column."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from paperagents.definitions.source import Problem
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import (
    current_notes,
    json_option,
    opened,
    remember_format,
    vault_option,
)
from paperagents.interfaces.command_line.output import one_line, print_json, problem_lines, say, visible
from paperagents.messages import text
from paperagents.notes_folder import NotesFolder, find_vault, nearest_vault
from paperagents.registry.folder_scan import is_definition_file, is_hidden


@click.command("check", cls=LocalisedCommand, help=text("cli.check"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]…")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    callback=remember_format,
    help=text("cli.format"),
)
@vault_option
@json_option
@click.pass_context
def check_command(context: click.Context, *, paths: tuple[Path, ...], form: str, as_json: bool) -> None:
    """Check files, folders, or the whole vault."""
    vault = _vault(context, paths)
    chosen = [_in_vault(vault, path) for path in paths]
    registry = vault.registry
    problems = [problem for entry in registry.entries() for problem in entry.problems]
    found = [each for each in (*problems, *registry.loose_problems()) if _is_chosen(each.file, chosen)]
    found.sort(key=lambda each: (each.file, each.span.line, each.span.column))
    _tell_why_not_checked(vault, chosen)
    _print(found, "json" if as_json else form, vault)
    if form == "text" and not as_json:
        _summarise(found, vault, chosen)
    context.exit(1 if any(problem.severity == "error" for problem in found) else 0)


def _vault(context: click.Context, paths: Sequence[Path]) -> NotesFolder:
    """The current vault, unless the path that is to be checked lies in another one."""
    if context.obj.vault is None and paths and _exists(paths[0]):
        first = paths[0].resolve()
        if not os.environ.get("PAPER_VAULT") and not first.is_relative_to(find_vault().resolve()):
            return opened(context.obj, NotesFolder, nearest_vault(first if first.is_dir() else first.parent))
    return current_notes(context)


def _in_vault(vault: NotesFolder, path: Path) -> str:
    """A path as the person wrote it, from here or from the vault's root, as a path in the vault."""
    for candidate in (Path.cwd() / path, vault.root / str(path).lstrip("/")):
        if _exists(candidate) and candidate.resolve().is_relative_to(vault.root):
            return candidate.resolve().relative_to(vault.root).as_posix()
    raise UsageError("path-outside-this-vault" if _exists(path) else "no-such-file", path=str(path))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        # A name that is too long or no name at all, a folder that may not be entered.
        return False


def _is_chosen(file: str, chosen: Sequence[str]) -> bool:
    return not chosen or any(each in (file, ".") or file.startswith(f"{each}/") for each in chosen)


def _tell_why_not_checked(vault: NotesFolder, chosen: Sequence[str]) -> None:
    """Somebody who names a file wants to hear about it, even that it is no tool."""
    known = {entry.file for entry in vault.registry.entries()}
    known |= {problem.file for problem in vault.registry.loose_problems()}
    for file in chosen:
        if is_hidden(file) and file != ".":
            say(text("cli.check.hidden", file=one_line(file)))
        elif file not in known and (vault.root / file).is_file():
            say(text("cli.check.ordinary" if is_definition_file(file) else "cli.check.other", file=one_line(file)))


def _print(problems: Sequence[Problem], form: str, vault: NotesFolder) -> None:
    if form == "json":
        print_json([problem.as_json() for problem in problems])
    elif form == "github":
        for problem in problems:
            click.echo(_github_line(problem))
    else:
        sources = {file: _lines(vault.root / file) for file in {problem.file for problem in problems}}
        for problem in problems:
            click.echo("\n".join(problem_lines(problem, sources[problem.file])))


def _lines(file: Path) -> list[str]:
    try:
        return (
            file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        )
    except OSError:
        return []


def _github_line(problem: Problem) -> str:
    span = problem.span
    place = f"file={_property(problem.file)},line={span.line},col={span.column}"
    if span.end_line == span.line:
        place += f",endLine={span.end_line},endColumn={span.end_column}"
    message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    return f"::{problem.severity} {place},title={_property(problem.code)}::{_data(message)}"


def _data(value: str) -> str:
    return visible(value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def _summarise(problems: Sequence[Problem], vault: NotesFolder, chosen: Sequence[str]) -> None:
    files = {e.file for e in vault.registry.entries() if e.file is not None and _is_chosen(e.file, chosen)}
    errors = sum(problem.severity == "error" for problem in problems)
    say(text("cli.check.summary", files=len(files), errors=errors, warnings=len(problems) - errors))
