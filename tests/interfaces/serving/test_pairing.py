"""Pairing: a code is good once, for a while and for few guesses; what it gives is an ordinary token."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.errors import PaperError, UsageError
from paperagents.interfaces.serving.pairing import CODE_SECONDS, MOST_GUESSES, Pairing, open_pairing
from paperagents.interfaces.serving.tokens import TokenBook

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces


@pytest.fixture
def now() -> list[float]:
    return [1000.0]


@pytest.fixture
def pairing(tmp_path: Path, now: list[float]) -> Pairing:
    return make_pairing(tmp_path, "vault", now)


def make_pairing(folder: Path, vault: str, now: list[float]) -> Pairing:
    tokens = TokenBook(folder / "tokens.json", vault)
    return Pairing(folder / "pairing.json", vault, tokens, clock=lambda: now[0])


def test_a_code_is_exchanged_once_for_a_token_that_may_call_and_answer(pairing: Pairing, tmp_path: Path) -> None:
    code = pairing.new_code()
    paired = pairing.redeem(code, "phone")
    found = TokenBook(tmp_path / "tokens.json", "vault").find(str(paired["token"]))
    assert found is not None
    assert (found.name, found.rights) == ("phone", ("call", "answer"))
    with pytest.raises(PaperError, match="pairing"):
        pairing.redeem(code, "phone")


def test_a_code_may_be_typed_in_any_way_people_type(pairing: Pairing) -> None:
    code = pairing.new_code()
    assert pairing.redeem(f" {code.lower().replace('-', ' ')} ", "phone")["name"] == "phone"


def test_a_code_expires(pairing: Pairing, now: list[float]) -> None:
    code = pairing.new_code()
    now[0] += CODE_SECONDS
    with pytest.raises(PaperError, match="pairing"):
        pairing.redeem(code, "phone")


def test_wrong_guesses_void_a_code(pairing: Pairing) -> None:
    code = pairing.new_code()
    for _ in range(MOST_GUESSES):
        with pytest.raises(PaperError, match="pairing"):
            pairing.redeem("AAAA-AAAA", "phone")
    with pytest.raises(PaperError, match="pairing"):
        pairing.redeem(code, "phone")


def test_a_new_code_voids_the_one_before(pairing: Pairing) -> None:
    old, new = pairing.new_code(), pairing.new_code()
    with pytest.raises(PaperError, match="pairing"):
        pairing.redeem(old, "phone")
    assert pairing.redeem(new, "phone")["token"]


def test_a_code_of_one_vault_is_none_of_another(pairing: Pairing, tmp_path: Path, now: list[float]) -> None:
    code = pairing.new_code()
    with pytest.raises(PaperError, match="pairing"):
        make_pairing(tmp_path, "other", now).redeem(code, "phone")
    assert pairing.redeem(code, "phone")["token"]


def test_a_taken_name_gets_a_number(pairing: Pairing) -> None:
    names = [pairing.redeem(pairing.new_code(), "phone")["name"] for _ in range(3)]
    assert names == ["phone", "phone-2", "phone-3"]


def test_a_name_that_cannot_be_one_leaves_the_code_open(pairing: Pairing) -> None:
    code = pairing.new_code()
    with pytest.raises(UsageError):
        pairing.redeem(code, "../../phone")
    assert pairing.redeem(code, "phone")["token"]


def test_of_many_who_come_at_once_with_the_same_code_one_is_paired(pairing: Pairing) -> None:
    code = pairing.new_code()

    def pair(number: int) -> bool:
        try:
            return bool(pairing.redeem(code, f"phone-{number}")["token"])
        except PaperError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(pair, range(8))].count(True) == 1


def test_neither_code_nor_token_is_kept(pairing: Pairing, tmp_path: Path) -> None:
    code = pairing.new_code()
    assert code not in (tmp_path / "pairing.json").read_text("utf-8")
    assert (tmp_path / "pairing.json").stat().st_mode & 0o077 == 0
    token = str(pairing.redeem(code, "phone")["token"])
    assert token not in (tmp_path / "tokens.json").read_text("utf-8")


@pytest.mark.parametrize(
    "kept", ["[]", "{", '{"vault": 1}', '{"vault": {"sha256": "é", "expires": 9e9, "guesses": 1}}']
)
def test_a_damaged_file_lets_nobody_in(pairing: Pairing, tmp_path: Path, kept: str) -> None:
    (tmp_path / "pairing.json").write_text(kept, "utf-8")
    with pytest.raises(PaperError, match="pairing"):
        pairing.redeem("AAAA-AAAA", "phone")


@given(st.text(max_size=40))
def test_no_other_text_is_a_code(text: str) -> None:
    with TemporaryDirectory() as folder:
        pairing = make_pairing(Path(folder), "vault", [1000.0])
        pairing.new_code()
        with pytest.raises(PaperError, match="pairing"):
            pairing.redeem(text, "phone")


# --- over REST


def test_a_device_pairs_without_a_token_and_answers_with_the_one_it_gets(served: Served) -> None:
    code = open_pairing(served.vault).new_code()
    with served.client(token=False) as stranger:
        paired = stranger.post("/api/pair", json={"code": code, "name": "phone"})
        assert paired.status_code == 200
        assert paired.json()["may"] == ["call", "answer"]
        stranger.headers["authorization"] = f"Bearer {paired.json()['token']}"
        waiting = stranger.post("/api/runs", json={"tool": "two_notes"}).json()
        (question,) = stranger.get("/api/approvals").json()
        answer = {"digest": question["digest"], "for_run": True}
        record = stranger.post(f"/api/approvals/{question['id']}/approve", json=answer).json()
        assert (record["run_id"], record["status"]) == (waiting["run_id"], "succeeded")
        assert {each["approved_by"] for each in record["execution_log"] if each["hitl_required"]} == {"phone"}
        assert stranger.put("/settings/language", json={"value": "de"}).status_code == 403
        served.tokens.revoke("phone")
        assert stranger.get("/api/tools").status_code == 401


def test_a_wrong_code_is_refused_and_says_what_to_do(served: Served) -> None:
    with served.client(token=False) as stranger:
        refused = stranger.post("/api/pair", json={"code": "AAAA-AAAA", "name": "phone"})
    assert (refused.status_code, refused.json()["code"]) == (403, "pairing-refused")
    assert "paper serve pair" in refused.json()["hint"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "app://obsidian.md"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"host": "evil.example"}, 421),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_no_page_of_another_site_can_try_codes(served: Served, headers: dict[str, str], status: int) -> None:
    code = open_pairing(served.vault).new_code()
    with served.client(token=False) as stranger:
        body = f'{{"code": "{code}", "name": "phone"}}'
        sent = {"content-type": "application/json", **headers}
        assert stranger.post("/api/pair", content=body, headers=sent).status_code == status
    assert served.tokens.tokens() == []


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/pair"), ("POST", "/api/pair/"), ("PUT", "/api/pair")])
def test_nothing_else_opens_without_a_token(served: Served, method: str, path: str) -> None:
    with served.client(token=False) as stranger:
        assert stranger.request(method, path, json={"code": "x", "name": "y"}).status_code == 401


def test_a_stream_of_events_ends_when_its_time_is_over(served: Served) -> None:
    with served.client() as program:
        run_id = program.post("/api/runs?wait=0", json={"tool": "slow"}).json()["run_id"]
        begun = program.get(f"/api/runs/{run_id}/events?seconds=0.2").text
        assert "run-finished" not in begun
        whole = program.get(f"/api/runs/{run_id}/events?seconds=60").text
        assert "run-finished" in whole
