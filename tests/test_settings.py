"""Settings: where they come from, and what is said about wrong ones."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.trusting import trust_settings

from paperagents.approval.signatures import UserKey
from paperagents.errors import SettingsError
from paperagents.known_settings import NAMED_TABLES, SETTING_SPECS, find_spec
from paperagents.messages import LANGUAGES, in_language
from paperagents.settings import Settings, load_settings, open_trust_book, user_folder
from paperagents.settings_writing import write_setting

Load = Callable[..., Settings]
Refuse = Callable[..., SettingsError]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load settings from a vault file, a user file and variables, all real."""

    def read(vault: str | bytes = "", *, user: str = "", **environment: str) -> Settings:
        for folder, content in ((tmp_path / "vault" / ".paper", vault), (tmp_path / "user" / "paperagents", user)):
            folder.mkdir(parents=True, exist_ok=True)
            data = content if isinstance(content, bytes) else content.encode()
            (folder / "settings.toml").write_bytes(data)
        environment = {"XDG_CONFIG_HOME": str(tmp_path / "user"), **environment}
        trust_settings(tmp_path / "vault", environment)
        return load_settings(tmp_path / "vault", environment)

    return read


@pytest.fixture
def refuse(load: Load) -> Refuse:
    """Load settings that must be refused; gives the error."""

    def read(vault: str | bytes = "", **environment: str) -> SettingsError:
        with pytest.raises(SettingsError) as caught:
            load(vault, **environment)
        assert caught.value.exit_code == 2
        return caught.value

    return read


def test_without_any_source_every_setting_has_its_default(load: Load) -> None:
    settings = load()
    assert settings.get("sandbox.timeout") == 5.0
    assert settings.get("allowed_hosts") == ()
    assert {setting.origin for setting in settings.values.values()} == {"default"}
    assert set(settings.values) == set(SETTING_SPECS)


def test_the_vault_is_stronger_than_the_user_and_a_variable_stronger_than_both(load: Load) -> None:
    both = load('language = "de"', user='language = "zh"\n[llm]\nmodel = "user"\n')
    assert both.get("language") == "de"
    assert both.get("llm.model") == "user"
    assert load('language = "de"', user='language = "zh"', PAPER_LANGUAGE="en").get("language") == "en"


def test_every_value_tells_where_it_comes_from(load: Load) -> None:
    settings = load('# a comment\nlanguage = "de"\n\n[sandbox]\ntimeout = 2\n', PAPER_LLM_MODEL="m")
    assert settings.values["language"].origin.endswith("settings.toml:2")
    assert settings.values["sandbox.timeout"].origin.endswith("settings.toml:5")
    assert settings.values["llm.model"].origin == "PAPER_LLM_MODEL"
    assert settings.values["sandbox.memory_mb"].origin == "default"


@pytest.mark.parametrize("name", sorted(SETTING_SPECS))
def test_every_setting_can_be_given_as_a_variable(name: str, load: Load) -> None:
    fitting = {
        "language": "de", "timezone": "Asia/Shanghai", "number": "3", "integer": "3", "boolean": "true",
        "address": "http://127.0.0.1:1/v1", "database": "postgresql://host/db",
    }  # fmt: skip
    value = fitting.get(SETTING_SPECS[name].kind, "text")
    variable = "PAPER_" + name.replace(".", "_").upper()
    assert load(**{variable: value}).values[name].origin == variable


def test_a_list_is_given_as_a_variable_with_commas(load: Load) -> None:
    assert load(PAPER_ALLOWED_HOSTS=" 127.0.0.1, api.example.com:8443 ,,").get("allowed_hosts") == (
        "127.0.0.1",
        "api.example.com:8443",
    )


def test_an_empty_list_variable_takes_back_what_the_file_allows(load: Load) -> None:
    assert load('allowed_hosts = ["10.0.0.1"]', PAPER_ALLOWED_HOSTS="").get("allowed_hosts") == ()


