"""Resources and prompts of other servers, as tools of the vault."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import paperagents
from paperagents.approval.question import Approved
from paperagents.vault import Vault

SERVER = Path(__file__).with_name("library_server.py")


@pytest.fixture
def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Vault]]:
    """A vault that is connected with the server."""
    config = tmp_path / "config" / "paperagents"
    config.mkdir(parents=True)
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    opened: list[Vault] = []

    def connect(*arguments: str, server: Path = SERVER) -> Vault:
        command = json.dumps([sys.executable, str(server), *arguments])
        (config / "settings.toml").write_text(f"[mcp_servers.library]\ncommand = {command}\n")
        vault = paperagents.open_vault(tmp_path / "vault")
        opened.append(vault)
        vault.remote_effects.connect(vault.remote_servers.servers["library"])
        return vault

    yield connect
    for vault in opened:
        vault.close()


def test_a_resource_is_read_by_its_address_and_without_one_they_are_listed(connect: Callable[..., Vault]) -> None:
    vault = connect()

    def read(**arguments: Any) -> Any:
        record = vault.run("mcp:library/read_resource", arguments)
        assert record.status == "succeeded", record.error
        return record.data

    assert read(uri="book://first") == "Once upon a time"
    assert read(uri="book://anything/page") == "page of anything"
    (block,) = read(uri="book://cover")["content"]
    assert (block["type"], block["resource"]["mimeType"], block["resource"]["blob"]) == (
        "resource",
        "image/png",
        "iVBORw==",
    )
    assert [each["uri"] for each in read()] == ["book://first", "book://cover", "book://{title}/page"]


def test_a_prompt_is_given_by_its_name_and_without_one_they_are_listed(connect: Callable[..., Vault]) -> None:
    vault = connect()
    found = vault.run("mcp:library/get_prompt", {"name": "review", "arguments": {"book": "Emma", "stars": 5}}).data
    assert isinstance(found, dict)
    assert found["messages"] == [{"role": "user", "content": {"type": "text", "text": "Review Emma with 5 stars"}}]
    every: Any = vault.run("mcp:library/get_prompt").data
    (listed,) = every
    assert (listed["name"], [each["name"] for each in listed["arguments"]]) == ("review", ["book", "stars"])


def test_what_the_server_does_not_have_is_its_error(connect: Callable[..., Vault]) -> None:
    record = connect().run("mcp:library/read_resource", {"uri": "book://"})
    assert record.error is not None
    assert record.error["code"] == "remote-tool-failed"


def test_the_names_are_told_and_a_tool_of_the_server_with_such_a_name_is_the_servers(
    connect: Callable[..., Vault],
) -> None:
    vault = connect("own")
    assert "book://first" in vault.find_tool("mcp:library/read_resource").description
    asked = vault.run("mcp:library/get_prompt", {}, approver=lambda _: Approved())
    assert (asked.data, asked.execution_log[0]["hitl_required"]) == ({"result": "mine"}, True)


def test_a_server_that_cannot_list_all_that_it_says_it_has_is_used_as_far_as_it_can(
    connect: Callable[..., Vault],
) -> None:
    vault = connect(server=SERVER.with_name("lying_server.py"))
    listed: Any = vault.run("mcp:library/read_resource").data
    assert [each["uri"] for each in listed] == ["book://first"]
    assert vault.find_tool_or_none("mcp:library/get_prompt") is None
    assert vault.find_tool_or_none("mcp:library/refuse") is not None
