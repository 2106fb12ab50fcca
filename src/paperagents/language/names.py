"""Where a file names a tool, a parameter or the label of a step: what definition, references and rename stand on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from paperagents.definitions.source import Span
from paperagents.definitions.tool import AGENT_PREFIX
from paperagents.language.catalog import Catalog
from paperagents.language.outline import Outline, Step, Text, mapping_in, scalar_in, sequence_in
from paperagents.reading.references import place_segments
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar
from paperagents.registry.entry import Entry
from paperagents.values import dataclass

NameKind = Literal["tool", "agent", "parameter", "label"]
Form = Literal["plain", "script", "shorthand", "implied"]
_TAG = re.compile(r"""\{\{<\s*/?\s*([A-Za-z][\w:-]*)((?:[^"'{}>]|"[^"]*"|'[^']*')*)""")
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w-]*)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)""")


@dataclass(frozen=True, kw_only=True, slots=True)
class Name:
    """Who is meant: a tool or agent by its id, a parameter of one, a label in a file."""

    kind: NameKind
    text: str
    owner: str = ""
    """Of a parameter the id of its tool, with ``agent:`` for an agent's; of a label the file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Occurrence:
    """One place where a file names it."""

    name: Name
    file: str
    span: Span
    is_definition: bool = False
    form: Form = "plain"
    """``script`` is a name in JavaScript, ``shorthand`` one that is a variable, too; what is ``implied`` stands there
    under another role."""


class FileNames:
    """The names in one note."""

    def __init__(self, outline: Outline, catalog: Catalog) -> None:
        self.outline = outline
        self.catalog = catalog
        self.file = outline.document.file

    @cached_property
    def own(self) -> Entry | None:
        """What the file itself defines."""
        return self.catalog.of_file(self.file)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of all steps."""
        return frozenset(each.label for each in self.outline.steps if each.label)

    def occurrences(self) -> Iterator[Occurrence]:
        """Every name, in no particular order; the same place can have two roles."""
        if self.own is None or self.outline.front is None:
            return
        yield from self._identity(self.own)
        for name, _ in self.outline.parameters:
            yield self.at_scalar(self.parameter(name.raw), name, is_definition=True)
        for step in self.outline.steps:
            yield from self._step(step)
        for text in self.outline.texts:
            yield from self._references(text)
        yield from self._examples()
        if self.outline.document.kind == "agent":
            yield from self._agent()

    # --- names

    def parameter(self, name: str) -> Name:
        """A parameter of the file's own tool."""
        assert self.own is not None
        return Name(kind="parameter", text=name, owner=key_of(self.own))

    def label(self, label: str) -> Name:
        """A label of this file."""
        return Name(kind="label", text=label, owner=self.file)

    def at_scalar(
        self, name: Name, node: YamlScalar, *, skip: int = 0, is_definition: bool = False, form: Form = "plain"
    ) -> Occurrence:
        """The occurrence that is a whole YAML text, apart from its quotes and a prefix."""
        span = node.excerpt().span(skip, len(node.raw))
        return Occurrence(name=name, file=self.file, span=span, is_definition=is_definition, form=form)

    # --- the parts of a file

    def _identity(self, own: Entry) -> Iterator[Occurrence]:
        front = self.outline.front
        written = scalar_in(front, "id")
        named = written or scalar_in(front, "name")
        if named is not None:
            form: Form = "plain" if written is not None else "implied"
            yield self.at_scalar(name_of(own), named, is_definition=True, form=form)

    def _step(self, step: Step) -> Iterator[Occurrence]:
        if step.tool_at is not None:
            yield from self._called(step.tool_at)
        if step.label_at is not None:
            yield self.at_scalar(self.label(step.label), step.label_at, is_definition=True)
        elif step.tool_at is not None:
            yield self.at_scalar(self.label(step.label), step.tool_at, is_definition=True, form="implied")
        yield from self._arguments(self.catalog.find(step.tool), step.parameters)

    def _called(self, node: YamlScalar, *, agents: bool = False) -> Iterator[Occurrence]:
        """A tool or agent that a text names; a pattern names nobody in particular."""
        entry = self.catalog.find_agent(node.raw) if agents else self.catalog.find(node.raw)
        if entry is not None:
            skip = len(AGENT_PREFIX) if node.raw.startswith(AGENT_PREFIX) else 0
            yield self.at_scalar(name_of(entry), node, skip=skip)

    def _arguments(self, called: Entry | None, given: YamlMapping | None) -> Iterator[Occurrence]:
        for key, (node, _) in given.entries.items() if called is not None and given is not None else ():
            if called is not None and key in called.parameters:
                name = Name(kind="parameter", text=key, owner=key_of(called))
                yield self.at_scalar(name, node)

    def _references(self, text: Text) -> Iterator[Occurrence]:
        for reference in text.references():
            named = self.name_in_path(reference.path, text.step)
            if named is None:
                continue
            name, segment = named
            start, end = place_segments(reference, text.source.text)[segment]
            yield Occurrence(name=name, file=self.file, span=text.source.span(start, end))

    def name_in_path(self, path: tuple[str | int, ...], step: Step | None) -> tuple[Name, int] | None:
        """The parameter or label that a reference goes through, and in which of its segments."""
        root, second = str(path[0]), str(path[1]) if len(path) > 1 else None
        known = self.outline.parameter_names
        if root in ("input", "preprocess") and second is not None and root not in known:
            return (self.parameter(second), 1) if self.is_own_field(second) else None
        if root == "steps" and second is not None and root not in known:
            return (self.label(second), 1) if second in self.labels else None
        earlier = {each.label for each in step.earlier} if step is not None else set()
        if second == "output" and root in earlier:
            return self.label(root), 0
        in_loop = step is not None and step.in_loop and root in ("item", "index")
        return (self.parameter(root), 0) if root in known and not in_loop else None

    @cached_property
    def _made_fields(self) -> frozenset[str]:
        """Fields that preprocessing makes anew: behind it, they are no arguments any more."""
        from paperagents.language.script_names import script_uses  # noqa: PLC0415  most files have no such block

        blocks = (each for each in self.outline.scripts if each.block == "preprocess")
        return frozenset(key for block in blocks for key in script_uses(block.code.text).object_keys())

    def is_own_field(self, name: str) -> bool:
        """Whether ``input`` has the argument of this name after preprocessing."""
        return name in self.outline.parameter_names and name not in self._made_fields

    def _examples(self) -> Iterator[Occurrence]:
        for example in sequence_in(self.outline.front, "examples"):
            yield from self._arguments(self.own, mapping_in(example, "input"))
            yield from self._responses(mapping_in(example, "responses"))

    def _responses(self, responses: YamlMapping | None) -> Iterator[Occurrence]:
        """Answers by the label of a step, else by the tool."""
        for key, (node, _) in responses.entries.items() if responses is not None else ():
            if key in self.labels:
                yield self.at_scalar(self.label(key), node)
            else:
                yield from self._called(node)

    # --- agents

    def _agent(self) -> Iterator[Occurrence]:
        front = self.outline.front
        for field in ("tools", "agents"):
            for node in texts_in(front, field):
                yield from self._called(node, agents=field == "agents")
        for each in sequence_in(front, "evals"):
            for call in sequence_in(each, "calls"):
                if (tool := scalar_in(call, "tool")) is not None:
                    yield from self._called(tool)
                    yield from self._arguments(self.catalog.find(tool.raw), mapping_in(call, "arguments"))
            for node in texts_in(each, "not_calls"):
                yield from self._called(node)
            yield from self._responses(mapping_in(each, "responses"))
        yield from self._tags()

    def _tags(self) -> Iterator[Occurrence]:
        """Calls that the prompt shows to the model."""
        body = self.outline.document.note.body
        for tag in _TAG.finditer(body.text):
            if (entry := self.catalog.find_tag(tag[1])) is None:
                continue
            yield Occurrence(name=name_of(entry), file=self.file, span=body.span(*tag.span(1)))
            for attribute in _ATTRIBUTE.finditer(body.text, *tag.span(2)):
                if attribute[1] in entry.parameters:
                    name = Name(kind="parameter", text=attribute[1], owner=key_of(entry))
                    yield Occurrence(name=name, file=self.file, span=body.span(*attribute.span(1)))


def name_of(entry: Entry) -> Name:
    """The name of a tool or agent."""
    return Name(kind="agent" if entry.kind == "agent" else "tool", text=entry.id)


def key_of(entry: Entry) -> str:
    """Its id, so that an agent and a tool of the same id are two."""
    return f"{AGENT_PREFIX}{entry.id}" if entry.kind == "agent" else entry.id


def texts_in(mapping: YamlNode | None, field: str) -> list[YamlScalar]:
    """The texts of a list; a single text is a list of one."""
    single = scalar_in(mapping, field)
    return (
        [single]
        if single is not None
        else [each for each in sequence_in(mapping, field) if isinstance(each, YamlScalar)]
    )
