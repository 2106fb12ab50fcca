"""The notes of the vault as MCP resources."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from paperagents.agents.dialogue import fill_prompt
from paperagents.calls.references import Names
from paperagents.definitions.text import without_surrogates
from paperagents.definitions.tool import CONVERSATION, QUERY, AgentDefinition, Parameter, tool_of_agent
from paperagents.errors import PaperError
from paperagents.files.listing import ListedFile
from paperagents.messages import sentence, text
from paperagents.vault import Vault

SCHEME = "note:///"
TEMPLATE = "note:///{+path}"
_PAGE = 1000
_MARKDOWN = (".md", ".markdown")
Context = ServerRequestContext[Any, Any]


class NoteResources:
    """Lists and reads notes; the vault's own rules decide what can be read."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def page(self, _: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """One page of the notes, in the order of their paths."""
        after = (params.cursor if params is not None else None) or ""
        files = await asyncio.to_thread(self._notes, after)
        following = files[_PAGE - 1].path if len(files) > _PAGE else None
        return types.ListResourcesResult(resources=[_resource(each) for each in files[:_PAGE]], next_cursor=following)

    async def templates(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        """How to name any file of the vault."""
        template = types.ResourceTemplate(
            name="note", uri_template=TEMPLATE, description=text("mcp.note"), mime_type="text/markdown"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one note."""
        path = path_of(str(params.uri))
        if path is None:
            raise _unknown(str(params.uri))
        try:
            found = await asyncio.to_thread(self._vault.folder.read_text, path)
        except PaperError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"code": error.code}) from error
        contents = types.TextResourceContents(uri=str(params.uri), mime_type=_kind(path), text=found.content)
        return types.ReadResourceResult(contents=[contents])

    def _notes(self, after: str) -> list[ListedFile]:
        notes = (each for each in self._vault.folder.list_files("/") if each.name.lower().endswith(_MARKDOWN))
        return sorted((each for each in notes if each.path > after), key=lambda each: each.path)[: _PAGE + 1]


def uri_of(path: str) -> str:
    """The address of a file of the vault."""
    return SCHEME + quote(path.lstrip("/"), safe="/")


def path_of(uri: str) -> str | None:
    """The file that an address stands for."""
    return unquote(uri.removeprefix(SCHEME), errors="replace") if uri.startswith(SCHEME) else None


def uris_of(paths: Iterable[str]) -> list[str]:
    """The addresses of several files."""
    return [uri_of(path) for path in paths]


def _resource(file: ListedFile) -> types.Resource:
    return types.Resource(name=file.path, uri=uri_of(file.path), mime_type=_kind(file.path), size=file.size)


def _kind(path: str) -> str:
    return "text/markdown" if path.lower().endswith(_MARKDOWN) else "text/plain"


def _unknown(uri: str) -> MCPError:
    message = sentence("unknown-resource", {"uri": uri[:200]})
    return MCPError(code=types.INVALID_PARAMS, message=message, data={"uri": uri[:200]})


# --- the agents of the vault as MCP prompts


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
        return without_surrogates(fill_prompt(agent.prompt.text, names, self._vault.vault_content).strip())


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
