"""The ``evals`` of an agent's note: questions, and what must hold of the answers."""

from __future__ import annotations

from dataclasses import replace

from paperagents.definitions.agent import Eval, ExpectedCall
from paperagents.definitions.source import Excerpt
from paperagents.reading.fields import Fields
from paperagents.reading.javascript_checks import check_block, check_expression
from paperagents.reading.javascript_names import Surroundings
from paperagents.reading.javascript_syntax import JavaScript
from paperagents.reading.yaml_nodes import YamlMapping

EVAL_FIELDS = (
    "question", "output", "output_contains", "calls", "not_calls", "changes", "check", "responses",
)  # fmt: skip
CALL_FIELDS = ("tool", "arguments")
SYNONYMS = {
    "query": "question", "input": "question", "prompt": "question", "expected": "output", "expect": "output",
    "contains": "output_contains", "tools": "calls", "files": "changes", "mocks": "responses",
}  # fmt: skip
"""What other programs call the fields of an eval."""


def read_evals(fields: Fields) -> tuple[Eval, ...]:
    """Every eval that has a question; the others are problems."""
    nodes = fields.sequence("evals")
    evals = []
    for node in nodes.items if nodes is not None else ():
        if not isinstance(node, YamlMapping):
            fields.problems.error("wrong-type", node.span, field="evals", case="mappings")
        elif (found := read_eval(Fields(node, fields.problems))) is not None:
            evals.append(found)
    return tuple(evals)


def read_eval(fields: Fields) -> Eval | None:
    """One eval; None where it asks nothing."""
    fields.warn_of_slips(EVAL_FIELDS, synonyms=SYNONYMS)
    question = fields.text("question")
    if fields.is_blank("question"):
        fields.problems.error("missing-field", fields.mapping.span, field="question")
    plain = fields.mapping.plain()
    changes, responses = fields.mapping_of("changes"), fields.mapping_of("responses")
    found = Eval(
        question=question or "",
        expects={key: plain[key] for key in ("output", "output_contains") if key in plain},
        calls=read_calls(fields),
        not_calls=fields.texts("not_calls"),
        changes=changes.plain() if changes is not None else None,
        check=read_check(fields),
        responses=responses.plain() if responses is not None else {},
    )
    return found if question and question.strip() else None


def read_calls(fields: Fields) -> tuple[ExpectedCall, ...]:
    """Calls that must be made: a tool, and perhaps some of its arguments."""
    nodes = fields.sequence("calls")
    calls = []
    for node in nodes.items if nodes is not None else ():
        if not isinstance(node, YamlMapping):
            fields.problems.error("wrong-type", node.span, field="calls", case="mappings")
            continue
        inner = Fields(node, fields.problems)
        inner.warn_of_slips(CALL_FIELDS, synonyms={"name": "tool", "parameters": "arguments"})
        tool, arguments = inner.text("tool"), inner.mapping_of("arguments")
        if inner.is_blank("tool"):
            fields.problems.error("missing-field", node.span, field="tool")
        elif tool is not None:
            calls.append(ExpectedCall(tool=tool, arguments=arguments.plain() if arguments is not None else {}))
    return tuple(calls)


def read_check(fields: Fields) -> Excerpt | None:
    """JavaScript over ``output``: a block that returns something, or one expression."""
    script = fields.script("check")
    if script is None:
        return None
    around = Surroundings(names=("output",))
    if next(JavaScript(script.text).returns(), None) is not None:
        check_block(script, around, fields.problems)
        return script
    check_expression(script, (), around, fields.problems)
    # The line break ends a comment at its end.
    return replace(script, text=f"return ({script.text}\n)")
