"""Settings and secrets of tools: kept with the user, outside every vault, readable by the owner only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from paperagents.errors import PaperError
from paperagents.kept_files import alone_with, replace_file

Values = dict[str, str]


class EnvironmentStore:
    """What one user has configured for the tools of one vault."""

    def __init__(self, file: Path, vault: Path) -> None:
        self._file = file
        self._vault = str(vault)

    def values(self, tool: str) -> Values:
        """The variables of a tool."""
        return dict(self._tools().get(tool, {}))

    def every_value(self) -> list[str]:
        """All values of all tools, so that they can be kept out of every record."""
        return [value for values in self._tools().values() for value in values.values()]

    def set(self, tool: str, changes: Mapping[str, str | None]) -> None:
        """Change variables of a tool; None removes one."""
        with alone_with(self._file):
            values = {**self.values(tool), **changes}
            kept = {name: value for name, value in values.items() if value is not None}
            everything = self._read()
            everything[self._vault] = {**self._tools(), tool: kept}
            replace_file(self._file, json.dumps(everything, indent=1))

    def _tools(self) -> dict[str, Values]:
        return self._read().get(self._vault, {})

    def _read(self) -> dict[str, dict[str, Values]]:
        try:
            data = json.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            # Somebody's secrets are in there: it is reported and kept, never written over.
            raise PaperError("environment-unreadable", file=str(self._file), reason=str(error)) from error
        if not _is_sound(data):
            raise PaperError("environment-unreadable", file=str(self._file), reason="not an object")
        kept: dict[str, dict[str, Values]] = data
        return kept


def _is_sound(data: object) -> bool:
    """Vaults, in each tools, in each variables: anything else was not written by us."""
    tools = list(data.values()) if isinstance(data, dict) else [None]
    variables = [each for tool in tools for each in (tool.values() if isinstance(tool, dict) else [None])]
    return all(isinstance(each, dict) and all(isinstance(value, str) for value in each.values()) for each in variables)
