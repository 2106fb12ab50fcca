"""The calls and references of a text over REST: the same documents as on the command line."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from tests.interfaces.served import Served

TEXT = """{{<reasoning_text>}}Hm.{{</reasoning_text>}}
{{<memory identifier="a" content="1" />}}{{<task identifier="t" status="done" />}}
{{<memory identifier="a" delete />}}{{<memry />}}"""


@pytest.fixture
def client(served: Served) -> Iterator[httpx2.Client]:
    with served.client() as calling:
        yield calling


def test_calls_are_found_and_nothing_is_carried_out_unasked(served: Served, client: httpx2.Client) -> None:
    document = client.post("/api/extract", json={"text": TEXT}).json()
    assert list(document) == ["operations", "diagnostics", "results"]
    assert [each["tool_id"] for each in document["operations"]] == ["memory", "task", "memory"]
    assert [(each["line"], each["code"]) for each in document["diagnostics"]] == [
        (2, "tag-attribute-replaced"),
        (3, "tag-unknown"),
    ]
    assert document["results"] == []
    assert served.vault.entries.counts() == {}


def test_calls_are_carried_out_and_what_must_be_asked_waits(served: Served, client: httpx2.Client) -> None:
    results = client.post("/api/extract", json={"text": TEXT, "apply": True}).json()["results"]
    assert [(each["tool"], each["id"], each["action"], each["status"]) for each in results] == [
        ("memory", "a", "created", "success"),
        ("task", "t", "created", "success"),
        ("memory", "a", None, "waiting"),
    ]
    assert [each["tool"] for each in client.get("/api/approvals").json()] == ["memory"]
    only = client.post("/api/extract", json={"text": TEXT, "tool": "TASK", "apply": True}).json()
    assert [each["action"] for each in only["results"]] == ["updated"]
    assert served.vault.entries.content("memory", "a") == "1"


def test_references_are_resolved(served: Served, client: httpx2.Client) -> None:
    served.vault.entries.put("datavault", "x", {"content": "1"})
    text = '{{<vaultref id="x" />}} {{<vaultref id="no" />}}'
    document = client.post("/api/resolve", json={"text": text}).json()
    assert (document["resolved_text"], document["missing"]) == ("1 /* [MISSING_VAULT:no] */", ["no"])
    assert document["fully_resolved"] is False


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("extract", {}, 422),
        ("extract", {"text": 5}, 422),
        ("extract", {"text": "", "aply": True}, 422),
        ("extract", {"text": "", "tool": "memry"}, 400),
        ("resolve", {"text": "", "max_depth": -1}, 422),
    ],
)
def test_what_cannot_be_is_a_problem(path: str, body: object, status: int, client: httpx2.Client) -> None:
    assert client.post(f"/api/{path}", json=body).status_code == status


def test_both_are_in_the_description_of_the_server(client: httpx2.Client) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert {"/api/extract", "/api/resolve"} <= paths.keys()
