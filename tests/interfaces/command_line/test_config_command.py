"""``paper config``: settings with their origin, written safely, secrets hidden."""

from __future__ import annotations

import io
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from paperagents.settings_writing import write_setting


@pytest.fixture
def file(vault: Path) -> Path:
    return vault / ".paper" / "settings.toml"


def test_every_setting_is_shown_with_its_origin(paper: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[sandbox]\ntimeout = 2\n[llm]\napi_key = "secret-key"\n', encoding="utf-8")
    monkeypatch.setenv("PAPER_TIMEZONE", "Europe/Berlin")
    document = paper("config", "--json").document
    assert document["sandbox.timeout"] == {"value": 2, "origin": f"{file}:2"}
    assert document["timezone"]["origin"] == "PAPER_TIMEZONE"
    assert document["sandbox.memory_mb"]["origin"] == "default"
    shown = paper("config").out + paper("config", "get", "llm.api_key").out + str(document)
    assert "secret-key" not in shown


def test_a_value_is_written_and_comments_stay(paper: Any, file: Path) -> None:
    file.write_text('# mine\nallowed_hosts = [\n  "a",\n  "b",\n]\n[sandbox]\n# slow\ntimeout = 2\n', encoding="utf-8")
    for name, value in (("sandbox.timeout", "3"), ("allowed_hosts", "x,y"), ("language", "de"), ("llm.model", "m")):
        assert paper("config", "set", name, value).code == 0
    data = tomllib.loads(file.read_text("utf-8"))
    assert data == {
        "allowed_hosts": ["x", "y"], "language": "de", "sandbox": {"timeout": 3}, "llm": {"model": "m"},
    }  # fmt: skip
    assert "# mine" in file.read_text("utf-8")
    assert "# slow" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("sandbox.memory_mb", "abc"), ("language", "xx"), ("allowed_hosts", '["a",'), ("llm.base_url", "nope")],
)
def test_a_value_that_was_never_written_stands_in_no_line(paper: Any, file: Path, name: str, value: str) -> None:
    file.write_text("# mine\n", encoding="utf-8")
    refused = paper("config", "set", name, value, "--json")
    assert (refused.code, refused.document["error"]["code"]) == (2, "invalid-setting")
    assert "settings.toml" not in refused.document["error"]["message"]
    assert file.read_text("utf-8") == "# mine\n"


def test_a_yes_or_no_is_shown_as_it_is_set(paper: Any, file: Path) -> None:
    assert paper("config", "get", "approval.reads").out == "false\n"
    assert "False" not in paper("config").out
    file.write_text("sandbox.timeout = true\n", encoding="utf-8")
    assert "'sandbox.timeout' cannot be true." in paper("config").err


