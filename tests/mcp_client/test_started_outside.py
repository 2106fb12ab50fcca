"""A server that a vault names is what somebody agreed to: no new version of the vault runs without a new yes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from paperagents.definitions.json_value import JsonObject
from paperagents.interfaces.command_line.app import run as paper
from paperagents.mcp_client import vault_files
from paperagents.mcp_client.servers import RemoteServer
from paperagents.settings import user_folder
from paperagents.vault import Vault

pytestmark = pytest.mark.process

SERVER = """import json, os, sys
{more}
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            server = {{"name": "n", "version": "1"}}
            result = {{"protocolVersion": version, "capabilities": {{"tools": {{}}}}, "serverInfo": server}}
        case "tools/list":
            tool = {{"name": "look", "description": "d", "inputSchema": {{"type": "object"}}}}
            result = {{"tools": [{{**tool, "annotations": {{"readOnlyHint": True}}}}]}}
        case "tools/call":
            told = json.dumps([os.getcwd(), os.listdir(), sys.argv, sorted(os.environ)])
            result = {{"content": [{{"type": "text", "text": told}}]}}
        case _:
            result = {{}}
    if "id" in message:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": result}}), flush=True)
"""


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True)
    (folder / "server.py").write_text(SERVER.format(more=""))
    return folder


def name_server(folder: Path, *words: str) -> None:
    command = json.dumps([sys.executable, *words])
    (folder / ".paper" / "settings.toml").write_text(f"[mcp_servers.notes]\ncommand = {command}\n")


def find_server(vault: Vault) -> RemoteServer:
    return vault.remote_servers.servers["notes"]


def agree(folder: Path) -> None:
    with Vault(folder) as vault:
        vault.remote_servers.agree(find_server(vault))


def is_agreed(folder: Path) -> bool:
    with Vault(folder) as vault:
        return vault.remote_servers.is_agreed(find_server(vault))


def look(folder: Path) -> Any:
    """What the server tells about itself; the code of the error where it does not run."""
    with Vault(folder) as vault:
        record = vault.run("mcp:notes/look")
    return json.loads(str(record.data)) if record.error is None else record.error["code"]


def remember_tools(folder: Path) -> None:
    described: JsonObject = {"name": "look", "description": "", "schema": {"type": "object"}, "read_only": True}
    with Vault(folder) as vault:
        vault.remote_servers.remember(find_server(vault), [described])


@pytest.mark.parametrize(
    "words",
    [["-m", "server"], ["-c", "import server"], ["-c", "exec(open('server.py').read())"], ["server"]],
)
def test_code_of_the_vault_that_the_command_does_not_name_as_a_file_is_not_found(
    folder: Path, tmp_path: Path, words: list[str]
) -> None:
    name_server(folder, *words)
    agree(folder)
    remember_tools(folder)
    (folder / "server.py").write_text(SERVER.format(more=f"open({str(tmp_path / 'swapped')!r}, 'w')"))
    (folder / "server").mkdir()
    (folder / "server" / "__main__.py").write_text((folder / "server.py").read_text())
    assert look(folder) == "remote-unreachable"
    assert not (tmp_path / "swapped").exists()


def test_a_file_that_the_command_names_runs_from_a_copy_away_from_the_vault(folder: Path) -> None:
    name_server(folder, "server.py", "--mode=fast", "x")
    agree(folder)
    remember_tools(folder)
    (folder / "json.py").write_text("raise SystemExit('the vault is no place to import from')")
    place, names, arguments, _ = look(folder)
    assert not Path(place).is_relative_to(folder)
    assert names == ["1"]
    assert arguments == [f"{place}/1/server.py", "--mode=fast", "x"]
    assert not Path(place).exists()


@pytest.mark.parametrize(
    "words", [["server.py"], ["./server.py"], ["-X", "utf8", "sub/../server.py"], ["FULL"], ["LINK"]]
)
def test_a_changed_file_of_the_command_needs_a_new_yes(folder: Path, words: list[str]) -> None:
    (folder / "sub").mkdir()
    (folder / "link").symlink_to("server.py")
    places = {"FULL": str(folder / "server.py"), "LINK": "link"}
    name_server(folder, *(places.get(word, word) for word in words))
    agree(folder)
    remember_tools(folder)
    assert isinstance(look(folder), list)
    (folder / "server.py").write_text(SERVER.format(more="# new"))
    assert look(folder) == "remote-not-agreed"


@pytest.mark.parametrize("words", [["server.py", "--settings=own.json"], ["server.py", "own.json"]])
def test_a_changed_file_behind_an_option_needs_a_new_yes(folder: Path, words: list[str]) -> None:
    (folder / "own.json").write_text("{}")
    name_server(folder, *words)
    agree(folder)
    assert is_agreed(folder)
    (folder / "own.json").write_text("[]")
    assert not is_agreed(folder)


def test_a_link_that_leads_elsewhere_now_needs_a_new_yes(folder: Path, tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("the same")
    (folder / "link.py").symlink_to(tmp_path / "one.py")
    name_server(folder, "link.py")
    agree(folder)
    assert is_agreed(folder)
    (folder / "link.py").unlink()
    (folder / "link.py").symlink_to(tmp_path / "two.py")
    assert not is_agreed(folder)


@pytest.mark.parametrize("most", [vault_files.LARGEST_PROGRAM, 10])
def test_a_large_file_is_told_from_another_though_size_and_time_are_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(vault_files, "LARGEST_PROGRAM", most)
    large = folder / "large.bin"
    large.write_bytes(bytes(60_000_000))
    status = large.stat()
    name_server(folder, "large.bin")
    agree(folder)
    assert is_agreed(folder)
    with large.open("r+b") as opened:
        opened.seek(59_999_999)
        opened.write(b"x")
    os.utime(large, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not is_agreed(folder)


@pytest.mark.parametrize("word", [".", "./code", "..", "--root=./code"])
def test_a_folder_of_the_vault_is_named_in_the_question_with_every_later_version(
    folder: Path, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "code").mkdir()
    name_server(folder, "server.py", word)
    assert paper(["--vault", str(folder), "mcp", "connect", "notes", "--yes"]) == 0
    told = capsys.readouterr().err
    assert f"'{word}'" in told
    assert "every later version" in told
    with Vault(folder) as vault:
        assert "every later version" in find_server(vault).as_brought().what
    (place,) = look(folder)[2][1:]
    assert Path(place.removeprefix("--root=")) == (folder / word.removeprefix("--root=")).resolve()


def test_a_folder_beside_the_vault_is_found_from_outside_and_needs_no_further_word(folder: Path) -> None:
    (folder.parent / "other").mkdir()
    name_server(folder, "server.py", "../other")
    with Vault(folder) as vault:
        assert find_server(vault).open_folders == []
    agree(folder)
    remember_tools(folder)
    assert look(folder)[2][1:] == [str(folder.parent.resolve() / "other")]


def test_a_file_that_cannot_be_read_is_told_by_its_place(folder: Path) -> None:
    with Vault(folder) as vault:
        named = vault_files.NamedPath(option="", path=vault.root / "gone", is_copied=True)
    assert str(folder / "gone") in named.fingerprint()


def test_a_server_of_the_user_s_own_is_started_in_the_vault(folder: Path) -> None:
    name_server(folder, "server.py")
    user_folder().mkdir(parents=True)
    (folder / ".paper" / "settings.toml").rename(user_folder() / "settings.toml")
    remember_tools(folder)
    place, _, arguments, _ = look(folder)
    assert (Path(place), arguments) == (folder.resolve(), ["server.py"])


def test_variables_that_lead_programs_to_code_are_not_handed_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "NODE_PATH", "NODE_OPTIONS", "RUBYLIB", "PERL5LIB", "LD_PRELOAD"):
        monkeypatch.setenv(name, str(folder) if name != "LD_PRELOAD" else "")
    name_server(folder, "server.py")
    agree(folder)
    remember_tools(folder)
    assert set(look(folder)[3]) <= {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}


@pytest.mark.parametrize("word", ["\0", "x" * 5000, "", "=", "a=", "~", "loop"])
def test_words_that_are_no_paths_are_left_as_they_are(folder: Path, word: str) -> None:
    (folder / "loop").symlink_to("loop")
    assert list(vault_files.find_named(["python", word], folder)) == [None, None]
