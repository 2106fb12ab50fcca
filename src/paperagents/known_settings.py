"""Which settings there are, and what each may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from paperagents.definitions.names import closest
from paperagents.errors import SettingsError
from paperagents.messages import LANGUAGES

Kind = Literal["text", "address", "database", "number", "whole", "texts", "hosts", "words", "language", "timezone"]
LISTS: frozenset[Kind] = frozenset({"texts", "hosts"})
_HARMLESS: frozenset[Kind] = frozenset({"number", "whole", "language", "timezone"})
"""Kinds whose wrong values are shown; addresses, commands and other texts may hold a secret."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A setting there is: its type and default."""

    kind: Kind
    default: Any = None
    least: float = 0.0
    most: float = 0.0
    secret: bool = False
    users_own: bool = False
    """Opens a door to this user's machine: a folder that comes from somebody else must not bring it along."""


KNOWN: Mapping[str, Known] = {
    "language": Known(kind="language"),
    "timezone": Known(kind="timezone"),
    "allowed_hosts": Known(kind="hosts", default=()),
    "database_url": Known(kind="database", secret=True),
    "sandbox.timeout": Known(kind="number", default=5.0, least=0.001, most=86_400),
    "sandbox.memory_mb": Known(kind="whole", default=256, least=1, most=1_000_000),
    "sandbox.output_mb": Known(kind="whole", default=16, least=1, most=1_000_000),
    "worker.concurrency": Known(kind="whole", default=4, least=1, most=256),
    "worker.heartbeat": Known(kind="number", default=5.0, least=0.05, most=3600),
    "worker.grace": Known(kind="number", default=30.0, least=0, most=86_400),
    "llm.base_url": Known(kind="address", default="https://openrouter.ai/api/v1"),
    "llm.api_key": Known(kind="text", secret=True),
    "llm.model": Known(kind="text"),
    "serve.token": Known(kind="text", secret=True, users_own=True),
    "serve.hosts": Known(kind="hosts", default=(), users_own=True),
    "mcp.list_up_to": Known(kind="whole", default=1_000_000, least=0, most=1_000_000),
}
NAMED_TABLES: Mapping[str, Mapping[str, Known]] = {
    "npm": {name: Known(kind="texts", default=()) for name in ("read", "write", "net", "env")},
    "limits": {
        "concurrency": Known(kind="whole", least=1, most=10_000),
        "per_minute": Known(kind="whole", least=1, most=1_000_000),
    },
    "mcp_servers": {
        "command": Known(kind="words", secret=True),
        "url": Known(kind="address", secret=True),
        "token": Known(kind="text", secret=True),
    },
}
"""Tables with a name of the user's choosing in between: ``[npm.TOOL]``."""
_ADDRESS = re.compile(r"https?://[^\s/?#]\S*", re.IGNORECASE)
_DATABASE = re.compile(r"(postgres(ql)?://.*)?", re.DOTALL)
_HOST = re.compile(r"(?:\[([^\[\]]+)\]|[^\s/@?#*\[\]:,]+)(?::([0-9]{1,5}))?")
_LAST_PORT = 65535
_NAMES_WANTED = {"npm": "TOOL", "limits": "TOOL", "mcp_servers": "NAME"}


def known_setting(name: str, origin: str = "") -> Known:
    """What is known about a setting. Raises SettingsError with the nearest names."""
    if name in KNOWN:
        return KNOWN[name]
    table, _, rest = name.partition(".")
    chosen, _, key = rest.rpartition(".")
    if chosen and key in NAMED_TABLES.get(table, {}):
        return NAMED_TABLES[table][key]
    near = closest(name, [*KNOWN, *_named_settings(chosen)])
    suggestion = ", ".join(f"'{each}'" for each in near)
    raise SettingsError(
        "unknown-setting", name=name, origin=origin, suggestion=suggestion, case="suggestion" if near else None
    )


def _named_settings(chosen: str) -> Iterator[str]:
    """What the settings of the named tables are called with this name, else with a word that asks for one."""
    for table, keys in NAMED_TABLES.items():
        yield from (f"{table}.{chosen or _NAMES_WANTED[table]}.{key}" for key in keys)


def from_text(text: str, known: Known) -> Any:
    """A value as a variable or a command line gives it."""
    if known.kind in LISTS:
        return [part.strip() for part in text.split(",") if part.strip()]
    if known.kind == "words":
        return _words(text)
    number = text.strip()
    if known.kind in ("number", "whole") and re.fullmatch(r"-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?", number):
        return float(number) if "." in number else int(number)
    return text


def _words(text: str) -> Any:
    """A command as a list of JSON, else as a shell reads it; what neither can read is no command."""
    import json  # noqa: PLC0415  only where a command is set
    import shlex  # noqa: PLC0415  as above

    try:
        if text.lstrip().startswith("["):
            return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return shlex.split(text)
    except ValueError:
        return text


def checked_value(name: str, value: Any, known: Known, origin: str) -> Any:
    """The value as the program uses it. Raises SettingsError where it is not one of its kind."""
    checks: Mapping[Kind, Callable[[], bool]] = {
        "text": lambda: isinstance(value, str),
        "address": lambda: isinstance(value, str) and bool(_ADDRESS.fullmatch(value)),
        "database": lambda: isinstance(value, str) and bool(_DATABASE.fullmatch(value)),
        "number": lambda: _is_number(value, known),
        "whole": lambda: _is_number(value, known) and value == int(value),
        "texts": lambda: _are_texts(value),
        "hosts": lambda: _are_texts(value) and all(_is_host(each.strip()) for each in value),
        "words": lambda: _are_texts(value) and bool(value),
        "language": lambda: value in LANGUAGES,
        "timezone": lambda: isinstance(value, str) and _is_timezone(value),
    }
    if not checks[known.kind]():
        shown = _shortened(repr(value)) if known.kind in _HARMLESS else "***"
        least, most = f"{known.least:g}", f"{known.most:.0f}"
        raise SettingsError(
            "invalid-setting", name=name, value=shown, origin=origin, case=known.kind, least=least, most=most
        )
    if known.kind == "whole":
        return int(value)
    return tuple(value) if isinstance(value, list) else value


def _is_number(value: Any, known: Known) -> bool:
    return type(value) in (int, float) and known.least <= value <= known.most


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_host(text: str) -> bool:
    """A name or an address, with a port or without; one of IPv6 may stand without its brackets."""
    found = _HOST.fullmatch(text)
    if found is None:
        return _is_address(text)
    address, port = found.groups()
    return (address is None or _is_address(address)) and (port is None or 1 <= int(port) <= _LAST_PORT)


def _is_address(text: str) -> bool:
    from ipaddress import IPv6Address  # noqa: PLC0415  only needed where one is set

    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def _shortened(shown: str) -> str:
    return shown if len(shown) <= 80 else f"{shown[:80]}…"


def _is_timezone(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  only needed where one is set

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
