"""The notes of the vault as MCP resources, its agents as MCP prompts."""

from __future__ import annotations

import asyncio
import mimetypes
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from paperagents.agents.dialogue import fill_prompt
from paperagents.agents.pictures import linked_pictures
from paperagents.calls.arguments import ARGUMENT_CODES, validate_arguments
from paperagents.calls.references import Names
from paperagents.definitions.text import without_surrogates
from paperagents.definitions.tool import CONVERSATION, QUERY, AgentDefinition, tool_of_agent
from paperagents.errors import PaperError
from paperagents.files.listing import ListedFile
from paperagents.interfaces.mcp.clients import Context
from paperagents.messages import sentence, text
from paperagents.vault import Vault

SCHEME = "note:///"
TEMPLATE = "note:///{+path}"
_PAGE = 1000
LARGEST_BLOB = 16 * 1024 * 1024
_MARKDOWN = (".md", ".markdown")
_BYTES = ("image/", "audio/", "video/", "application/pdf")


class NoteResources:
    """Lists and reads notes; the vault's own rules decide what can be read."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def page(self, _: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """One page of the notes, in the order of their paths."""
        after = (params.cursor if params is not None else None) or ""

        def notes_after() -> list[ListedFile]:
            return sorted((each for each in self.notes() if each.path > after), key=lambda each: each.path)[: _PAGE + 1]

        files = await asyncio.to_thread(notes_after)
        resources = [
            types.Resource(name=each.path, uri=note_uri(each.path), mime_type=mime_type(each.path), size=each.size)
            for each in files[:_PAGE]
        ]
        following = files[_PAGE - 1].path if len(files) > _PAGE else None
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    def notes(self) -> Iterator[ListedFile]:
        """Every note."""
        return (each for each in self._vault.folder.list_files("/") if each.name.lower().endswith(_MARKDOWN))

    async def templates(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        """The address of any file of the vault."""
        template = types.ResourceTemplate(
            name="note", uri_template=TEMPLATE, description=text("mcp.note"), mime_type="text/markdown"
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one note, or the bytes of another file."""
        uri = str(params.uri)
        if not uri.startswith(SCHEME):
            message = sentence("unknown-resource", {"uri": uri[:200]})
            raise MCPError(code=types.INVALID_PARAMS, message=message, data={"uri": uri[:200]})
        path = unquote(uri.removeprefix(SCHEME), errors="replace")
        try:
            return types.ReadResourceResult(contents=[await asyncio.to_thread(self.contents, uri, path)])
        except PaperError as error:
            raise _invalid_params(error) from error

    def contents(self, uri: str, path: str) -> types.TextResourceContents | types.BlobResourceContents:
        """A file as text, else as bytes. Raises PaperError."""
        kind = mime_type(path)
        if kind.startswith("text/"):
            text = self._vault.folder.read_text(path).content
            return types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        data = self._vault.folder.read_bytes(path, LARGEST_BLOB)
        return types.BlobResourceContents(uri=uri, mime_type=kind, blob=b64encode(data).decode("ascii"))


def note_uri(path: str) -> str:
    """The address of a file of the vault."""
    return SCHEME + quote(path.lstrip("/"), safe="/")


def mime_type(path: str) -> str:
    """Notes are Markdown, pictures, sounds and documents what their names say, everything else is plain text."""
    if path.lower().endswith(_MARKDOWN):
        return "text/markdown"
    kind, _ = mimetypes.guess_type(path)
    return (
        kind
        if kind is not None and kind.startswith(("image/", "audio/", "video/", "application/pdf"))
        else "text/plain"
    )


def _invalid_params(error: PaperError) -> MCPError:
    # What to do about wrong arguments is a command, which a client cannot run.
    words = error.message if error.code in ARGUMENT_CODES else str(error)
    return MCPError(code=types.INVALID_PARAMS, message=words, data={"code": error.code})


class AgentPrompts:
    """The prompts of agents, for a person to start a conversation with."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def all(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """Every agent that can be used."""
        return types.ListPromptsResult(prompts=await asyncio.to_thread(self.prompts))

    async def get(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The agent's prompt with its placeholders filled in, and the question."""
        given = params.arguments or {}
        try:
            agent = await asyncio.to_thread(self._vault.registry.agent, params.name)
            shown = await asyncio.to_thread(self.fill_prompt, agent, given)
        except PaperError as error:
            raise _invalid_params(error) from error
        texts = [shown, given[QUERY]] if given.get(QUERY) else [shown]
        pictures = await asyncio.to_thread(self.pictures, agent, given.get(QUERY) or "") if agent.images else []
        contents = [*pictures, *(types.TextContent(type="text", text=each) for each in texts)]
        messages = [types.PromptMessage(role="user", content=each) for each in contents]
        return types.GetPromptResult(description=agent.description or None, messages=messages)

    def prompts(self) -> list[types.Prompt]:
        """One for each usable agent."""
        prompts = []
        for entry in self._vault.registry.entries():
            if entry.kind == "agent" and entry.valid:
                # A file that broke in this very moment is reported when its agent is called.
                with suppress(PaperError):
                    prompts.append(_make_prompt(self._vault.registry.agent(entry.id)))
        return prompts

    def fill_prompt(self, agent: AgentDefinition, given: Mapping[str, str]) -> str:
        """The prompt as the agent gets it. Raises InvalidArgumentsError; the question alone may come later."""
        tool = tool_of_agent(agent)
        known = dict.fromkeys(each.name for each in tool.parameters)
        query = given.get(QUERY) or None
        checked = validate_arguments(tool, {**given, QUERY: query or "…"}, convert=True)
        arguments = {**known, **checked, QUERY: query}
        clock = self._vault.services.clock()
        names = Names(arguments=arguments, declared=frozenset(known), input=arguments, built_in=clock)
        return without_surrogates(fill_prompt(agent.prompt.text, names, self._vault.vault_content).strip())

    def pictures(self, agent: AgentDefinition, query: str) -> list[types.ContentBlock]:
        """The pictures that the agent's model would see."""
        found = linked_pictures(query, agent.prompt.text, agent.file, self._vault.folder, lambda path: None)  # noqa: ARG005
        return [types.ImageContent(type="image", data=data, mime_type=kind) for kind, data in found]


def _make_prompt(agent: AgentDefinition) -> types.Prompt:
    # Not required: a person may also say what they want in the conversation that follows.
    arguments = [types.PromptArgument(name=QUERY, description=text("mcp.prompt.query"), required=False)]
    for each in tool_of_agent(agent).parameters:
        if each.name not in (QUERY, CONVERSATION):
            description = str(each.schema.get("description") or "") or None
            required = each.required and "default" not in each.schema
            arguments.append(types.PromptArgument(name=each.name, description=description, required=required))
    return types.Prompt(name=agent.id, title=agent.name, description=agent.description or None, arguments=arguments)
