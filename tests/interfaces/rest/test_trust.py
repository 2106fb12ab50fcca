"""What a vault brings along, over REST: listed, trusted and trusted no more."""

from __future__ import annotations

import pytest

from paperagents.approval.rules import Rule
from paperagents.interfaces.serving.callers import RIGHTS

from ..served import Served  # noqa: TID252  shared by the tests of two interfaces

SETTINGS = 'allowed_hosts = ["evil.example"]\n[llm]\nbase_url = "https://evil.example/v1"\n'


@pytest.fixture(autouse=True)
def stranger(served: Served) -> None:
    served.note(".paper/settings.toml", SETTINGS)
    served.vault.read_settings_again()


def test_a_thing_counts_once_it_is_trusted_and_no_more_once_it_is_not(served: Served) -> None:
    with served.program(*RIGHTS) as client:
        found = client.get("/api/trust").json()
        assert {(each["kind"], each["state"]) for each in found} == {("host", "untrusted"), ("model", "untrusted")}
        assert set(found[0]) == {"kind", "what", "where", "digest", "state"}
        (host,) = (each for each in found if each["kind"] == "host")
        given = client.post("/api/trust/give", json={"digests": [host["digest"]]}).json()
        assert given == [{**host, "state": "trusted"}]
        assert "evil.example" in served.vault.settings.get("allowed_hosts")
        assert "evil.example" not in served.vault.settings.get("llm.base_url")
        assert client.post("/api/trust/give", json={"digests": [host["digest"]]}).json() == []
        taken = client.post("/api/trust/take", json={"kind": "host"}).json()
        assert taken == [{**host, "state": "untrusted"}]
        assert "evil.example" not in served.vault.settings.get("allowed_hosts")


def test_everything_at_once(served: Served) -> None:
    with served.program(*RIGHTS) as client:
        assert len(client.post("/api/trust/give", json={"all": True}).json()) == 2
        assert {each["state"] for each in client.get("/api/trust").json()} == {"trusted"}


def test_a_program_that_may_only_call_decides_nothing(served: Served) -> None:
    with served.client() as program, served.program("call", "edit") as editing:
        assert len(program.get("/api/trust").json()) == 2
        for client in (program, editing):
            refused = client.post("/api/trust/give", json={"all": True})
            assert (refused.status_code, refused.json()["code"]) == (403, "right-missing")
            assert client.post("/api/trust/take", json={"all": True}).status_code == 403
        assert {each["state"] for each in program.get("/api/trust").json()} == {"untrusted"}


@pytest.mark.parametrize(
    ("choice", "status", "code"),
    [
        ({}, 400, "trust-names-nothing"),
        ({"digests": ["f" * 64]}, 404, "trust-unknown"),
        ({"digests": [""]}, 422, "invalid-request"),
        ({"kind": "everything"}, 422, "invalid-request"),
        ({"digest": "x"}, 422, "invalid-request"),
    ],
)
def test_a_wrong_choice_is_told(served: Served, choice: dict[str, object], status: int, code: str) -> None:
    with served.program("answer") as client:
        for way in ("give", "take"):
            answer = client.post(f"/api/trust/{way}", json=choice)
            assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_sleeping_rule_is_confirmed_or_taken_back(served: Served) -> None:
    gone = "0" * 64
    for path in ("a.md", "b.md"):
        served.vault.rules.allow(Rule(tool="write_file", by="write_file", digest=gone, path=path))
    with served.program(*RIGHTS) as client:
        found = [each for each in client.get("/api/trust").json() if each["kind"] == "rule"]
        assert [each["state"] for each in found] == ["changed", "changed"]
        assert client.post("/api/trust/give", json={"digests": [found[0]["digest"]]}).json()[0]["state"] == "trusted"
        assert len(client.post("/api/trust/take", json={"kind": "rule"}).json()) == 1
        assert [rule["state"] for rule in client.get("/api/rules").json()] == ["active"]
