"""What a client may offer while somebody types: paths of notes, and the values that an agent's argument can have."""

from __future__ import annotations

import asyncio
from itertools import islice

import mcp_types as types

from paperagents.definitions.tool import tool_of_agent
from paperagents.errors import PaperError
from paperagents.interfaces.mcp.clients import Context
from paperagents.interfaces.mcp.resources import TEMPLATE, NoteResources
from paperagents.vault import Vault

MOST_VALUES = 100


class Completions:
    """Answers for prompts and for the address of notes."""

    def __init__(self, vault: Vault, notes: NoteResources) -> None:
        self._vault = vault
        self._notes = notes

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """The values that what was typed may become."""
        values = await asyncio.to_thread(self.values, params)
        more = len(values) > MOST_VALUES
        completion = types.Completion(values=values[:MOST_VALUES], has_more=more)
        return types.CompleteResult(completion=completion)

    def values(self, params: types.CompleteRequestParams) -> list[str]:
        """One more than are sent, so that it is known whether there are more."""
        typed, name = params.argument.value.casefold(), params.argument.name
        if isinstance(params.ref, types.PromptReference):
            possible = self.choices(params.ref.name, name)
        elif params.ref.uri == TEMPLATE and name == "path":
            possible = sorted(each.path.lstrip("/") for each in self._notes.notes())
        else:
            possible = []
        return [*islice((each for each in possible if typed in each.casefold()), MOST_VALUES + 1)]

    def choices(self, agent: str, argument: str) -> list[str]:
        """The words that an argument of an agent can be."""
        try:
            parameters = tool_of_agent(self._vault.registry.agent(agent)).parameters
        except PaperError:
            return []
        allowed = next((each.schema.get("enum") for each in parameters if each.name == argument), None)
        return [str(each) for each in allowed] if isinstance(allowed, list) else []
