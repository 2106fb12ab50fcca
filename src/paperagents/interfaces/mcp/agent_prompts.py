"""The agents of the vault as MCP prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from paperagents.agents.prompt import filled
from paperagents.calls.references import Names
from paperagents.definitions.agent import AgentDefinition
from paperagents.definitions.agent_tool import CONVERSATION, QUERY, tool_of_agent
from paperagents.definitions.parameter import Parameter
from paperagents.definitions.surrogates import without_surrogates
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.vault import Vault

Context = ServerRequestContext[Any, Any]


class AgentPrompts:
    """What an agent's note says, for a person to start a conversation with."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def all(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """Every agent that can be used."""
        return types.ListPromptsResult(prompts=await asyncio.to_thread(self._prompts))

    async def get(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The agent's prompt as the agent gets it, filled in, and the question."""
        given = params.arguments or {}
        try:
            agent = await asyncio.to_thread(self._vault.registry.agent, params.name)
            shown = await asyncio.to_thread(self._filled, agent, given)
        except PaperError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"code": error.code}) from error
        texts = [shown, given[QUERY]] if given.get(QUERY) else [shown]
        return types.GetPromptResult(description=agent.description or None, messages=[_message(each) for each in texts])

    def _prompts(self) -> list[types.Prompt]:
        prompts = []
        for entry in self._vault.registry.entries():
            if entry.kind == "agent" and entry.valid:
                # One that broke in this very moment is told of when somebody calls it.
                with suppress(PaperError):
                    prompts.append(_prompt(self._vault.registry.agent(entry.id)))
        return prompts

    def _filled(self, agent: AgentDefinition, given: Mapping[str, str]) -> str:
        known = {each.name: each.schema.get("default") for each in tool_of_agent(agent).parameters}
        arguments = {**known, **given}
        clock = self._vault.services.clock()
        names = Names(arguments=arguments, declared=frozenset(known), input=arguments, built_in=clock)
        return without_surrogates(filled(agent.prompt.text, names, self._vault.vault_content).strip())


def _prompt(agent: AgentDefinition) -> types.Prompt:
    asked = [_argument(each) for each in tool_of_agent(agent).parameters if each.name not in (QUERY, CONVERSATION)]
    # A person may also say what they want in the conversation that follows.
    query = types.PromptArgument(name=QUERY, description=text("mcp.prompt.query"), required=False)
    return types.Prompt(
        name=agent.id, title=agent.name, description=agent.description or None, arguments=[query, *asked]
    )


def _argument(parameter: Parameter) -> types.PromptArgument:
    needed = parameter.required and "default" not in parameter.schema
    return types.PromptArgument(
        name=parameter.name, description=str(parameter.schema.get("description") or "") or None, required=needed
    )


def _message(shown: str) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=types.TextContent(type="text", text=shown))
