"""Settings and secrets of tools and services: kept with the user, outside every vault, readable by the owner only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paperagents.errors import PaperError
from paperagents.files.state_files import file_lock, read_object, replace_file

Values = dict[str, str]


class EnvironmentStore:
    """What one user has configured in one vault, for its tools or for the services they talk to."""

    def __init__(self, file: Path, vault: Path) -> None:
        self._file = file
        self._vault = str(vault)

    def values(self, tool: str) -> Values:
        """The variables of a tool."""
        return _texts(self._tools(self._read()).get(tool))

    def every_value(self) -> list[str]:
        """All values of all tools, so that they can be kept out of every record."""
        return [value for kept in self._tools(self._read()).values() for value in _texts(kept).values()]

    def set(self, tool: str, changes: Mapping[str, str | None]) -> None:
        """Change variables of a tool; None removes one."""
        with file_lock(self._file):
            everything = self._read()
            tools = self._tools(everything)
            variables = tools.get(tool, {})
            if not isinstance(variables, dict):
                raise self._unreadable("not an object")
            changed = {name: value for name, value in {**variables, **changes}.items() if value is not None}
            everything = {**everything, self._vault: {**tools, tool: changed}}
            replace_file(self._file, json.dumps(everything, indent=1))

    def _tools(self, everything: Mapping[str, Any]) -> dict[str, Any]:
        tools = everything.get(self._vault, {})
        if not isinstance(tools, dict):
            raise self._unreadable("not an object")
        return tools

    def _read(self) -> dict[str, Any]:
        try:
            return read_object(self._file)
        except (OSError, ValueError) as error:
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> PaperError:
        """Somebody's secrets are in there: it is reported and kept, never written over."""
        return PaperError("environment-unreadable", file=str(self._file), reason=reason)


def _texts(variables: object) -> Values:
    """The variables that are texts; others were not written by us, and reach no tool."""
    found = variables.items() if isinstance(variables, dict) else ()
    return {name: value for name, value in found if isinstance(value, str)}
