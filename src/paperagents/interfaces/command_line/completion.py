"""What a shell offers while somebody types: tools, parameters, variables, runs, questions, settings.

Completion must never say anything, change anything or leave anything behind: where something is wrong, nothing is
offered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from paperagents.errors import PaperError
from paperagents.interfaces.command_line.options import current_notes, current_vault
from paperagents.interfaces.command_line.output import one_line
from paperagents.known_settings import SETTING_SPECS
from paperagents.settings import KEEPING_FOLDER

if TYPE_CHECKING:
    # Every command is loaded with its completions, and only a shell calls them.
    from click.shell_completion import CompletionItem

    from paperagents.definitions.tool import Parameter
    from paperagents.registry.entry import Entry

Offered = Iterable[tuple[str, str]]
"""Words, each with what it means."""
Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
_NEWEST = 20


def offering(find: Callable[[click.Context, str], Offered]) -> Complete:
    """A completion of click's, from a function that finds words; one that a shell would garble is left out."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem  # noqa: PLC0415  see above

        try:
            found = [(word, meaning) for word, meaning in find(context, incomplete) if word.startswith(incomplete)]
        except (PaperError, OSError):
            return []
        return [CompletionItem(word, help=one_line(meaning)) for word, meaning in found if one_line(word) == word]

    return complete


def find_entries(context: click.Context) -> list[Entry]:
    """What the vault has."""
    return list(current_notes(context).registry.entries())


def describe(parameters: Iterable[Parameter], ending: str = "") -> Iterator[tuple[str, str]]:
    """Names, each with its description."""
    return ((each.name + ending, str(each.schema.get("description") or "")) for each in parameters)


def find_parameters(context: click.Context, incomplete: str) -> Offered:
    """``NAME=`` of the tool that stands before; behind the sign, the values it may have."""
    # Behind a -p without its value the parser has not come to the arguments yet.
    tool = context.params.get("tool") or next(iter(context.args), "")
    definition = current_notes(context).registry.tool(str(tool))
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return describe(definition.parameters, "=")
    schema = next((each.schema for each in definition.parameters if each.name == name), {})
    choices = schema.get("enum") or ([True, False] if schema.get("type") == "boolean" else [])
    listed = choices if isinstance(choices, list) else []
    return [(f"{name}={each if isinstance(each, str) else json.dumps(each)}", "") for each in listed]


def find_variables(context: click.Context, _: str) -> Offered:
    """The tools; behind one, the variables it declares."""
    before = context.params.get("names") or ()
    if not before:
        return [
            (each.id, each.description) for each in find_entries(context) if each.kind in ("markdown", "javascript")
        ]
    return describe(current_notes(context).registry.tool(before[0]).environment)


def find_settings(_: click.Context, __: str) -> Offered:
    """The names of all settings."""
    return [(name, "") for name in SETTING_SPECS]


def find_runs(context: click.Context, _: str) -> Offered:
    """The newest runs, and the word for the very last one."""
    if not (current_notes(context).root / KEEPING_FOLDER).is_dir():
        return []
    runs = islice(current_vault(context).history.runs(limit=_NEWEST), _NEWEST)
    return [("last", ""), *((str(each["run_id"]), f"{each['tool']}, {each['status']}") for each in runs)]


def find_questions(context: click.Context, _: str) -> Offered:
    """The open questions."""
    if not (current_notes(context).root / KEEPING_FOLDER).is_dir():
        return []
    questions = islice(current_vault(context).history.questions(), _NEWEST)
    return [("last", ""), *((each.id, f"{each.tool}: {each.preview.split(chr(10), 1)[0]}") for each in questions)]


complete_tool = offering(lambda context, _: [(each.id, each.description) for each in find_entries(context)])
complete_agent = offering(
    lambda context, _: [(each.id, each.description) for each in find_entries(context) if each.kind == "agent"]
)
complete_category = offering(
    lambda context, _: ((each, "") for each in sorted({entry.category or "" for entry in find_entries(context)}))
)
complete_tag = offering(
    lambda context, _: ((each, "") for each in sorted({tag for entry in find_entries(context) for tag in entry.tags}))
)
complete_parameter = offering(find_parameters)
complete_variable = offering(find_variables)
complete_setting = offering(find_settings)
complete_run = offering(find_runs)
complete_question = offering(find_questions)