def test_a_number_may_be_written_with_dots_in_the_key_or_in_a_table(load: Load) -> None:
    assert load("sandbox.timeout = 3").get("sandbox.timeout") == 3
    assert load("sandbox = {timeout = 3}").get("sandbox.timeout") == 3


@pytest.mark.parametrize(
    ("written", "line", "nearest"),
    [
        ('languge = "de"', 1, "'language'"),
        ("\n\n[sandbox]\ntimout = 3", 4, "'sandbox.timeout'"),
        ("[npm.fetch]\nreed = []", 2, "'npm.fetch.read'"),
        ('[mcp_servers.files]\ncomand = ["x"]', 2, "'mcp_servers.files.command'"),
        ("[sandbx]\ntimeout = 3", 2, "'sandbox.timeout'"),
        ('[mcp_server.files]\ncommand = ["x"]', 2, "mcp_servers"),
    ],
)
def test_an_unknown_setting_names_file_line_and_the_nearest_key(
    written: str, line: int, nearest: str, refuse: Refuse
) -> None:
    error = refuse(written)
    assert error.code == "unknown-setting"
    assert f"settings.toml:{line}:" in error.message
    assert nearest in (error.hint or "")


def test_a_name_is_never_suggested_for_itself(refuse: Refuse) -> None:
    assert "'npm.read'" not in (refuse('[npm]\nread = ["a"]').hint or "")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ('[sandbox]\ntimeout = "5"', "sandbox.timeout"),
        ("[sandbox]\ntimeout = true", "sandbox.timeout"),
        ("[sandbox]\ntimeout = 0", "sandbox.timeout"),
        ("[sandbox]\ntimeout = -1", "sandbox.timeout"),
        ("[sandbox]\ntimeout = nan", "sandbox.timeout"),
        ("[sandbox]\ntimeout = inf", "sandbox.timeout"),
        ("[sandbox]\nmemory_mb = []", "sandbox.memory_mb"),
        ('language = "fr"', "language"),
        ('language = ["de"]', "language"),
        ('allowed_hosts = "a"', "allowed_hosts"),
        ('allowed_hosts = ["a", 1]', "allowed_hosts"),
        ("[llm]\nmodel = 4", "llm.model"),
        ("[npm.x]\nread = true", "npm.x.read"),
        ("[mcp_servers.x]\ncommand = []", "mcp_servers.x.command"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_what_it_must_be(written: str, name: str, refuse: Refuse) -> None:
    error = refuse(written)
    assert error.code == "invalid-setting"
    assert f"'{name}'" in error.message
    assert f"settings.toml:{written.count(chr(10)) + 1}:" in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("allowed_hosts", "a b,"),
        ("allowed_hosts", "http://a.example"),
        ("allowed_hosts", "10.0.0.0/8"),
        ("allowed_hosts", "*.a.example"),
        ("allowed_hosts", "a.example:many"),
        ("allowed_hosts", "a:99999"),
        ("allowed_hosts", "a:0"),
        ("allowed_hosts", "a:abc"),
        ("allowed_hosts", "a:"),
        ("allowed_hosts", "[a]:80"),
        ("llm.base_url", "nope"),
        ("llm.base_url", "ftp://a.example"),
        ("llm.base_url", "https://"),
        ("database_url", "mysql://x"),
        ("sandbox.memory_mb", "1.5"),
        ("sandbox.output_mb", "0.5"),
        ("worker.concurrency", "2.5"),
        ("mcp_servers.files.url", "files.example"),
        ("limits.daily.per_minute", "1.5"),
    ],
)
def test_a_wrong_value_is_refused_by_variable_as_in_a_file(name: str, value: str, refuse: Refuse) -> None:
    variable = "PAPER_" + name.replace(".", "_").upper()
    by_variable = refuse(**{variable: value})
    table, _, key = name.rpartition(".")
    number = value.replace(".", "").isdecimal()
    written = value if number else json.dumps([value.rstrip(",")] if name == "allowed_hosts" else value)
    by_file = refuse(f"[{table}]\n{key} = {written}" if table else f"{key} = {written}")
    assert by_variable.code == by_file.code == "invalid-setting"
    assert by_variable.message.startswith(f"{variable}: '{name}'")
    assert "settings.toml:" in by_file.message
    assert by_variable.hint == by_file.hint != ""


