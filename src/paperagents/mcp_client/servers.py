"""What this user knows about the servers of a vault: whether they agreed to them, and which tools they offered last.

Kept with the user and not in the vault: a folder that comes from somebody else must not be able to start a command, nor
to say of a tool that it is harmless.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from paperagents.approval.trust import Brought, TrustBook
from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.text import lossless_bytes
from paperagents.definitions.tool import Parameter, ToolDefinition
from paperagents.errors import ToolError
from paperagents.files.state_files import file_lock, read_object, read_object_to_change, replace_file, set_aside
from paperagents.mcp_client.vault_files import find_named, find_open_folders
from paperagents.messages import text
from paperagents.patterns import late_pattern
from paperagents.secrets.redaction import MASK, is_secret_name
from paperagents.values import dataclass

MOST_TOOLS = 2_000


class KnownServers:
    """The servers that the settings of one vault name, as this user knows them."""

    def __init__(self, file: Path, folder: Path, servers: Sequence[RemoteServer], trust: TrustBook) -> None:
        self._file = file
        self._trust = trust
        self._folder = str(folder)
        self._read: tuple[tuple[int, int], dict[str, Any]] | None = None
        self.servers: Mapping[str, RemoteServer] = {server.name: server for server in servers}

    def is_agreed(self, server: RemoteServer) -> bool:
        """Whether the user wants exactly this: they wrote it into their own settings, or said yes to it."""
        return not server.from_vault or self._trust.trusts(server.as_brought())

    def agree(self, server: RemoteServer) -> None:
        """From now on this very command may be started, or this address called."""
        self._trust.give([server.as_brought()])

    def remember(self, server: RemoteServer, tools: Sequence[JsonObject]) -> None:
        """Keep which tools a server offers, so that they are known without starting it."""
        self._change(server.name, tools=[*tools][:MOST_TOOLS])

    def find_description(self, tool_id: str) -> JsonObject | None:
        """What a server said about one of its tools."""
        server, tool = split_tool_id(tool_id)
        return next((each for each in self.offered_tools(server) if each["name"] == tool), None)

    def names_server_of(self, tool_id: str) -> bool:
        """Whether the settings name the server of this tool."""
        return tool_id.startswith(PREFIX) and split_tool_id(tool_id)[0] in self.servers

    def tools(self) -> Iterator[ToolDefinition]:
        """Every tool that a server has offered."""
        for name in self.servers:
            yield from (define_tool(name, each) for each in self.offered_tools(name))

    def read_only_tools(self) -> frozenset[str]:
        """The tools that their server says change nothing."""
        return frozenset(
            f"{PREFIX}{name}/{each['name']}"
            for name in self.servers
            for each in self.offered_tools(name)
            if is_read_only(each)
        )

    def offered_tools(self, server: str) -> list[dict[str, Any]]:
        """What a server said about its tools when it was asked last."""
        if server not in self.servers:
            return []
        tools = self._about(server).get("tools")
        return [each for each in tools if is_description(each)] if isinstance(tools, list) else []

    def _about(self, server: str) -> dict[str, Any]:
        found = self._all().get(self._folder, {})
        about = found.get(server, {}) if isinstance(found, dict) else {}
        return about if isinstance(about, dict) else {}

    def _all(self) -> dict[str, Any]:
        try:
            status = self._file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, read_object(self._file))
        except (OSError, ValueError):
            return {}
        return self._read[1]

    def _change(self, server: str, **fields: Any) -> None:
        with file_lock(self._file):
            everything = read_object_to_change(self._file)
            ours = everything.get(self._folder, {})
            about = ours.get(server, {}) if isinstance(ours, dict) else None
            if not isinstance(about, dict):
                # Not understood, and in the way of what is to be kept now.
                set_aside(self._file)
                ours, about = (ours if isinstance(ours, dict) else {}), {}
            changed = {**everything, self._folder: {**ours, server: {**about, **fields}}}
            replace_file(self._file, json.dumps(changed, indent=1))
        self._read = None


def define_tool(server: str, described: Mapping[str, Any]) -> ToolDefinition:
    """The definition of a server's tool."""
    returns = described.get("returns")
    return ToolDefinition(
        id=f"{PREFIX}{server}/{described['name']}",
        name=f"{PREFIX}{server}/{described['name']}",
        kind="mcp",
        description=described["description"],
        parameters=tuple(read_parameters(described["schema"])),
        own_schema=described["schema"] or None,
        answer=returns if isinstance(returns, dict) else {},
        category=server,
    )


def read_parameters(schema: Mapping[str, Any]) -> Iterator[Parameter]:
    """What the schema says about single arguments, for checks and forms; what counts is the schema itself."""
    properties, required = schema.get("properties"), schema.get("required")
    for name, each in (properties if isinstance(properties, dict) else {}).items():
        needed = isinstance(required, list) and name in required
        yield Parameter(name=name, schema=each if isinstance(each, dict) else {}, required=needed)


def is_description(data: object) -> bool:
    """Whether a person's file still holds what we wrote there."""
    return (
        isinstance(data, dict)
        and isinstance(data.get("name"), str)
        and isinstance(data.get("description"), str)
        and isinstance(data.get("schema"), dict)
    )


# --- a server named in the settings, and what exactly its name stands for


