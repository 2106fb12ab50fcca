"""Settings: from environment variables, the vault, the user, else the defaults, each with its origin."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import SettingsError
from paperagents.known_settings import (
    LISTS,
    NAMED_TABLES,
    SETTING_SPECS,
    TABLES,
    SettingSpec,
    check_value,
    find_spec,
    parse_setting,
)
from paperagents.messages import LANGUAGES, system_text
from paperagents.messages import text as message_text
from paperagents.values import dataclass

if TYPE_CHECKING:
    # Loaded where a vault's own settings grant something: most do not.
    from paperagents.approval.signatures import UserKey
    from paperagents.approval.trust import Brought, TrustBook

FILE = "settings.toml"
KEEPING_FOLDER = ".paper"
LARGEST_FILE = 100_000
MOST_DOTS = 200
"""In one line: the TOML library needs memory with the square of a dotted name's length."""
_VARIABLE = "PAPER_"
_SERVERS = "mcp_servers"
_WAYS = (".command", ".url")


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A value and where it comes from: ``default``, a variable's name, or ``file:line``."""

    value: Any
    origin: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Every setting by its dotted name."""

    values: Mapping[str, Setting] = field(default_factory=dict)
    brought: tuple[Brought, ...] = ()
    """What the vault's own file grants, trusted or not. What is not trusted is not among the values."""
    untrusted: tuple[Brought, ...] = ()

    def get(self, name: str) -> Any:
        """The value of a setting; None where it has neither value nor default."""
        return self.values[name].value if name in self.values else None

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of the vault; None means the system's."""
        name = self.get("timezone")
        if not name:
            return None
        from zoneinfo import ZoneInfo  # noqa: PLC0415  only needed where one is set

        return ZoneInfo(name)

    def table(self, prefix: str) -> dict[str, dict[str, Any]]:
        """The named tables below ``npm`` or ``mcp_servers``."""
        tables: dict[str, dict[str, Any]] = {}
        for name, setting in self.values.items():
            if name.startswith(f"{prefix}."):
                table, _, key = name.removeprefix(f"{prefix}.").rpartition(".")
                tables.setdefault(table, {})[key] = setting.value
        return tables

    def of_tool(self, prefix: str, tool: str) -> dict[str, Any]:
        """What the table of one tool says; a variable cannot spell every id, so it means all that look like it."""
        from_variables = {
            name.rpartition(".")[2]: setting.value
            for name, setting in self.values.items()
            if name.startswith(f"{prefix}.") and setting.origin.startswith(_VARIABLE)
            if variable_spelling(name_in_table(name)) == variable_spelling(tool)
        }
        return {**self.table(prefix).get(tool, {}), **from_variables}


