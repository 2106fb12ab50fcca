"""Calling and answering are two rights: what each token may do, and whose name is in the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.routing import APIRoute
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from paperagents.approval.question import system_user
from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.rest.responses import StrictRoute
from paperagents.interfaces.serving.access import Access
from paperagents.interfaces.serving.app import make_rest_app
from paperagents.interfaces.serving.callers import RIGHTS, Caller, Right, caller_of
from paperagents.interfaces.serving.tokens import TokenBook

from ..served import KEY, Served  # noqa: TID252  shared by the tests of several interfaces

WRITE = {"tool": "write_file", "arguments": {"filePath": "new.md", "content": "by a program"}}
SAVE = {"file": "evil.tool.js", "content": "module.exports = {}", "digest": "absent"}


def ask(client: httpx2.Client) -> tuple[str, dict[str, Any]]:
    """A question that is open, as an address, and what an answer to it must send."""
    assert client.post("/api/runs", json=WRITE).json()["status"] == "waiting"
    (question,) = client.get("/api/approvals").json()
    return f"/api/approvals/{question['id']}", {"digest": question["digest"]}


def decided(record: dict[str, Any]) -> tuple[str, str]:
    """Who has said yes to the first step, and by which way."""
    entry = record["execution_log"][0]
    return entry["approved_by"], entry["approved_via"]


def test_a_program_cannot_answer_its_own_question(served: Served) -> None:
    with served.client() as program:
        question, digest = ask(program)
        for way, body in (("approve", {**digest, "always": True}), ("deny", digest)):
            refused = program.post(f"{question}/{way}", json=body)
            assert (refused.status_code, refused.json()["code"]) == (403, "right-missing")
            assert "paper serve token new NAME --may call,answer" in refused.json()["hint"]
        assert len(program.get("/api/approvals").json()) == 1
        assert program.get("/api/rules").json() == []
    assert not (served.folder / "new.md").exists()


def test_a_program_cannot_save_files_or_change_settings(served: Served) -> None:
    with served.client() as program:
        for path, body in (("/edit/save", SAVE), ("/settings/allowed_hosts", {"value": "evil.example"}),
                           ("/api/environment/shout", {})):  # fmt: skip
            refused = program.put(path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (403, "right-missing"), path
            assert "--may call,edit" in refused.json()["hint"]
    assert not (served.folder / "evil.tool.js").exists()
    assert "evil.example" not in served.vault.settings.get("allowed_hosts")


def test_a_setting_that_opens_something_is_also_an_answer(served: Served) -> None:
    with served.program("edit") as editing, served.program("edit", "answer") as both:
        assert editing.put("/settings/timezone", json={"value": "Europe/Berlin"}).status_code == 200
        for name in ("allowed_hosts", "llm.base_url", "llm.api_key"):
            refused = editing.put(f"/settings/{name}", json={"value": "other.example"})
            assert (refused.status_code, refused.json()["code"]) == (403, "right-missing"), name
        assert "other.example" not in served.vault.settings.get("allowed_hosts")
        assert both.put("/settings/allowed_hosts", json={"value": "other.example"}).status_code == 200
        assert "other.example" in served.vault.settings.get("allowed_hosts")


def test_a_program_cannot_take_rules_back(served: Served) -> None:
    with served.client() as program:
        assert program.delete("/api/rules/any").json()["code"] == "right-missing"


def test_a_token_made_for_it_answers_under_its_name(served: Served) -> None:
    with served.client() as program, served.program("answer") as answering:
        question, digest = ask(program)
        record = answering.post(f"{question}/approve", json=digest).json()
        assert record["status"] == "succeeded"
        assert decided(record) == ("program-1", "api")
        # It may answer, and nothing else.
        assert answering.post("/api/runs", json=WRITE).json()["code"] == "right-missing"
        assert answering.put("/edit/save", json=SAVE).status_code == 403


def test_the_page_answers_under_the_name_of_the_user(served: Served) -> None:
    with served.client() as program, served.person() as person:
        question, digest = ask(program)
        record = person.post(f"{question}/approve", json=digest).json()
        assert record["status"] == "succeeded"
        assert decided(record) == (system_user(), "page")


def test_a_token_made_for_it_saves_under_its_name(served: Served) -> None:
    with served.program("edit") as editing:
        record = editing.put("/edit/save", json=SAVE).json()
    assert (record["status"], (served.folder / "evil.tool.js").exists()) == ("succeeded", True)
    assert decided(record) == ("program-1", "api")


def test_a_revoked_token_lets_nobody_in(served: Served) -> None:
    with served.program("call") as program:
        assert program.get("/api/status").status_code == 200
        served.tokens.revoke("program-1")
        assert program.get("/api/status").status_code == 401


def test_a_revoked_token_hears_nothing_more(served: Served) -> None:
    token = served.new_token("call")
    headers = {"authorization": f"Bearer {token}"}
    with (
        connect(served.url.replace("http", "ws") + "/api/events", additional_headers=headers) as live,
        httpx2.stream("GET", f"{served.url}/api/events", headers=headers, timeout=30) as events,
    ):
        lines = events.iter_lines()
        served.live.tell({"type": "before"})
        assert json.loads(live.recv(timeout=20))["type"] == "before"
        assert "event: before" in [next(lines), next(lines)]
        served.tokens.revoke("program-1")
        served.live.tell({"type": "after"})
        with pytest.raises(ConnectionClosed):
            live.recv(timeout=20)
        assert not [line for line in lines if "after" in line]


def test_everything_but_looking_needs_a_right(served: Served) -> None:
    """Whoever adds a route gets the check with it."""
    included = [getattr(each, "original_router", None) for each in make_rest_app(served.live).routes]
    routes = [each for router in included if router is not None for each in router.routes]
    changing = [each for each in routes if isinstance(each, APIRoute) and each.methods != {"GET"}]
    # Whoever has the code of a pairing gets a token by it, and so has none; a link to a question is for one answer.
    changing = [each for each in changing if each.path not in ("/api/pair", "/decide", "/decide/answer")]
    assert len(changing) > 10
    assert [each.path for each in changing if not isinstance(each, StrictRoute)] == []
    with served.program() as nobody:
        for route in changing:
            (method,) = route.methods or {""}
            path = route.path_format.format(**dict.fromkeys(route.param_convertors, "1"))
            assert nobody.request(method, path).json()["code"] == "right-missing", path


def test_what_the_guard_has_not_let_in_has_no_rights() -> None:
    assert caller_of({}).rights == frozenset()
    assert caller_of({"paper.caller": {"rights": [*RIGHTS]}}).rights == frozenset()


@pytest.mark.parametrize("right", RIGHTS)
def test_a_missing_right_names_the_command(right: Right) -> None:
    with pytest.raises(PaperError) as caught:
        Caller(name="bob", via="api", rights=frozenset()).require(right)
    assert "bob" in caught.value.message
    assert f"paper serve token new NAME --may call{'' if right == 'call' else ',' + right}" in str(caught.value.hint)


# --- the tokens themselves


def test_a_token_is_kept_as_its_hash_for_the_owner_alone(tmp_path: Path) -> None:
    book = TokenBook(tmp_path / "tokens.json", "/vault")
    token = book.create("bob", ["answer", "call"])
    assert token not in (tmp_path / "tokens.json").read_text("utf-8")
    assert (tmp_path / "tokens.json").stat().st_mode & 0o077 == 0
    assert [(each.name, each.rights) for each in book.tokens()] == [("bob", ("call", "answer"))]
    found = book.find(token)
    assert found is not None
    assert found.name == "bob"


def test_a_token_of_one_vault_is_none_of_another(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    token = TokenBook(file, "/one").create("bob", RIGHTS)
    other = TokenBook(file, "/other")
    assert (other.find(token), other.tokens()) == (None, [])
    other.create("bob", ["call"])
    assert TokenBook(file, "/one").find(token) is not None


def test_a_name_is_given_once_and_revoked_by_name(tmp_path: Path) -> None:
    book = TokenBook(tmp_path / "tokens.json", "/vault")
    token = book.create("bob", ["call"])
    with pytest.raises(UsageError, match="bob"):
        book.create("bob", RIGHTS)
    book.revoke("bob")
    assert book.find(token) is None
    with pytest.raises(UsageError, match="bob"):
        book.revoke("bob")


@pytest.mark.parametrize("name", ["", " ", "a b", "-x", ".x", "a\nb", "a/b", "x" * 65, "paper serve"])
def test_what_cannot_be_a_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        TokenBook(tmp_path / "tokens.json", "/vault").create(name, ["call"])


@pytest.mark.parametrize("content", ["", "[]", '{"/vault": []}', '{"/vault": {"bob": {"may": "call"}}}', "{" * 10_000])
def test_a_file_that_is_not_understood_lets_nobody_in(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokens.json").write_text(content)
    book = TokenBook(tmp_path / "tokens.json", "/vault")
    assert (book.tokens(), book.find("")) == ([], None)


def test_an_unknown_right_is_none(tmp_path: Path) -> None:
    book = TokenBook(tmp_path / "tokens.json", "/vault")
    token = book.create("bob", ["call"])
    file = tmp_path / "tokens.json"
    file.write_text(file.read_text().replace('"call"', '"everything"'))
    assert [each.rights for each in book.tokens()] == [()]
    caller = Access(KEY, Path("/vault"), tokens=book).identify(token, "")
    assert caller is not None
    assert caller.rights == frozenset()
