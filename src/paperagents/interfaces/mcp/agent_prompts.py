"""The agents of the vault as MCP prompts."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from paperagents.definitions.agent import AgentDefinition
from paperagents.errors import PaperError
from paperagents.messages import text
from paperagents.registry.entry import Entry
from paperagents.tags.vault_references import resolve_vault_references
from paperagents.vault import Vault

Context = ServerRequestContext[Any, Any]
QUERY = "query"


class AgentPrompts:
    """What an agent's note says, for a person to start a conversation with."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def all(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """Every agent that can be used."""
        agents = [each for each in self._vault.registry.entries() if each.kind == "agent" and each.valid]
        return types.ListPromptsResult(prompts=[_prompt(each) for each in agents])

    async def get(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The agent's prompt, with what the data vault holds filled in, and the question."""
        try:
            agent = await asyncio.to_thread(self._vault.registry.agent, params.name)
            shown = await asyncio.to_thread(self._filled, agent)
        except PaperError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"code": error.code}) from error
        query = (params.arguments or {}).get(QUERY, "")
        texts = [shown, query] if query else [shown]
        return types.GetPromptResult(description=agent.description or None, messages=[_message(each) for each in texts])

    def _filled(self, agent: AgentDefinition) -> str:
        resolved = resolve_vault_references(agent.prompt.text, lookup=self._vault.vault_content)
        return str(resolved["resolved_text"]).encode("utf-8", "replace").decode()


def _prompt(agent: Entry) -> types.Prompt:
    argument = types.PromptArgument(name=QUERY, description=text("mcp.prompt.query"), required=False)
    return types.Prompt(name=agent.id, title=agent.name, description=agent.description or None, arguments=[argument])


def _message(shown: str) -> types.PromptMessage:
    return types.PromptMessage(role="user", content=types.TextContent(type="text", text=shown))
