"""What a user knows about servers outlives a change of version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paperagents.approval.signatures import UserKey
from paperagents.mcp_client.servers import KnownServers, RemoteServer
from paperagents.settings import open_trust_book


@pytest.fixture
def server(tmp_path: Path) -> RemoteServer:
    return RemoteServer(name="clock", command=("clock",), folder=tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mcp_servers.json"


@pytest.fixture
def known(file: Path, server: RemoteServer) -> KnownServers:
    return KnownServers(file, server.folder, [server], open_trust_book(server.folder, UserKey(file.parent / "user")))


def test_keys_of_a_newer_version_are_ignored_and_kept(known: KnownServers, server: RemoteServer, file: Path) -> None:
    folder = str(server.folder)
    written = {"format": 2, "other": [1], folder: {"clock": {"since": "today"}, "new": ["x"]}}
    file.write_text(json.dumps(written))
    known.remember(server, [])
    written[folder] = {"clock": {"since": "today", "tools": []}, "new": ["x"]}
    assert json.loads(file.read_text()) == written


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"FOLDER": 5, "other": 1}', '{"FOLDER": {"clock": 7}, "other": 1}']
)
def test_what_is_not_understood_is_no_agreement_and_is_set_aside(
    known: KnownServers, server: RemoteServer, file: Path, content: str
) -> None:
    content = content.replace("FOLDER", str(server.folder))
    file.write_text(content)
    assert known.offered_tools("clock") == []
    known.remember(server, [])
    (aside,) = file.parent.glob("mcp_servers.json.unreadable-*")
    assert aside.read_text() == content
    assert json.loads(file.read_text()).get("other") == (1 if "other" in content else None)
