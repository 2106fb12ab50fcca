"""What a file writes for the arguments of a call: values to judge before a run, and near references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Span
from paperagents.definitions.text import closest
from paperagents.definitions.tool import NearReference, Pieces, WrittenValue, value_path
from paperagents.patterns import late_pattern
from paperagents.reading.reference_checks import Scope
from paperagents.reading.references import FILE_NAME, Reference, find_references, read_template
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

MOST_VALUES = 500
"""In one argument. What has more is data, and is judged when it runs."""
LONGEST = 1000
"""Characters of a text; a longer one is content."""
_WHOLE = late_pattern(r"\{\{[^{}<]+\}\}")
MOST_ITEMS = 100
"""Of a list to go through."""


def read_written(parameters: YamlMapping | None, for_each: YamlNode | None = None) -> Iterator[WrittenValue]:
    """The values of a call; where one is the item of a written list, each item of that list."""
    for name, (_, node) in parameters.entries.items() if parameters is not None else ():
        items = for_each.items if isinstance(for_each, YamlSequence) else []
        path = find_item_path(node)
        nodes = [node] if path is None else islice((find_inner(each, path) for each in items), MOST_ITEMS)
        yield from (found for each in nodes if (found := written_value(name, each)) is not None)


def written_value(name: str, node: YamlNode | None) -> WrittenValue | None:
    """One value; None where it is too large to be a slip, or a reference as a whole."""
    if node is None or node.weight > MOST_VALUES or _WHOLE.fullmatch(node.raw if isinstance(node, YamlScalar) else ""):
        return None
    inner: dict[str, Span] = {}
    templates: dict[str, Pieces] = {}
    try:
        value = _plain(node, "", inner, templates)
    except _TooLongError:
        return None
    inner.pop("", None)
    return WrittenValue(name=name, value=value, span=node.span, inner=inner, templates=templates)


class _TooLongError(Exception):
    """A text is content."""


def _plain(node: YamlNode, path: str, inner: dict[str, Span], templates: dict[str, Pieces]) -> JsonValue:
    inner[path] = node.span if path else Span(line=1, column=1, end_line=1, end_column=1)
    if isinstance(node, YamlSequence):
        return [_plain(each, path + value_path([place]), inner, templates) for place, each in enumerate(node.items)]
    if isinstance(node, YamlMapping):
        return {
            key: _plain(each, path + value_path([key]), inner, templates) for key, (_, each) in node.entries.items()
        }
    value = node.plain()
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST:
        raise _TooLongError
    if "{{" not in value and "." not in value and "[" not in value:
        return value
    pieces = tuple(each if isinstance(each, str) else None for each in read_template(value).pieces)
    if None not in pieces:
        return "".join(each for each in pieces if each is not None)
    templates[path] = pieces
    return None


def find_item_path(node: YamlNode) -> tuple[str | int, ...] | None:
    """The way into an item of the loop that a value as a whole stands for; None where it is something else."""
    text = node.raw if isinstance(node, YamlScalar) and "item" in node.raw and "{{" in node.raw else None
    whole = read_template(text).whole if text is not None else None
    return whole.path[1:] if whole is not None and whole.root == "item" else None


def find_inner(node: YamlNode, path: tuple[str | int, ...]) -> YamlNode | None:
    """The node at a path; None where there is none."""
    found: YamlNode | None = node
    for segment in path:
        if isinstance(found, YamlMapping):
            found = found.get(str(segment))
        elif isinstance(found, YamlSequence) and isinstance(segment, int) and segment < len(found.items):
            found = found.items[segment]
        else:
            return None
    return found


# --- texts that are nearly references


_MAYBE = late_pattern(r"\s*(?:[\w$]\S{3,199}|\$?\{[^\n]{1,200})\s*\Z")
"""A look that rules out most texts."""
_PATH = late_pattern(r"[^\W\d][\w-]*(?:\.\w[\w-]*|\[\s*(?:\d{1,9}|\"[^\"]*\"|'[^']*')\s*\])*")
_WRAPPED = late_pattern(r"(?:\$\{\{|\$\{|\{\{\{|\{\{|\{|\$)\s*([^\s{}$]+)\s*(\}{0,3})")
_PREVIOUS = frozenset(
    {"prev", "previous", "prevStep", "previousStep", "previous_step", "last", "last_step", "lastStep"}
)
_ARGUMENTS = frozenset({"parameters", "params", "args", "arguments", "inputs", "Input", "$input"})


def find_near_references(parameters: YamlMapping | None, scope: Scope) -> Iterator[NearReference]:
    """The texts of a call, at any depth, that are meant as references and are none."""
    if parameters is None:
        return
    judge = _Judge(scope, parameters)
    waiting: list[YamlNode] = [parameters]
    while waiting:
        node = waiting.pop()
        if isinstance(node, YamlMapping):
            waiting += [value for _, value in node.entries.values()]
        elif isinstance(node, YamlSequence):
            waiting += node.items
        elif isinstance(node, YamlScalar) and isinstance(node.value, str) and _MAYBE.match(node.value):
            meant = judge.find_meant(node.value.strip())
            if meant is not None:
                yield NearReference(text=node.value.strip(), suggestion=f"{{{{{meant}}}}}", span=node.span)


class _Judge:
    """What a text at one place of a file was probably meant to refer to."""

    def __init__(self, scope: Scope, parameters: YamlMapping) -> None:
        self.scope = scope
        self._parameters = parameters

    def find_meant(self, text: str) -> str | None:
        """The path that should stand between braces; None where the text is fine as it is."""
        if _PATH.fullmatch(text):
            # What the program itself reads as a reference is judged as one.
            return None if read_template(text).whole is not None else self.find_bare(text)
        wrapped = _WRAPPED.fullmatch(text) if text[:1] in ("{", "$") else None
        if wrapped is None or not _PATH.fullmatch(wrapped[1]):
            return None
        if text.startswith("{{") and wrapped[2] == "}}" and not text.startswith("{{{"):
            return None
        is_known = self.exists(wrapped[1]) and ("." in wrapped[1] or not text.startswith("${{"))
        if text.startswith("$") and not wrapped[2]:
            is_known = is_known and "." in wrapped[1]
        return wrapped[1] if is_known else self.find_bare(wrapped[1])

    def find_bare(self, text: str) -> str | None:
        root, *rest = re.split(r"[.\[]", text, maxsplit=2)
        if not rest:
            return self.find_word(text)
        if FILE_NAME.fullmatch(text):
            return None
        after = text[len(root) :].removeprefix(".")
        is_previous = root in _PREVIOUS and root not in self.scope.labels and self.scope.previous is not None
        meant: str | None
        match root:
            case "item" | "index":
                meant = text
            case "steps":
                meant = self.find_step(after)
            case "env":
                meant = text if rest[0] in self.scope.environment else None
            case "context":
                meant = self.find_in_context(rest)
            case _ if root in _ARGUMENTS and rest[0] in self.scope.arguments:
                meant = after
            case _ if is_previous and rest[0] == "output":
                meant = f"prev_step.{after}"
            case _:
                meant = self.find_label(root, rest[0], after)
        return meant

    def find_word(self, word: str) -> str | None:
        """A single word is nearly always just that word."""
        if word == "prev_step" and self.scope.previous is not None:
            return "prev_step.output"
        if word not in ("item", "index") or not self.scope.in_loop:
            return None
        used = {each.root for each in find_references(self._parameters.plain())}
        return word if not used & {"item", "index"} else None

    def find_step(self, path: str) -> str:
        """The output is what a step has; nobody means anything else by ``steps.``."""
        label, _, after = path.partition(".")
        near = closest(label, self.scope.labels, count=1) if label not in self.scope.labels else [label]
        inside = after if after.startswith("output") else f"output.{after}".removesuffix(".")
        return f"steps.{near[0] if near else label}.{inside}"

    def find_in_context(self, rest: list[str]) -> str | None:
        if rest[0] == "parameters" and len(rest) > 1:
            return rest[1]
        if rest[0] == "steps" and len(rest) > 1:
            return f"steps.{rest[1]}"
        return rest[0] if rest[0] in ("date", "time", "random_id") else None

    def find_label(self, root: str, member: str, after: str) -> str | None:
        """``find.output`` is its output; ``find.results`` is in its output, where that is known to have it."""
        labels = self.scope.labels
        if member == "output":
            near = [root] if root in labels else closest(root, labels, count=1)
            return f"{near[0]}.{after}" if near else None
        properties = labels[root].get("properties") if root in labels else None
        if not isinstance(properties, dict) or member not in properties:
            return None
        return f"{root}.output.{after}"

    def exists(self, path: str) -> bool:
        reference = next(iter(read_template(f"{{{{{path}}}}}").pieces), None)
        return isinstance(reference, Reference) and self.scope.find_missing(reference) is None
