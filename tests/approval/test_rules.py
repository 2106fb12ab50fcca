"""Rules: exactly what was allowed, until it is revoked or over."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.approval.question import Scope
from paperagents.approval.rules import Rule, RuleBook, escape_pattern, matches_path, narrowest_rule
from paperagents.approval.signatures import Signatures, UserKey
from paperagents.definitions.tool import ToolDefinition
from paperagents.errors import UsageError

names = st.text(alphabet="ab*?[]!-.\\\\", min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
NOTE = ToolDefinition(id="note", name="Note", kind="markdown", file="note.md", text_digest="1" * 64)
OTHER = ToolDefinition(id="other", name="Other", kind="markdown", file="other.md", text_digest="2" * 64)
APPEND = Scope(mode="append", path="daily/a.md")
VAULT = "/vault#1"


def make_book(tmp_path: Path, vault: str = VAULT, *, key: str = "config") -> RuleBook:
    signatures = Signatures(UserKey(tmp_path / key), lambda: vault)
    return RuleBook(tmp_path / "config" / "rules.json", signatures, {"note": NOTE}.get)


@pytest.fixture
def book(tmp_path: Path) -> RuleBook:
    return make_book(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "config").mkdir()
    return tmp_path / "config" / "rules.json"


# --- what a rule covers


def test_the_narrowest_rule_is_for_this_tool_mode_and_place_alone(book: RuleBook) -> None:
    book.allow(narrowest_rule("write_file", APPEND, NOTE))
    assert book.find_allowing("write_file", APPEND, NOTE) is not None
    for tool, scope, caller in [
        ("write_file", APPEND, OTHER),
        ("write_file", APPEND, replace(NOTE, text_digest="3" * 64)),
        ("write_file", replace(APPEND, mode="overwrite"), NOTE),
        ("write_file", replace(APPEND, mode="create"), NOTE),
        ("write_file", replace(APPEND, path="daily/b.md"), NOTE),
        ("read_file", APPEND, NOTE),
        ("rest_request", Scope(method="POST", host="example.com"), NOTE),
    ]:
        assert book.find_allowing(tool, scope, caller) is None
    assert book.find_allowing("write_file", None, NOTE) is None


def test_a_rule_for_requests_is_for_its_method_and_host_alone(book: RuleBook) -> None:
    sending = Scope(method="POST", host="api.example.com")
    book.allow(narrowest_rule("rest_request", sending, NOTE))
    assert book.find_allowing("rest_request", sending, NOTE) is not None
    for other in (replace(sending, method="DELETE"), replace(sending, host="evil.example")):
        assert book.find_allowing("rest_request", other, NOTE) is None


def test_a_host_without_a_port_is_every_port_and_one_with_a_port_is_that_one(book: RuleBook) -> None:
    book.allow(Rule(tool="rest_request", method="POST", host="api.example.com"))
    book.allow(Rule(tool="rest_request", method="POST", host="[::1]:8080"))
    hosts = ["api.example.com:443", "api.example.com:8443", "[::1]:8080", "[::1]:80", "api.example.com.evil:443"]
    scopes = [Scope(method="POST", host=host) for host in hosts]
    covered = [book.find_allowing("rest_request", scope, OTHER) is not None for scope in scopes]
    assert covered == [True, True, True, False, False]


def test_a_rule_for_anyone_and_every_mode_covers_its_place_alone(book: RuleBook) -> None:
    book.allow(Rule(tool="write_file", path="daily/*"))
    for mode in ("create", "append", "overwrite"):
        assert book.find_allowing("write_file", Scope(mode=mode, path="daily/a.md"), OTHER)
        assert not book.find_allowing("write_file", Scope(mode=mode, path="daily/a/b.md"), OTHER)


@given(target=paths, other=paths)
def test_an_exact_place_covers_itself_and_no_other(target: str, other: str) -> None:
    assert matches_path(escape_pattern(target), target)
    assert matches_path(escape_pattern(target), other) == (target == other)


@pytest.mark.parametrize(
    ("pattern", "covered", "not_covered"),
    [
        ("notes/*.md", ["notes/a.md", "notes/.md"], ["notes/a/b.md", "notes-old/a.md", "a.md", "notes/a.txt"]),
        ("notes/**", ["notes/a.md", "notes/a/b.md"], ["notes", "note/a.md", "notesx/a.md", "x/notes/a.md"]),
        ("**/log.md", ["log.md", "a/log.md", "a/b/log.md"], ["alog.md", "log.md/x", "log.mdx"]),
        ("a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["a/b", "z", "b/a/z"]),
        ("**", ["a", "a/b"], []),
        ("*", ["a", "a.md"], ["a/b"]),
        ("a**", ["a", "ab"], ["a/b", "b"]),
        ("[ab]?.md", ["[ab]?.md"], ["a1.md", "ab.md"]),
        ("a\\*", ["a*"], ["ab", "a"]),
        ("/notes/*", ["notes/a"], ["notes"]),
        ("", [], ["", "a"]),
        ("A.md", ["A.md"], ["a.md"]),
    ],
)  # fmt: skip
def test_a_star_stays_in_its_part_and_two_cross_folders(
    pattern: str, covered: list[str], not_covered: list[str]
) -> None:
    assert [path for path in covered if not matches_path(pattern, path)] == []
    assert [path for path in not_covered if matches_path(pattern, path)] == []


def test_a_pattern_of_many_stars_is_tried_quickly() -> None:
    assert not matches_path("/".join(["**", "a*a*a*a*b"] * 20), "/".join(["a" * 50] * 60))


@pytest.mark.parametrize("scope", [Scope(method="POST"), Scope(host="example.com"), Scope(method="POST", host="")])
def test_there_is_no_rule_with_an_empty_host(book: RuleBook, scope: Scope) -> None:
    with pytest.raises(UsageError):
        narrowest_rule("rest_request", scope, NOTE)
    book.allow(Rule(tool="rest_request", method=scope.method, host=scope.host))
    assert book.find_allowing("rest_request", scope, NOTE) is None


def test_a_wider_place_must_cover_what_was_asked() -> None:
    assert narrowest_rule("write_file", APPEND, NOTE, path="daily/**").path == "daily/**"
    with pytest.raises(UsageError) as error:
        narrowest_rule("write_file", APPEND, NOTE, path="notes/**")
    assert error.value.code == "rule-covers-nothing"


# --- until when


@pytest.mark.parametrize("until", ["", "soon", "2020-01-01", "2999-01-01", "2020-01-01T00:00:00+00:00"])
def test_a_rule_without_a_readable_time_to_come_allows_nothing(book: RuleBook, until: str) -> None:
    rule = book.allow(Rule(tool="t", path="a", until=until))
    assert book.find_allowing("t", Scope(path="a"), NOTE) is None
    assert book.state(rule) == "expired"


def test_a_rule_is_over_after_ninety_days() -> None:
    lasting = datetime.fromisoformat(Rule(tool="t", path="a").until) - datetime.now(UTC)
    assert timedelta(days=89) < lasting <= timedelta(days=90)


def test_a_rule_that_is_over_lasts_anew_when_it_is_confirmed(book: RuleBook) -> None:
    rule = book.allow(Rule(tool="write_file", path="a.md", until="2020-01-01T00:00:00+00:00"))
    assert book.state(rule) == "expired"
    confirmed = book.confirm(rule)
    assert book.state(confirmed) == "active"
    assert datetime.fromisoformat(confirmed.until) - datetime.now(UTC) > timedelta(days=89)


# --- asleep


def test_a_rule_sleeps_when_the_file_of_its_tool_has_changed_until_it_is_confirmed(book: RuleBook) -> None:
    rule = book.allow(narrowest_rule("write_file", APPEND, replace(NOTE, text_digest="0" * 64)))
    assert book.state(rule) == "sleeping"
    assert book.find_allowing("write_file", APPEND, NOTE) is None
    confirmed = book.confirm(rule)
    assert (book.state(confirmed), confirmed.id, confirmed.until) == ("active", rule.id, rule.until)
    assert book.find_allowing("write_file", APPEND, NOTE) == confirmed
    assert book.rules() == [confirmed]


def test_a_rule_of_a_tool_that_is_gone_sleeps_and_cannot_be_confirmed(book: RuleBook) -> None:
    rule = book.allow(narrowest_rule("write_file", APPEND, OTHER))
    assert book.state(rule) == "sleeping"
    with pytest.raises(UsageError) as error:
        book.confirm(rule)
    assert error.value.code == "rule-of-no-tool"


# --- where they are kept


def test_rules_belong_to_one_vault_and_can_be_revoked(book: RuleBook, tmp_path: Path) -> None:
    rule = book.allow(Rule(tool="write_file", path="a.md"))
    elsewhere = make_book(tmp_path, "/vault#2")
    assert elsewhere.rules() == []
    elsewhere.allow(Rule(tool="write_file", path="b.md"))
    assert book.rules() == [rule]
    assert book.revoke(rule.id)
    assert not book.revoke(rule.id)
    assert book.rules() == []
    assert len(elsewhere.rules()) == 1


def change(written: dict[str, list[dict[str, str]]], **fields: str) -> None:
    written[VAULT][0] |= fields


@pytest.mark.parametrize(
    "fields",
    [{"path": "**"}, {"by": ""}, {"mode": ""}, {"until": "2999-01-01T00:00:00+00:00"}, {"tool": "rest_request"},
     {"digest": "3" * 64}, {"signature": ""}, {"signature": "x:y"}],
)  # fmt: skip
def test_a_rule_that_somebody_has_changed_is_none_and_stays(book: RuleBook, file: Path, fields: dict[str, str]) -> None:
    book.allow(narrowest_rule("write_file", APPEND, NOTE))
    written = json.loads(file.read_text("utf-8"))
    change(written, **fields)
    file.write_text(json.dumps(written), "utf-8")
    assert book.rules() == []
    other = book.allow(Rule(tool="write_file", path="b.md"))
    assert book.rules() == [other]
    assert json.loads(file.read_text("utf-8"))[VAULT][0] == written[VAULT][0]


def test_a_rule_of_another_user_or_another_vault_is_none(book: RuleBook, file: Path, tmp_path: Path) -> None:
    make_book(tmp_path, key="somebody").allow(Rule(tool="write_file", path="a.md"))
    assert book.rules() == []
    make_book(tmp_path, "/vault#2").allow(Rule(tool="write_file", path="a.md"))
    written = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps({VAULT: written["/vault#2"]}), "utf-8")
    assert book.rules() == []


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "5", '{"VAULT": 5}', '{"VAULT": [5, {}, {"tool": "t"}, {"tool": 1, "path": 2}]}', "[" * 100000],
)
def test_a_file_that_is_no_list_of_rules_allows_nothing(book: RuleBook, file: Path, content: str) -> None:
    file.write_text(content.replace("VAULT", VAULT), encoding="utf-8")
    assert book.rules() == []
    book.allow(Rule(tool="write_file", path="a.md"))
    assert len(book.rules()) == 1


def test_the_file_is_the_owners_alone(book: RuleBook, file: Path) -> None:
    book.allow(Rule(tool="write_file", path="a.md"))
    assert file.stat().st_mode & 0o077 == 0
    assert list(json.loads(file.read_text(encoding="utf-8"))) == [VAULT]


def test_rules_made_at_the_same_time_are_all_kept(book: RuleBook) -> None:
    rules = [Rule(tool="write_file", path=f"{number}.md") for number in range(12)]
    threads = [threading.Thread(target=book.allow, args=(rule,)) for rule in rules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(book.rules()) == 12


def test_keys_of_a_newer_version_are_ignored_and_kept(book: RuleBook, file: Path) -> None:
    first, second = (book.allow(Rule(tool="write_file", path=path)) for path in ("a.md", "b.md"))
    written = json.loads(file.read_text(encoding="utf-8"))
    for each in written[VAULT]:
        each["note"] = {"from": "a newer version"}
    file.write_text(json.dumps({**written, "format": 2}), encoding="utf-8")
    assert book.rules() == [first, second]
    third = book.allow(Rule(tool="write_file", path="c.md"))
    assert book.revoke(first.id)
    assert book.rules() == [second, third]
    rewritten = json.loads(file.read_text(encoding="utf-8"))
    assert rewritten["format"] == 2
    assert rewritten[VAULT][0]["note"] == {"from": "a newer version"}


@pytest.mark.parametrize("strange", [5, {}, {"tool": "write_file", "path": "*"}, {"rule": 2, "id": "x"}, [], None])
def test_an_element_that_is_not_understood_allows_nothing_and_stays(
    book: RuleBook, file: Path, strange: object
) -> None:
    file.write_text(json.dumps({VAULT: [strange], "other": strange}), encoding="utf-8")
    assert book.rules() == []
    rule = book.allow(Rule(tool="write_file", path="a.md"))
    assert book.revoke(rule.id)
    assert json.loads(file.read_text(encoding="utf-8")) == {VAULT: [strange], "other": strange}


@pytest.mark.parametrize("content", ["{", "[]", "5", "[" * 100000])
def test_a_file_that_is_not_understood_is_set_aside_and_not_erased(book: RuleBook, file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8")
    book.allow(Rule(tool="write_file", path="a.md"))
    (aside,) = file.parent.glob("rules.json.unreadable-*")
    assert aside.read_text(encoding="utf-8") == content


def test_what_is_listed_says_everything_that_a_rule_does(book: RuleBook) -> None:
    rule = narrowest_rule("write_file", APPEND, NOTE)
    assert book.as_json(rule) == {**asdict(rule), "state": "active"}
