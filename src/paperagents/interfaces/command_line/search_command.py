"""``paper search``: the notes of the vault."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from paperagents.interfaces.command_line.app import LocalisedCommand
from paperagents.interfaces.command_line.options import current_notes, json_option, vault_option
from paperagents.interfaces.command_line.output import one_line, paint, print_json, say
from paperagents.messages import text

SORTS = ("relevance", "modified", "path")
_STEP = 100
_ON_A_TERMINAL = 20
"""Results that a person looks through; a program gets as many as from the tool."""


@click.command("search", cls=LocalisedCommand, help=text("cli.search"))
@click.argument("query")
@click.option("--path", default="/", help=text("cli.search.path"))
@click.option("--limit", type=click.IntRange(1), help=text("cli.search.limit"))
@click.option("--sort", type=click.Choice(SORTS), default=SORTS[0], help=text("cli.search.sort"))
@vault_option
@json_option
@click.pass_context
def search_command(  # noqa: PLR0913  its options
    context: click.Context, *, query: str, path: str, limit: int | None, sort: str, as_json: bool
) -> None:
    """Search; the same answer as the tool ``search_files`` gives."""
    from paperagents.files.folder import VaultFolder  # noqa: PLC0415  as above
    from paperagents.search.search import USUAL_LIMIT, search_files  # noqa: PLC0415  for this command alone

    limit = limit or (USUAL_LIMIT if as_json else _ON_A_TERMINAL)
    with VaultFolder(current_notes(context).root) as folder, _progress_bar() as progress:
        answer = search_files(folder, query, path, limit, sort, progress=progress)
    if as_json:
        print_json(answer)
        return
    _print_results(query, answer)
    say(text("cli.search.count", count=answer["count"]))


def _print_results(query: str, answer: dict[str, Any]) -> None:
    from paperagents.search.query import parse_query  # noqa: PLC0415  as above

    parsed = parse_query(query)
    for result in answer["results"]:
        click.echo(_marked(parsed, result["path"], bold=True))
        if result["snippet"]:
            click.echo("    " + _marked(parsed, result["snippet"]))


def _marked(query: Any, line: str, *, bold: bool = False) -> str:
    """A line with what was found in it coloured."""
    from paperagents.search.matching import hits  # noqa: PLC0415  as above

    pieces, position = list[str](), 0
    for start, end in hits(query, line):
        pieces += [paint(one_line(line[position:start]), bold=bold), paint(one_line(line[start:end]), "red", bold=True)]
        position = end
    return "".join([*pieces, paint(one_line(line[position:]), bold=bold)])


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], None] | None]:
    """How far the reading of the notes is, on a terminal; it appears with the first note that is read."""
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
