"""The steps of a chain, and the tool block of a single tool, which is a chain of one step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.shapes import ANSWER_OF, ANY_SHAPE, Shape, shape_of_items
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tool import AnswerReference, Retry, Step
from paperagents.reading.fields import Fields
from paperagents.reading.javascript_checks import check_block, check_expression
from paperagents.reading.javascript_names import Surroundings, find_step_paths
from paperagents.reading.problems import ProblemList
from paperagents.reading.reference_checks import (
    Scope,
    check_reference,
    check_text,
    check_values,
    find_answer_references,
)
from paperagents.reading.references import BUILT_IN_NAMES, read_condition, read_template
from paperagents.reading.written_values import find_near_references, read_written
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar, YamlSequence

STEP_FIELDS = (
    "tool", "name", "parameters", "post_processing", "if", "for_each", "max_parallel", "retry", "continue_on_error",
    "timeout", "parallel",
)  # fmt: skip
RETRY_FIELDS = ("attempts", "delay", "backoff")
_OTHER_WORDS = dict.fromkeys(("args", "arguments", "inputs", "params", "with"), "parameters")
"""What other programs call the arguments of a step."""


def read_steps(nodes: YamlSequence, scope: Scope, problems: ProblemList) -> tuple[Step, ...]:
    """Every step that can be understood, each checked against what the steps before it give."""
    steps = []
    for node in nodes.items:
        if not isinstance(node, YamlMapping):
            problems.error("wrong-type", node.span, field="steps", case="mappings")
            continue
        step = read_step(node, scope, problems)
        if step is None:
            scope = scope.after("", ANY_SHAPE)
            continue
        steps.append(step)
        scope = _after(step, scope)
    return tuple(steps)


def _after(step: Step, scope: Scope) -> Scope:
    """What can be referred to after a step, those inside it included."""
    for inner in step.parallel:
        scope = _after(inner, scope)
    return scope.after(step.name, _output_shape(step, scope))


def read_step(node: YamlMapping, scope: Scope, problems: ProblemList) -> Step | None:
    """One step; None where it names no tool."""
    return _StepReader(node, scope, problems).read()


class _StepReader:
    """The fields of one step, checked against what it can refer to."""

    def __init__(self, node: YamlMapping, scope: Scope, problems: ProblemList) -> None:
        self.node = node
        self.problems = problems
        self.fields = Fields(node, problems)
        self.scope = scope

    def read(self) -> Step | None:
        fields = self.fields
        fields.warn_of_slips(STEP_FIELDS, synonyms=_OTHER_WORDS if "parameters" not in self.node.entries else None)
        for_each = self.for_each()
        if for_each is not None:
            whole = read_template(for_each).whole if isinstance(for_each, str) else None
            item = shape_of_items(self.scope.find_shape(whole)) if whole is not None else ANY_SHAPE
            self.scope = replace(self.scope, in_loop=True, item=item)
        parallel = self.parallel()
        named = self.tool_name(has_parallel=bool(parallel))
        if named is None:
            return None
        tool, span = named
        parameters = fields.mapping_of("parameters")
        if parameters is not None:
            check_values(parameters, self.scope, self.problems)
        post_processing = fields.script("post_processing")
        if post_processing is not None:
            check_block(
                post_processing, self.surroundings("input", "output", "context", *self.loop_names()), self.problems
            )
        condition, condition_at = self.condition()
        return Step(
            tool=tool,
            name=fields.word("name") or tool,
            parameters=parameters.plain() if parameters is not None else {},
            post_processing=post_processing,
            condition=condition,
            condition_at=condition_at,
            for_each=for_each,
            max_parallel=fields.whole_number("max_parallel", least=1),
            retry=self.retry(),
            continue_on_error=fields.boolean("continue_on_error", default=False),
            timeout=fields.number("timeout", above=0),
            parallel=parallel,
            span=span,
            parameter_spans={key: parameters.key(key).span for key in parameters.entries} if parameters else {},
            written=tuple(read_written(parameters, self.node.get("for_each"))),
            near_references=tuple(find_near_references(parameters, self.scope)),
            answer_references=tuple(self.answer_references()),
        )

    def answer_references(self) -> Iterator[AnswerReference]:
        """References into answers of tools that only the whole vault knows."""
        for name in ("parameters", "for_each", "if"):
            if (node := self.node.get(name)) is not None:
                yield from find_answer_references(node, self.scope)

    def tool_name(self, *, has_parallel: bool) -> tuple[str, Span] | None:
        """The tool to call: ``tool``, or where that is missing ``name``."""
        node = self.node
        if "parallel" in node.entries:
            if "tool" in node.entries:
                self.problems.error("step-with-both", node.key("tool").span)
            return ("", node.key("parallel").span) if has_parallel else None
        given = {key: value.plain() for key, (_, value) in node.entries.items() if key in ("tool", "name")}
        field = next((key for key in ("tool", "name") if given.get(key) not in (None, "")), None)
        if field is None:
            self.problems.error("missing-field", node.span, field="tool", case="step")
            return None
        tool = self.fields.word(field)
        return None if tool is None else (tool, node.entries[field][1].span)

    def parallel(self) -> tuple[Step, ...]:
        steps = self.fields.sequence("parallel")
        if steps is None:
            return ()
        if not steps.items:
            self.problems.error("empty-steps", steps.span, field="parallel")
        inner = []
        for item in steps.items:
            if not isinstance(item, YamlMapping):
                self.problems.error("wrong-type", item.span, field="parallel", case="mappings")
            elif (step := read_step(item, self.scope, self.problems)) is not None:
                inner.append(step)
        return tuple(inner)

    def for_each(self) -> JsonValue:
        value = self.fields.given("for_each")
        if value is None:
            return None
        check_values(value, self.scope, self.problems)
        whole = isinstance(value, YamlScalar) and isinstance(value.value, str) and read_template(value.value).whole
        if not whole and not isinstance(value, YamlSequence):
            self.problems.error("wrong-type", value.span, field="for_each", case="list-or-reference")
        return value.plain()

    def condition(self) -> tuple[JsonValue, Excerpt | None]:
        """``if``, and where the file has it."""
        value = self.fields.given("if")
        if value is None:
            return None, None
        if not isinstance(value, YamlScalar) or not isinstance(value.value, str | bool):
            self.problems.error("wrong-type", value.span, field="if", case="condition")
            return None, None
        if not isinstance(value.value, str):
            return value.value, None
        text = value.excerpt()
        condition = read_condition(text.text)
        references = [piece for piece in condition.pieces if not isinstance(piece, str)]
        if references:
            check_text(text, self.scope, self.problems)
        if condition.whole is None:
            places = [(each.start, each.end) for each in references]
            code = check_expression(text, places, self.names(), self.problems)
            labels = self.scope.labels.keys() - self.scope.arguments
            for path in find_step_paths(code, labels, offset=1) if code is not None else ():
                check_reference(path, text, self.scope, self.problems)
        return value.value, text

    def names(self) -> Surroundings:
        """What a condition finds."""
        always = ("input", "preprocess", "prev_step", "output", "steps", "context", *BUILT_IN_NAMES)
        found = self.surroundings(*always, *self.loop_names(), *self.scope.arguments, *self.scope.labels)
        return replace(found, is_condition=True)

    def loop_names(self) -> tuple[str, ...]:
        """What a step of a loop finds besides."""
        return ("item", "index") if self.scope.in_loop else ()

    def surroundings(self, *names: str) -> Surroundings:
        return Surroundings(names=names, arguments=self.scope.arguments, input_fields=self.scope.input_fields)

    def retry(self) -> Retry:
        written = self.fields.given("retry")
        if written is None:
            return Retry()
        if isinstance(written, YamlScalar) and type(written.value) is int and written.value >= 1:
            return Retry(attempts=written.value)
        if not isinstance(written, YamlMapping):
            self.problems.error("wrong-type", written.span, field="retry", case="retry")
            return Retry()
        fields = Fields(written, self.problems)
        fields.warn_of_slips(RETRY_FIELDS)
        return Retry(
            attempts=fields.whole_number("attempts", least=1) or 1,
            delay=fields.number("delay", least=0) or 0.0,
            backoff=fields.number("backoff", least=1) or 1.0,
        )


def _output_shape(step: Step, scope: Scope) -> Shape:
    """What is known about the output of a step: the answer of its tool, unless something changes it."""
    shape: Shape = ANY_SHAPE
    if step.post_processing is None and step.parallel:
        shape = {"type": "array"}
    elif step.post_processing is None:
        shape = scope.answers.get(step.tool, {ANSWER_OF: step.tool})
    return {"type": "array", "items": dict(shape)} if step.for_each is not None else shape