@pytest.mark.parametrize(
    "host", ["a", "A.example", "a.example:8443", "127.0.0.1", "[::1]:80", "::1", "::ffff:127.0.0.1", "bücher.example"]
)
def test_hosts_are_names_and_addresses_with_a_port_or_without(host: str, load: Load) -> None:
    assert load(PAPER_ALLOWED_HOSTS=host).get("allowed_hosts") == (host,)


def test_a_whole_number_may_be_written_as_a_fraction_of_nothing(load: Load) -> None:
    assert repr(load("[sandbox]\nmemory_mb = 64.0").get("sandbox.memory_mb")) == "64"


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "Asia/Shanghai"])
def test_time_zones_are_known_by_name(zone: str, load: Load) -> None:
    assert load(f'timezone = "{zone}"').get("timezone") == zone


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "Europe", "../../etc/passwd", "/etc/localtime", r"UTC\u0000"])
def test_anything_else_is_no_time_zone(zone: str, refuse: Refuse) -> None:
    assert refuse(f'timezone = "{zone}"').code == "invalid-setting"


@pytest.mark.parametrize("value", ["abc", "٣", "1e999", "9" * 5000, "0x10", "nan", "inf", "-1", "1 2"])
def test_a_variable_that_is_no_number_is_refused_and_named(value: str, refuse: Refuse) -> None:
    assert "PAPER_SANDBOX_TIMEOUT" in refuse(PAPER_SANDBOX_TIMEOUT=value).message


def test_a_leading_zero_does_not_end_the_program(load: Load) -> None:
    with suppress(SettingsError):
        assert load(PAPER_SANDBOX_TIMEOUT="05").get("sandbox.timeout") == 5


@given(st.text(max_size=20).filter(lambda text: "\0" not in text))
@example("9\x1f")
def test_any_variable_is_read_or_refused(value: str) -> None:
    for variable in ("PAPER_SANDBOX_TIMEOUT", "PAPER_ALLOWED_HOSTS", "PAPER_LANGUAGE", "PAPER_TIMEZONE"):
        with suppress(SettingsError):
            load_settings(None, {"XDG_CONFIG_HOME": "/nowhere", variable: value})


def test_named_tables_are_gathered_by_their_name(load: Load) -> None:
    settings = load(
        '[npm.fetch]\nread = ["notes"]\nnet = ["api.example.com"]\n[npm."other.tool"]\nwrite = ["out"]\n'
        '[mcp_servers.files]\ncommand = ["server", "--stdio"]\n'
    )
    assert settings.table("npm") == {
        "fetch": {"read": ("notes",), "net": ("api.example.com",)},
        "other.tool": {"write": ("out",)},
    }
    assert settings.table("mcp_servers") == {"files": {"command": ("server", "--stdio")}}


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("PAPER_NPM_FETCH_READ", "notes, other", "npm.fetch.read", ("notes", "other")),
        ("PAPER_NPM_MY_READ_TOOL_ENV", "A", "npm.my_read_tool.env", ("A",)),
        ("PAPER_NPM_FETCH_NET", "", "npm.fetch.net", ()),
        ("PAPER_NPM_FETCH_NET", '["a.example", "b.example"]', "npm.fetch.net", ("a.example", "b.example")),
        ("PAPER_NPM_FETCH_NET", "[::1]:80, b.example", "npm.fetch.net", ("[::1]:80", "b.example")),
        ("PAPER_LIMITS_FETCH_IT_PER_MINUTE", "3", "limits.fetch_it.per_minute", 3),
        ("PAPER_MCP_SERVERS_FILES_URL", "http://a.example", "mcp_servers.files.url", "http://a.example"),
        ("PAPER_MCP_SERVERS_FILES_TOKEN", "secret", "mcp_servers.files.token", "secret"),
        ("PAPER_MCP_SERVERS_A_COMMAND", "node 'a b.js' --x", "mcp_servers.a.command", ("node", "a b.js", "--x")),
        ("PAPER_MCP_SERVERS_A_COMMAND", '["node", "a b.js"]', "mcp_servers.a.command", ("node", "a b.js")),
        ("PAPER_MCP_SERVERS_A_COMMAND", "[ -f x ]", "mcp_servers.a.command", ("[", "-f", "x", "]")),
    ],
)
def test_a_table_with_a_name_is_given_as_a_variable_too(
    variable: str, text: str, name: str, value: object, load: Load
) -> None:
    setting = load(**{variable: text}).values[name]
    assert (setting.value, setting.origin) == (value, variable)


