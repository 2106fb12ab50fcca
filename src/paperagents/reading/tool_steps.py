"""The steps of a chain, and the tool block of a single tool, which is a chain of one step."""

from __future__ import annotations

from dataclasses import replace

from paperagents.definitions.json_value import JsonValue
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.tool import Retry, Step
from paperagents.reading.fields import Fields
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import (
    ANY_SHAPE,
    Scope,
    Shape,
    check_text,
    check_values,
    read_condition,
    read_template,
)
from paperagents.reading.script_checks import check_block, check_expression
from paperagents.reading.yaml_nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence

STEP_FIELDS = (
    "tool", "name", "parameters", "post_processing", "if", "for_each", "max_parallel", "retry", "continue_on_error",
    "timeout", "parallel",
)  # fmt: skip
RETRY_FIELDS = ("attempts", "delay", "backoff")


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
    """One step."""
    fields = Fields(node, problems)
    fields.warn_of_slips(STEP_FIELDS)
    for_each = _for_each(node, scope, problems)
    if for_each is not None:
        scope = replace(scope, in_loop=True)
    parallel = _parallel(node, scope, problems)
    named = _tool_name(node, fields, problems, has_parallel=bool(parallel))
    if named is None:
        return None
    tool, span = named
    parameters = fields.mapping_of("parameters")
    if parameters is not None:
        check_values(parameters, scope, problems)
    post_processing = fields.script("post_processing")
    if post_processing is not None:
        check_block(post_processing, scope.arguments, problems)
    return Step(
        tool=tool,
        name=fields.word("name") or tool,
        parameters=parameters.plain() if parameters is not None else {},
        post_processing=post_processing,
        condition=_condition(node, scope, problems),
        condition_at=_condition_at(node),
        for_each=for_each,
        max_parallel=fields.whole_number("max_parallel", least=1),
        retry=_retry(node, problems),
        continue_on_error=fields.boolean("continue_on_error", default=False),
        timeout=fields.number("timeout", above=0),
        parallel=parallel,
        span=span,
        parameter_spans={key: parameters.key(key).span for key in parameters.entries} if parameters else {},
    )


def _tool_name(
    node: YamlMapping, fields: Fields, problems: ProblemList, *, has_parallel: bool
) -> tuple[str, Span] | None:
    """The tool to call: ``tool``, or where that is missing ``name``."""
    if "parallel" in node.entries:
        if "tool" in node.entries:
            problems.error("step-with-both", node.key("tool").span)
        return ("", node.key("parallel").span) if has_parallel else None
    field = "tool" if _says(node, "tool") else "name"
    if not _says(node, field):
        problems.error("missing-field", node.span, field="tool", case="step")
        return None
    tool = fields.word(field)
    return None if tool is None else (tool, node.entries[field][1].span)


def _says(node: YamlMapping, field: str) -> bool:
    value = node.get(field)
    return value is not None and value.plain() not in (None, "")


def _parallel(node: YamlMapping, scope: Scope, problems: ProblemList) -> tuple[Step, ...]:
    steps = Fields(node, problems).sequence("parallel")
    if steps is None:
        return ()
    if not steps.items:
        problems.error("empty-steps", steps.span, field="parallel")
    inner = []
    for item in steps.items:
        if not isinstance(item, YamlMapping):
            problems.error("wrong-type", item.span, field="parallel", case="mappings")
        elif (step := read_step(item, scope, problems)) is not None:
            inner.append(step)
    return tuple(inner)


def _for_each(node: YamlMapping, scope: Scope, problems: ProblemList) -> JsonValue:
    value = node.get("for_each")
    if value is None or value.plain() is None:
        return None
    check_values(value, scope, problems)
    whole = isinstance(value, YamlScalar) and isinstance(value.value, str) and read_template(value.value).whole
    if not whole and not isinstance(value, YamlSequence):
        problems.error("wrong-type", value.span, field="for_each", case="list-or-reference")
    return value.plain()


def _condition(node: YamlMapping, scope: Scope, problems: ProblemList) -> JsonValue:
    value = node.get("if")
    if value is None or value.plain() is None:
        return None
    if not isinstance(value, YamlScalar) or not isinstance(value.value, str | bool):
        problems.error("wrong-type", value.span, field="if", case="condition")
        return None
    if isinstance(value.value, str):
        _check_condition(value, scope, problems)
    return value.value


def _condition_at(node: YamlMapping) -> Excerpt | None:
    value = node.get("if")
    return value.excerpt() if isinstance(value, YamlScalar) and isinstance(value.value, str) else None


def _check_condition(node: YamlScalar, scope: Scope, problems: ProblemList) -> None:
    text = node.excerpt()
    condition = read_condition(text.text)
    references = [piece for piece in condition.pieces if not isinstance(piece, str)]
    if references:
        check_text(text, scope, problems)
    if condition.whole is None:
        check_expression(text, [(each.start, each.end) for each in references], problems)


def _retry(node: YamlMapping, problems: ProblemList) -> Retry:
    written: YamlNode | None = node.get("retry")
    if isinstance(written, YamlScalar) and type(written.value) is int and written.value >= 1:
        return Retry(attempts=written.value)
    mapping = Fields(node, problems).mapping_of("retry")
    if mapping is None:
        return Retry()
    fields = Fields(mapping, problems)
    fields.warn_of_slips(RETRY_FIELDS)
    return Retry(
        attempts=fields.whole_number("attempts", least=1) or 1,
        delay=fields.number("delay", least=0) or 0.0,
        backoff=fields.number("backoff", least=1) or 1.0,
    )


def _output_shape(step: Step, scope: Scope) -> Shape:
    """What is known about the output of a step: the answer of a built-in tool, unless something changes it."""
    shape: Shape = ANY_SHAPE
    if step.post_processing is None and step.parallel:
        shape = {"type": "array"}
    elif step.post_processing is None:
        shape = scope.answers.get(step.tool, ANY_SHAPE)
    return {"type": "array", "items": dict(shape)} if step.for_each is not None else shape
