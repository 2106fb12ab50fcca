"""A folder of notes as it is: its settings, its tools and agents. Loads nothing that only running needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from paperagents.errors import UsageError
from paperagents.settings import KEEPING_FOLDER, Settings, load_settings, open_trust_book, user_folder

if TYPE_CHECKING:
    # Loaded when they are asked for: a search needs the folder and the settings alone.
    from paperagents.approval.signatures import UserKey
    from paperagents.approval.trust import TrustBook
    from paperagents.definitions.source import Problem
    from paperagents.mcp_client.servers import KnownServers
    from paperagents.npm.packages import Grants
    from paperagents.registry.folder_watch import FolderWatch
    from paperagents.registry.tool_registry import ToolRegistry


class NotesFolder:
    """A folder of notes with tools and agents in it."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UsageError("no-such-vault", path=str(root), case="refused" if root.exists() else None)
        self.root = root.resolve()

    @cached_property
    def settings(self) -> Settings:
        """The settings in force here."""
        return load_settings(self.root)

    @property
    def commits_folder(self) -> Path:
        """Where changes that are being made together are marked."""
        return self.root / KEEPING_FOLDER / "commits"

    def has_commit_markers(self) -> bool:
        """Whether changes are being made together, or were when the program was killed, or somebody says so."""
        try:
            with os.scandir(self.commits_folder) as found:
                return any(found)
        except OSError:
            return False

    @cached_property
    def user_key(self) -> UserKey:
        """The key that the user signs with."""
        from paperagents.approval.signatures import UserKey  # noqa: PLC0415  see above

        return UserKey(user_folder())

    @cached_property
    def trust(self) -> TrustBook:
        """Which things of this vault the user trusts."""
        return open_trust_book(self.root, self.user_key)

    @cached_property
    def registry(self) -> ToolRegistry:
        """The tools and agents of the vault."""
        from paperagents.registry.tool_registry import ToolRegistry  # noqa: PLC0415  see above
        from paperagents.tools import builtin_tools  # noqa: PLC0415  see above

        kept = self.root / KEEPING_FOLDER
        file = kept / "cache" / "files.db" if kept.is_dir() else None
        return ToolRegistry(
            self.root,
            built_in=builtin_tools,
            cache_file=file,
            remote=lambda: self.remote_servers,
            seal=lambda data: self.user_key.seal(data),  # noqa: PLW0108  the key is loaded when it is first needed
        )

    @cached_property
    def remote_servers(self) -> KnownServers:
        """The MCP servers that the settings name, as this user knows them."""
        from paperagents.mcp_client.servers import KnownServers, read_servers  # noqa: PLC0415  see above

        table = self.settings.table("mcp_servers")
        keys = [(name, f"mcp_servers.{name}.{key}") for name, fields in table.items() for key in fields]
        ours = {name: self.settings.values[key].origin for name, key in keys if self.is_from_vault(key)}
        servers = read_servers(table, self.root, ours)
        return KnownServers(user_folder() / "mcp_servers.json", self.root, servers, self.trust)

    def is_from_vault(self, setting: str) -> bool:
        """Whether the vault's own file says what counts, so that whoever made the vault may have chosen it."""
        return self.settings.values[setting].origin.startswith(str(self.root / KEEPING_FOLDER))

    def check(self, *paths: str) -> list[Problem]:
        """What is wrong with the vault's tools and agents, in the order of their files.

        With paths, only what is in these files and folders; they are written from the vault's top.
        """
        self.registry.refresh()
        chosen = [path.strip("/") for path in paths]
        in_tools = (problem for entry in self.registry.entries() for problem in entry.problems)
        found = [each for each in (*in_tools, *self.registry.loose_problems()) if is_below(each.file, chosen)]
        return sorted(found, key=lambda each: (each.file, each.span.line, each.span.column))

    def npm_grants(self, tool: str) -> Grants:
        """What the settings grant to a tool with npm packages."""
        from paperagents.npm.packages import grants_from  # noqa: PLC0415  as above

        return grants_from(self.settings.of_tool("npm", tool))

    def follow(
        self,
        on_change: Callable[[], None] = lambda: None,
        on_files: Callable[[Sequence[str]], None] = lambda files: None,  # noqa: ARG005  nobody listens
    ) -> FolderWatch:
        """Follow the folder while the returned context is open: edits take effect at once."""
        from paperagents.registry.folder_watch import FolderWatch  # noqa: PLC0415  as above

        return FolderWatch(self.registry, on_change, on_files)


def is_below(file: str, paths: Sequence[str]) -> bool:
    """Whether a file is one of those, or in a folder of those; without any, every file is."""
    return not paths or any(each in (file, ".", "") or file.startswith(f"{each}/") for each in paths)


def find_vault() -> Path:
    """``PAPER_VAULT``, else the nearest folder upwards with ``.paper/``, else the current folder."""
    if named := os.environ.get("PAPER_VAULT"):
        return Path(named)
    return nearest_vault(Path.cwd())


def nearest_vault(start: Path) -> Path:
    """The nearest folder upwards that has ``.paper/``, else the folder itself."""
    for folder in (start, *start.parents):
        if (folder / KEEPING_FOLDER).is_dir():
            return folder
    return start