PREFIX = "mcp:"


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteServer:
    """A command to start, or an address to call."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    token: str = field(default="", repr=False)
    """What the server at the address wants as ``Authorization: Bearer``."""
    client_id: str = ""
    """Who we are for a login at the address, where somebody has registered us there; an address is a document that
    describes us."""
    client_secret: str = field(default="", repr=False)
    """What we prove it with; may name a secret."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables of the command; values may name a secret as ``{{env.NAME}}``."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The same for the headers of every request."""
    timeout: float | None = None
    """Seconds that an answer may take."""
    is_trusted: bool = False
    """Its answers count as the user's own."""
    folder: Path
    """The vault."""
    from_vault: bool = True
    """The vault's own settings name it, so whoever made the vault chose it."""
    origin: str = ""
    """The file and line, or the variable, that names it."""

    @property
    def invocation(self) -> str:
        """Exactly what will be started or called."""
        return shlex.join(self.command) if self.command else self.url

    @property
    def service(self) -> str:
        """Whom a secret for it belongs to: the host, else the name of the server."""
        return urlsplit(self.url).netloc.rpartition("@")[2].casefold() if self.url else self.name.casefold()

    @property
    def digest(self) -> str:
        """Names exactly this command, with the files of the vault that it names as they are now, or this address."""
        files = [named and named.fingerprint() for named in find_named(self.command, self.folder)]
        handed_over = sorted(self.env.items()), sorted(self.headers.items()), self.is_trusted
        client = (self.client_id, self.client_secret) if self.client_id or self.client_secret else ()
        return sha256(lossless_bytes(repr((self.command, self.url, files, handed_over, *client)))).hexdigest()

    @property
    def open_folders(self) -> list[str]:
        """The words of the command from which it may load what comes into the vault later."""
        return find_open_folders((*self.command, *self.env.values()), self.folder) if self.from_vault else []

    def remarks(self) -> list[str]:
        """What else a person should know before they agree."""
        return [
            *(text("mcp.later-versions", folder=each) for each in self.open_folders),
            *([text("mcp.gets-variables", names=describe_values(self.env))] if self.env else []),
            *([text("mcp.gets-headers", names=describe_values(self.headers))] if self.headers else []),
            *([text("mcp.gets-secret", name=names)] if (names := ", ".join(secrets_in(self.client_secret))) else []),
            *([text("mcp.gets-token")] if self.token else []),
            *([text("mcp.is-trusted")] if self.is_trusted else []),
        ]

    def as_brought(self) -> Brought:
        """The server as something that the vault brings along."""
        return Brought(
            kind="mcp_server",
            name=self.name,
            what=" ".join([f"{self.name}: {self.invocation}", *self.remarks()]),
            where=self.origin.removeprefix(f"{self.folder}/"),
            digest=self.digest,
        )


def describe_values(values: Mapping[str, str]) -> str:
    """Names with their values, but for those that look like secrets.

    A variable such as ``LD_PRELOAD`` decides what a command does; so does a secret that is handed over by name.
    """
    shown = {
        name: MASK if is_secret_name(name) and not _SECRET.fullmatch(each) else each for name, each in values.items()
    }
    return ", ".join(f"{name}={each}" for name, each in shown.items())


_SECRET = late_pattern(r"(?:[A-Za-z]+ )?\{\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_NAMED_SECRET = late_pattern(r"\{\{\s*env\.([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def named_secrets(server: RemoteServer) -> list[str]:
    """The secrets that the settings of a server name."""
    values = (*server.env.values(), *server.headers.values(), server.client_secret)
    return [*dict.fromkeys(name for each in values for name in secrets_in(each))]


def secrets_in(value: str) -> list[str]:
    """The secrets that a value names."""
    return _NAMED_SECRET.findall(value)


FindSecret = Callable[["RemoteServer", str], "str | None"]
"""The value of a secret that a server's settings name; None where it is not set."""


def fill_in_secrets(server: RemoteServer, find: FindSecret) -> RemoteServer:
    """The server with the secrets that its variables and headers name. Raises ToolError where one is not set.

    One pass: what a secret holds is not looked at again.
    """

    def look_up(found: re.Match[str]) -> str:
        if (value := find(server, found[1])) is None:
            raise ToolError("remote-secret-missing", server=server.name, name=found[1], service=server.service)
        return value

    def fill_in(values: Mapping[str, str]) -> dict[str, str]:
        return {name: _NAMED_SECRET.sub(look_up, each) for name, each in values.items()}

    secret = _NAMED_SECRET.sub(look_up, server.client_secret)
    return replace(server, env=fill_in(server.env), headers=fill_in(server.headers), client_secret=secret)


def read_servers(
    table: Mapping[str, Mapping[str, Any]], folder: Path, from_vault: Mapping[str, str]
) -> list[RemoteServer]:
    """The servers that ``[mcp_servers.NAME]`` describes; ``from_vault`` says where the vault names some of them."""
    return [
        RemoteServer(
            name=name,
            command=tuple(fields.get("command") or ()),
            url=str(fields.get("url") or "") if not fields.get("command") else "",
            token=str(fields.get("token") or ""),
            client_id=str(fields.get("client_id") or ""),
            client_secret=str(fields.get("client_secret") or ""),
            env=fields.get("env") or {},
            headers=fields.get("headers") or {},
            timeout=fields.get("timeout"),
            is_trusted=fields.get("trusted") is True,
            folder=folder,
            from_vault=name in from_vault,
            origin=from_vault.get(name, ""),
        )
        for name, fields in table.items()
    ]


def split_tool_id(tool_id: str) -> tuple[str, str]:
    """The two names in ``mcp:SERVER/TOOL``."""
    server, _, tool = tool_id.removeprefix(PREFIX).partition("/")
    return server, tool


def is_read_only(described: JsonObject) -> bool:
    """Whether the server says that a tool changes nothing."""
    return described.get("read_only") is True
