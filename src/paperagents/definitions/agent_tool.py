"""An agent as a tool: asking it is a call like any other."""

from __future__ import annotations

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.tool import ToolDefinition
from paperagents.messages import text

QUERY = "query"
CONVERSATION = "conversation"


def tool_of_agent(agent: AgentDefinition) -> ToolDefinition:
    """What a caller must know: a question goes in, a text comes out. Other arguments fill in the prompt."""
    return ToolDefinition(
        id=agent.id,
        name=agent.name,
        kind="agent",
        description=agent.description,
        parameters=(_query(), *_declared(agent), _conversation()),
        aliases={"content": QUERY},
        answer={"type": "string"},
        agent=agent,
        timeout=agent.timeout,
        approval=agent.approval,
        version=agent.version,
        category=agent.category,
        tags=agent.tags,
        author=agent.author,
        file=agent.file,
        span=agent.span,
        digest=agent.digest,
    )


def _query() -> Parameter:
    return Parameter(name=QUERY, schema={"type": "string", "minLength": 1, "description": text("agent.query")})


def _conversation() -> Parameter:
    schema = {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,120}$", "description": text("agent.conversation")}
    return Parameter(name=CONVERSATION, schema={**schema}, required=False)


def _declared(agent: AgentDefinition) -> tuple[Parameter, ...]:
    return tuple(each for each in agent.parameters if each.name not in (QUERY, CONVERSATION))
