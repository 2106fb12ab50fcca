"""A server named in the settings, and what exactly its name stands for."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from paperagents.definitions.json_value import JsonObject
from paperagents.definitions.surrogates import lossless_bytes

PREFIX = "mcp:"
_LARGEST_PROGRAM = 50_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteServer:
    """A command to start, or an address to call."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    token: str = field(default="", repr=False)
    """What the server at the address wants as ``Authorization: Bearer``."""
    folder: Path
    """Where the command is started: the vault."""
    from_vault: bool = True
    """The vault's own settings name it, so whoever made the vault chose it."""

    @property
    def shown(self) -> str:
        """Exactly what will be started or called."""
        return shlex.join(self.command) if self.command else self.url

    @property
    def digest(self) -> str:
        """Names exactly this command, with the programs of the vault it starts as they are now, or this address."""
        content = sha256(lossless_bytes(repr((self.command, self.url))))
        for file in self._programs():
            content.update(file.read_bytes())
        return content.hexdigest()

    def _programs(self) -> Iterable[Path]:
        """A file of the vault can be exchanged by whoever sends a new version of the vault."""
        for word in self.command:
            file = self.folder / word
            if _is_program(file) and file.resolve().is_relative_to(self.folder.resolve()):
                yield file


def servers_of(table: Mapping[str, Mapping[str, Any]], folder: Path, from_vault: Iterable[str]) -> list[RemoteServer]:
    """The servers that ``[mcp_servers.NAME]`` describes."""
    chosen_by_vault = frozenset(from_vault)
    return [
        RemoteServer(
            name=name,
            command=tuple(fields.get("command") or ()),
            url=str(fields.get("url") or "") if not fields.get("command") else "",
            token=str(fields.get("token") or ""),
            folder=folder,
            from_vault=name in chosen_by_vault,
        )
        for name, fields in table.items()
    ]


def server_and_tool(tool_id: str) -> tuple[str, str]:
    """The two names in ``mcp:SERVER/TOOL``."""
    server, _, tool = tool_id.removeprefix(PREFIX).partition("/")
    return server, tool


def is_read_only(described: JsonObject) -> bool:
    """Whether the server says that a tool changes nothing."""
    return described.get("read_only") is True


def _is_program(file: Path) -> bool:
    try:
        return file.is_file() and file.stat().st_size <= _LARGEST_PROGRAM
    except (OSError, ValueError):
        return False
