"""What settings grant to a tool with npm packages: folders of the vault, hosts, variables.

A vault that comes from somebody else brings its settings along, so settings alone grant nothing: they are shown
and agreed on once, that is remembered with the user as a rule, and other grants are asked for anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paperagents.definitions.json_value import JsonObject
from paperagents.errors import ToolError

KINDS = ("read", "write", "net", "env")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9]([A-Za-z0-9._-]{0,252}))(:(?P<port>[0-9]{1,5}))?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_STEERS_THE_PROCESS = re.compile(r"(DENO|LD|NODE|V8|DYLD|MALLOC|GLIBC|SSLKEYLOGFILE|RUST)(_.*)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grants:
    """What one tool may touch beside its packages, as the settings say it."""

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    net: tuple[str, ...] = ()
    env: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """Names exactly these grants; empty where nothing is granted."""
        return "; ".join(f"{kind} {', '.join(values)}" for kind, values in self.by_kind().items())

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Those that grant something."""
        return {kind: values for kind in KINDS if (values := getattr(self, kind))}

    def as_json(self) -> JsonObject:
        """The form of results."""
        return {kind: list(values) for kind, values in self.by_kind().items()}


def grants_from(table: Mapping[str, Sequence[str]]) -> Grants:
    """The grants of ``[npm.TOOL]``."""
    return Grants(**{kind: tuple(table.get(kind, ())) for kind in KINDS})


def require_possible(grants: Grants, tool: str, root: Path) -> None:
    """Refuse grants that lead out of the vault or that are no host or variable."""
    for path in (*grants.read, *grants.write):
        if "," in str(find_folder(root, path, tool).relative_to(root)):
            raise ToolError("npm-grant", tool=tool, value=path, case="comma")
    for host in grants.net:
        found = _HOST.fullmatch(host)
        if found is None or not 0 < int(found["port"] or 1) < 2**16:
            raise ToolError("npm-grant", tool=tool, value=host, case="net")
    for name in grants.env:
        if not _VARIABLE.fullmatch(name) or _STEERS_THE_PROCESS.fullmatch(name):
            raise ToolError("npm-grant", tool=tool, value=name, case="env")


def find_folder(root: Path, path: str, tool: str) -> Path:
    """The real place of a vault path; refuses what leads out or to what the program keeps."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    try:
        real = Path(root, *parts).resolve()
        inside = real.relative_to(root).parts
    except (ValueError, OSError, RuntimeError):
        raise ToolError("npm-grant", tool=tool, value=path, case="path") from None
    if ".." in parts or inside[:1] == (".paper",):
        raise ToolError("npm-grant", tool=tool, value=path, case="path")
    return real


def read_variables(grants: Grants) -> tuple[tuple[str, str], ...]:
    """The variables that are granted and set."""
    return tuple((name, os.environ[name]) for name in grants.env if name in os.environ)