@pytest.mark.parametrize(
    "written",
    ["", 'token = "SECRET"', 'command = ["server"]\nurl = "http://a.example"'],
    ids=["nothing", "no way", "two ways"],
)
def test_there_is_one_way_to_a_server(written: str, refuse: Refuse) -> None:
    error = refuse(f'language = "en"\n[mcp_servers.files]\n{written}\n')
    assert error.code == "invalid-setting"
    assert "'mcp_servers.files'" in error.message
    assert re.search(r"settings\.toml:[23]:", error.message)


def test_a_variable_can_be_the_way_to_a_server(load: Load) -> None:
    settings = load('[mcp_servers.files]\ntoken = "x"', PAPER_MCP_SERVERS_FILES_URL="http://a.example")
    assert settings.table("mcp_servers") == {"files": {"token": "x", "url": "http://a.example"}}


def test_a_vault_changes_nothing_about_a_server_of_the_users_own(load: Load) -> None:
    own = '[mcp_servers.files]\nurl = "https://own.example/mcp"\ntoken = "SECRET"\n'
    brought = '[mcp_servers.files]\nurl = "https://evil.example/mcp"\nheaders = { X = "y" }\n'
    settings = load(f'{brought}[mcp_servers.more]\ncommand = ["more"]', user=own)
    assert settings.table("mcp_servers") == {
        "files": {"url": "https://own.example/mcp", "token": "SECRET"},
        "more": {"command": ("more",)},
    }


def test_a_token_of_the_users_own_serves_a_server_that_only_the_vault_names(load: Load) -> None:
    settings = load('[mcp_servers.files]\nurl = "https://a.example"', user='[mcp_servers.files]\ntoken = "SECRET"')
    assert settings.table("mcp_servers") == {"files": {"url": "https://a.example", "token": "SECRET"}}


def test_an_empty_variable_names_no_server(load: Load) -> None:
    assert load(PAPER_MCP_SERVERS_FILES_COMMAND="", PAPER_MCP_SERVERS_FILES_URL="").table("mcp_servers") == {}


@pytest.mark.parametrize("tool", ["my_tool", "My-Tool", "MY.TOOL", "my tool"])
def test_a_variable_means_every_tool_that_looks_like_its_name(tool: str, load: Load) -> None:
    settings = load(PAPER_NPM_MY_TOOL_READ="notes")
    assert settings.of_tool("npm", tool) == {"read": ("notes",)}
    assert settings.of_tool("npm", "mytool") == {}
    assert settings.of_tool("limits", tool) == {}


def test_a_file_means_just_the_tool_it_names(load: Load) -> None:
    settings = load('[npm.My-Tool]\nread = ["notes"]')
    assert settings.of_tool("npm", "My-Tool") == {"read": ("notes",)}
    assert settings.of_tool("npm", "my_tool") == {}


