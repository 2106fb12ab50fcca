"""A Markdown note with ``agent: true`` becomes an agent definition; its body is the prompt."""

from __future__ import annotations

from hashlib import sha256
from typing import cast

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.source import Excerpt, Span
from paperagents.definitions.text import closest, stem_of
from paperagents.definitions.tool import CONVERSATION, DEFAULT_TOOLS, QUERY, AgentDefinition, Parameter, Protocol
from paperagents.reading.agent_evals import read_evals
from paperagents.reading.execution_log import digest_without_log
from paperagents.reading.fields import Fields
from paperagents.reading.markdown import Note
from paperagents.reading.model_options import SYNONYMS, read_bounded, read_options
from paperagents.reading.problems import ProblemList
from paperagents.reading.references import BUILT_IN_NAMES, Malformed, Reference, read_template
from paperagents.reading.tool_markdown import identity_span, read_description, read_id, read_name
from paperagents.reading.tool_parameters import read_parameters
from paperagents.reading.written_schema import read_schema
from paperagents.reading.yaml_nodes import YamlMapping, YamlScalar, YamlSequence

AGENT_FIELDS = (
    "agent", "id", "name", "description", "model", "parameters", "tools", "protocol", "max_iterations", "temperature",
    "top_p", "max_tokens", "reasoning", "stop", "seed", "extra", "output", "context_tokens", "fallback", "images",
    "evals", "pass", "starters", "memory", "budget", "timeout", "approval", "agents", "version", "category", "tags",
    "author",
)  # fmt: skip
BUDGET_FIELDS = ("tokens", "money")
_BUDGET_SYNONYMS = {"max_tokens": "tokens", **dict.fromkeys(("cost", "usd", "eur", "dollars", "price"), "money")}
_OTHER_NOTES = ("tool", "tag", "aliases", "cssclasses")


def read_agent(note: Note, front: YamlMapping, *, data: bytes, problems: ProblemList) -> AgentDefinition:
    """The definition, as far as it can be understood; what cannot is among the problems."""
    fields = Fields(front, problems)
    fields.warn_of_slips(AGENT_FIELDS, also_fine=_OTHER_NOTES, synonyms=SYNONYMS)
    name = read_name(fields)
    parameters = read_parameters(fields.sequence("parameters"), problems)
    check_placeholders(note.body, parameters, problems)
    return AgentDefinition(
        id=read_id(fields, name, problems.file),
        name=name or stem_of(problems.file),
        prompt=note.body,
        description=read_description(fields),
        model=fields.text("model"),
        parameters=parameters,
        tools=fields.texts("tools") if front.get("tools") is not None else DEFAULT_TOOLS,
        protocol=cast("Protocol", fields.choice("protocol", ("native", "tags", "auto")) or "auto"),
        max_iterations=fields.whole_number("max_iterations", least=1) or 20,
        options=read_options(fields),
        output=read_schema(fields, "output"),
        context_tokens=fields.whole_number("context_tokens", least=1),
        fallback=fields.texts("fallback"),
        images=fields.boolean("images", default=False),
        evals=read_evals(fields),
        pass_rate=1.0 if (pass_rate := read_bounded(fields, "pass", 1)) is None else pass_rate,
        starters=fields.texts("starters"),
        memory=fields.boolean("memory", default=True),
        budget=read_budget(fields),
        timeout=fields.number("timeout", above=0),
        approval=fields.choice("approval", ("always", "together")),
        agents=fields.texts("agents"),
        wanted={**find_spans(front, "agents"), **find_spans(front, "tools")},
        version=fields.word("version"),
        category=fields.word("category"),
        tags=fields.texts("tags"),
        author=", ".join(fields.texts("author")) or None,
        file=problems.file,
        span=identity_span(front),
        digest=sha256(data).hexdigest(),
        text_digest=digest_without_log(data),
    )


def find_spans(front: YamlMapping, field: str) -> dict[str, Span]:
    """Where each text of a list stands."""
    node = front.get(field)
    items = node.items if isinstance(node, YamlSequence) else [node]
    return {item.raw: item.span for item in items if isinstance(item, YamlScalar)}


def check_placeholders(prompt: Excerpt, parameters: tuple[Parameter, ...], problems: ProblemList) -> None:
    """A caller may give more than is declared, so an unknown placeholder is only probably a mistake."""
    known = (*BUILT_IN_NAMES, QUERY, CONVERSATION, "input", *(each.name for each in parameters))
    for piece in read_template(prompt.text).pieces:
        if isinstance(piece, Malformed):
            problems.warning("prompt-placeholder", prompt.span(piece.start, piece.end), name=piece.text, suggestion="")
        elif isinstance(piece, Reference) and piece.root not in known:
            near = ", ".join(f"'{name}'" for name in closest(piece.root, known))
            case = "suggestion" if near else None
            span = prompt.span(piece.start, piece.end)
            problems.warning("prompt-placeholder", span, name=piece.text, suggestion=near, case=case)


def read_budget(fields: Fields) -> JsonObject:
    """A number is a limit on tokens; a mapping names what is limited."""
    node = fields.mapping.get("budget")
    if isinstance(node, YamlScalar) and node.value is not None:
        tokens = fields.whole_number("budget", least=1)
        return {"tokens": tokens} if tokens is not None else {}
    mapping = fields.mapping_of("budget")
    if mapping is None:
        return {}
    inner = Fields(mapping, fields.problems)
    inner.warn_of_slips(BUDGET_FIELDS, synonyms=_BUDGET_SYNONYMS)
    if not any(name in mapping.entries for name in BUDGET_FIELDS):
        # Whoever writes a budget counts on a limit.
        named = ", ".join(mapping.entries) or "{}"
        fields.problems.error("invalid-value", mapping.span, field="budget", value=named, options="tokens, money")
    limits = {"tokens": inner.whole_number("tokens", least=1), "money": inner.number("money", above=0)}
    return {name: limit for name, limit in limits.items() if limit is not None}
