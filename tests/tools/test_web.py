"""What a person is shown of a request is what is sent, and what a rule is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paperagents.approval.question import ApprovalRequest, Approved, Decision, Denied
from paperagents.vault import Vault


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "paperagents").mkdir(parents=True)
    settings = tmp_path / "config" / "paperagents" / "settings.toml"
    settings.write_text('allowed_hosts = ["127.0.0.1", "localhost"]\n', encoding="utf-8")
    (tmp_path / "vault" / ".paper").mkdir(parents=True)
    with Vault(tmp_path / "vault") as opened:
        yield opened


def test_a_rule_made_for_an_oddly_written_address_holds_for_its_host_only(vault: Vault, web: Any) -> None:
    web.answer("/x", b"{}")
    asked: list[ApprovalRequest] = []

    def decide(request: ApprovalRequest) -> Decision:
        asked.append(request)
        return Approved(always=True) if len(asked) == 1 else Denied()

    def post(url: str) -> str:
        return vault.run("rest_request", {"url": url, "method": "POST"}, approver=decide).status

    first, other = web.url("/x"), web.url("/x", "localhost")
    assert post(f"\u00a0{first}") == "succeeded"
    assert asked[0].preview == f"POST {first}"
    assert asked[0].target == f"POST {first.split('/')[2]}"
    assert post(first) == "succeeded"
    assert len(asked) == 1
    assert post(f"\u00a0{other}") == "denied"
    assert len(asked) == 2


@pytest.mark.parametrize(("url", "host"), [("https://a.example/x", "a.example:443"), ("http://[::1]/", "[::1]:80")])
def test_a_rule_proposed_for_an_address_without_a_port_is_for_its_port_alone(vault: Vault, url: str, host: str) -> None:
    vault.run("rest_request", {"url": url, "method": "POST"})
    (request,) = vault.history.questions()
    assert request.scope is not None
    assert request.scope.host == host


@pytest.mark.parametrize(
    "arguments",
    [
        {"headers": {"X_HTTP_Method_Override": "DELETE"}},
        {"headers": {"x-http_method-override": "DELETE"}},
        {"body": "sent with a GET"},
        {"query": "?_method=DELETE"},
    ],
    ids=str,
)
def test_a_get_that_may_change_something_is_sent_only_after_a_yes(vault: Vault, web: Any, arguments: Any) -> None:
    url = web.answer("/items/7", b"{}") + arguments.pop("query", "")
    call = {"url": url, **arguments}
    assert vault.run("rest_request", call, approver=lambda _: Denied()).status == "denied"
    assert web.requests == []
    assert vault.run("rest_request", call, approver=lambda _: Approved()).status == "succeeded"
    assert len(web.requests) == 1


def test_a_search_never_names_another_method(vault: Vault, web: Any) -> None:
    record = vault.run("web_search", {"url": web.answer("/x", b"{}") + "?_method=DELETE"})
    assert record.error is not None
    assert record.error["code"] == "method-changing"
    assert web.requests == []


@pytest.mark.parametrize("url", ["http:///x", "http://a.example\\@b.example/", "\u00a0"])
def test_an_address_without_a_plain_host_is_refused_before_anybody_is_asked(vault: Vault, url: str) -> None:
    asked: list[ApprovalRequest] = []

    def decide(request: ApprovalRequest) -> Decision:
        asked.append(request)
        return Approved(always=True)

    record = vault.run("rest_request", {"url": url, "method": "POST"}, approver=decide)
    assert record.status == "failed"
    assert asked == []
    assert vault.rules.rules() == []
