"""What can stand at a place: fields, types, tools and their parameters, references, fields of JavaScript objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Span
from paperagents.definitions.tag import BUILTIN_WORDS
from paperagents.definitions.tool import Parameter
from paperagents.language.answers import Completion, CompletionKind, Completions
from paperagents.language.document import Position
from paperagents.language.fields import choices_at, fields_at, place_in
from paperagents.language.shapes import describe_type, fields_of, follow
from paperagents.language.yaml_place import ITEM, YamlPlace
from paperagents.reading.markdown import MARKER
from paperagents.registry.entry import Entry

if TYPE_CHECKING:
    from paperagents.language.view import View

MOST = 100
"""Of one answer: an editor that gets a thousand is slower than one that asks again."""
_OPEN_BRACES = re.compile(r"(?<!\\)\{\{(?![<{])\s*([^{}]*)$")
_BARE = re.compile(r"""^["']?((?:input|preprocess|prev_step|steps|output)[.\[][^\s"']*)$""")
_PATH = re.compile(r"(?:^|\.)([^\s.\[\]]+)|\[\s*(?:(\d+)|\"([^\"]*)\"|'([^']*)')\s*\]")
_MEMBER = re.compile(r"((?:[A-Za-z_$][\w$]*)(?:\??\.[A-Za-z_$][\w$]*|\[\d+\])*)\??\.([\w$]*)$")
_WORD = re.compile(r"(?<![\w$.\"'])([A-Za-z_$][\w$]*)?$")
_TAG_NAME = re.compile(r"\{\{<\s*/?\s*([\w:-]*)$")
_TAG_ATTRIBUTE = re.compile(r"""\{\{<\s*([\w:-]+)\s(?:[^<>"']|"[^"]*"|'[^']*')*?([\w-]*)$""")
_CALLED = re.compile(r"""callTool\(\s*["'`]([\w:-]*)$""")
_GIVEN = re.compile(r"""callTool\(\s*["'`]([\w:-]+)["'`]\s*,\s*\{(?:[^{}]*,)?\s*([\w$]*)$""")
_API = ("logger", "environment", "storage", "importx", "callTool", "bridge", "getInfo")
_SCRIPT_KEYS = frozenset({"custom_function", "post_processing"})


class Completer:
    """The completions at one place of a file."""

    def __init__(self, view: View, at: Position) -> None:
        self.view = view
        self.at = at
        self.document = view.document
        self.before = self.document.before(at)

    def completions(self) -> Completions:
        """The best ones; of very many only those that begin as what is typed, or have it in them."""
        found = list({each.label: each for each in reversed(list(self._find()))}.values())
        if len(found) > MOST:
            found = [each for each in found if self._typed(each) in each.label.casefold()]
            found.sort(
                key=lambda each: (not each.label.casefold().startswith(self._typed(each)), each.rank, each.label)
            )
            return Completions(items=tuple(found[:MOST]), is_cut=True)
        return Completions(items=tuple(sorted(found, key=lambda each: (each.rank, each.label))))

    def _typed(self, each: Completion) -> str:
        return self.before[each.span.column - 1 :].casefold()

    def _find(self) -> Iterator[Completion]:
        document, line = self.document, self.at.line
        if document.is_script:
            return self.in_module()
        if (around := document.yaml_around(line)) is not None:
            return self.in_yaml(*around)
        fence = document.fence_at(line)
        if document.kind == "tool" and fence is not None and fence[0] in ("javascript", "js"):
            return self.in_script(self._fence_block(fence[1]))
        return self.in_prompt() if document.kind == "agent" else iter(())

    # --- YAML

    def in_yaml(self, first: int, in_fence: bool) -> Iterator[Completion]:  # noqa: FBT001  as the document says it
        """In the frontmatter, or in a fence with a tool block or steps."""
        place = place_in(self.document, first, self.at)
        if place.in_block and place.key in _SCRIPT_KEYS:
            yield from self.in_script(str(place.key))
            return
        if (typed := self._typed_reference(place)) is not None:
            yield from self.references(typed)
        elif place.key == "if":
            yield from self.in_script("if")
        elif not place.in_block and place.key is not None:
            yield from self.values(place, place.key, place.typed.lstrip("\"'"))
        elif not place.in_block:
            yield from self.items(place)
            yield from self.fields(place, in_fence=in_fence)

    def fields(self, place: YamlPlace, *, in_fence: bool) -> Iterator[Completion]:
        """Keys of the mapping: fields of the file format, or names of arguments."""
        after = self.document.line(self.at.line)[self.at.column - 1 :]
        end = "" if after.lstrip().startswith(":") else ": "
        for name, parameter in self._argument_names(place).items():
            if name not in place.siblings:
                yield self.parameter(parameter, place.typed, insert=name + end)
        for rank, (field, meaning) in enumerate(fields_at(place, self.document.kind, in_fence=in_fence).items()):
            if field not in place.siblings:
                yield self.item(
                    field, "field", place.typed, insert=field + end, documentation=meaning, rank=10 + rank
                )  # fmt: skip

    def values(self, place: YamlPlace, key: str, typed: str) -> Iterator[Completion]:
        """The value of a key."""
        around = place.keys[-1] if place.keys else ""
        in_steps = around in ("steps", "parallel") or not (place.path or self.document.in_frontmatter(self.at.line))
        names_tool = key == "tool" or (key == "name" and "tool" not in place.siblings)
        if (in_steps and names_tool) or (around, key) == ("calls", "tool"):
            yield from self.tools(typed)
        elif key in ("tools", "agents", "not_calls"):
            yield from self.tools(typed, agents=key == "agents")
        elif around in ("parameters", "input", "arguments") and place.path[-1] != ITEM:
            yield from self.words(typed, allowed_values(self._argument_names(place).get(key)))
        else:
            yield from self.words(typed, choices_at(place, key, self.document.kind))

    def items(self, place: YamlPlace) -> Iterator[Completion]:
        """An item of a list."""
        if place.path[-1:] == (ITEM,) and place.keys[-1] in ("tools", "agents", "not_calls"):
            yield from self.tools(place.typed.lstrip("\"'"), agents=place.keys[-1] == "agents")

    def tools(self, typed: str, *, agents: bool = False) -> Iterator[Completion]:
        """The tools that can be called; from the vault itself first."""
        catalog = self.view.catalog
        for entry in catalog.agents() if agents else catalog.tools():
            own = entry.file is not None
            yield self.item(
                entry.id, "agent" if agents else "tool", typed, rank=0 if own else 1, detail=entry.name,
                documentation=entry.description,
            )  # fmt: skip

    def words(self, typed: str, words: Iterable[str]) -> Iterator[Completion]:
        """A few possible values."""
        for rank, word in enumerate(words):
            yield self.item(word, "value", typed, rank=rank)

    def _argument_names(self, place: YamlPlace) -> Mapping[str, Parameter]:
        """What can be given in a mapping of arguments."""
        if place.path[-1:] == (ITEM,) or not place.keys:
            return {}
        around = place.mappings[1] if len(place.mappings) > 1 else {}
        match place.keys[-1]:
            case "parameters" | "arguments":
                called = (around.get("tool") or around.get("name") or "").strip("\"'")
                entry = self.view.catalog.find(called)
            case "input":
                entry = self.view.own
            case _:
                entry = None
        return self.view.catalog.parameters(entry) if entry is not None else {}

    # --- references

    def _typed_reference(self, place: YamlPlace) -> str | None:
        """What is written of a reference; None where there is none."""
        if (braces := _OPEN_BRACES.search(self.before)) is not None:
            return braces[1]
        takes_references = "parameters" in place.keys or place.key in ("for_each", "if")
        bare = _BARE.match(place.typed) if takes_references and not place.in_block else None
        return bare[1] if bare is not None else None

    def references(self, typed: str) -> Iterator[Completion]:
        """The next segment of a reference."""
        reachable = self.view.surroundings.of_text(self.view.step_near(self.at))
        yield from self.members(dict(reachable.shape), typed)

    def members(self, shape: Mapping[str, JsonValue], typed: str) -> Iterator[Completion]:
        """The fields at the path that is already written."""
        path_text, word = split_path(typed)
        found = follow(shape, read_path(path_text))
        fields = fields_of(found) if found is not None else {}
        for rank, (name, below) in enumerate(fields.items()):
            yield self.item(
                name, "reference", word, rank=rank, detail=describe_type(below),
                documentation=str(below.get("description", "")),
            )  # fmt: skip

    # --- JavaScript

    def _fence_block(self, first: int) -> str:
        marker = MARKER.match("\n".join(self.document.lines[first - 1 : self.at.line]))
        return marker[1] if marker is not None else ""

    def in_script(self, block: str) -> Iterator[Completion]:
        """In a block: its objects, and their fields."""
        if (braces := _OPEN_BRACES.search(self.before)) is not None and block != "if":
            yield from self.references(braces[1])
            return
        script = self.view.script_near(self.at, block)
        if script is None:
            return
        shape = self.view.surroundings.of_script(script).shape
        if (member := _MEMBER.search(self.before)) is not None:
            yield from self.members(shape, f"{member[1].replace('?.', '.')}.{member[2]}")
        elif (word := _WORD.search(self.before)) is not None:
            yield from self.members(shape, word[1] or "")

    def in_module(self) -> Iterator[Completion]:
        """In a file that is a tool."""
        if (called := _CALLED.search(self.before)) is not None:
            yield from self.tools(called[1])
        elif (given := _GIVEN.search(self.before)) is not None:
            entry = self.view.catalog.find(given[1])
            for parameter in self.view.catalog.parameters(entry).values() if entry is not None else ():
                yield self.parameter(parameter, given[2], insert=f"{parameter.name}: ")
        elif (member := _MEMBER.search(self.before)) is not None:
            if member[1].endswith("api"):
                yield from self.words(member[2], _API)
            elif member[1] in ("params", "args", "input") and self.view.own is not None:
                for parameter in self.view.catalog.parameters(self.view.own).values():
                    yield self.parameter(parameter, member[2], insert=parameter.name)

    # --- agents

    def in_prompt(self) -> Iterator[Completion]:
        """In the text that the model is told: tags, and placeholders."""
        if (name := _TAG_NAME.search(self.before)) is not None:
            yield from self.tags(name[1])
        elif (attribute := _TAG_ATTRIBUTE.search(self.before)) is not None:
            entry = self.view.catalog.find_tag(attribute[1])
            for parameter in self.view.catalog.parameters(entry).values() if entry is not None else ():
                yield self.parameter(parameter, attribute[2], insert=f'{parameter.name}="')
        elif (braces := _OPEN_BRACES.search(self.before)) is not None:
            yield from self.references(braces[1])

    def tags(self, typed: str) -> Iterator[Completion]:
        """Every word that can stand behind ``{{<``."""
        entries: list[Entry] = self.view.catalog.tools()
        for entry in entries:
            yield self.item(entry.id, "tag", typed, rank=0, detail=entry.name, documentation=entry.description)
        own = [word for each in self.view.catalog.entries if each.kind == "tag" for word in each.words or (each.id,)]
        for word in (*own, *sorted(BUILTIN_WORDS)):
            yield self.item(word, "tag", typed, rank=1)

    def parameter(self, parameter: Parameter, typed: str, *, insert: str) -> Completion:
        """The name of an argument; what must be given comes first."""
        said = str(parameter.schema.get("description", ""))
        rank, kind = 0 if parameter.must_be_given else 1, describe_type(parameter.schema)
        return self.item(parameter.name, "parameter", typed, insert=insert, detail=kind, documentation=said, rank=rank)

    def item(  # noqa: PLR0913  each may be said or left unsaid
        self, label: str, kind: CompletionKind, typed: str, *, insert: str = "", detail: str = "",
        documentation: str = "", rank: int = 0,
    ) -> Completion:  # fmt: skip
        """One completion, in the place of what is typed of it."""
        start = self.at.column - len(typed)
        span = Span(line=self.at.line, column=start, end_line=self.at.line, end_column=self.at.column)
        return Completion(
            label=label,
            kind=kind,
            span=span,
            insert=insert or label,
            detail=detail,
            documentation=documentation,
            rank=rank,
        )


def allowed_values(parameter: Parameter | None) -> list[str]:
    """The values that a schema names."""
    if parameter is None:
        return []
    listed = parameter.schema.get("enum")
    if isinstance(listed, list):
        return [str(each) for each in listed]
    return ["true", "false"] if parameter.schema.get("type") == "boolean" else []


def split_path(typed: str) -> tuple[str, str]:
    """The part of a path that is complete, and the name that is being typed.

    >>> split_path("steps.find.output[0].pa")
    ('steps.find.output[0]', 'pa')
    """
    head, dot, word = typed.rpartition(".")
    return (head, word) if dot else ("", typed)


def read_path(path: str) -> list[str | int]:
    """The segments of a path."""
    found = ((name, number, double, single) for name, number, double, single in _PATH.findall(path))
    return [int(number) if number else name or double or single for name, number, double, single in found]
