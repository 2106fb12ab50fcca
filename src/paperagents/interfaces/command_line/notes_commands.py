"""Commands that only read notes: list, show, check, search. They load nothing that only running needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from paperagents.definitions.source import Problem
from paperagents.errors import UsageError
from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.completion import complete_category, complete_tag, complete_tool
from paperagents.interfaces.command_line.options import common_options, current_notes, open_folder, remember_format
from paperagents.interfaces.command_line.output import (
    hang_note,
    one_line,
    own_command,
    pad,
    paint,
    print_json,
    problem_lines,
    say,
    say_next,
    terminal_columns,
    visible,
    width,
)
from paperagents.messages import text
from paperagents.notes_folder import NotesFolder, find_vault, is_below, nearest_vault
from paperagents.registry.entry import Entry, definition_document
from paperagents.registry.folder_scan import is_definition_file, is_hidden
from paperagents.registry.manual import manual
from paperagents.settings import KEEPING_FOLDER
from paperagents.values import dataclass

LISTED_KINDS = ("tool", "chain", "agent", "tag", "builtin", "mcp")
SORTS = ("relevance", "modified", "name", "path")
_STEP = 100
_ON_A_TERMINAL = 20
"""Results that a person looks through; a program gets as many as from the tool."""


@click.command("check", cls=LocalisedCommand, help=text("cli.check"))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]…")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "github"]), default="text", callback=remember_format,
    help=text("cli.format"),
)  # fmt: skip
@click.option("--strict", is_flag=True, help=text("cli.check.strict"))
@common_options
def check_command(context: click.Context, *, paths: tuple[Path, ...], form: str, strict: bool, as_json: bool) -> None:
    """Check files, folders, or the whole vault."""
    vault = vault_of(context, paths)
    chosen = [path_in_vault(vault, path) for path in paths]
    found = vault.check(*chosen)
    explain_unchecked(vault, chosen)
    print_problems(found, "json" if as_json else form, vault)
    errors = sum(problem.severity == "error" for problem in found)
    if form == "text" and not as_json:
        files = {each.file for each in vault.registry.entries() if each.file is not None}
        count = sum(is_below(file, chosen) for file in files)
        say(text("cli.check.summary", files=count, errors=errors, warnings=len(found) - errors))
    context.exit(1 if errors or (strict and found) else 0)


def vault_of(context: click.Context, paths: Sequence[Path]) -> NotesFolder:
    """The current vault, unless the path to be checked lies in another one."""
    if context.obj.vault is None and paths and exists(paths[0]):
        first = paths[0].resolve()
        if not os.environ.get("PAPER_VAULT") and not first.is_relative_to(find_vault().resolve()):
            return open_folder(context.obj, NotesFolder, nearest_vault(first if first.is_dir() else first.parent))
    return current_notes(context)


def path_in_vault(vault: NotesFolder, path: Path) -> str:
    """A path as written on the command line, from here or from the vault's root, as a path in the vault."""
    for candidate in (Path.cwd() / path, vault.root / str(path).lstrip("/")):
        if exists(candidate) and candidate.resolve().is_relative_to(vault.root):
            return candidate.resolve().relative_to(vault.root).as_posix()
    raise UsageError("path-outside-this-vault" if exists(path) else "no-such-file", path=str(path))


def exists(path: Path) -> bool:
    """Whether there is such a file; never raises."""
    try:
        return path.exists()
    except (OSError, ValueError):
        # A name that is too long or no name at all, a folder that may not be entered.
        return False


def explain_unchecked(vault: NotesFolder, chosen: Sequence[str]) -> None:
    """Say about each named file that has nothing to check why that is so."""
    known = {entry.file for entry in vault.registry.entries()}
    known |= {problem.file for problem in vault.registry.loose_problems()}
    for file in chosen:
        if is_hidden(file) and file != ".":
            say(text("cli.check.hidden", file=one_line(file)))
        elif file not in known and (vault.root / file).is_file():
            say(text("cli.check.ordinary" if is_definition_file(file) else "cli.check.other", file=one_line(file)))


def print_problems(problems: Sequence[Problem], form: str, vault: NotesFolder) -> None:
    """Print problems for a person, as JSON, or as GitHub annotations."""
    if form == "json":
        print_json([problem.as_json() for problem in problems])
    elif form == "github":
        for problem in problems:
            click.echo(github_line(problem))
    else:
        sources = {file: source_lines(vault.root / file) for file in {problem.file for problem in problems}}
        for problem in problems:
            click.echo("\n".join(problem_lines(problem, sources[problem.file])))


