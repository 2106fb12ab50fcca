"""Tools of other MCP servers: agreed to once, asked where they change something, made again when they die."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.errors import PaperError
from paperagents.interfaces.command_line.app import run as paper
from paperagents.sandbox import Cancellation
from paperagents.vault import Vault

pytestmark = pytest.mark.process

SERVER = Path(__file__).with_name("clock_server.py")
CHAIN = """---
tool: true
name: measured
description: Measures and notes.
steps:
  - name: measure
    tool: mcp:clock/length
    parameters: {text: four}
  - name: note
    tool: mcp:clock/note
    parameters: {line: "{{measure.output.result}}"}
---
"""


@pytest.fixture(autouse=True)
def settings_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True)
    command = json.dumps([sys.executable, str(SERVER), str(tmp_path / "written.txt")])
    (folder / ".paper" / "settings.toml").write_text(f"[mcp_servers.clock]\ncommand = {command}\n")
    (folder / "measured.md").write_text(CHAIN)
    return folder


@pytest.fixture
def vault(folder: Path) -> Iterator[Vault]:
    with Vault(folder) as opened:
        yield opened


@pytest.fixture
def agreed(vault: Vault) -> Vault:
    server = vault.remote_servers.servers["clock"]
    vault.remote_servers.agree(server)
    vault.remote_effects.connect(server)
    return vault


def yes(_: ApprovalRequest) -> Decision:
    return Approved()


def test_a_folder_cannot_start_a_command_nobody_agreed_to(vault: Vault, tmp_path: Path) -> None:
    server = vault.remote_servers.servers["clock"]
    vault.remote_servers.remember(server, [{"name": "note", "description": "", "schema": {}, "read_only": True}])
    record = vault.run("mcp:clock/note", {"line": "x"}, approver=yes)
    assert record.error is not None
    assert record.error["code"] == "remote-not-agreed"
    assert str(SERVER) in str(record.error["message"])
    assert not (tmp_path / "written.txt").exists()


@pytest.mark.usefixtures("agreed")
def test_an_agreement_is_about_the_exact_command(folder: Path) -> None:
    settings = folder / ".paper" / "settings.toml"
    settings.write_text(settings.read_text().replace("written.txt", "elsewhere.txt"))
    with Vault(folder) as changed:
        assert not changed.remote_servers.is_agreed(changed.remote_servers.servers["clock"])


def test_an_agreement_ends_when_a_program_of_the_vault_changes(folder: Path) -> None:
    (folder / "server.py").write_text("1")
    (folder / ".paper" / "settings.toml").write_text(
        f'[mcp_servers.own]\ncommand = ["{sys.executable}", "server.py"]\n'
    )
    with Vault(folder) as vault:
        server = vault.remote_servers.servers["own"]
        vault.remote_servers.agree(server)
        assert vault.remote_servers.is_agreed(server)
        (folder / "server.py").write_text("2")
        assert not vault.remote_servers.is_agreed(server)


def test_what_a_user_wrote_into_their_own_settings_needs_no_agreement(folder: Path, tmp_path: Path) -> None:
    config = tmp_path / "config" / "paperagents"
    config.mkdir(parents=True)
    (folder / ".paper" / "settings.toml").rename(config / "settings.toml")
    with Vault(folder) as vault:
        assert vault.remote_servers.is_agreed(vault.remote_servers.servers["clock"])


def test_what_a_user_wrote_into_variables_needs_no_agreement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = folder / ".paper" / "settings.toml"
    settings.write_text("")
    monkeypatch.setenv("PAPER_MCP_SERVERS_CLOCK_COMMAND", f"{sys.executable} server.py")
    with Vault(folder) as vault:
        assert vault.remote_servers.servers["clock"].command == (sys.executable, "server.py")
        assert vault.remote_servers.is_agreed(vault.remote_servers.servers["clock"])


def test_a_variable_does_not_vouch_for_what_the_vault_adds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_MCP_SERVERS_CLOCK_TOKEN", "token-of-the-user")
    with Vault(folder) as vault:
        assert not vault.remote_servers.is_agreed(vault.remote_servers.servers["clock"])


@pytest.mark.usefixtures("agreed")
def test_its_tools_are_listed_shown_and_checked_without_starting_it(folder: Path) -> None:
    with Vault(folder) as fresh:
        entries = {entry.id: entry for entry in fresh.registry.entries()}
        assert entries["mcp:clock/length"].kind == "mcp"
        assert fresh.registry.tool("mcp:clock/length").schema["required"] == ["text"]
        assert entries["measured"].problems == ()
        (folder / "wrong.md").write_text(CHAIN.replace("{text: four}", "{txt: four}").replace("measured", "wrong"))
        fresh.registry.refresh()
        (wrong,) = [entry for entry in fresh.registry.entries() if entry.id == "wrong"]
        assert [problem.code for problem in wrong.problems] == ["unknown-argument"]
        assert fresh.remote_effects.connections._loop is None


def test_a_tool_of_a_server_that_nobody_named_is_unknown(vault: Vault, folder: Path) -> None:
    (folder / "lost.md").write_text(CHAIN.replace("mcp:clock/", "mcp:nowhere/").replace("measured", "lost"))
    vault.registry.refresh()
    (lost,) = [entry for entry in vault.registry.entries() if entry.id == "lost"]
    assert {problem.code for problem in lost.problems} == {"unknown-tool"}
    (measured,) = [entry for entry in vault.registry.entries() if entry.id == "measured"]
    assert measured.problems == ()


def test_what_only_reads_does_not_ask_and_what_changes_does(agreed: Vault, tmp_path: Path) -> None:
    assert agreed.run("mcp:clock/length", {"text": "four"}).data == {"result": 4}
    assert agreed.run("mcp:clock/note", {"line": "x"}).status == "waiting"
    assert agreed.run("mcp:clock/note", {"line": "x"}, approver=lambda _: Denied(reason="no")).status == "denied"
    assert not (tmp_path / "written.txt").exists()
    asked: list[ApprovalRequest] = []

    def look(request: ApprovalRequest) -> Decision:
        asked.append(request)
        return Approved(always=True)

    assert agreed.run("mcp:clock/note", {"line": "x"}, approver=look).success
    assert '"line": "x"' in asked[0].preview
    assert agreed.run("mcp:clock/note", {"line": "y"}).success
    assert (tmp_path / "written.txt").read_text() == "x\ny\n"


def test_its_tools_are_steps_like_any_other(agreed: Vault, tmp_path: Path) -> None:
    waiting = agreed.run("measured")
    assert waiting.status == "waiting"
    (question,) = agreed.history.questions()
    assert agreed.answer(question.id, Approved()).success
    assert (tmp_path / "written.txt").read_text() == "4\n"


def test_wrong_arguments_are_refused_before_it_is_called(agreed: Vault) -> None:
    record = agreed.run("mcp:clock/length", {"txt": "four"})
    assert record.error is not None
    assert record.error["code"] == "invalid-arguments"


def test_an_error_of_the_tool_is_an_error_of_the_step(agreed: Vault) -> None:
    record = agreed.run("mcp:clock/fail")
    assert record.error is not None
    assert record.error["code"] == "remote-tool-failed"
    assert "clock/fail" in str(record.error["message"])


@pytest.mark.parametrize(
    ("tool", "code", "told"),
    [
        ("refuse", "remote-tool-failed", "not today"),
        ("other", "remote-answer-invalid", "'there' is a required property"),
        ("no_number", "remote-answer-invalid", "not finite"),
        ("nothing", "remote-answer-invalid", "Field required"),
        ("foreign", "schema-unusable", "http://127.0.0.1:1/x"),
    ],
)
def test_what_a_server_says_wrongly_is_told_as_what_it_is(folder: Path, tool: str, code: str, told: str) -> None:
    command = json.dumps([sys.executable, str(SERVER.with_name("lying_server.py"))])
    (folder / ".paper" / "settings.toml").write_text(f"[mcp_servers.liar]\ncommand = {command}\n")
    with Vault(folder) as vault:
        server = vault.remote_servers.servers["liar"]
        vault.remote_servers.agree(server)
        vault.remote_effects.connect(server)
        record = vault.run(f"mcp:liar/{tool}")
    assert record.error is not None
    assert (record.error["code"], record.error["retryable"]) == (code, False)
    assert told in str(record.error["message"])
    assert "\n" not in str(record.error["message"])


def test_a_server_that_never_begins_is_told_with_the_time_it_had(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paperagents.mcp_client.connections.CONNECT_SECONDS", 0.2)
    command = json.dumps([sys.executable, "-c", "import sys; sys.stdin.read()"])
    (folder / ".paper" / "settings.toml").write_text(f"[mcp_servers.mute]\ncommand = {command}\n")
    with Vault(folder) as vault, pytest.raises(PaperError) as caught:
        vault.remote_effects.connect(vault.remote_servers.servers["mute"])
    assert caught.value.code == "remote-too-slow"
    assert "0.2 seconds" in caught.value.message


def test_a_server_that_dies_is_started_again(agreed: Vault, tmp_path: Path) -> None:
    died = agreed.run("mcp:clock/die")
    assert died.error is not None
    assert died.error["code"] == "remote-unreachable"
    assert agreed.run("mcp:clock/length", {"text": "four"}).success
    agreed.run("mcp:clock/die")
    assert agreed.run("mcp:clock/note", {"line": "x"}, approver=yes).success
    assert (tmp_path / "written.txt").read_text() == "x\n"


def test_a_call_can_be_given_up(agreed: Vault) -> None:
    stop = Cancellation()
    begun = threading.Event()

    def on_event(event: object) -> None:
        if isinstance(event, dict) and event["type"] == "step-started":
            threading.Timer(0.2, stop.cancel).start()
            begun.set()

    record = agreed.run("mcp:clock/nap", on_event=on_event, stop=stop)
    assert begun.is_set()
    assert record.status == "cancelled"


def test_a_server_that_cannot_be_started_is_told(folder: Path) -> None:
    (folder / ".paper" / "settings.toml").write_text('[mcp_servers.none]\ncommand = ["/no/such/program"]\n')
    with Vault(folder) as broken:
        server = broken.remote_servers.servers["none"]
        broken.remote_servers.agree(server)
        with pytest.raises(PaperError, match="none") as refused:
            broken.remote_effects.connect(server)
        assert refused.value.code == "remote-unreachable"


def test_a_damaged_file_of_the_user_is_no_agreement(vault: Vault, tmp_path: Path) -> None:
    server = vault.remote_servers.servers["clock"]
    file = tmp_path / "config" / "paperagents" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    for content in ("", "[]", "{", '{"x": 1}', json.dumps({str(vault.root): {"clock": 7}})):
        file.write_text(content)
        os.utime(file, ns=(len(content), len(content)))
        assert not vault.remote_servers.is_agreed(server)
        assert list(vault.remote_servers.tools()) == []


@pytest.mark.usefixtures("agreed")
def test_a_tool_whose_id_cannot_be_a_tag_has_a_word_that_can(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "config" / "paperagents" / "mcp_servers.json"
    file.write_text(file.read_text().replace('"note"', '"how long?"'))
    with Vault(folder) as fresh:
        tags = fresh.tag_registry()
        assert tags.find("mcp_clock_how_long").id == "mcp:clock/how long?"  # type: ignore[union-attr]
        assert tags.get("measured") is not None
        (result,) = fresh.apply('{{<mcp_clock_length text="four" />}}')
        assert (result["tool"], result["status"]) == ("mcp:clock/length", "success")
        assert result["output"] == {"result": 4}


def test_a_person_agrees_on_the_command_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert paper(["--vault", str(folder), "mcp", "connect", "clock"]) == 1
    assert str(SERVER) in capsys.readouterr().err
    assert paper(["--vault", str(folder), "mcp", "connect", "clock", "--yes", "--json"]) == 0
    assert "length" in {tool["name"] for tool in json.loads(capsys.readouterr().out)}
    assert paper(["--vault", str(folder), "mcp", "servers", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["agreed"]
    assert "mcp:clock/length" in listed["tools"]
    assert paper(["--vault", str(folder), "run", "mcp:clock/length", "-p", "text=four", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"] == {"result": 4}
    assert paper(["--vault", str(folder), "mcp", "connect", "clokc"]) == 2
    assert "clock" in capsys.readouterr().err
