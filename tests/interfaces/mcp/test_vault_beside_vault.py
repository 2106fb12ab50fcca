"""One vault uses the tools of another: an MCP server at an address, with its token, also after it was started anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from paperagents.approval.question import Approved
from paperagents.errors import PaperError
from paperagents.interfaces.command_line.app import run as paper
from paperagents.vault import Vault

from ..served import Served, fill, serving  # noqa: TID252  shared by the tests of two interfaces


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Served]:
    fill(tmp_path / "other")
    with serving(tmp_path / "other") as running:
        yield running


def connected(folder: Path, other: Served, token: str | None = None) -> Vault:
    """A vault whose settings name the other one."""
    (folder / ".paper").mkdir(parents=True)
    token = other.access.token if token is None else token
    settings = f'[mcp_servers.other]\nurl = "{other.url}/mcp?key=in-the-address"\ntoken = "{token}"\n'
    (folder / ".paper" / "settings.toml").write_text(settings)
    vault = Vault(folder)
    server = vault.remote_servers.servers["other"]
    vault.remote_servers.agree(server)
    return vault


def test_its_tools_are_tools_of_the_vault(tmp_path: Path, other: Served) -> None:
    with connected(tmp_path / "vault", other) as vault:
        vault.remote_effects.connect(vault.remote_servers.servers["other"])
        record = vault.run("mcp:other/shout", {"words": "hi"})
        assert record.data == "HI"
        # What the other side says about its tools decides who is asked here; over there it is asked anyway.
        assert vault.run("mcp:other/write_file", {"filePath": "a.md", "content": "x"}).status == "waiting"
        vault.run("mcp:other/write_file", {"filePath": "a.md", "content": "x"}, approver=lambda _: Approved())
    assert not (other.folder / "a.md").exists()
    assert len(other.vault.history.questions()) == 1


def test_a_server_that_was_started_anew_is_asked_again(tmp_path: Path) -> None:
    fill(tmp_path / "other")
    with serving(tmp_path / "other") as first:
        vault = connected(tmp_path / "vault", first)
        vault.remote_effects.connect(vault.remote_servers.servers["other"])
        assert vault.run("mcp:other/shout", {"words": "hi"}).success
        port = int(first.url.rpartition(":")[2])
    with vault:
        gone = vault.run("mcp:other/shout", {"words": "hi"})
        assert gone.error is not None
        assert gone.error["code"] == "remote-unreachable"
        with serving(tmp_path / "other", port=port):
            assert vault.run("mcp:other/shout", {"words": "hi"}).success


def test_a_wrong_token_is_told_and_no_secret_is(tmp_path: Path, other: Served) -> None:
    with connected(tmp_path / "vault", other, token="not-the-right-one") as vault:
        server = vault.remote_servers.servers["other"]
        with pytest.raises(PaperError) as refused:
            vault.remote_effects.connect(server)
        assert refused.value.code == "remote-unauthorized"
        assert "token" in str(refused.value.hint)
        vault.remote_servers.remember(server, [{"name": "shout", "description": "", "schema": {}, "read_only": True}])
        record = str(vault.run("mcp:other/shout", {"words": "hi"}).as_json())
    for secret in ("not-the-right-one", "in-the-address"):
        assert secret not in str(refused.value) + record
    assert "not-the-right-one" not in repr(server)


def test_the_settings_do_not_show_the_token(tmp_path: Path, other: Served, capsys: pytest.CaptureFixture[str]) -> None:
    with connected(tmp_path / "vault", other):
        assert paper(["--vault", str(tmp_path / "vault"), "config", "--json"]) == 0
        assert paper(["--vault", str(tmp_path / "vault"), "mcp", "servers"]) == 0
    shown = "".join(capsys.readouterr())
    assert other.access.token not in shown
    assert "in-the-address" not in shown
