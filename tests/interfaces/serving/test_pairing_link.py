"""The link that pairs a browser: it gives the rights of a paired device, once, and shows a stranger nothing."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from paperagents.errors import UsageError
from paperagents.interfaces.serving.guard import LOOPBACK_HOSTS, Hosts
from paperagents.interfaces.serving.pairing import open_pairing
from paperagents.interfaces.serving.pairing_link import (
    address_for_devices,
    answers_devices,
    draw_svg,
    draw_terminal,
    network_address,
    pairing_link,
    read_address,
)

from ..served import Served, fill, serving  # noqa: TID252  shared by the tests of several interfaces

PHONE = {"user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)"}


def test_a_browser_that_opens_the_link_may_call_and_answer_until_it_is_revoked(served: Served) -> None:
    link = pairing_link(served.url, open_pairing(served.vault).new_code())
    with served.client(token=False) as phone:
        opened = phone.get(link, headers=PHONE)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        cookie = opened.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert phone.get("/").status_code == 200
        waiting = phone.post("/api/runs", json={"tool": "two_notes"}).json()
        (question,) = phone.get("/api/approvals").json()
        answer = {"digest": question["digest"], "for_run": True}
        record = phone.post(f"/api/approvals/{question['id']}/approve", json=answer).json()
        assert (record["run_id"], record["status"]) == (waiting["run_id"], "succeeded")
        asked = [each for each in record["execution_log"] if each["hitl_required"]]
        assert {(each["approved_by"], each["approved_via"]) for each in asked} == {("iPhone", "page")}
        assert phone.put("/settings/language", json={"value": "de"}).status_code == 403
        assert phone.post("/devices/code").status_code == 403
        served.tokens.revoke("iPhone")
        assert phone.get("/").status_code == 401


def test_a_link_is_good_once_and_a_wrong_one_shows_a_stranger_nothing_of_the_vault(served: Served) -> None:
    link = pairing_link(served.url, open_pairing(served.vault).new_code())
    with served.client(token=False) as first, served.client(token=False) as second:
        assert first.get(link).status_code == 303
        refused = second.get(link, headers={"accept": "text/html"})
        assert (refused.status_code, refused.headers["content-type"]) == (403, "text/html; charset=utf-8")
        assert "pairing-refused" in refused.text
        assert "shout" not in refused.text
        assert served.folder.name not in refused.text
        assert "default-src 'none'" in refused.headers["content-security-policy"]
        assert second.get("/").status_code == 401


def test_who_is_in_keeps_their_rights_and_the_code_stays_good(served: Served) -> None:
    link = pairing_link(served.url, open_pairing(served.vault).new_code())
    with served.person() as person, served.client(token=False) as phone:
        assert "set-cookie" not in person.get(link).headers
        assert person.put("/settings/language", json={"value": "en"}).status_code == 200
        assert phone.get(link).status_code == 303
        assert phone.get("/").status_code == 200


def test_only_who_may_answer_and_edit_lets_others_in_or_out(served: Served) -> None:
    for rights in (("call",), ("call", "answer"), ("call", "edit")):
        with served.program(*rights) as program:
            assert program.post("/devices/code").status_code == 403
            assert program.delete("/devices/program-1").status_code == 403
    with served.person() as person:
        assert person.delete("/devices/program-1").status_code == 200
        assert person.delete("/devices/program-1").status_code == 400
        assert "program-2" in person.get("/devices").text


def test_a_server_that_answers_this_computer_alone_shows_the_code_without_a_picture(served: Served) -> None:
    with served.person() as person:
        shown = person.post("/devices/code", headers={"origin": served.url}).text
    assert "<svg" not in shown
    assert "paper serve --host 0.0.0.0" in shown


def test_a_phone_scans_the_address_under_which_the_page_is_open(tmp_path: Path) -> None:
    fill(tmp_path / "vault")
    hosts = Hosts(names=LOOPBACK_HOSTS | {"notes.example.com"})
    with serving(tmp_path / "vault", hosts=hosts) as served, served.person() as person:
        headers = {"host": "notes.example.com", "origin": "https://notes.example.com"}
        shown = person.post("/devices/code", headers={**headers, "cookie": _cookies(person)}).text
        assert '<svg viewBox="0 0 ' in shown
        link = re.search(r"<code>(https://notes.example.com(/pair\?code=[A-Z2-9]{4}-[A-Z2-9]{4}))</code>", shown)
        assert link is not None
        with served.client(token=False) as phone:
            assert phone.get(link[2]).status_code == 303


def _cookies(client: httpx2.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


@pytest.mark.parametrize(
    ("own", "address"),
    [
        ("https://notes.example.com", "https://notes.example.com"),
        ("http://192.168.1.20:8765", "http://192.168.1.20:8765"),
        ("http://127.0.0.1:8765", None),
        ("http://[::1]:8765", None),
        ("http://0.0.0.0:8765", None),
        ("", None),
    ],
)
def test_a_device_gets_an_address_that_it_can_reach(own: str, address: str | None) -> None:
    assert address_for_devices(own, 8765, is_reachable=False) == address


def test_a_server_for_everybody_is_found_in_the_network(served: Served) -> None:
    found = network_address()
    assert address_for_devices("http://0.0.0.0:1", 1, is_reachable=True) == (f"http://{found}:1" if found else None)
    assert not answers_devices(served.url), "no other device reaches it"


def test_a_qr_code_is_drawn_for_pages_and_for_terminals() -> None:
    link = pairing_link("http://192.168.1.20:8765", "ABCD-EFGH")
    assert link == "http://192.168.1.20:8765/pair?code=ABCD-EFGH"
    drawn = draw_svg(link)
    assert drawn.startswith("<svg viewBox=")
    assert "style" not in drawn
    assert {*draw_terminal(link)} <= {*" ▀▄█\n"}


@pytest.mark.parametrize("url", ["", "notes", "ftp://a.example", "http://user:secret@a.example", "http://a b"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="http"):
        read_address(url)