def test_a_variable_is_stronger_than_the_table_of_the_file_however_that_is_spelled(load: Load) -> None:
    written = '[npm.My-Tool]\nread = ["file"]\nnet = ["file.example"]\n[mcp_servers.My-Server]\nurl = "http://file"'
    settings = load(written, PAPER_NPM_MY_TOOL_READ="variable", PAPER_MCP_SERVERS_MY_SERVER_URL="http://variable")
    assert settings.of_tool("npm", "My-Tool") == {"read": ("variable",), "net": ("file.example",)}
    assert settings.of_tool("npm", "my_tool") == {"read": ("variable",)}
    assert settings.values["npm.My-Tool.read"].origin == "PAPER_NPM_MY_TOOL_READ"
    assert settings.table("mcp_servers") == {"My-Server": {"url": "http://variable"}}


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("PAPER_NPM_FETCH_REED", "'npm.fetch.read'"),
        ("PAPER_NPM_READ", "'npm.TOOL.read'"),
        ("PAPER_MCP_SERVERS_FILES_COMAND", "'mcp_servers.files.command'"),
        ("PAPER_MCP_SERVERS__URL", "'mcp_servers.NAME.url'"),
        ("PAPER_LIMITS_FETCH_PER_MINUT", "limits.fetch"),
        ("PAPER_NPM_", ""),
        ("PAPER_SANDBOX_TIMOUT", "sandbox.timeout"),
        ("PAPER_LLM_MODLE", "llm.model"),
    ],
)
def test_an_unknown_key_in_a_variable_names_the_variable_and_the_nearest_key(
    variable: str, nearest: str, refuse: Refuse
) -> None:
    error = refuse(**{variable: "x"})
    assert error.code == "unknown-setting"
    assert f"{variable}:" in error.message
    assert nearest in (error.hint or "")


def test_a_variable_of_something_else_is_left_alone(load: Load) -> None:
    settings = load(PAPER_VAULT="v", PAPER_SIZE="a4", PAPER_SANDBOXES="3", PAPERSIZE="a4", PAPER_MCP_LIST_UP_TO="7")
    assert {each.origin for each in settings.values.values()} == {"default", "PAPER_MCP_LIST_UP_TO"}


@pytest.mark.parametrize("text", ["node 'open", "[1]", "[]", "[" * 100_000 + "'"])
def test_what_is_no_command_is_refused_and_not_shown(text: str, refuse: Refuse) -> None:
    error = refuse(PAPER_MCP_SERVERS_FILES_COMMAND=text)
    assert error.code == "invalid-setting"
    assert "PAPER_MCP_SERVERS_FILES_COMMAND: 'mcp_servers.files.command' cannot be ***" in error.message


@given(st.text(alphabet="ABÜß_.- ", max_size=12), st.text(max_size=20).filter(lambda text: "\0" not in text))
def test_any_variable_of_a_named_table_is_read_or_refused(name: str, value: str) -> None:
    for variable in (f"PAPER_NPM_{name}_READ", f"PAPER_MCP_SERVERS_{name}_COMMAND", f"PAPER_LIMITS_{name}"):
        with suppress(SettingsError):
            load_settings(None, {"XDG_CONFIG_HOME": "/nowhere", variable: value})