def test_a_file_that_is_no_text_is_told_in_words(paper: Any, file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    assert paper("config").err == f"Error: {file} cannot be read: not UTF-8 text.\n"


@pytest.mark.usefixtures("vault")
def test_a_list_is_shown_as_it_is_set(paper: Any) -> None:
    paper("config", "set", "allowed_hosts", "a.example,b.example")
    assert paper("config", "get", "allowed_hosts").out == "a.example,b.example\n"
    assert "a.example,b.example" in paper("config").out


def test_what_was_set_is_told_as_a_document(paper: Any, file: Path) -> None:
    document = paper("config", "set", "llm.model", "some/model", "--json").document
    assert document == {"name": "llm.model", "value": "some/model", "origin": f"{file}:2"}
    assert paper("config", "set", "llm.api_key", "sk-secret", "--json").document["value"] == "***"
    assert paper("config", "set", "llm.model", "x").out == ""


@pytest.mark.parametrize("tool", ["fetch", "my tool", "名前"])
def test_a_setting_of_one_tool_or_server_is_written_too(paper: Any, file: Path, tool: str) -> None:
    assert paper("config", "get", f"npm.{tool}.net", "--json").document["origin"] == "default"
    for value in ("a.example", "a.example,b.example"):
        assert paper("config", "set", f"npm.{tool}.net", value).code == 0
    assert paper("config", "set", f"npm.{tool}.read", "notes").code == 0
    assert tomllib.loads(file.read_text("utf-8")) == {
        "npm": {tool: {"read": ["notes"], "net": ["a.example", "b.example"]}}
    }
    assert paper("config", "get", f"npm.{tool}.net", "--json").document["value"] == ["a.example", "b.example"]


def test_the_command_of_a_server_is_read_as_a_shell_reads_it(paper: Any, file: Path) -> None:
    assert paper("config", "set", "mcp_servers.files.command", "npx 'a server' --root .").code == 0
    assert tomllib.loads(file.read_text("utf-8"))["mcp_servers"]["files"]["command"] == [
        "npx", "a server", "--root", ".",
    ]  # fmt: skip
    assert paper("config", "set", "mcp_servers.files.command", "npx 'a").code == 2
    assert paper("config", "set", "mcp_servers.files.comand", "npx").code == 2


@pytest.mark.usefixtures("vault")
def test_a_variable_for_one_tool_or_server_is_shown_with_its_origin(
    paper: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_NPM_FETCH_READ", "notes,other")
    monkeypatch.setenv("PAPER_MCP_SERVERS_FILES_COMMAND", "node server.js --key secret")
    document = paper("config", "--json").document
    assert document["npm.fetch.read"] == {"value": ["notes", "other"], "origin": "PAPER_NPM_FETCH_READ"}
    assert document["mcp_servers.files.command"] == {"value": "***", "origin": "PAPER_MCP_SERVERS_FILES_COMMAND"}
    assert "secret" not in paper("config").out


@pytest.mark.parametrize(("name", "value"), [("sandbox.timeout", "soon"), ("language", "xx"), ("sandbx.timeout", "3")])
def test_a_wrong_value_or_name_changes_nothing(paper: Any, file: Path, name: str, value: str) -> None:
    assert paper("config", "set", name, value).code == 2
    assert not file.exists()
    file.write_text("# kept\n", encoding="utf-8")
    assert paper("config", "set", name, value).code == 2
    assert file.read_text("utf-8") == "# kept\n"


def test_what_several_set_at_once_is_all_kept(vault: Path, file: Path) -> None:
    names = [f"npm.tool{number}.net" for number in range(12)]
    with ThreadPoolExecutor(max_workers=6) as pool:
        list(pool.map(lambda name: write_setting(vault, name, [name], origin="test"), names))
    kept = tomllib.loads(file.read_text("utf-8"))["npm"]
    assert {f"npm.{tool}.net" for tool in kept} == set(names)


def test_a_link_in_the_place_of_the_lock_is_not_followed(paper: Any, file: Path, tmp_path: Path) -> None:
    file.with_suffix(".lock").symlink_to(tmp_path / "elsewhere")
    assert paper("config", "set", "language", "de").code == 1
    assert not (tmp_path / "elsewhere").exists()


def test_a_link_in_the_place_of_the_file_is_not_followed(paper: Any, file: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim.toml"
    victim.write_text("# precious\n", encoding="utf-8")
    file.symlink_to(victim)
    paper("config", "set", "sandbox.timeout", "3")
    assert victim.read_text("utf-8") == "# precious\n"


def test_a_setting_is_removed_and_the_rest_stays(paper: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('# mine\nallowed_hosts = [\n  "a",\n]\n[sandbox]\n# slow\ntimeout = 2\n', encoding="utf-8")
    assert paper("config", "unset", "allowed_hosts").code == 0
    assert paper("config", "unset", "sandbox.timeout", "--json").document == {
        "name": "sandbox.timeout", "value": 5.0, "origin": "default",
    }  # fmt: skip
    assert file.read_text("utf-8") == "# mine\n[sandbox]\n# slow\n"
    monkeypatch.setenv("PAPER_LANGUAGE", "en")
    answer = paper("config", "unset", "language")
    assert (answer.code, "PAPER_LANGUAGE" in answer.err) == (0, True)
    assert file.read_text("utf-8") == "# mine\n[sandbox]\n# slow\n"


def test_a_setting_that_does_not_exist_cannot_be_removed(paper: Any, file: Path) -> None:
    answer = paper("config", "unset", "sandbox.timout")
    assert (answer.code, "'sandbox.timeout'" in answer.err) == (2, True)
    assert paper("config", "unset", "sandbox.timeout").code == 0
    assert not file.exists()


def test_what_is_not_set_is_told(paper: Any, file: Path) -> None:
    file.write_text('language = "en"\n', encoding="utf-8")
    lines = {line.split()[0]: line for line in paper("config").out.splitlines()}
    assert "(not set)" in lines["timezone"]
    assert "(not set)" not in lines["language"]
    assert paper("config", "get", "timezone").out == "\n", "a script gets what is there"


def test_a_secret_is_asked_for_and_not_shown(paper: Any, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("sk-geheim\n"))
    answer = paper("config", "set", "llm.api_key")
    assert answer.code == 0
    assert "sk-geheim" not in answer.out + answer.err
    assert tomllib.loads(file.read_text("utf-8")) == {"llm": {"api_key": "sk-geheim"}}
    assert paper("config", "set", "llm.model").code == 2
