"""Logging in to a server with the browser: by OAuth 2.1, kept in the keyring."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import keyring
import keyring.backend
import pytest
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from paperagents.errors import ToolError, UsageError
from paperagents.mcp_client.login import browser_login, find_login
from paperagents.mcp_client.servers import RemoteServer
from paperagents.vault import Vault

from .login_server import OpenDoor, login_server

pytestmark = pytest.mark.process


class Pocket(keyring.backend.KeyringBackend):
    """A keyring of this test."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture(autouse=True)
def pocket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pocket]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    before, own = keyring.get_keyring(), Pocket()
    keyring.set_keyring(own)
    yield own
    keyring.set_keyring(before)


@pytest.fixture
def door() -> Iterator[tuple[str, OpenDoor]]:
    with login_server() as found:
        yield found


def vault_of(tmp_path: Path, settings: str) -> Vault:
    folder = tmp_path / "vault"
    (folder / ".paper").mkdir(parents=True, exist_ok=True)
    (folder / ".paper" / "settings.toml").write_text(settings)
    vault = Vault(folder)
    for server in vault.remote_servers.servers.values():
        vault.remote_servers.agree(server)
    return vault


async def browser(address: str) -> None:
    async with httpx2.AsyncClient(follow_redirects=True) as http:
        assert (await http.get(address)).status_code == 200


def test_a_login_opens_the_server_also_for_later_runs(
    tmp_path: Path, door: tuple[str, OpenDoor], pocket: Pocket
) -> None:
    url, provider = door
    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        server = vault.remote_servers.servers["door"]
        with pytest.raises(ToolError) as refused:
            vault.remote_effects.connect(server)
        assert refused.value.code == "remote-unauthorized"
        assert [each["name"] for each in vault.remote_effects.log_in(server, browser)] == ["inside", "safe"]
        assert vault.run("mcp:door/inside").data == {"result": "welcome"}
    # A day later it is renewed without a browser.
    (key,) = pocket.kept
    pocket.kept[key] = json.dumps({**json.loads(pocket.kept[key]), "expires_at": 1})
    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        assert vault.run("mcp:door/inside").data == {"result": "welcome"}
    assert provider.issued == 2
    # Taken away, somebody has to log in again.
    provider.valid.clear()
    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        record = vault.run("mcp:door/inside")
    assert record.error is not None
    assert record.error["code"] == "remote-unauthorized"


def test_nothing_of_the_login_is_in_the_vault_or_in_files(
    tmp_path: Path, door: tuple[str, OpenDoor], pocket: Pocket
) -> None:
    url, _ = door
    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        vault.remote_effects.log_in(vault.remote_servers.servers["door"], browser)
        vault.run("mcp:door/inside")
    assert "token-1" in str(pocket.kept)
    assert not any(b"token-1" in each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())


def test_a_login_that_is_refused_is_told(tmp_path: Path, door: tuple[str, OpenDoor]) -> None:
    url, _ = door

    async def go_away(address: str) -> None:
        back = httpx2.URL(address).params["redirect_uri"]
        async with httpx2.AsyncClient() as http:
            await http.get(f"{back}?error=access_denied")

    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault, pytest.raises(ToolError) as refused:
        vault.remote_effects.log_in(vault.remote_servers.servers["door"], go_away)
    assert (refused.value.code, find_login(url)) == ("remote-login-failed", None)


def test_a_server_that_asks_for_more_in_the_middle_gets_a_new_code_and_no_old_one(tmp_path: Path) -> None:
    server = RemoteServer(name="door", url="http://127.0.0.1:9/mcp", folder=tmp_path)

    async def go() -> list[str]:
        codes = iter(["first", "second"])

        async def come_back_twice(address: str) -> None:
            code = next(codes)
            await browser(f"{address}?code={code}&state={code}")
            await browser(f"{address}?code=again&state={code}")

        async with browser_login(server, come_back_twice) as login:
            show, wait = login.context.redirect_handler, login.context.callback_handler
            back = login.context.client_metadata.redirect_uris
            assert show is not None
            assert wait is not None
            assert back is not None
            found = []
            for _ in range(2):
                await show(str(back[0]))
                found.append((await wait()).code)
            return found

    assert asyncio.run(go()) == ["first", "second"]