@pytest.mark.parametrize(
    ("written", "variables"),
    [
        ('[llm]\napi_key = ["sk-SECRET"]', {}),
        ('[llm]\napi_kee = "sk-SECRET"', {}),
        ('[llm]\napi_key = "sk-SECRET', {}),
        ('[llm]\napi_key = "sk-SECRET" trailing', {}),
        ('[llm]\napi_key = "a"\napi_key = "sk-SECRET"', {}),
        ('database_url = ["postgresql://user:SECRET@host/db"]', {}),
        ('[mcp_servers.x]\ncommand = "server --token SECRET"', {}),
        ('[mcp_servers.x]\nurl = ["https://host/?key=SECRET"]', {}),
        (b'[llm]\napi_key = "sk-SECRET\xff"', {}),
    ],
)
def test_a_secret_never_stands_in_an_error(written: str | bytes, variables: dict[str, str], refuse: Refuse) -> None:
    error = refuse(written, **variables)
    for language in LANGUAGES:
        with in_language(language):
            assert "SECRET" not in str(error)
            assert "SECRET" not in str(error.as_json())


@pytest.mark.parametrize("written", ["language = ", "[", "a = 1\na = 2", "= 3", "\x00", "x = " + "[" * 100_000])
def test_broken_toml_is_one_error_that_names_the_file(written: str, refuse: Refuse) -> None:
    error = refuse(written)
    assert error.code == "settings-syntax"
    assert "settings.toml" in error.message


@pytest.mark.parametrize("end", ['allowed_hosts = ["a",', 'language = "de', "[sandbox", "language"])
def test_a_file_that_breaks_off_is_an_error_at_its_last_line(end: str, refuse: Refuse) -> None:
    assert "settings.toml:2:" in refuse(f"# mine\n{end}").message
    assert "settings.toml:2:" in refuse(f"# mine\n{end}\n\n").message


def test_a_file_that_is_not_utf8_names_itself(refuse: Refuse) -> None:
    assert "settings.toml" in refuse(b"language = '\xff'").message


def test_a_folder_in_the_place_of_the_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / ".paper" / "settings.toml").mkdir(parents=True)
    with pytest.raises(SettingsError, match=r"settings\.toml"):
        load_settings(tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "none")})


def test_settings_without_a_vault_are_those_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "paperagents").mkdir()
    (tmp_path / "paperagents" / "settings.toml").write_text('language = "zh"', encoding="utf-8")
    assert load_settings(None, {"XDG_CONFIG_HOME": str(tmp_path)}).get("language") == "zh"


def test_the_folder_of_the_user_follows_the_usual_variables(tmp_path: Path) -> None:
    assert user_folder({"XDG_CONFIG_HOME": "/config"}) == Path("/config/paperagents")
    assert user_folder({"HOME": str(tmp_path)}) == tmp_path / ".config" / "paperagents"


@given(st.text(alphabet="[]{}=\"\n.,# abc\\'0123", max_size=80))
def test_no_text_makes_reading_settings_fail_in_another_way(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "any-settings"
    (root / ".paper").mkdir(parents=True, exist_ok=True)
    (root / ".paper" / "settings.toml").write_text(text, encoding="utf-8")
    with suppress(SettingsError):
        load_settings(root, {"XDG_CONFIG_HOME": str(root)})


def test_the_line_of_a_table_whose_name_has_a_blank_is_found(load: Load) -> None:
    settings = load('language = "de"\n\n[npm."my tool"]\nread = ["a"]\n')
    assert settings.values["npm.my tool.read"].origin.endswith("settings.toml:4")


GRANTING = sorted(
    [name for name, known in SETTING_SPECS.items() if known.grants not in (None, "mcp_server")]
    + [f"{table}.x.{key}" for table, keys in NAMED_TABLES.items() for key, known in keys.items()
       if known.grants not in (None, "mcp_server")]
)  # fmt: skip
HARMLESS = {
    "language", "timezone", "sandbox.timeout", "sandbox.memory_mb", "sandbox.output_mb", "worker.concurrency",
    "worker.heartbeat", "worker.grace", "mcp.list_up_to", "approval.reads", "history.keep_days", "history.keep_mb",
    "limits.x.concurrency", "limits.x.per_minute",
}  # fmt: skip
"""They open nothing: whoever adds a setting here has thought about a stranger's vault that brings it."""
SAMPLES = {"text": '"a"', "command": '["a"]', "hosts": '["a.example"]', "list": '["a"]', "address": '"https://a.example"',
           "database": '"postgresql://a.example/x"', "boolean": "true"}  # fmt: skip
Vaults = Callable[..., Settings]


@pytest.fixture
def strange(tmp_path: Path) -> Vaults:
    """Loads the settings of a vault that came from somebody else."""

    def load(vault: str) -> Settings:
        (tmp_path / "vault" / ".paper").mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / ".paper" / "settings.toml").write_text(vault, encoding="utf-8")
        return load_settings(tmp_path / "vault", {"XDG_CONFIG_HOME": str(tmp_path / "user")})

    return load


