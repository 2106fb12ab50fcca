"""What stands where in a definition: parameters, steps, pieces of JavaScript, texts with references."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from paperagents.definitions.source import Excerpt
from paperagents.language.document import Document, Position, covers
from paperagents.reading.references import Reference, read_condition, read_template
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from paperagents.values import dataclass


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Step:
    """A step of a chain, or the tool block of a single tool."""

    node: YamlMapping
    tool: str
    tool_at: YamlScalar | None
    """Where the tool is named: ``tool``, or ``name`` where that is all there is."""
    label: str
    label_at: YamlScalar | None
    """Where the label is written; None where it is the tool's name."""
    earlier: tuple[Step, ...]
    """The steps whose output it can refer to."""
    previous: Step | None
    inside: Step | None
    """The one that has it in its ``parallel``."""
    in_loop: bool

    @property
    def parameters(self) -> YamlMapping | None:
        """What it gives to the tool."""
        return mapping_in(self.node, "parameters")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Script:
    """A piece of JavaScript in a note, and the step it belongs to, if any."""

    code: Excerpt
    block: str
    """``preprocess``, ``custom_function``, ``post_processing``, ``postprocess``, or ``if``."""
    step: Step | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Text:
    """A text that may hold references; ``step`` is where it stands, None in the prompt of an agent."""

    source: Excerpt
    step: Step | None
    is_condition: bool = False

    def references(self) -> Iterator[Reference]:
        """The references in it."""
        template = (read_condition if self.is_condition else read_template)(self.source.text)
        return (piece for piece in template.pieces if isinstance(piece, Reference))


class Outline:
    """The parts of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.front = document.front

    @cached_property
    def parameters(self) -> list[tuple[YamlScalar, YamlMapping]]:
        """The declared parameters: where each is named, and all that is said of it."""
        listed = sequence_in(self.front, "parameters")
        found = ((scalar_in(each, "name"), each) for each in listed if isinstance(each, YamlMapping))
        return [(name, each) for name, each in found if name is not None]

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """Their names."""
        return frozenset(name.raw for name, _ in self.parameters)

    @cached_property
    def steps(self) -> list[Step]:
        """Every step, those inside ``parallel`` after the one they stand in."""
        if self.document.kind != "tool" or self.front is None:
            return []
        blocks = self.document.blocks
        in_front = sequence_in(self.front, "steps")
        nodes = in_front or sequence_in(blocks.steps, "steps")
        if not nodes and blocks.tool is not None:
            nodes = [blocks.tool]
        return read_steps(nodes)

    @cached_property
    def scripts(self) -> list[Script]:
        """The JavaScript of a note, in the order in which it runs."""
        if self.document.kind != "tool" or self.front is None:
            return []
        blocks = self.document.blocks
        written: list[tuple[Excerpt | None, str, Step | None]] = [
            (blocks.preprocess, "preprocess", None),
            (excerpt_in(self.front, "custom_function"), "custom_function", None),
        ]
        for step in self.steps:
            condition = excerpt_in(step.node, "if")
            if condition is not None and read_condition(condition.text).whole is None:
                written.append((condition, "if", step))
            written.append((excerpt_in(step.node, "post_processing"), "post_processing", step))
        written.append((blocks.postprocess, "postprocess", None))
        return [Script(code=code, block=block, step=step) for code, block, step in written if code is not None]

    @cached_property
    def texts(self) -> list[Text]:
        """Every text that may hold references."""
        found = []
        for step in self.steps:
            values = (step.parameters, step.node.get("for_each"))
            scalars = (scalar for value in values for scalar in scalars_in(value))
            found += [Text(source=each.excerpt(), step=step) for each in scalars]
            condition = step.node.get("if")
            if isinstance(condition, YamlScalar) and isinstance(condition.value, str):
                found.append(Text(source=condition.excerpt(), step=step, is_condition=True))
        if self.document.kind == "agent":
            found.append(Text(source=self.document.note.body, step=None))
        return found

    @property
    def last_step(self) -> Step | None:
        """The step whose output is the result."""
        return next((each for each in reversed(self.steps) if each.inside is None), None)

    def step_at(self, at: Position) -> Step | None:
        """The innermost step around a place."""
        around = [each for each in self.steps if covers(each.node.span, at)]
        return around[-1] if around else None

    def script_at(self, at: Position) -> Script | None:
        """The piece of JavaScript around a place."""
        for script in self.scripts:
            first, last = script.code.line, script.code.line + script.code.text.rstrip("\n").count("\n")
            is_behind = script.block != "if" or script.code.indents[:1] <= (at.column - 1,)
            if first <= at.line <= last and is_behind:
                return script
        return None


def read_steps(nodes: list[YamlNode], earlier: tuple[Step, ...] = (), inside: Step | None = None) -> list[Step]:
    """The steps of a list after those that came earlier; what runs side by side does not see each other."""
    found: list[Step] = []
    previous = inside.previous if inside is not None else None
    for node in nodes:
        if not isinstance(node, YamlMapping):
            continue
        step = _read_step(node, earlier, previous, inside)
        inner = read_steps(sequence_in(node, "parallel"), earlier, step)
        found += [step, *inner]
        if inside is None:
            earlier, previous = (*earlier, *inner, step), step
    return found


def _read_step(node: YamlMapping, earlier: tuple[Step, ...], previous: Step | None, inside: Step | None) -> Step:
    named, called = scalar_in(node, "name"), scalar_in(node, "tool")
    has_parallel = node.get("parallel") is not None
    tool_at = None if has_parallel else called or named
    tool = tool_at.raw if tool_at is not None else ""
    label_at = named if called is not None or has_parallel else None
    return Step(
        node=node,
        tool=tool,
        tool_at=tool_at,
        label=label_at.raw if label_at is not None else tool,
        label_at=label_at,
        earlier=earlier,
        previous=previous,
        inside=inside,
        in_loop=node.get("for_each") is not None or (inside is not None and inside.in_loop),
    )


# --- nodes of a YAML text


def scalar_in(mapping: YamlNode | None, key: str) -> YamlScalar | None:
    """The text, number or word of a key; None where there is none."""
    node = mapping.get(key) if isinstance(mapping, YamlMapping) else None
    return node if isinstance(node, YamlScalar) and node.value not in (None, "") else None


def mapping_in(mapping: YamlNode | None, key: str) -> YamlMapping | None:
    """The mapping of a key."""
    node = mapping.get(key) if isinstance(mapping, YamlMapping) else None
    return node if isinstance(node, YamlMapping) else None


def sequence_in(mapping: YamlNode | None, key: str) -> list[YamlNode]:
    """The items of a key's list; empty where there is none."""
    node = mapping.get(key) if isinstance(mapping, YamlMapping) else None
    return node.items if isinstance(node, YamlSequence) else []


def excerpt_in(mapping: YamlNode | None, key: str) -> Excerpt | None:
    """The text of a key with the place of its lines."""
    node = scalar_in(mapping, key)
    return node.excerpt() if node is not None and isinstance(node.value, str) else None


def scalars_in(node: YamlNode | None) -> Iterator[YamlScalar]:
    """Every text inside a value, at any depth."""
    waiting = [node] if node is not None else []
    while waiting:
        each = waiting.pop()
        if isinstance(each, YamlScalar) and isinstance(each.value, str):
            yield each
        elif isinstance(each, YamlSequence):
            waiting += reversed(each.items)
        elif isinstance(each, YamlMapping):
            waiting += reversed([value for _, value in each.entries.values()])
