"""What a server gets from its settings, what it may ask, and how its failures are told."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.errors import SettingsError, ToolError
from paperagents.interfaces.command_line.app import run as paper
from paperagents.runs import open_telemetry
from paperagents.runs.open_telemetry import ids_of, provider_for
from paperagents.testing.model_server import ScriptedServer
from paperagents.vault import Vault

pytestmark = pytest.mark.process
SERVER = Path(__file__).with_name("asking_server.py")
COMMAND = json.dumps([sys.executable, str(SERVER)])


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "paperagents"


@pytest.fixture
def open_vault(tmp_path: Path) -> Iterator[Callable[[str], Vault]]:
    opened: list[Vault] = []

    def open_one(settings: str) -> Vault:
        folder = tmp_path / "vault"
        (folder / ".paper").mkdir(parents=True, exist_ok=True)
        (folder / ".paper" / "settings.toml").write_text(settings, encoding="utf-8")
        opened.append(Vault(folder))
        return opened[-1]

    yield open_one
    for vault in opened:
        vault.close()


def connect(vault: Vault, name: str = "ask") -> Vault:
    server = vault.remote_servers.servers[name]
    vault.remote_servers.agree(server)
    vault.remote_effects.connect(server)
    return vault


def test_a_command_gets_variables_and_secrets_by_name(
    open_vault: Callable[[str], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "swordfish")
    settings = f'[mcp_servers.ask]\ncommand = {COMMAND}\nenv = {{ PLAIN = "a b", KEY = "x-{{{{env.MY_SECRET}}}}" }}\n'
    vault = connect(open_vault(settings))
    assert vault.run("mcp:ask/variable", {"name": "PLAIN"}).data == {"result": "a b"}
    assert vault.run("mcp:ask/variable", {"name": "MY_SECRET"}).data == {"result": "(not set)"}
    # It arrives, and is masked in the record.
    assert vault.run("mcp:ask/variable", {"name": "KEY"}).data == {"result": "x-***"}


def test_a_secret_is_given_to_a_server_by_its_name(
    open_vault: Callable[[str], Vault], capsys: pytest.CaptureFixture[str]
) -> None:
    vault = open_vault(f'[mcp_servers.ask]\ncommand = {COMMAND}\nenv = {{ KEY = "{{{{env.MY_SECRET}}}}" }}\n')
    with pytest.raises(ToolError) as missing:
        connect(vault)
    assert (missing.value.code, missing.value.values["name"]) == ("remote-secret-missing", "MY_SECRET")
    assert "paper env --service ask MY_SECRET" in str(missing.value)
    assert paper(["--vault", str(vault.root), "env", "--service", "ask", "MY_SECRET=swordfish"]) == 0
    capsys.readouterr()
    connect(vault)
    assert vault.run("mcp:ask/variable", {"name": "KEY"}).data == {"result": "***"}


@pytest.mark.parametrize(
    "wrong",
    ['env = "A=b"', "env = { A = 1 }", 'env = { "A=B" = "x" }', 'headers = { "a b" = "x" }',
     'headers = { A = "x\\ny" }', "timeout = 0", "trusted = 1", 'enf = { A = "b" }'],
)  # fmt: skip
def test_a_wrong_setting_is_told_with_its_line(open_vault: Callable[[str], Vault], wrong: str) -> None:
    with pytest.raises(SettingsError) as told:
        _ = open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n{wrong}\n").settings
    assert "settings.toml:3" in str(told.value)


def test_tables_can_be_set_and_are_never_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True)
    table = json.dumps({"API_KEY": "swordfish", "B": 'quo"te'})
    assert paper(["--vault", str(folder), "config", "set", "mcp_servers.ask.command", COMMAND]) == 0
    assert paper(["--vault", str(folder), "config", "set", "mcp_servers.ask.env", table]) == 0
    assert Vault(folder).settings.get("mcp_servers.ask.env") == {"API_KEY": "swordfish", "B": 'quo"te'}
    capsys.readouterr()
    assert paper(["--vault", str(folder), "config", "--json"]) == 0
    assert "swordfish" not in capsys.readouterr().out


def test_changed_variables_and_headers_are_agreed_to_again(open_vault: Callable[[str], Vault]) -> None:
    vault = connect(open_vault(f'[mcp_servers.ask]\ncommand = {COMMAND}\nenv = {{ LD_PRELOAD = "a.so" }}\n'))
    server = vault.remote_servers.servers["ask"]
    assert vault.remote_servers.is_agreed(server)
    assert "LD_PRELOAD=a.so" in server.as_brought().what
    for changed in ('env = { LD_PRELOAD = "b.so" }', 'headers = { A = "b" }', "trusted = true"):
        after = open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n{changed}\n")
        assert not after.remote_servers.is_agreed(after.remote_servers.servers["ask"])


def test_a_value_that_is_a_secret_is_not_shown_where_one_agrees(open_vault: Callable[[str], Vault]) -> None:
    env = 'env = { API_KEY = "swordfish", TOKEN = "{{env.GITHUB}}" }'
    what = (
        open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n{env}\n").remote_servers.servers["ask"].as_brought().what
    )
    assert "API_KEY=***" in what
    assert "TOKEN={{env.GITHUB}}" in what


class Refusing(BaseHTTPRequestHandler):
    status = 401
    seen: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        self.seen.append({key.lower(): value for key, value in self.headers.items()})
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815  the library's name

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def refusing() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    Refusing.seen = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    thread.join()
    server.server_close()


def test_headers_are_sent_and_a_refused_login_is_told_as_such(
    open_vault: Callable[[str], Vault], refusing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_SECRET", "swordfish")
    headers = 'headers = { X-Key = "k {{env.MY_SECRET}}" }'
    vault = open_vault(f'[mcp_servers.ask]\nurl = "{refusing}"\n{headers}\n')
    with pytest.raises(ToolError) as told:
        connect(vault)
    assert told.value.code == "remote-unauthorized"
    assert "paper mcp login ask" in str(told.value)
    assert Refusing.seen[0]["x-key"] == "k swordfish"


def test_what_a_server_wrote_before_it_ended_is_told_and_kept_without_secrets(
    open_vault: Callable[[str], Vault], capsys: pytest.CaptureFixture[str]
) -> None:
    command = json.dumps([sys.executable, str(SERVER), "wrong"])
    env = 'env = { TOKEN = "s3cret-t0ken" }'
    vault = open_vault(f"[mcp_servers.ask]\ncommand = {command}\n{env}\n")
    with pytest.raises(ToolError) as told:
        connect(vault)
    assert "no config: token *** is wrong" in str(told.value)
    assert paper(["--vault", str(vault.root), "doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["server_errors"] == {"ask": ["no config: token *** is wrong"]}


def test_a_server_is_told_the_trace_where_traces_are_wanted(
    open_vault: Callable[[str], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
    assert vault.run("mcp:ask/trace").data == {"result": "None"}
    tracer = provider_for(SimpleSpanProcessor(InMemorySpanExporter())).get_tracer("test")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(open_telemetry, "tracer", lambda: tracer)
    record: Any = vault.run("mcp:ask/trace")
    assert record.data["result"].startswith(f"00-{ids_of(record.run_id)[0]:032x}-")


def test_pictures_of_a_server_are_pictures(open_vault: Callable[[str], Vault]) -> None:
    answer: Any = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n")).run("mcp:ask/picture").data
    assert [each["type"] for each in answer["content"]] == ["text", "image"]


def test_what_a_server_says_it_returns_is_known(open_vault: Callable[[str], Vault]) -> None:
    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
    answer: Any = vault.registry.tool("mcp:ask/variable").answer
    assert answer["properties"]["result"]["type"] == "string"


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (Approved(), "accept M 1"),
        (Approved(arguments={"size": "XL", "count": 2}), "accept XL 2"),
        (Approved(arguments={"size": "XL", "count": "many"}), "cancel"),
        (Denied(reason="no"), "decline"),
        (None, "cancel"),
    ],
)
def test_a_form_of_a_server_is_put_to_the_person(
    open_vault: Callable[[str], Vault], decision: Decision | None, answer: str
) -> None:
    shown: list[ApprovalRequest] = []

    def decide(request: ApprovalRequest) -> Decision:
        shown.append(request)
        assert decision is not None
        return decision

    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
    record = vault.run("mcp:ask/measure", approver=decide if decision is not None else None)
    assert record.data == {"result": answer}
    if decision is not None:
        assert "Which size?" in shown[0].preview
        assert (shown[0].arguments, shown[0].run_id) == ({"size": "M", "count": 1}, record.run_id)


def test_a_server_asks_the_language_model_only_with_a_yes(
    open_vault: Callable[[str], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(["Four."]) as model:
        monkeypatch.setenv("PAPER_LLM_BASE_URL", model.base_url)
        monkeypatch.setenv("PAPER_LLM_MODEL", "some/model")
        vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
        refused = vault.run("mcp:ask/think", approver=lambda _: Denied(reason="too dear"))
        assert refused.status == "failed"
        assert model.requests == []
        shown: list[str] = []

        def yes(request: ApprovalRequest) -> Decision:
            shown.append(request.preview)
            return Approved()

        assert vault.run("mcp:ask/think", approver=yes).data == {"result": "Four."}
    assert "What is two and two?" in shown[0]


def test_a_server_hears_that_the_language_model_failed_and_not_where_it_is(
    open_vault: Callable[[str], Vault], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("PAPER_LLM_MODEL", "some/model")
    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
    record = vault.run("mcp:ask/think", approver=lambda _: Approved())
    assert "model-unreachable" in json.dumps(record.error)
    assert "127.0.0.1" not in json.dumps(record.error)


def test_a_server_that_asks_where_the_vault_is_is_told(open_vault: Callable[[str], Vault]) -> None:
    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\n"))
    assert vault.run("mcp:ask/roots").data == {"result": [vault.root.resolve().as_uri()]}


def test_an_answer_that_takes_longer_than_the_settings_allow_is_told(open_vault: Callable[[str], Vault]) -> None:
    vault = connect(open_vault(f"[mcp_servers.ask]\ncommand = {COMMAND}\ntimeout = 0.5\n"))
    record = vault.run("mcp:ask/never")
    assert record.error is not None
    assert record.error["code"] == "remote-too-slow"
