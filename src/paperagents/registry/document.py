"""A tool, agent or tag as one JSON document: what programs read where people read the manual."""

from __future__ import annotations

from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.agent_tool import tool_of_agent
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.tag import TagNote
from paperagents.definitions.tool import ToolDefinition
from paperagents.registry.manual import manual


def definition_document(
    definition: ToolDefinition | AgentDefinition | TagNote, grants: JsonObject | None = None
) -> JsonObject:
    """The document of ``paper show --json``."""
    document: JsonObject = {
        "id": definition.id,
        "name": definition.name,
        "description": definition.description,
        "category": definition.category,
        "file": definition.file,
        "manual": manual(definition, grants),
    }
    if isinstance(definition, TagNote):
        return {**document, "kind": "tag", "definition": dict(definition.fields)}
    document |= {
        "version": definition.version,
        "author": definition.author,
        "tags": list(definition.tags),
    }
    if isinstance(definition, AgentDefinition):
        return {**document, **_agent(definition)}
    examples: list[JsonObject] = [
        {"name": each.name, "input": dict(each.input), **each.expects} for each in definition.examples
    ]
    if definition.dependencies:
        document |= {"dependencies": dict(definition.dependencies), "grants": grants or {}}
    return {
        **document,
        "type": definition.type,
        "kind": definition.kind,
        "parameters": definition.schema,
        "steps": [step.tool for step in definition.all_steps()],
        "examples": [*examples],
    }


def _agent(agent: AgentDefinition) -> JsonObject:
    return {
        "type": "agent",
        "kind": "agent",
        "parameters": tool_of_agent(agent).schema,
        "model": agent.model,
        "tools": list(agent.tools),
        "agents": list(agent.agents),
        "protocol": agent.protocol,
        "max_iterations": agent.max_iterations,
        "temperature": agent.temperature,
        "memory": agent.memory,
        "budget": dict(agent.budget),
    }
