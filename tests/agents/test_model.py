"""A key goes to the server it was set for, and to no other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.trusting import trust_settings

from paperagents.agents.model import ModelAccess, model_access, origin_of
from paperagents.errors import UsageError
from paperagents.settings import load_settings
from paperagents.testing import ScriptedModel, ScriptedServer

from .conftest import Desk, Serve, call

OPENROUTER = "https://openrouter.ai/api/v1"
KEY = "sk-of-the-user-1234"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "v" / ".paper").mkdir(parents=True)
    return tmp_path / "v"


def access(vault: Path, in_vault: str = "", by_user: str = "", own_home: Path | None = None) -> ModelAccess:
    (vault / ".paper" / "settings.toml").write_text(in_vault)
    if own_home is not None:
        (own_home / "paperagents").mkdir(parents=True, exist_ok=True)
        (own_home / "paperagents" / "settings.toml").write_text(by_user)
    trust_settings(vault)
    return model_access(load_settings(vault), vault)


def test_the_users_key_goes_to_the_default_server(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)
    assert access(vault) == ModelAccess(base_url=OPENROUTER, key=KEY)


@pytest.mark.parametrize("written", [f"{KEY}\n", f" {KEY}\r\n", f"\t{KEY}"])
def test_what_a_file_leaves_around_a_key_is_no_part_of_it(
    vault: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", written)
    assert access(vault).key == KEY


@pytest.mark.parametrize("key", [" ", "sk-one\nX-Evil: 1", "schlüssel", "sk-\x00"])
def test_a_key_that_no_request_can_carry_is_told_and_not_sent(vault: Path, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        access(vault, f'[llm]\napi_key = {json.dumps(key)}\nbase_url = "http://127.0.0.1:1/v1"')
    assert caught.value.code == "model-key-unusable"


@pytest.mark.parametrize("place", ["variable", "settings"])
def test_a_strangers_vault_cannot_send_the_users_key_elsewhere(
    vault: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    if place == "variable":
        monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)
    by_user = f'[llm]\napi_key = "{KEY}"' if place == "settings" else ""
    with pytest.raises(UsageError) as caught:
        access(vault, '[llm]\nbase_url = "https://evil.example/v1"', by_user, own_home)
    assert caught.value.code == "model-key-foreign"
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["https://openrouter.ai.evil.example/v1", "http://openrouter.ai/api/v1", "https://openrouter.ai:8443/v1"]
)
def test_a_similar_address_is_another_one(vault: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)
    with pytest.raises(UsageError):
        access(vault, f'[llm]\nbase_url = "{address}"')


def test_another_path_on_the_same_server_is_fine(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)
    assert access(vault, '[llm]\nbase_url = "https://OpenRouter.ai:443/other"').key == KEY


def test_a_vault_with_a_key_of_its_own_uses_that(vault: Path) -> None:
    made = access(vault, '[llm]\nbase_url = "https://other.example/v1"\napi_key = "sk-of-the-vault"')
    assert made == ModelAccess(base_url="https://other.example/v1", key="sk-of-the-vault")


def test_server_and_key_from_the_same_person_belong_together(
    vault: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", KEY)
    made = access(vault, "", '[llm]\nbase_url = "https://mine.example/v1"', own_home)
    assert made == ModelAccess(base_url="https://mine.example/v1", key=KEY)


def test_a_server_on_this_computer_needs_no_key(vault: Path) -> None:
    assert access(vault, '[llm]\nbase_url = "http://localhost:11434/v1"').key is None
    assert access(vault, '[llm]\nbase_url = "http://[::1]:11434/v1"').key is None


def test_without_a_key_the_user_is_told_how_to_give_one(vault: Path) -> None:
    with pytest.raises(UsageError) as caught:
        access(vault)
    assert caught.value.code == "model-key-missing"
    assert "PAPER_LLM_API_KEY" in str(caught.value)


def test_the_keyring_knows_keys_by_server(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring  # noqa: PLC0415  it looks around when it is loaded

    kept = {("paperagents", "https://evil.example"): None, ("paperagents", "https://openrouter.ai"): "sk-kept"}
    monkeypatch.setattr(keyring, "get_password", lambda service, name: kept.get((service, name)))
    assert access(vault).key == "sk-kept"
    with pytest.raises(UsageError):
        access(vault, '[llm]\nbase_url = "https://evil.example/v1"')


def test_a_broken_keyring_is_no_keyring(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring  # noqa: PLC0415  the same

    def broken(*_: str) -> str:
        raise RuntimeError("no daemon")

    monkeypatch.setattr(keyring, "get_password", broken)
    with pytest.raises(UsageError) as caught:
        access(vault)
    assert caught.value.code == "model-key-missing"


@pytest.mark.parametrize(
    "address",
    ["", "openrouter.ai", "ftp://x.example", "https://", "https://user:pw@x.example/v1", "https://x.example:99999/v1",
     "file:///etc/passwd", "https://x.example\n.evil", "https://[::1", "https://ex ample/v1"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        origin_of(address)
    assert caught.value.code == "model-address"
    assert "pw" not in str(caught.value)


def test_a_key_does_not_show_when_its_access_is_printed() -> None:
    assert KEY not in repr(ModelAccess(base_url=OPENROUTER, key=KEY))


def test_the_key_never_shows_in_a_record_an_error_or_the_note(desk: Desk, serve: Serve) -> None:
    server = serve(
        [
            {"text": "Your key is sk-very-secret-key, is it?", "calls": [call("read_file", filePath="k.md")]},
            {"error": {"status": 400, "message": "bad key sk-very-secret-key"}},
        ]
    )
    desk.note("k.md", "The key is sk-very-secret-key.")
    events: list[object] = []
    record = desk.vault.run("helper", {"query": "What is sk-very-secret-key?"}, on_event=events.append)
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret-key"
    shown = [str(record.as_json()), desk.conversation(), str(events), str(server.requests)]
    assert record.status == "failed"
    assert not any("sk-very-secret-key" in each for each in shown)


def test_a_secret_that_becomes_known_on_the_way_is_not_sent_again(desk: Desk, serve: Serve) -> None:
    server = serve([{"calls": [call("read_file", filePath="a.md")]}, "Read."])
    desk.note("a.md", "x")

    def learn(event: Mapping[str, Any]) -> None:
        if event["type"] == "step-finished" and event["entry"]["name"] == "read_file":
            desk.vault.services.redaction.learn(["swordfish-4711"])

    assert desk.vault.run("helper", {"query": "It is swordfish-4711."}, on_event=learn).data == "Read."
    assert ["swordfish" in json.dumps(each["messages"]) for each in server.requests] == [True, False]


@pytest.mark.parametrize("piece", [1, 7])
def test_the_key_never_shows_while_the_answer_is_being_written(desk: Desk, piece: int) -> None:
    desk.vault.services.redaction.learn([KEY])
    said: list[str] = []

    def listen(event: Mapping[str, Any]) -> None:
        if event["type"] == "model-text":
            said.append(event["text"])

    model = ScriptedModel([f"It is {KEY}, and sk-of is none."], piece=piece)
    desk.vault.run("helper", {"query": "Hi"}, model=model, on_event=listen)
    assert "".join(said) == "It is ***, and sk-of is none."


def test_a_redirect_does_not_carry_the_key_away(desk: Desk, serve: Serve) -> None:
    with ScriptedServer(["stolen"]) as other:
        serve([{"raw": "", "status": 307, "location": f"{other.base_url}/chat/completions"}])
        record = desk.vault.run("helper", {"query": "Hello"})
        assert record.status == "failed"
        assert other.requests == []


def test_proxies_of_the_environment_are_not_used(desk: Desk, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(["stolen"]) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url)
        monkeypatch.setenv("ALL_PROXY", proxy.base_url)
        serve(["mine"])
        assert desk.vault.run("helper", {"query": "Hello"}).data == "mine"
        assert proxy.requests == []
