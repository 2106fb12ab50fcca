"""Settings and secrets of tools and services: kept with the user, outside every vault, readable by the owner only.

A value belongs to a vault as the user knows it, and to the file that it was given to: a file that has changed is
another one, and gets it only once the user says so again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from paperagents.errors import PaperError
from paperagents.files.state_files import file_lock, read_object, replace_file
from paperagents.shortages import find_shortage

Values = dict[str, str]


class EnvironmentStore:
    """What one user has configured in one vault, for its tools or for the services they talk to.

    ``digest_of`` names the file of an owner as it is now; what belongs to no file has none.
    """

    def __init__(
        self, file: Path, vault: Callable[[], str], digest_of: Callable[[str], str | None] = lambda _: None
    ) -> None:
        self._file = file
        self._find_vault = vault
        self._digest_of = digest_of

    def values(self, owner: str, digest: str | None = None) -> Values:
        """The variables that were given to the owner's file: as this digest names it, else as it is now."""
        digest = digest or self._digest_of(owner)
        return {name: each["value"] for name, each in self._variables(owner).items() if each["digest"] == digest}

    def list_stale(self, owner: str, digest: str | None = None) -> list[str]:
        """The names of variables that were given to another version of the owner's file."""
        given = self.values(owner, digest)
        return [name for name in self._variables(owner) if name not in given]

    def every_value(self) -> list[str]:
        """All values of all owners, so that they can be kept out of every record."""
        owners = self._owners(self._read()).values()
        return [each["value"] for variables in owners for each in _readable(variables).values()]

    def set(self, owner: str, changes: Mapping[str, str | None]) -> None:
        """Change variables of an owner, for its file as it is now; None removes one."""
        digest = self._digest_of(owner)
        given = {name: None if value is None else {"value": value, "digest": digest} for name, value in changes.items()}
        self._change(owner, lambda _: given)

    def confirm(self, owner: str, digest: str | None = None) -> None:
        """Give all variables of an owner to its file as this digest names it, else as it is now."""
        digest = digest or self._digest_of(owner)
        self._change(owner, lambda kept: {name: {**each, "digest": digest} for name, each in _readable(kept).items()})

    def _change(self, owner: str, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> None:
        with file_lock(self._file):
            everything = self._read()
            owners = self._owners(everything)
            variables = owners.get(owner, {})
            if not isinstance(variables, dict):
                raise self._unreadable("not an object")
            changed = {name: each for name, each in {**variables, **change(variables)}.items() if each is not None}
            everything = {**everything, self._find_vault(): {**owners, owner: changed}}
            replace_file(self._file, json.dumps(everything, indent=1))

    def _variables(self, owner: str) -> dict[str, dict[str, Any]]:
        return _readable(self._owners(self._read()).get(owner))

    def _owners(self, everything: Mapping[str, Any]) -> dict[str, Any]:
        # Where nothing is kept at all, nobody has to know the vault.
        owners = everything.get(self._find_vault(), {}) if everything else {}
        if not isinstance(owners, dict):
            raise self._unreadable("not an object")
        return owners

    def _read(self) -> dict[str, Any]:
        try:
            return read_object(self._file)
        except (OSError, ValueError) as error:
            if find_shortage(error):
                # Not the file's fault: told as what it is, like everywhere.
                raise
            raise self._unreadable(str(error)) from error

    def _unreadable(self, reason: str) -> PaperError:
        """Somebody's secrets are in there: it is reported and kept, never written over."""
        return PaperError("environment-unreadable", file=str(self._file), reason=reason)


def _readable(variables: object) -> dict[str, dict[str, Any]]:
    """The variables that have a value and a digest; others were not written by us, and reach no tool."""
    found = variables.items() if isinstance(variables, dict) else ()
    return {name: each for name, each in found if _is_variable(each)}


def _is_variable(each: object) -> bool:
    return isinstance(each, dict) and isinstance(each.get("value"), str) and "digest" in each