def source_lines(file: Path) -> list[str]:
    """The lines of a file as its reader counts them; none where it cannot be read."""
    try:
        content = file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    except OSError:
        return []
    return content.replace("\r\n", "\n").split("\n")


def github_line(problem: Problem) -> str:
    """A problem as an annotation of GitHub's workflows, with what would end a property escaped."""

    def escape(value: str) -> str:
        return visible(value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))

    span = problem.span
    file, code = (escape(each).replace(":", "%3A").replace(",", "%2C") for each in (problem.file, problem.code))
    place = f"file={file},line={span.line},col={span.column}"
    if span.end_line == span.line:
        place += f",endLine={span.end_line},endColumn={span.end_column}"
    message = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    return f"::{problem.severity} {place},title={code}::{escape(message)}"


# --- ``paper search``


class QueryCommand(LocalisedCommand):
    """A command whose argument may begin with a minus: ``-word`` is a query, and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put such words behind ``--``. But for ``-h`` the options of the command are long."""
        if "--" not in args:
            queries = [each for each in args if each.startswith("-") and each[1:2] not in ("", "-") and each != "-h"]
            args = [*(each for each in args if each not in queries), *(["--", *queries] if queries else [])]
        return super().parse_args(ctx, args)


@click.command("search", cls=QueryCommand, help=text("cli.search"))
@click.argument("query")
@click.option("--path", default="/", help=text("cli.search.path"))
@click.option("--limit", type=click.IntRange(1), help=text("cli.search.limit"))
@click.option("--sort", type=click.Choice(SORTS), default=SORTS[0], help=text("cli.search.sort"))
@common_options
def search_command(  # noqa: PLR0913  its options
    context: click.Context, *, query: str, path: str, limit: int | None, sort: str, as_json: bool
) -> None:
    """Search; the same answer as the tool ``search_files`` gives."""
    # Loaded here: no other command needs the search engine.
    from paperagents.files.folder import VaultFolder  # noqa: PLC0415
    from paperagents.search.matching import find_hits  # noqa: PLC0415
    from paperagents.search.query import parse_query  # noqa: PLC0415
    from paperagents.search.search import DEFAULT_LIMIT, search_files  # noqa: PLC0415

    limit = limit or (DEFAULT_LIMIT if as_json else _ON_A_TERMINAL)
    with VaultFolder(current_notes(context).root) as folder, indexing_progress() as progress:
        answer = search_files(folder, query, path, limit, sort, progress=progress)
    if as_json:
        print_json(answer)
        return
    parsed = parse_query(query)
    results: Any = answer["results"]
    for result in results:
        click.echo(highlight(result["path"], find_hits(parsed, result["path"]), bold=True))
        if result["snippet"]:
            click.echo("    " + highlight(result["snippet"], find_hits(parsed, result["snippet"])))
    key = "cli.search.truncated" if answer["truncated"] else "cli.search.count"
    say(text(key, shown=len(results), count=answer["count"]))


def highlight(line: str, found: Iterable[tuple[int, int]], *, bold: bool = False) -> str:
    """A line with what was found in it coloured."""
    pieces, position = list[str](), 0
    for start, end in found:
        pieces += [paint(one_line(line[position:start]), bold=bold), paint(one_line(line[start:end]), "red", bold=True)]
        position = end
    return "".join([*pieces, paint(one_line(line[position:]), bold=bold)])