def test_a_login_after_a_call_that_lacked_rights_asks_for_them(tmp_path: Path, door: tuple[str, OpenDoor]) -> None:
    url, _ = door
    asked: list[str] = []

    async def look(address: str) -> None:
        asked.append(httpx2.URL(address).params.get("scope", ""))
        await browser(address)

    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        server = vault.remote_servers.servers["door"]
        vault.remote_effects.log_in(server, look)
        refused = vault.run("mcp:door/safe").error
        assert refused is not None
        assert refused["code"] == "remote-unauthorized"
    with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault:
        vault.remote_effects.log_in(server, look)
        assert vault.run("mcp:door/safe").data == {"result": "gold"}
    assert asked == ["", "safe"]


def test_rights_that_a_server_does_not_know_after_all_are_asked_for_once(tmp_path: Path, pocket: Pocket) -> None:
    server = RemoteServer(name="door", url="http://127.0.0.1:9/mcp", folder=tmp_path)
    pocket.kept["paperagents", f"mcp:{server.url}"] = json.dumps({"tokens": {"access_token": "t"}, "scope": "a b"})

    async def go() -> list[str]:
        asked: list[str] = []

        async def look(address: str) -> None:
            asked.append(address)

        for _ in range(2):
            async with browser_login(server, look) as login:
                assert login.context.redirect_handler is not None
                await login.context.redirect_handler("http://x.example/?scope=b&state=%2B1")
        return asked

    assert asyncio.run(go()) == ["http://x.example/?scope=b+a&state=%2B1", "http://x.example/?scope=b&state=%2B1"]


def test_a_server_that_registers_nobody_knows_the_client_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOOR_SECRET", "s3cret words")
    settings = 'client_id = "known"\nclient_secret = "{{env.DOOR_SECRET}}"\n'
    with login_server(registers=False) as (url, provider):
        known = {"client_id": "known", "client_secret": "s3cret words", "redirect_uris": ["http://127.0.0.1/callback"]}
        provider.clients["known"] = AnyPort.model_validate(
            {**known, "token_endpoint_auth_method": "client_secret_basic"}
        )
        with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n{settings}') as vault:
            vault.remote_effects.log_in(vault.remote_servers.servers["door"], browser)
            assert vault.run("mcp:door/inside").data == {"result": "welcome"}
        with vault_of(tmp_path, f'[mcp_servers.door]\nurl = "{url}"\n') as vault, pytest.raises(ToolError) as refused:
            vault.remote_effects.log_in(vault.remote_servers.servers["door"], browser)
    assert provider.secrets == ["s3cret words"]
    assert refused.value.code == "remote-login-failed"


class AnyPort(OAuthClientInformationFull):
    """A client on a person's computer: the port that it waits at differs each time (RFC 8252)."""

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        assert redirect_uri is not None
        return redirect_uri


def test_a_client_that_is_described_at_an_address_is_named_by_it(tmp_path: Path) -> None:
    address = "https://notes.example/client.json"
    server = RemoteServer(name="door", url="http://127.0.0.1:9/mcp", client_id=address, folder=tmp_path)

    async def go() -> tuple[str | None, object]:
        async with browser_login(server, browser) as login:
            return login.context.client_metadata_url, await login.context.storage.get_client_info()

    assert asyncio.run(go()) == (address, None)


def test_a_login_needs_an_address(tmp_path: Path) -> None:
    vault = vault_of(tmp_path, '[mcp_servers.door]\ncommand = ["true"]\n')
    with vault, pytest.raises(UsageError) as refused:
        vault.remote_effects.log_in(vault.remote_servers.servers["door"], browser)
    assert refused.value.code == "login-needs-address"
