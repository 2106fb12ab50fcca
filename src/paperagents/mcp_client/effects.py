"""A call of another server's tool as an effect: shown, asked where the server does not call it harmless, then made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from paperagents.approval.effect import Effect
from paperagents.definitions.json_value import JsonObject, JsonValue
from paperagents.errors import ToolError, UnknownToolError
from paperagents.mcp_client.connections import Connections, RemoteCall
from paperagents.mcp_client.servers import KnownServers, RemoteServer, is_read_only, server_and_tool


@dataclass(kw_only=True)
class RemoteEffects:
    """Prepares calls of the tools of a vault's servers."""

    known: KnownServers
    connections: Connections = field(default_factory=Connections)

    def prepare(self, tool_id: str) -> Callable[[JsonObject], Effect]:
        """How a call of this tool is prepared. Raises ToolError where nobody has agreed to its server."""
        server = self._agreed(tool_id)
        described = self.known.described(tool_id) or {}
        return lambda arguments: self._effect(server, tool_id, arguments, harmless=is_read_only(described))

    def connect(self, server: RemoteServer) -> list[JsonObject]:
        """Ask a server what it offers, and remember it."""
        tools = self.connections.tools(server)
        self.known.remember(server, tools)
        return tools

    def close(self) -> None:
        """End the connections."""
        self.connections.close()

    def _agreed(self, tool_id: str) -> RemoteServer:
        name, _ = server_and_tool(tool_id)
        server = self.known.servers.get(name)
        if server is None:
            raise UnknownToolError(tool_id)
        if not self.known.is_agreed(server):
            raise ToolError("remote-not-agreed", server=name, command=server.shown)
        return server

    def _effect(self, server: RemoteServer, tool_id: str, arguments: JsonObject, *, harmless: bool) -> Effect:
        _, tool = server_and_tool(tool_id)
        call = _Call(self.connections, server, tool, arguments, repeatable=harmless)
        return Effect(
            tool=tool_id,
            arguments=arguments,
            needs_approval=not harmless,
            preview=f"{tool_id}\n{json.dumps(arguments, ensure_ascii=False, indent=2)}",
            target=f"{server.name}/{tool}",
            before=server.digest,
            runs_in_plan=False,
            leaves_the_vault=True,
            perform=call.perform,
            cancel=call.stop,
        )


class _Call:
    """A call that can be given up from another thread."""

    def __init__(
        self, connections: Connections, server: RemoteServer, tool: str, arguments: JsonObject, *, repeatable: bool
    ) -> None:
        self._connections = connections
        self._server = server
        self._tool = tool
        self._arguments = arguments
        self._repeatable = repeatable
        self._under_way: RemoteCall | None = None

    def perform(self) -> JsonValue:
        self._under_way = self._connections.call(self._server, self._tool, self._arguments, repeatable=self._repeatable)
        return self._under_way.answer()

    def stop(self) -> None:
        if self._under_way is not None:
            self._under_way.stop()
