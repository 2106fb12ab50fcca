"""Secrets stay secret, and what is masked can be told from what is not."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import UsageError
from paperagents.secrets.redaction import MASK, Finder, RedactedStream, Redaction, redact_headers

SECRET = "sEcReT-0123"  # the alphabet below cannot make one by chance
values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(f"x {SECRET} y"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("headers") | st.just(SECRET), inner),
    max_leaves=15,
)


@given(values)
def test_a_secret_is_nowhere_in_what_was_masked(value: JsonValue) -> None:
    assert SECRET not in json.dumps(Redaction([SECRET]).value(value), ensure_ascii=False)


@given(values)
def test_without_secrets_nothing_changes_but_secret_headers(value: JsonValue) -> None:
    if '"headers"' not in json.dumps(value):
        assert Redaction().value(value) == value


@given(values)
def test_what_nobody_edits_is_the_real_thing_again(value: JsonValue) -> None:
    assert Redaction([SECRET]).restore(Redaction([SECRET]).value(value), value) == value


@pytest.mark.parametrize(
    "name", ["Authorization", "X-Access-Key", "Ocp-Apim-Subscription-Key", "X-Session-Id", "PRIVATE-TOKEN", "apikey"]
)
def test_headers_that_carry_a_key_are_hidden(name: str) -> None:
    assert redact_headers({name: "sEcReT", "Accept": "x", "Idempotency-Key": "7"}) == {
        name: MASK,
        "Accept": "x",
        "Idempotency-Key": "7",
    }


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", ":", ":x", "\n"])
def test_a_secret_inside_something_in_base64_is_masked(before: str, after: str) -> None:
    secret = "k?y>~-0123\xff456"
    for encode in (b64encode, urlsafe_b64encode):
        written = encode(f"{before}{secret}{after}".encode()).decode()
        masked = Redaction([secret]).text(f"Basic {written.rstrip('=')} and {written}")
        assert masked.count(MASK) == 2
        # What is left at the edges says less than one letter of the secret.
        assert all(len(piece) <= len(encode(f"{before}{after}".encode())) + 8 for piece in masked.split(MASK))


def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    secret = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n"
    shown = "".join(f"+{line}\n" for line in secret.splitlines())
    assert Redaction([secret]).text(shown) == f"+{MASK}\n" * 4
    assert Redaction([secret]).text(secret.replace("\n", "\r\n")) == f"{MASK}\r\n" * 4


def test_thousands_of_secrets_are_known_as_well_as_one() -> None:
    masking = Redaction()
    for number in range(3_000):
        masking.learn([f"Bearer token-{number:05}-token"])
    said = "".join(f"'Bearer token-{number:05}-token' " for number in range(3_000))
    assert masking.text(said) == f"'{MASK}' " * 3_000
    assert masking.text("x" * 1_000_000) == "x" * 1_000_000
    stream = RedactedStream(masking)
    assert "".join([*map(stream.feed, "a Bearer token-02999-token b"), stream.rest()]) == f"a {MASK} b"


def test_the_longest_secret_is_masked_first() -> None:
    assert Redaction(["abcd", "abcdefgh"]).text("abcdefgh abcd") == f"{MASK} {MASK}"


def test_headers_that_carry_keys_are_masked_by_their_names() -> None:
    names = ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token", "apikey"]
    assert set(redact_headers(dict.fromkeys(names, "v")).values()) == {MASK}
    assert redact_headers({"Accept": "v"}) == {"Accept": "v"}


def test_an_edit_of_a_masked_value_is_taken_as_it_is() -> None:
    real: JsonValue = {"headers": {"Authorization": "real", "A": 1}}
    edited: JsonValue = {"headers": {"Authorization": "other", "A": 1}, "new": 2}
    assert Redaction().restore(edited, real) == edited
    assert Redaction().restore({"headers": {"Authorization": MASK, "A": 2}}, real) == {
        "headers": {"Authorization": "real", "A": 2}
    }


def test_a_text_that_is_edited_around_its_masks_keeps_its_secrets() -> None:
    masking = Redaction([SECRET, "other-secret"])
    real: JsonValue = {"url": f"https://a.example/?key={SECRET}&b=other-secret&page=1", "list": [f"x {SECRET}", "y"]}
    edited: JsonValue = {"url": f"https://a.example/?key={MASK}&b={MASK}&page=2", "list": [f"x {MASK}", "z"]}
    assert masking.restore(edited, real) == {
        "url": f"https://a.example/?key={SECRET}&b=other-secret&page=2",
        "list": [f"x {SECRET}", "z"],
    }


@pytest.mark.parametrize(
    "edited",
    [
        {"url": f"https://a.example/?key={MASK}&again={MASK}"},
        {"url": f"https://a.example/?key={MASK}***"},
        {"address": f"https://a.example/?key={MASK}"},
        {"url": {"key": MASK}},
        {"url": "https://a.example/", "more": [f"{MASK}"]},
    ],
)
def test_a_mask_that_may_stand_for_anything_is_refused(edited: JsonValue) -> None:
    with pytest.raises(UsageError) as refused:
        Redaction([SECRET]).restore(edited, {"url": f"https://a.example/?key={SECRET}"})
    assert refused.value.code == "mask-in-edit"


def test_three_stars_where_nothing_was_hidden_are_three_stars() -> None:
    assert Redaction([SECRET]).restore({"content": "a *** c"}, {"content": "a *** b"}) == {"content": "a *** c"}
    assert Redaction([SECRET]).restore({"a": SECRET, "b": "***"}, {"a": SECRET, "b": "x"}) == {"a": SECRET, "b": "***"}


def test_a_very_long_secret_is_blackened_quickly_and_so_is_a_short_one_beside_it() -> None:
    long = "long " * 2_000_000
    masking = Redaction([long, "short-secret"])
    assert masking.text(f"a {long} b short-secret c") == "a *** b *** c"
    assert Redaction([long]).text("nothing in it") == "nothing in it"


@given(st.lists(st.sampled_from(["ab", "a", "b", "abab", "-", "xyxy", "x", "y", "abxy", "YWJ"])))
def test_a_text_in_pieces_is_masked_like_the_whole(pieces: list[str]) -> None:
    masking = Redaction(["abab", "babxy", "xyxy-xyxy"])
    stream = RedactedStream(masking)
    shown = [stream.feed(piece) for piece in pieces]
    assert "".join([*shown, stream.rest()]) == masking.text("".join(pieces))


def test_only_what_may_begin_a_secret_waits_for_the_next_piece() -> None:
    stream = RedactedStream(Redaction([SECRET]))
    assert [stream.feed(piece) for piece in ("one s", "Ec", "ond sEcReT-", "0123 two")] == [
        "one ",
        "",
        "sEcond ",
        f"{MASK} two",
    ]
    assert stream.rest() == ""


pieces = st.sampled_from(["abcd", "abcde", "bcdefgh", "a", "ä", "中文", "中", "defghij", "-", "x" * 20, "\ud800"])
texts = st.lists(pieces, max_size=12).map("".join)


@pytest.mark.parametrize("others", [0, 100])
@given(forms=st.lists(texts.filter(lambda form: len(form) >= 4), min_size=1, max_size=5), text=texts)
def test_forms_are_found_like_a_pattern_of_them_finds_them(forms: list[str], text: str, others: int) -> None:
    finder = Finder()
    finder.add([*forms, *(f"nowhere-{number:03}" for number in range(others))])
    expected = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))
    assert finder.spans(text) == [found.span() for found in expected.finditer(text)]


@pytest.mark.parametrize("before", range(8))
def test_one_of_many_is_found_wherever_it_lies_in_a_text(before: int) -> None:
    redaction = Redaction([f"secret-{number}" for number in range(50)])
    assert redaction.text("x" * before + "secret-7.") == "x" * before + f"{MASK}."


def test_a_short_one_of_many_is_found() -> None:
    assert Redaction(["p4ss", *(f"secret-{number}" for number in range(50))]).text("is p4ss") == f"is {MASK}"


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_secret_inside_json_is_masked_however_its_letters_are_written(ascii_only: bool) -> None:  # noqa: FBT001
    secret = 'grüße "und" mehr'
    shown = Redaction([secret]).text(json.dumps({"key": secret}, ensure_ascii=ascii_only))
    assert json.loads(shown) == {"key": MASK}
