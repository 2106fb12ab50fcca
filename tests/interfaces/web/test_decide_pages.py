"""The page behind the link of a notification: one question, once, and nothing else of the vault."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import unescape

import httpx2
import pytest
from tests.waiting import wait_until

from paperagents.approval.question import ApprovalRequest, system_user
from paperagents.interfaces.web import decide_pages

from ..served import Served  # noqa: TID252  shared by the tests of several interfaces

WISH = {"filePath": "new.md", "content": "<b>bold</b>\n"}


@pytest.fixture
def stranger(served: Served) -> Iterator[httpx2.Client]:
    """A browser that has never been here."""
    with httpx2.Client(base_url=served.url, timeout=30, headers={"accept": "text/html"}) as client:
        yield client


def ask(served: Served, **arguments: str) -> ApprovalRequest:
    record = served.vault.run("write_file", {**WISH, **arguments})
    (question,) = served.vault.history.questions(record.run_id)
    return question


def open_link(served: Served, client: httpx2.Client, question: ApprovalRequest) -> httpx2.Response:
    link = served.vault.question_links.create(question.id)
    assert client.post(f"/decide?link={link}").status_code == 303
    return client.get("/decide/question")


def action(page: httpx2.Response, word: str) -> str:
    found = [unescape(each) for each in re.findall(r'action="([^"]+)"', page.text)]
    return next(each for each in found if f"word={word}" in each)


@pytest.mark.parametrize(("word", "status"), [("approve", "succeeded"), ("deny", "denied")])
def test_whoever_has_the_link_sees_the_question_and_answers_it(
    served: Served, stranger: httpx2.Client, word: str, status: str
) -> None:
    question = ask(served)
    page = open_link(served, stranger, question)
    assert "+&lt;b&gt;bold&lt;/b&gt;" in page.text
    assert stranger.post(action(page, word)).status_code == 200
    wait_until(lambda: served.vault.history.record(question.run_id).status == status)
    (entry,) = served.vault.history.record(question.run_id).execution_log
    assert (entry["approved_by"], entry["approved_via"]) == (system_user(), "link")
    assert (served.folder / "new.md").exists() == (word == "approve")


def test_opening_the_link_uses_nothing_up_and_shows_nothing(served: Served, stranger: httpx2.Client) -> None:
    question = ask(served)
    link = served.vault.question_links.create(question.id)
    for request in (stranger.get, stranger.head):
        seen = request(f"/decide?link={link}")
        assert seen.status_code == 200
        assert not seen.cookies
        assert "new.md" not in seen.text
    # A link that is none looks the same.
    assert stranger.get("/decide?link=x").text == stranger.get(f"/decide?link={link}").text.replace(link, "x")
    assert served.vault.history.questions() == [question]
    assert stranger.get("/decide/question").status_code == 403
    assert stranger.post(f"/decide?link={link}").status_code == 303


def test_the_link_opens_once(served: Served, stranger: httpx2.Client) -> None:
    link = served.vault.question_links.create(ask(served).id)
    assert stranger.post(f"/decide?link={link}").status_code == 303
    again = httpx2.post(f"{served.url}/decide?link={link}", timeout=30)
    assert (again.status_code, again.cookies) == (403, httpx2.Cookies())


def test_the_answer_is_for_this_question_and_nothing_else_is_open(served: Served, stranger: httpx2.Client) -> None:
    question, other = ask(served), ask(served, filePath="other.md")
    page = open_link(served, stranger, question)
    for path in (
        "/",
        "/approvals",
        "/runs",
        "/api/approvals",
        f"/api/runs/{question.run_id}",
        "/api/tools",
        "/static/app.js",
    ):
        assert stranger.get(path).status_code == 401, path
    for path in (f"/api/approvals/{question.id}/approve", "/api/runs", "/mcp"):
        assert stranger.post(path, json={"digest": question.digest}).status_code == 401, path
    # With the digest of the other question the answer is about something that was not shown.
    wrong = action(page, "approve").replace(question.digest, other.digest)
    assert stranger.post(wrong).headers["location"] == "/decide/question"
    assert len(served.vault.history.questions()) == 2
    assert stranger.post(action(page, "approve")).status_code == 200
    # It has been answered, and the cookie is gone.
    assert stranger.get("/decide/question").status_code == 403
    wait_until(lambda: served.vault.history.questions() == [other])


def test_a_cookie_that_was_changed_or_is_too_old_opens_nothing(
    served: Served, stranger: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, other = ask(served), ask(served, filePath="other.md")
    open_link(served, stranger, question)
    ((name, value),) = stranger.cookies.items()
    for forged in (value.replace(question.id, other.id), f"{value}x", "", ".", "a.b.c", f"{question.id}.99999999999."):
        told = httpx2.get(f"{served.url}/decide/question", cookies={name: forged}, timeout=30)
        assert told.status_code == 403, forged
    # It is no login either.
    assert httpx2.get(f"{served.url}/approvals", cookies={name.removesuffix("_question"): value}).status_code == 401
    monkeypatch.setattr(decide_pages, "OPEN_SECONDS", -1)
    old = decide_pages.seal(served.access, question.id)
    assert httpx2.get(f"{served.url}/decide/question", cookies={name: old}, timeout=30).status_code == 403


def test_another_site_cannot_answer_and_nobody_learns_the_address(served: Served, stranger: httpx2.Client) -> None:
    question = ask(served)
    link = served.vault.question_links.create(question.id)
    foreign = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    assert stranger.post(f"/decide?link={link}", headers=foreign).status_code == 403
    opened = stranger.post(f"/decide?link={link}")
    cookie = opened.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/decide", "max-age=900"))
    page = stranger.get("/decide/question")
    assert (page.headers["referrer-policy"], page.headers["cache-control"]) == ("no-referrer", "no-store")
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    assert f"style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert "script" not in page.text
    assert link not in page.text
    assert stranger.post(action(page, "approve"), headers=foreign).status_code == 403
    assert served.vault.history.questions() == [question]