def load_settings(vault: Path | None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read all sources, the strongest last. Raises SettingsError with file, line and the nearest key."""
    environment = os.environ if environment is None else environment
    values = {name: Setting(value=spec.default, origin="default") for name, spec in SETTING_SPECS.items()}
    values.update(_read_file(user_folder(environment) / FILE))
    brought: list[Brought] = []
    untrusted: list[Brought] = []
    # Under the name of a server of the user's own, a vault must not lead its token elsewhere.
    own_servers = {name_in_table(name) for name in values if name.startswith(f"{_SERVERS}.") and name.endswith(_WAYS)}
    if vault is not None:
        for name, setting in _read_file(vault / KEEPING_FOLDER / FILE):
            if name.startswith(f"{_SERVERS}.") and name_in_table(name) in own_servers:
                continue
            if name == "approval.reads" and values[name].value:
                continue  # a vault can ask for more, never for less
            things = list_grants(name, setting, vault)
            refused = _select_untrusted(things, vault, environment)
            brought += things
            untrusted += refused
            # A folder that comes from somebody else must not open this user's machine: what is not trusted is left out.
            if not refused:
                values[name] = setting
            elif trusted := tuple(thing.name for thing in things if thing not in refused):
                values[name] = replace(setting, value=trusted)
    values.update(_read_environment(environment))
    values.update(list(_read_named_variables(environment, values)))
    settings = Settings(values=values, brought=tuple(brought), untrusted=tuple(untrusted))
    _require_one_way_to_servers(settings)
    return settings


def read_language(vault: Path | None, environment: Mapping[str, str] | None = None) -> str | None:
    """The language that is set, whatever else is wrong with the settings: that is told in it, too."""
    environment = os.environ if environment is None else environment
    found: list[Any] = [environment.get(f"{_VARIABLE}LANGUAGE")]
    for folder in (vault / ".paper" if vault else None, user_folder(environment)):
        with suppress(SettingsError, ValueError, RecursionError):
            found.append(_parse_toml(_read_text(folder / FILE)).get("language") if folder else None)
    return next((each for each in found if each in LANGUAGES), None)


def user_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where settings and secrets of this user are kept, outside every vault."""
    environment = os.environ if environment is None else environment
    if configured := environment.get("XDG_CONFIG_HOME"):
        return Path(configured) / "paperagents"
    return Path(environment.get("HOME") or "~").expanduser() / ".config" / "paperagents"


def open_trust_book(root: Path, key: UserKey, environment: Mapping[str, str] | None = None) -> TrustBook:
    """What the user has said about the things of this vault."""
    from paperagents.approval.signatures import Signatures, identify_vault  # noqa: PLC0415  see above
    from paperagents.approval.trust import TrustBook  # noqa: PLC0415  see above

    signatures = Signatures(key, lambda: identify_vault(root.resolve(), root.resolve() / KEEPING_FOLDER, key))
    return TrustBook(user_folder(environment) / "trust.json", signatures)


def _select_untrusted(things: list[Brought], vault: Path, environment: Mapping[str, str]) -> list[Brought]:
    if not things:
        return []
    from paperagents.approval.signatures import UserKey  # noqa: PLC0415  see above

    trust = open_trust_book(vault, UserKey(user_folder(environment)), environment)
    return [thing for thing in things if not trust.trusts(thing)]


def list_grants(name: str, setting: Setting, vault: Path) -> list[Brought]:
    """What a setting opens on the user's machine, one thing each; servers are asked about as a whole, elsewhere."""
    kind, where = find_spec(name).grants, setting.origin.removeprefix(f"{vault}/")
    if kind is None or kind == "mcp_server":
        return []
    from paperagents.approval.trust import brought  # noqa: PLC0415  see above

    match kind:
        case "host":
            return [brought(kind, host, host, what=host, where=where) for host in dict.fromkeys(setting.value)]
    content: JsonValue = list(setting.value) if isinstance(setting.value, tuple) else setting.value
    shown = "***" if find_spec(name).secret else json.dumps(content, ensure_ascii=False)
    what = f"{name} = {describe_server(str(content)) if kind == 'database' else shown}"
    return [brought(kind, name, content, what=what, where=where)]


def describe_server(address: str) -> str:
    """Which database an address leads to, without what may be secret in it."""
    from urllib.parse import parse_qsl, urlencode, urlsplit  # noqa: PLC0415  for the few vaults that bring an address

    try:
        parts = urlsplit(address)
        if parts.port == 0 or "@" in parts.path:
            return "***"
    except ValueError:
        # A password with a slash in it, perhaps.
        return "***"
    # The query can name another server than the address seems to.
    places = [pair for pair in parse_qsl(parts.query) if pair[0] in ("dbname", "host", "hostaddr", "port")]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query=urlencode(places), fragment="").geturl()


def mask_value(name: str, setting: Setting) -> Any:
    """The value as everybody may see it."""
    hidden = find_spec(name).secret and setting.value
    return "***" if hidden else list(setting.value) if isinstance(setting.value, tuple) else setting.value


def _require_one_way_to_servers(settings: Settings) -> None:
    for server, fields in settings.table(_SERVERS).items():
        origins = [settings.values[f"{_SERVERS}.{server}.{key}"].origin for key in fields]
        ways = {"command", "url"} & fields.keys()
        # A variable alone may bring the token of a server that this vault does not have.
        if len(ways) > 1 or not (ways or all(each.startswith(_VARIABLE) for each in origins)):
            raise _unreachable(server, origins[0])


def _unreachable(server: str, origin: str) -> SettingsError:
    return SettingsError("invalid-setting", name=f"{_SERVERS}.{server}", origin=origin, case="server")


# --- settings files


def _read_file(file: Path) -> Iterator[tuple[str, Setting]]:
    text = _read_text(file)
    try:
        data = _parse_toml(text)
        found = list(_flatten(data))
    except (ValueError, RecursionError) as error:
        # The library's words are English; where the text ends too early, it tells no line either.
        told = re.search(r"at line (\d+), column (\d+)", str(error))
        line, column = told.groups() if told else (len(text.rstrip().split("\n")), 1)
        raise SettingsError("settings-syntax", file=f"{file}:{line}:{column}") from error
    lines = _lines_of_names(text)
    servers = data.get(_SERVERS)
    for server, fields in servers.items() if isinstance(servers, dict) else ():
        if fields == {}:
            raise _unreachable(server, f"{file}:{_line_of(f'{_SERVERS}.{server}', lines)}")
    for name, value in found:
        origin = f"{file}:{_line_of(name, lines)}"
        yield name, Setting(value=check_value(name, value, find_spec(name, origin), origin), origin=origin)


