"""Rules: exactly what was allowed, until it is revoked or over."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.rules import Rule, RuleBook

names = st.text(alphabet="ab*?[]!-.", min_size=1, max_size=6)


@pytest.fixture
def book(tmp_path: Path) -> RuleBook:
    return RuleBook(tmp_path / "config" / "rules.json", tmp_path / "vault")


@given(
    target=st.lists(names, min_size=1, max_size=3).map("/".join),
    other=st.lists(names, min_size=1, max_size=3).map("/".join),
)
def test_an_always_covers_its_own_target_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, target: str, other: str
) -> None:
    folder = tmp_path_factory.mktemp("rules")
    book = RuleBook(folder / "rules.json", folder)
    book.allow("write_file", target)
    assert book.allowing("write_file", target) is not None
    assert (book.allowing("write_file", other) is not None) == (target == other)
    assert book.allowing("rest_request", target) is None


def test_a_pattern_stays_inside_its_part_of_the_path() -> None:
    rule = Rule(tool="write_file", target="notes/*.md")
    assert rule.allows("write_file", "notes/a.md")
    for path in ("notes/a/b.md", "notes-old/a.md", "a.md", "notes/a.txt", "x/notes/a.md"):
        assert not rule.allows("write_file", path)


@pytest.mark.parametrize("expires", ["", "soon", "2020-01-01", "2999-01-01", "2020-01-01T00:00:00+00:00"])
def test_a_rule_without_a_readable_time_to_come_allows_nothing(expires: str) -> None:
    assert not Rule(tool="t", target="a", expires=expires).allows("t", "a")


def test_a_rule_is_over_after_ninety_days() -> None:
    lasting = datetime.fromisoformat(Rule(tool="t", target="a").expires) - datetime.now(UTC)
    assert timedelta(days=89) < lasting <= timedelta(days=90)


def test_rules_belong_to_one_vault_and_can_be_revoked(book: RuleBook, tmp_path: Path) -> None:
    rule = book.allow("write_file", "a.md")
    elsewhere = RuleBook(tmp_path / "config" / "rules.json", tmp_path / "other")
    assert elsewhere.allowing("write_file", "a.md") is None
    elsewhere.allow("write_file", "b.md")
    assert book.rules() == [rule]
    assert book.revoke(rule.id)
    assert not book.revoke(rule.id)
    assert book.rules() == []
    assert len(elsewhere.rules()) == 1


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "5", '{"VAULT": 5}', '{"VAULT": [5, {}, {"tool": "t"}, {"tool": 1, "target": 2}]}', "[" * 100000],
)
def test_a_file_that_is_no_list_of_rules_allows_nothing(book: RuleBook, tmp_path: Path, content: str) -> None:
    (tmp_path / "config").mkdir()
    file = tmp_path / "config" / "rules.json"
    file.write_text(content.replace("VAULT", str(tmp_path / "vault")), encoding="utf-8")
    assert book.rules() == []
    book.allow("write_file", "a.md")
    assert len(book.rules()) == 1


def test_the_file_is_the_owners_alone(book: RuleBook, tmp_path: Path) -> None:
    book.allow("write_file", "a.md")
    file = tmp_path / "config" / "rules.json"
    assert file.stat().st_mode & 0o077 == 0
    assert list(json.loads(file.read_text(encoding="utf-8"))) == [str(tmp_path / "vault")]


def test_rules_made_at_the_same_time_are_all_kept(book: RuleBook) -> None:
    threads = [threading.Thread(target=book.allow, args=("write_file", f"{number}.md")) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(book.rules()) == 12


def test_keys_of_a_newer_version_are_ignored_and_kept(book: RuleBook, tmp_path: Path) -> None:
    file = tmp_path / "config" / "rules.json"
    first, second = book.allow("write_file", "a.md"), book.allow("write_file", "b.md")
    written = json.loads(file.read_text(encoding="utf-8"))
    for each in written[str(tmp_path / "vault")]:
        each["note"] = {"from": "a newer version"}
    file.write_text(json.dumps({**written, "format": 2}), encoding="utf-8")
    assert book.rules() == [first, second]
    third = book.allow("write_file", "c.md")
    assert book.revoke(first.id)
    assert book.rules() == [second, third]
    rewritten = json.loads(file.read_text(encoding="utf-8"))
    assert rewritten["format"] == 2
    assert rewritten[str(tmp_path / "vault")][0]["note"] == {"from": "a newer version"}


@pytest.mark.parametrize("strange", [5, {}, {"tool": "write_file", "target": "*"}, {"rule": 2, "id": "x"}, [], None])
def test_an_element_that_is_not_understood_allows_nothing_and_stays(
    book: RuleBook, tmp_path: Path, strange: object
) -> None:
    file = tmp_path / "config" / "rules.json"
    file.parent.mkdir()
    file.write_text(json.dumps({str(tmp_path / "vault"): [strange], "other": strange}), encoding="utf-8")
    assert book.allowing("write_file", "a.md") is None
    rule = book.allow("write_file", "a.md")
    assert book.revoke(rule.id)
    assert json.loads(file.read_text(encoding="utf-8")) == {str(tmp_path / "vault"): [strange], "other": strange}


@pytest.mark.parametrize("content", ["{", "[]", "5", "[" * 100000])
def test_a_file_that_is_not_understood_is_set_aside_and_not_erased(
    book: RuleBook, tmp_path: Path, content: str
) -> None:
    file = tmp_path / "config" / "rules.json"
    file.parent.mkdir()
    file.write_text(content, encoding="utf-8")
    book.allow("write_file", "a.md")
    (aside,) = file.parent.glob("rules.json.unreadable-*")
    assert aside.read_text(encoding="utf-8") == content


@pytest.mark.parametrize("target", ["", "*"])
def test_no_rule_covers_a_change_that_names_no_target(tmp_path: Path, target: str) -> None:
    file = tmp_path / "rules.json"
    rule = asdict(Rule(tool="write_file", target=target))
    file.write_text(json.dumps({str(tmp_path): [rule]}))
    rules = RuleBook(file, tmp_path)
    assert [each.target for each in rules.rules()] == [target]
    assert rules.allowing("write_file", "") is None
