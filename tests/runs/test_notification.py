"""A short word to absent people: once for a question, with a link and nothing else, and never in the way of a run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.waiting import wait_until

from paperagents.approval.question_links import LINKS_FILE
from paperagents.runs.notification import Notifier
from paperagents.settings import user_folder
from paperagents.settings_writing import write_user_setting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.desk import Desk
    from tests.servers import Web

SECRET = {"filePath": "private/diary.md", "content": "the password is swordfish\n"}
LINK = "http://127.0.0.1:8765/approvals"


def set_up(desk: Desk, name: str, value: object) -> None:
    write_user_setting(name, value, origin="test")
    desk.vault.read_settings_again()


def test_a_question_that_waits_is_told_once_with_a_link_and_nothing_of_its_content(desk: Desk, web: Web) -> None:
    set_up(desk, "notify.url", web.answer("/topic"))
    record = desk.run("write_file", SECRET)
    assert record.status == "waiting"
    wait_until(lambda: web.requests)
    (sent,) = web.requests
    assert (sent.method, sent.path, {name.lower(): value for name, value in sent.headers.items()}["click"]) == (
        "POST",
        "/topic",
        LINK,
    )
    assert sent.body.decode() == f"write_file waits for your decision.\n{LINK}"
    assert b"diary" not in repr(sent).encode()
    desk.vault.resume(record.run_id)
    desk.vault.close()
    assert len(web.requests) == 1


def test_nobody_is_told_of_what_is_answered_at_once(desk: Desk, web: Web, yes: object) -> None:
    set_up(desk, "notify.url", web.answer("/topic"))
    assert desk.run("write_file", SECRET, yes).status == "succeeded"
    desk.vault.close()
    assert web.requests == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/topic", "http://no.such.invalid/topic"])
def test_a_word_that_cannot_be_sent_changes_nothing(desk: Desk, url: str) -> None:
    set_up(desk, "notify.url", url)
    assert desk.run("write_file", SECRET).status == "waiting"
    assert len(desk.vault.history.questions()) == 1
    desk.vault.close()


def test_a_command_that_is_not_there_is_told_in_words(caplog: pytest.LogCaptureFixture) -> None:
    notifier = Notifier(command=("/no/such/program",))
    notifier.tell("r", "tool", "q")
    notifier.close()
    assert [each.getMessage() for each in caplog.records] == [
        "The notification was not delivered (No such file or directory); the question waits all the same."
    ]


def test_a_command_gets_the_word_and_the_link_without_a_shell_or_keys(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPER_LLM_API_KEY", "sk-very-secret")
    told = tmp_path / "told.txt"
    script = "import os, sys; open(sys.argv[1], 'w').write(repr((sys.argv[2:], sorted(os.environ))))"
    set_up(desk, "notify.command", [sys.executable, "-c", script, str(told)])
    set_up(desk, "notify.link", "http://desk.example:8765/approvals")
    desk.run("write_file", SECRET)
    desk.vault.close()
    words = told.read_text(encoding="utf-8")
    assert "['write_file waits for your decision.', 'http://desk.example:8765/approvals']" in words
    assert "API_KEY" not in words


def test_a_link_to_the_question_itself_is_made_where_the_user_wants_it_and_for_no_other_question(
    desk: Desk, web: Web
) -> None:
    set_up(desk, "notify.url", web.answer("/topic"))
    set_up(desk, "notify.link", "http://desk.example:8765/approvals?x=1")
    set_up(desk, "notify.one_time_link", value=True)
    desk.run("write_file", SECRET)
    wait_until(lambda: web.requests)
    link = web.requests[0].body.decode().splitlines()[-1]
    place, _, word = link.partition("?link=")
    assert place == "http://desk.example:8765/decide"
    (question,) = desk.vault.history.questions()
    assert desk.vault.question_links.redeem(word) == question.id
    assert word not in "".join(each.read_text("utf-8") for each in user_folder().glob("*.json"))


def test_where_no_link_can_be_kept_the_page_is_told(desk: Desk, web: Web) -> None:
    set_up(desk, "notify.url", web.answer("/topic"))
    set_up(desk, "notify.one_time_link", value=True)
    (user_folder() / LINKS_FILE).mkdir(parents=True)
    desk.run("write_file", SECRET)
    wait_until(lambda: web.requests)
    assert web.requests[0].body.decode().endswith(f"\n{LINK}")


def test_a_stranger_s_vault_does_not_choose_that_links_need_no_login(desk: Desk, web: Web) -> None:
    set_up(desk, "notify.url", web.answer("/topic"))
    settings = desk.root / ".paper" / "settings.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('[notify]\none_time_link = true\nlink = "http://evil.example/approvals"\n')
    desk.vault.read_settings_again()
    desk.run("write_file", SECRET)
    wait_until(lambda: web.requests)
    assert web.requests[0].body.decode().endswith(f"\n{LINK}")


def test_what_a_stranger_s_vault_names_is_not_called(desk: Desk, web: Web) -> None:
    settings = desk.root / ".paper" / "settings.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(f'[notify]\nurl = "{web.answer("/topic")}"\ncommand = ["touch", "{desk.root}/made"]\n')
    desk.vault.read_settings_again()
    assert desk.run("write_file", SECRET).status == "waiting"
    desk.vault.close()
    assert web.requests == []
    assert not (desk.root / "made").exists()
    assert {each.kind for each in desk.vault.settings.untrusted} == {"notify"}


def test_where_the_address_leads_on_is_not_called(desk: Desk, web: Web) -> None:
    web.answer("/inside")
    set_up(desk, "notify.url", web.answer("/topic", status=307, headers={"Location": web.url("/inside", "localhost")}))
    desk.run("write_file", SECRET)
    desk.vault.close()
    assert [each.path for each in web.requests] == ["/topic"]
