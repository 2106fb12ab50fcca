"""Settings: from environment variables, the vault, the user, else the defaults, each with its origin."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from paperagents.definitions.closest import closest
from paperagents.errors import SettingsError
from paperagents.messages import LANGUAGES

FILE = "settings.toml"
Kind = Literal["text", "number", "whole", "texts", "words", "language", "timezone"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """A setting there is: its type and default."""

    kind: Kind
    default: Any = None
    least: float | None = None
    secret: bool = False


KNOWN: Mapping[str, Known] = {
    "language": Known(kind="language"),
    "timezone": Known(kind="timezone"),
    "allowed_hosts": Known(kind="texts", default=()),
    "database_url": Known(kind="text", secret=True),
    "sandbox.timeout": Known(kind="number", default=5.0, least=0.001),
    "sandbox.memory_mb": Known(kind="number", default=256, least=1),
    "sandbox.output_mb": Known(kind="number", default=16, least=0.001),
    "llm.base_url": Known(kind="text", default="https://openrouter.ai/api/v1"),
    "llm.api_key": Known(kind="text", secret=True),
    "llm.model": Known(kind="text"),
}
NAMED_TABLES: Mapping[str, Mapping[str, Known]] = {
    "npm": {name: Known(kind="texts", default=()) for name in ("read", "write", "net", "env")},
    "mcp_servers": {"command": Known(kind="words"), "url": Known(kind="text")},
}
"""Tables with a name of the user's choosing in between: ``[npm.TOOL]``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A value and where it comes from: ``default``, a variable's name, or ``file:line``."""

    value: Any
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Every setting by its dotted name."""

    values: Mapping[str, Setting] = field(default_factory=dict)

    def get(self, name: str) -> Any:
        """The value of a setting; None where it has neither value nor default."""
        return self.values[name].value if name in self.values else None

    def table(self, prefix: str) -> dict[str, dict[str, Any]]:
        """The named tables below ``npm`` or ``mcp_servers``."""
        tables: dict[str, dict[str, Any]] = {}
        for name, setting in self.values.items():
            if name.startswith(f"{prefix}."):
                table, _, key = name.removeprefix(f"{prefix}.").rpartition(".")
                tables.setdefault(table, {})[key] = setting.value
        return tables


def load_settings(vault: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read all sources, the strongest last. Raises SettingsError with file, line and the nearest key."""
    environment = os.environ if environment is None else environment
    values = {name: Setting(value=known.default, origin="default") for name, known in KNOWN.items()}
    files = [user_folder(environment) / FILE] + ([vault / ".paper" / FILE] if vault is not None else [])
    for file in files:
        values.update(_read_file(file))
    values.update(_read_environment(environment))
    return Settings(values=values)


def user_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where settings and secrets of this user are kept, outside every vault."""
    environment = os.environ if environment is None else environment
    if configured := environment.get("XDG_CONFIG_HOME"):
        return Path(configured) / "paperagents"
    return Path(environment.get("HOME") or "~").expanduser() / ".config" / "paperagents"


def _read_file(file: Path) -> Iterator[tuple[str, Setting]]:
    try:
        text = file.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError("settings-unreadable", file=str(file), reason=str(error)) from error
    import tomllib  # noqa: PLC0415  most commands run without a settings file

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError("settings-syntax", file=str(file), reason=str(error)) from error
    for name, value in _flatten(data):
        line = _line_of(text, name)
        known = _known(name, f"{file}:{line}")
        yield name, Setting(value=_checked(name, value, known, f"{file}:{line}"), origin=f"{file}:{line}")


def _flatten(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _known(name: str, origin: str) -> Known:
    if name in KNOWN:
        return KNOWN[name]
    table, _, rest = name.partition(".")
    within = NAMED_TABLES.get(table, {})
    key = rest.rpartition(".")[2]
    if rest.count(".") and key in within:
        return within[key]
    candidates = [f"{name.rpartition('.')[0]}.{each}" for each in within] if within else list(KNOWN)
    near = closest(name, candidates)
    suggestion = ", ".join(f"'{each}'" for each in near)
    raise SettingsError(
        "unknown-setting", name=name, origin=origin, suggestion=suggestion, case="suggestion" if near else None
    )


def _read_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Setting]]:
    for name, known in KNOWN.items():
        variable = "PAPER_" + name.replace(".", "_").upper()
        if (text := environment.get(variable)) is not None:
            value = _checked(name, from_text(text, known), known, variable)
            yield name, Setting(value=value, origin=variable)


def from_text(text: str, known: Known) -> Any:
    """A value as a variable or a command line gives it."""
    if known.kind == "texts":
        return [part.strip() for part in text.split(",") if part.strip()]
    if known.kind in ("number", "whole") and re.fullmatch(r"-?\d+(\.\d+)?", text.strip()):
        return json.loads(text)
    return text


def _checked(name: str, value: Any, known: Known, origin: str) -> Any:
    checks = {
        "text": lambda: isinstance(value, str),
        "number": lambda: isinstance(value, int | float) and not isinstance(value, bool),
        "whole": lambda: isinstance(value, int) and not isinstance(value, bool),
        "texts": lambda: isinstance(value, list) and all(isinstance(each, str) for each in value),
        "words": lambda: isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value),
        "language": lambda: value in LANGUAGES,
        "timezone": lambda: isinstance(value, str) and _is_timezone(value),
    }
    fits = checks[known.kind]() and (known.least is None or value >= known.least)
    if not fits:
        shown = "***" if known.secret else repr(value)
        raise SettingsError("invalid-setting", name=name, value=shown, origin=origin, case=known.kind)
    return tuple(value) if isinstance(value, list) else value


def _is_timezone(name: str) -> bool:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415  only needed where one is set

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def _line_of(text: str, name: str) -> int:
    """The line that sets a dotted name, as far as a quick look can tell."""
    table, _, key = name.rpartition(".")
    current = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            current = header[1].replace('"', "").replace("'", "").replace(" ", "")
        elif assigned := re.match(r"\s*([\w.\"' -]+?)\s*=", line):
            written = assigned[1].replace('"', "").replace("'", "").replace(" ", "")
            if f"{current}.{written}".strip(".") == name or (current == table and written == key):
                return number
    return 1