@contextmanager
def indexing_progress() -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar for indexing, on a terminal; it appears with the first note that is read."""
    if not sys.stderr.isatty():
        yield None
        return
    bars = list[Any]()

    def progress(done: int, total: int) -> None:
        if not bars:
            bars.append(click.progressbar(length=total, label=text("cli.search.indexing"), file=sys.stderr))
            bars[0].__enter__()
        if done % _STEP == 0 or done == total:
            bars[0].update(done - bars[0].pos)

    try:
        yield progress
    finally:
        for bar in bars:
            bar.__exit__(None, None, None)


@click.command("list", cls=LocalisedCommand, help=text("cli.list"))
@click.argument("words", nargs=-1, metavar="[TEXT]…")
@click.option("--category", metavar="NAME", help=text("cli.list.category"), shell_complete=complete_category)
@click.option("--tag", metavar="NAME", help=text("cli.list.tag"), shell_complete=complete_tag)
@click.option("--kind", type=click.Choice(LISTED_KINDS), help=text("cli.list.kind"))
@click.option("--broken", is_flag=True, help=text("cli.list.only-broken"))
@common_options
def list_command(  # noqa: PLR0913  one argument per option
    context: click.Context, *, words: tuple[str, ...], category: str | None, tag: str | None, kind: str | None,
    broken: bool, as_json: bool,
) -> None:  # fmt: skip
    """List every tool and agent, broken ones too, or those that fit."""
    vault = current_notes(context)
    everything = vault.registry.entries()
    wanted = EntryFilter(words=words, category=category, tag=tag, kind=kind, broken=broken)
    entries = [entry for entry in everything if wanted.fits(entry)]
    if as_json:
        print_json([entry.as_json() for entry in entries])
        return
    own = [entry for entry in entries if entry.kind != "builtin"]
    built_in = [entry for entry in entries if entry.kind == "builtin"]
    print_entries(own)
    if own and built_in:
        click.echo()
    print_entries(built_in)
    unusable = sum(not entry.valid for entry in own)
    if len(entries) < len(everything):
        say(text("cli.list.some", count=len(entries), total=len(everything)))
    if unusable:
        say_next(text("cli.list.broken", count=unusable))
    elif not any(entry.kind != "builtin" for entry in everything):
        is_vault = (vault.root / KEEPING_FOLDER).is_dir()
        sentence = "cli.list.empty" if is_vault else "cli.list.outside"
        say(text(sentence, vault=one_line(str(vault.root)), paper=own_command()))


@dataclass(frozen=True, kw_only=True)
class EntryFilter:
    """Which entries are wanted; what is not said leaves nothing out."""

    words: tuple[str, ...]
    category: str | None
    tag: str | None
    kind: str | None
    broken: bool

    def fits(self, entry: Entry) -> bool:
        """Whether all of it holds for an entry; a word may stand anywhere in what is said about it."""
        said = "\n".join([entry.id, entry.name, entry.description, entry.category or "", *entry.tags]).casefold()
        tags = [each.removeprefix("#").casefold() for each in entry.tags]
        return (
            all(word.casefold() in said for word in self.words)
            and (self.category is None or (entry.category or "").casefold() == self.category.casefold())
            and (self.tag is None or self.tag.removeprefix("#").casefold() in tags)
            and (self.kind is None or self.kind in (entry.kind, entry.type, "tool" if entry.is_tool else None))
            and not (self.broken and entry.valid)
        )


def print_entries(entries: list[Entry]) -> None:
    """A table of ids, kinds and descriptions; of a broken file, its first error."""
    columns = max((width(one_line(entry.id)) for entry in entries), default=0)
    # One long id must not leave the others without room.
    columns = min(columns, max((terminal_columns() or 5 * columns) * 2 // 5, 12))
    rows = []
    for entry in entries:
        mark = " " if entry.valid else paint("✗", "red")
        kind = pad(text(f"cli.kind.{entry.type or 'broken'}"), 8)
        note = entry.description.split("\n", 1)[0]
        if not entry.valid:
            problem = next(each for each in entry.problems if each.severity == "error")
            note = f"{entry.file}:{problem.span.line}:{problem.span.column} {problem.message}"
        before = f"{mark} {paint(pad(one_line(entry.id), columns), bold=True)}  {kind} "
        rows.append(hang_note(before, one_line(note), indent=columns + 13, colour=None if entry.valid else "red"))
    if rows:
        # At once: each writing of its own would be one to the system, too.
        click.echo("\n".join(rows))


@click.command("show", cls=LocalisedCommand, help=text("cli.show"))
@click.argument("tool", shell_complete=complete_tool)
@common_options
def show_command(context: click.Context, *, tool: str, as_json: bool) -> None:
    """Show the manual of a tool or agent."""
    notes = current_notes(context)
    definition = notes.registry.find_definition(tool)
    grants = notes.npm_grants(definition.id).as_json()
    if as_json:
        print_json(definition_document(definition, grants))
    else:
        click.echo(visible(manual(definition, grants)), nl=False)