def test_every_setting_grants_something_or_is_known_to_be_harmless() -> None:
    named = {f"{table}.x.{key}": spec for table, keys in NAMED_TABLES.items() for key, spec in keys.items()}
    assert {name for name, spec in ({**SETTING_SPECS} | named).items() if spec.grants is None} == HARMLESS


@pytest.mark.parametrize("name", GRANTING)
def test_what_a_stranger_s_vault_grants_is_left_out_and_told(strange: Vaults, name: str) -> None:
    table, _, key = name.rpartition(".")
    for written in (f"{name}", f"[{table}]\n{key}", f'"{table}"."{key}"', f"[{table}]\n'{key}'"):
        if not table and written != name:
            continue
        settings = strange(f"\n{written} = {SAMPLES[find_spec(name).kind]}\n")
        assert name not in settings.values or settings.values[name].origin == "default"
        (thing,) = settings.untrusted
        assert (thing.kind, ".paper/settings.toml:" in thing.where) == (find_spec(name).grants, True)


def test_a_vault_can_ask_for_more_questions_and_never_for_fewer(load: Load) -> None:
    assert load("approval.reads = true").get("approval.reads") is True
    assert load("approval.reads = false", user="approval.reads = true").get("approval.reads") is True


def test_trusted_hosts_count_and_the_others_do_not(strange: Vaults, tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "user")}
    strange('allowed_hosts = ["a.example"]\n')
    trust_settings(tmp_path / "vault", environment)
    settings = strange('allowed_hosts = ["a.example", "b.example"]\n')
    assert settings.get("allowed_hosts") == ("a.example",)
    assert [thing.name for thing in settings.untrusted] == ["b.example"]


def test_trust_is_for_one_value_in_one_vault(strange: Vaults, tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "user")}
    strange('llm.base_url = "https://a.example"\n')
    trust_settings(tmp_path / "vault", environment)
    assert strange('llm.base_url = "https://a.example"\n').get("llm.base_url") == "https://a.example"
    book = open_trust_book(tmp_path / "vault", UserKey(user_folder(environment)), environment)
    changed = strange('llm.base_url = "https://b.example"\n')
    assert changed.get("llm.base_url") != "https://b.example"
    assert [book.state(thing) for thing in changed.untrusted] == ["changed"]
    shutil.copytree(tmp_path / "vault", tmp_path / "copy")
    (tmp_path / "copy" / ".paper" / "settings.toml").write_text('llm.base_url = "https://a.example"\n')
    assert load_settings(tmp_path / "copy", environment).untrusted


def test_what_is_set_with_the_program_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    write_setting(tmp_path, "allowed_hosts", ["a.example"], origin="test")
    assert load_settings(tmp_path).get("allowed_hosts") == ("a.example",)


@pytest.mark.parametrize("name", GRANTING)
def test_the_users_own_file_and_a_variable_may_bring_such_a_setting(load: Load, name: str) -> None:
    written = SAMPLES[find_spec(name).kind]
    assert load(user=f"{name} = {written}").values[name].origin.endswith("user/paperagents/settings.toml:1")
    variable = f"PAPER_{name.replace('.', '_').upper()}"
    assert load(**{variable: written.strip('"[]')}).values[name].origin == variable
