"""Which settings there are, and what each may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from paperagents.definitions.text import closest
from paperagents.errors import SettingsError
from paperagents.messages import LANGUAGES
from paperagents.patterns import late_pattern
from paperagents.values import dataclass

if TYPE_CHECKING:
    from paperagents.approval.trust import TrustKind

Kind = Literal[
    "text", "address", "database", "number", "integer", "boolean", "list", "hosts", "command", "variables", "headers",
    "language", "timezone",
]  # fmt: skip
TABLES: frozenset[Kind] = frozenset({"variables", "headers"})
"""Kinds whose values are tables of texts."""
LISTS: frozenset[Kind] = frozenset({"list", "hosts"})
_HARMLESS: frozenset[Kind] = frozenset({"number", "integer", "boolean", "language", "timezone"})
"""Kinds whose wrong values are shown; addresses, commands and other texts may hold a secret."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingSpec:
    """A setting that exists: its type, bounds and default."""

    kind: Kind
    default: Any = None
    least: float = 0.0
    most: float = 0.0
    secret: bool = False
    grants: TrustKind | None = None
    """What it opens on this user's machine: from a vault it counts only once the user trusts it. None: nothing."""


SETTING_SPECS: Mapping[str, SettingSpec] = {
    "language": SettingSpec(kind="language"),
    "timezone": SettingSpec(kind="timezone"),
    "allowed_hosts": SettingSpec(kind="hosts", default=(), grants="host"),
    "database_url": SettingSpec(kind="database", secret=True, grants="database"),
    "approval.reads": SettingSpec(kind="boolean", default=False),
    "history.keep_days": SettingSpec(kind="integer", default=0, least=0, most=36_500),
    "history.keep_mb": SettingSpec(kind="integer", default=0, least=0, most=10_000_000),
    "sandbox.timeout": SettingSpec(kind="number", default=5.0, least=0.001, most=86_400),
    "sandbox.memory_mb": SettingSpec(kind="integer", default=256, least=1, most=1_000_000),
    "sandbox.output_mb": SettingSpec(kind="integer", default=16, least=1, most=1_000_000),
    "worker.concurrency": SettingSpec(kind="integer", default=4, least=1, most=256),
    "worker.heartbeat": SettingSpec(kind="number", default=5.0, least=0.05, most=3600),
    "worker.grace": SettingSpec(kind="number", default=30.0, least=0, most=86_400),
    "llm.base_url": SettingSpec(kind="address", default="https://openrouter.ai/api/v1", grants="model"),
    "llm.api_key": SettingSpec(kind="text", secret=True, grants="model"),
    "llm.model": SettingSpec(kind="text", grants="model"),
    "notify.url": SettingSpec(kind="address", grants="notify"),
    "notify.command": SettingSpec(kind="command", default=(), grants="notify"),
    "notify.one_time_link": SettingSpec(kind="boolean", default=False, grants="notify"),
    "notify.link": SettingSpec(kind="address", default="http://127.0.0.1:8765/approvals", grants="notify"),
    "serve.token": SettingSpec(kind="text", secret=True, grants="serve"),
    "serve.hosts": SettingSpec(kind="hosts", default=(), grants="serve"),
    "mcp.list_up_to": SettingSpec(kind="integer", default=1_000_000, least=0, most=1_000_000),
}
NAMED_TABLES: Mapping[str, Mapping[str, SettingSpec]] = {
    "npm": {name: SettingSpec(kind="list", default=(), grants="npm_grant") for name in ("read", "write", "net", "env")},
    "limits": {
        "concurrency": SettingSpec(kind="integer", least=1, most=10_000),
        "per_minute": SettingSpec(kind="integer", least=1, most=1_000_000),
    },
    "mcp_servers": {
        "command": SettingSpec(kind="command", secret=True, grants="mcp_server"),
        "url": SettingSpec(kind="address", secret=True, grants="mcp_server"),
        "token": SettingSpec(kind="text", secret=True, grants="mcp_server"),
        "client_id": SettingSpec(kind="text", grants="mcp_server"),
        "client_secret": SettingSpec(kind="text", secret=True, grants="mcp_server"),
        "env": SettingSpec(kind="variables", secret=True, grants="mcp_server"),
        "headers": SettingSpec(kind="headers", secret=True, grants="mcp_server"),
        "timeout": SettingSpec(kind="number", least=0.001, most=86_400, grants="mcp_server"),
        "trusted": SettingSpec(kind="boolean", grants="mcp_server"),
    },
}
"""Tables with a name of the user's choosing in between: ``[npm.TOOL]``."""
_ADDRESS = late_pattern(r"https?://[^\s/?#]\S*", re.IGNORECASE)
_DATABASE = late_pattern(r"(postgres(ql)?://.*)?", re.DOTALL)
_HOST = late_pattern(r"(?:\[([^\[\]]+)\]|[^\s/@?#*\[\]:,]+)(?::([0-9]{1,5}))?")
_LAST_PORT = 65535
_VARIABLE_NAME = late_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER_NAME = late_pattern(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_PLACEHOLDERS = {"npm": "TOOL", "limits": "TOOL", "mcp_servers": "NAME"}


def find_spec(name: str, origin: str = "") -> SettingSpec:
    """Find the spec of a setting. Raises SettingsError with the nearest names."""
    if name in SETTING_SPECS:
        return SETTING_SPECS[name]
    table, _, rest = name.partition(".")
    chosen, _, key = rest.rpartition(".")
    if chosen and key in NAMED_TABLES.get(table, {}):
        return NAMED_TABLES[table][key]
    named = [f"{each}.{chosen or _PLACEHOLDERS[each]}.{key}" for each, keys in NAMED_TABLES.items() for key in keys]
    near = closest(name, [*SETTING_SPECS, *named])
    suggestion = ", ".join(f"'{each}'" for each in near)
    raise SettingsError(
        "unknown-setting", name=name, origin=origin, suggestion=suggestion, case="suggestion" if near else None
    )


def parse_setting(text: str, spec: SettingSpec) -> Any:
    """Parse a value from a variable or a command line; what cannot be parsed stays text, and is refused later."""
    if spec.kind in LISTS:
        return parse_list(text, lambda: [part.strip() for part in text.split(",") if part.strip()])
    if spec.kind == "command":
        return parse_command(text)
    if spec.kind in TABLES:
        return parse_table(text)
    if spec.kind == "boolean":
        return {"true": True, "false": False}.get(text.strip().lower(), text)
    number = text.strip()
    if spec.kind in ("number", "integer") and re.fullmatch(r"-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?", number):
        return float(number) if "." in number else int(number)
    return text


def parse_list(text: str, split: Callable[[], Any]) -> Any:
    """Read a JSON list; what is none is split."""
    import json  # noqa: PLC0415  only where a list is set

    if text.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return split()


def parse_command(text: str) -> Any:
    """Read a command as a JSON list, else split it as a shell does."""
    import shlex  # noqa: PLC0415  only where a command is set

    with suppress(ValueError):
        return parse_list(text, lambda: shlex.split(text))
    return text


def parse_table(text: str) -> Any:
    """Read a table of texts as a JSON object."""
    import json  # noqa: PLC0415  only where a table is set

    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


def check_value(name: str, value: Any, spec: SettingSpec, origin: str) -> Any:
    """The value as the program uses it. Raises SettingsError where it is not one of its kind."""
    checks: Mapping[Kind, Callable[[], bool]] = {
        "text": lambda: isinstance(value, str),
        "address": lambda: isinstance(value, str) and bool(_ADDRESS.fullmatch(value)),
        "database": lambda: isinstance(value, str) and bool(_DATABASE.fullmatch(value)),
        "number": lambda: type(value) in (int, float) and spec.least <= value <= spec.most,
        "integer": lambda: type(value) in (int, float) and spec.least <= value <= spec.most and value == int(value),
        "boolean": lambda: isinstance(value, bool),
        "list": lambda: is_text_list(value),
        "hosts": lambda: is_text_list(value) and all(is_host(each.strip()) for each in value),
        "command": lambda: is_text_list(value) and bool(value),
        "variables": lambda: is_text_table(value, _VARIABLE_NAME),
        "headers": lambda: is_text_table(value, _HEADER_NAME),
        "language": lambda: value in LANGUAGES,
        "timezone": lambda: isinstance(value, str) and is_timezone(value),
    }
    if not checks[spec.kind]():
        shown = (str(value).lower() if isinstance(value, bool) else repr(value)) if spec.kind in _HARMLESS else "***"
        shown = shown if len(shown) <= 80 else f"{shown[:80]}…"
        least, most = f"{spec.least:g}", f"{spec.most:.0f}"
        raise SettingsError(
            "invalid-setting", name=name, value=shown, origin=origin, case=spec.kind, least=least, most=most
        )
    if spec.kind == "integer":
        return int(value)
    return tuple(value) if isinstance(value, list) else value


def is_text_list(value: Any) -> bool:
    """Whether it is a list of nothing but texts."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def is_text_table(value: Any, name: re.Pattern[str]) -> bool:
    """Whether it is a table of texts, each of one line, under names of this form."""
    return isinstance(value, dict) and all(
        name.fullmatch(key) and isinstance(each, str) and each.isprintable() for key, each in value.items()
    )


def is_host(text: str) -> bool:
    """Whether it is a name or an address, with or without a port; IPv6 may stand without its brackets."""
    found = _HOST.fullmatch(text)
    if found is None:
        return is_ipv6(text)
    address, port = found.groups()
    return (address is None or is_ipv6(address)) and (port is None or 1 <= int(port) <= _LAST_PORT)


def is_ipv6(text: str) -> bool:
    """Whether it is an address of IPv6, without brackets."""
    from ipaddress import IPv6Address  # noqa: PLC0415  only needed where one is set

    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def is_timezone(name: str) -> bool:
    """Whether the system or the tzdata package knows this time zone."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  only needed where one is set

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