def _parse_toml(text: str) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib  # noqa: PLC0415  most commands run without a settings file

    return tomllib.loads(text)


def _read_text(file: Path) -> str:
    """The text of a settings file, empty where there is none. A pipe or a huge file is not waited for."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, encoding="utf-8-sig") as opened:  # noqa: PTH123  by descriptor
            text = opened.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        reason = message_text("cli.run.not-utf-8") if isinstance(error, UnicodeDecodeError) else system_text(error)
        raise SettingsError("settings-unreadable", file=str(file), reason=reason) from error
    if len(text) > LARGEST_FILE or any(line.count(".") > MOST_DOTS for line in text.split("\n")):
        raise SettingsError("settings-syntax", file=str(file), case="large", limit=LARGEST_FILE, dots=MOST_DOTS)
    return text


def _flatten(data: Mapping[str, Any], *above: str) -> Iterator[tuple[str, Any]]:
    """Every value by its dotted name; a table of texts that belongs to a named table is one value."""
    for key, value in data.items():
        spec = NAMED_TABLES.get(above[0], {}).get(key) if len(above) == 2 else None
        if isinstance(value, dict) and (spec is None or spec.kind not in TABLES):
            yield from _flatten(value, *above, key)
        else:
            yield ".".join((*above, key)), value


def _lines_of_names(text: str) -> dict[str, int]:
    """The lines that set dotted names or begin tables, as far as a quick look can tell."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("["):
            table = strip_quotes(line.strip().lstrip("[").partition("]")[0])
            lines.setdefault(table, number)
        elif "=" in line:
            key = strip_quotes(line.partition("=")[0])
            lines.setdefault(f"{table}.{key}" if table else key, number)
    return lines


def strip_quotes(name: str) -> str:
    """A dotted name of TOML without quotes and blanks."""
    return re.sub("[\"' \t]", "", name)


def _line_of(name: str, lines: Mapping[str, int]) -> int:
    """The line of a name, else of the table it stands in, else the first."""
    name = strip_quotes(name)
    while name and name not in lines:
        name = name.rpartition(".")[0]
    return lines.get(name, 1)


# --- environment variables


def _read_environment(environment: Mapping[str, str]) -> Iterator[tuple[str, Setting]]:
    for name, spec in SETTING_SPECS.items():
        variable = _VARIABLE + name.replace(".", "_").upper()
        if variable in environment:
            yield from _read_variable(name, spec, variable, environment[variable])
    named = tuple(f"{_VARIABLE}{table.upper()}_" for table in NAMED_TABLES)
    tables = {table for table, dot, _ in (name.partition(".") for name in SETTING_SPECS) if dot}
    for variable in environment:
        table, _, key = variable.removeprefix(_VARIABLE).lower().partition("_")
        # Other variables may begin like this, too, and mean something else; those of a table mean a setting.
        if variable.startswith(_VARIABLE) and table in tables and not variable.startswith(named):
            find_spec(f"{table}.{key}", variable)


def _read_variable(name: str, spec: SettingSpec, variable: str, text: str) -> Iterator[tuple[str, Setting]]:
    # An empty variable gives no value; an empty list is one.
    if text or spec.kind in LISTS:
        yield name, Setting(value=check_value(name, parse_setting(text, spec), spec, variable), origin=variable)


def _read_named_variables(
    environment: Mapping[str, str], values: Mapping[str, Setting]
) -> Iterator[tuple[str, Setting]]:
    """``PAPER_NPM_TOOL_READ``: the key stands last, and what stands between is the name."""
    for variable, text in environment.items():
        for table, keys in NAMED_TABLES.items():
            if not variable.startswith(prefix := f"{_VARIABLE}{table.upper()}_"):
                continue
            rest = variable.removeprefix(prefix).lower()
            # A key may have more than one word, and an unknown one is the last.
            key = next((key for key in keys if rest.endswith(f"_{key}")), rest.rpartition("_")[2])
            chosen = rest.removesuffix(key).removesuffix("_")
            spec = find_spec(".".join(filter(None, (table, chosen, key))), variable)
            # The files may spell the same name with capitals or hyphens.
            spelled = {name_in_table(name) for name in values if name.startswith(f"{table}.")}
            alike = [each for each in spelled if variable_spelling(each) == variable_spelling(chosen)]
            for each in alike or [chosen]:
                yield from _read_variable(f"{table}.{each}.{key}", spec, variable, text)


def name_in_table(name: str) -> str:
    """The user's part of ``npm.TOOL.read``."""
    return name.partition(".")[2].rpartition(".")[0]


def variable_spelling(chosen: str) -> str:
    """A name as a variable spells it: for comparing, in small letters."""
    return re.sub(r"\W", "_", chosen).casefold()
