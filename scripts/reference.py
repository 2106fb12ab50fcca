"""Writes the tables of the reference from the program itself, between two comments of a page.

    <!-- generated: settings -->
    …
    <!-- end -->

``python scripts/reference.py`` renews them, ``--check`` only tells what is out of date, ``--list`` names them all.
What a field or a setting is for stands in ``reference_words.toml``; one without words is an error: nothing can be
added without documentation.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from hashlib import sha256
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, get_args

import click

from paperagents.calls.references import Names, resolve
from paperagents.definitions.tag import AttributeSchema, TagSchema
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import PaperError
from paperagents.interfaces.command_line.app import COMMANDS, PaperGroup
from paperagents.known_settings import NAMED_TABLES, SETTING_SPECS, SettingSpec
from paperagents.messages import sentences, use_language
from paperagents.messages.catalogue import AREAS
from paperagents.notes_folder import NotesFolder
from paperagents.reading.agent_evals import EVAL_FIELDS
from paperagents.reading.agent_markdown import AGENT_FIELDS, BUDGET_FIELDS
from paperagents.reading.tag_markdown import TAG_FIELDS
from paperagents.reading.tool_markdown import EXAMPLE_FIELDS, TOOL_FIELDS
from paperagents.reading.tool_parameters import PARAMETER_FIELDS
from paperagents.reading.tool_steps import RETRY_FIELDS, STEP_FIELDS
from paperagents.runs.record import LogEntry, RunRecord, RunStatus
from paperagents.tags.registry import BUILTIN_TAGS
from paperagents.tools import builtin_tools

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs"
WORDS = ROOT / "scripts" / "reference_words.toml"
FIRST_MESSAGES = ROOT / "scripts" / "messages_first.txt"
"""The sentences that the catalogue began with, each by the beginnings of the digests of its three languages."""
REGION = re.compile(r"(?P<begin><!-- generated: (?P<name>[^\n]+?) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
EVERYWHERE = {"--vault", "--help"}
"""Options that every command has; the page names them once."""
FIELD_TABLES = {
    "tool-fields": TOOL_FIELDS,
    "parameter-fields": PARAMETER_FIELDS,
    "step-fields": STEP_FIELDS,
    "retry-fields": RETRY_FIELDS,
    "example-fields": EXAMPLE_FIELDS,
    "agent-fields": AGENT_FIELDS,
    "budget-fields": BUDGET_FIELDS,
    "eval-fields": EVAL_FIELDS,
    "tag-fields": TAG_FIELDS,
    "tag-schema-fields": tuple(each.name for each in fields(TagSchema)),
    "tag-attribute-fields": tuple(each.name for each in fields(AttributeSchema)),
    "record-fields": tuple(
        RunRecord(run_id="", tool="", status="planned", started="", duration_ms=0.0, planned=()).as_json()
    ),
    "run-statuses": get_args(RunStatus),
    "log-fields": tuple(each.name for each in fields(LogEntry)),
    "error-fields": tuple(PaperError("cancelled").as_json()),
}


def main(arguments: Iterable[str]) -> int:
    """Renew all pages, or tell which are out of date."""
    use_language("en")
    if "--list" in arguments:
        sys.stdout.write("\n".join(regions()))
        return 0
    stale = [page for page in sorted(PAGES.rglob("*.md")) if renewed(page) != page.read_text(encoding="utf-8")]
    for page in stale:
        sys.stdout.write(f"{page.relative_to(ROOT)}\n")
        if "--check" not in arguments:
            page.write_text(renewed(page), encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


def renewed(page: Path) -> str:
    """The text of a page with all its regions as the program says now."""

    def region(match: re.Match[str]) -> str:
        kind, _, wanted = match["name"].partition(" ")
        content = _source(wanted) if kind == "source" else regions()[kind]()
        return f"{match['begin']}\n{content}\n\n{match['end']}"

    return REGION.sub(region, page.read_text(encoding="utf-8"))


def regions() -> Mapping[str, Callable[[], str]]:
    """What can stand between the comments, by name."""
    tables = {name: _field_table(name, known) for name, known in FIELD_TABLES.items()}
    return {
        **tables,
        "references": _references,
        "built-in-tools": _built_in_tools,
        "tags": _tags,
        "example-vault": _example_vault,
        "requirements": _requirements,
        "commands": _commands,
        "settings": _settings,
        "error-codes": _error_codes,
        "messages": _messages,
    }


def _messages() -> str:
    """Per area of the catalogue: how many sentences there are, and what has become of those it began with."""
    lines = (line.split() for line in FIRST_MESSAGES.read_text(encoding="utf-8").splitlines())
    first = {key: tuple(digests) for key, *digests in lines}
    rows = []
    for area in AREAS:
        texts = import_module(f"paperagents.messages.catalogue.{area}").TEXTS
        now = {key: tuple(sha256(each.encode()).hexdigest()[:6] for each in told) for key, told in texts.items()}
        known = [key for key in now if key in first]
        changed = [sum(now[key][language] != first[key][language] for key in known) for language in range(3)]
        rows.append((len(now), len(now) - len(known), *changed, sum(now[key] == first[key] for key in known)))
    total = map(sum, zip(*rows, strict=True))
    named = [*zip(map(_code, AREAS), rows, strict=True), ("all", tuple(total))]
    head = ("area", "sentences", "new", "English changed", "German changed", "Chinese changed", "as they were")
    return _table(head, ((name, *map(str, row)) for name, row in named))


def words(table: str, known: Iterable[str]) -> dict[str, str]:
    """What the words file says about each of these; it must say something about all of them and about nothing else."""
    written: dict[str, str] = tomllib.loads(WORDS.read_text(encoding="utf-8")).get(table, {})
    known = tuple(known)
    missing, surplus = [name for name in known if name not in written], [name for name in written if name not in known]
    if missing or surplus:
        told = f"{WORDS.relative_to(ROOT)}, [{table}]: without words {missing}, without a use {surplus}"
        raise SystemExit(told)
    return {name: written[name] for name in known}


def _field_table(table: str, known: Iterable[str]) -> Callable[[], str]:
    def write() -> str:
        return _table(("name", "meaning"), ((_code(name), said) for name, said in words(table, known).items()))

    return write


def _source(wanted: str) -> str:
    """The real source of functions: ``source runs.run Runner.run Runner.step``."""
    module_name, *names = wanted.split()
    module = import_module(f"paperagents.{module_name}")
    pieces = [textwrap.dedent(inspect.getsource(attrgetter(name)(module))).rstrip() for name in names]
    path = f"src/paperagents/{module_name.replace('.', '/')}.py"
    return "```py\n" + f"# {path}\n\n" + "\n\n".join(pieces) + "\n```"


# --- references


def _references() -> str:
    """Each kind of reference with what it really gives, for a run made up for this page."""
    example = tomllib.loads(WORDS.read_text(encoding="utf-8"))["references"]
    names = Names(
        arguments=example["arguments"],
        input=example["input"],
        built_in=example["built_in"],
        previous=example["labels"]["find"],
        has_previous=True,
        labels=example["labels"],
        loop=example["loop"],
        environment=example["environment"],
    )
    rows = [
        (_code(written), said, _code(json.dumps(resolve(written, names), ensure_ascii=False)))
        for written, said in example["rows"].items()
    ]
    return _table(("written", "meaning", "gives here"), rows)


# --- tools and tags


def _built_in_tools() -> str:
    asks = words("built-in-tools", (tool.id for tool in builtin_tools()))
    return "\n\n".join(_built_in_tool(tool, asks[tool.id]) for tool in builtin_tools())


def _built_in_tool(tool: ToolDefinition, asks: str) -> str:
    rows = (
        (
            _code(each.name),
            _schema_type(each.schema),
            "yes" if each.must_be_given else "",
            _code(json.dumps(each.schema["default"])) if "default" in each.schema else "",
            str(each.schema["description"]),
        )
        for each in tool.parameters
    )
    table = _table(("parameter", "type", "required", "default", "meaning"), rows)
    answer = tool.answer.get("properties")
    told = f"\n\nAnswers with {', '.join(map(_code, answer))}." if isinstance(answer, dict) else ""
    return f"### `{tool.id}`\n\n{tool.description} {asks}\n\n{table}{told}"


def _tags() -> str:
    pieces = []
    for tag in BUILTIN_TAGS:
        said = words("tags", (each.id for each in BUILTIN_TAGS))[tag.id]
        written = tag.type.value.replace("_", "-")
        head = f"### `{tag.id}`\n\n{said} Written as {written} tag, category {tag.category.value}."
        rows = [
            (_code(name), _attribute_type(each), each.description or "") for name, each in tag.schema.attributes.items()
        ]
        pieces.append(head + (f"\n\n{_table(('attribute', 'type', 'meaning'), rows)}" if rows else ""))
    return "\n\n".join(pieces)


def _attribute_type(attribute: AttributeSchema) -> str:
    kind = attribute.type or "string"
    values = f": {', '.join(map(str, attribute.values))}" if attribute.values else ""
    default = f" (default {attribute.default})" if attribute.default is not None else ""
    return f"{kind}{values}{default}"


def _example_vault() -> str:
    """Every tool of the vault that ``paper init`` makes, by category."""
    entries = NotesFolder(ROOT / "src" / "paperagents" / "example_vault").registry.entries()
    tools = [entry for entry in entries if entry.is_tool and entry.file is not None]
    tools.sort(key=lambda entry: (entry.category or "", entry.id))
    return _table(("category", "tool", "what it does"), ((e.category or "", _code(e.id), e.description) for e in tools))


def _requirements() -> str:
    """Every requirement of the five documents: met, with the test that shows it, or otherwise, with the reason."""
    tables = []
    for document, rows in groupby(read_requirements(), key=lambda row: row[0].partition(".")[0]):
        told = [
            (number, section, _cell(says), state, why if state == "differs" else _code(why.rpartition("::")[2]))
            for number, section, says, state, why in rows
        ]
        counted = f"{sum(row[3] == 'met' for row in told)} of {len(told)} met, the others differ on purpose."
        table = _table(("number", "section", "what it says", "state", "shown by, or reason"), told)
        tables.append(f"## Document {document}\n\n{counted}\n\n{table}")
    return "\n\n".join(tables)


def read_requirements() -> list[list[str]]:
    """Number, section, text, state, and test or reason of each."""
    lines = (ROOT / "tests" / "seeds" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split("¦")] for line in lines if not line.startswith("#")]


def _cell(text: str) -> str:
    return re.sub(r"`([^`]+)`", lambda code: _code(code[1]), text.replace("<", "&lt;"))


# --- commands


def _commands() -> str:
    group = PaperGroup("paper")
    context = click.Context(group, info_name="paper")
    commands = [(name, group.get_command(context, name)) for name in COMMANDS]
    return "\n\n".join(
        piece
        for name, command in commands
        if command is not None
        for piece in _command(f"paper {name}", command, context)
    )


def _command(path: str, command: click.Command, above: click.Context, level: int = 2) -> Iterator[str]:
    context = click.Context(command, info_name=path.rsplit(maxsplit=1)[-1], parent=above)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    rows = [
        (_code(record[0]), record[1])
        for parameter in command.get_params(context)
        if isinstance(parameter, click.Option)
        and EVERYWHERE.isdisjoint(parameter.opts)
        and (record := parameter.get_help_record(context)) is not None
    ]
    table = f"\n\n{_table(('option', 'meaning'), rows)}" if rows else ""
    yield f"{'#' * level} `{path}`\n\n{command.help}\n\n{_code(usage)}{table}"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            below = command.get_command(context, inner)
            if below is not None and not below.hidden:
                yield from _command(f"{path} {inner}", below, context, level + 1)


# --- settings


def _settings() -> str:
    tables = {f"{table}.NAME.{key}": known for table, keys in NAMED_TABLES.items() for key, known in keys.items()}
    said = words("settings", (*SETTING_SPECS, *tables))
    rows = [
        (_code(name), _setting_type(known), _default(known), said[name])
        for name, known in {**SETTING_SPECS, **tables}.items()
    ]
    return _table(("setting", "type", "default", "meaning"), rows)


def _setting_type(known: SettingSpec) -> str:
    names = {
        "list": "list of texts",
        "hosts": "list of hosts",
        "database": "address",
        "integer": "whole number",
        "boolean": "true or false",
        "command": "list of texts",
        "language": "en, de or zh",
        "timezone": "name of a zone",
    }
    bounds = f", {known.least:g} to {known.most:,.0f}" if known.kind in ("number", "integer") else ""
    return f"{names.get(known.kind, known.kind)}{bounds}{', secret' if known.secret else ''}"


def _default(known: SettingSpec) -> str:
    value = list(known.default) if isinstance(known.default, tuple) else known.default
    return "" if value is None else _code(json.dumps(value))


# --- errors


def _error_codes() -> str:
    """Every code with its sentences; a code may have several, one for each case."""
    codes: dict[str, list[str]] = {}
    for key in sentences():
        code = key.partition(".")[0]
        if key == code or "-" in code:
            codes.setdefault(code, []).append(key)
    rows = [
        (f'<span id="{code}">`{code}`</span>', _sentences(keys), _hints(keys)) for code, keys in sorted(codes.items())
    ]
    return _table(("code", "what it says", "what to do"), rows)


def _sentences(keys: Iterable[str]) -> str:
    return "<br>".join(dict.fromkeys(_plain(sentences()[key][0]) for key in keys if not key.endswith(".hint")))


def _hints(keys: Iterable[str]) -> str:
    return "<br>".join(dict.fromkeys(_plain(sentences()[key][0]) for key in keys if key.endswith(".hint")))


def _plain(sentence: str) -> str:
    """A sentence as text of a page: values as words in angle brackets, signs of HTML and Markdown as themselves."""
    escaped = sentence.replace("&", "&amp;").replace("<", "&lt;").replace("{{", "\0").replace("}}", "\1")
    named = re.sub(r"\{(\w+)[^}]*\}", r"⟨\1⟩", escaped)
    return re.sub(r"([*_`\[\]])", r"\\\1", named).replace("\0", "&#123;").replace("\1", "&#125;").replace("\n", " ")


# --- Markdown


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', BAR) for cell in line)} |" for line in lines)


BAR = "&#124;"
"""A bar inside a cell."""


def _code(text: str) -> str:
    if "|" in text:
        # Only as HTML a bar can stand in a cell, whoever shows the page.
        return f"<code>{text.replace('&', '&amp;').replace('<', '&lt;')}</code>"
    return f"`{text}`"


def _schema_type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
