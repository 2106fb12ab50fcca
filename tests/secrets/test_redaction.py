"""Secrets stay secret, and what is masked can be told from what is not."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.json_value import JsonValue
from paperagents.errors import UsageError
from paperagents.secrets.redaction import MASK, MaskedStream, Masking, mask_headers

SECRET = "sEcReT-0123"  # the alphabet below cannot make one by chance
values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(f"x {SECRET} y"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("headers") | st.just(SECRET), inner),
    max_leaves=15,
)


@given(values)
def test_a_secret_is_nowhere_in_what_was_masked(value: JsonValue) -> None:
    assert SECRET not in json.dumps(Masking([SECRET]).value(value), ensure_ascii=False)


@given(values)
def test_without_secrets_nothing_changes_but_secret_headers(value: JsonValue) -> None:
    if '"headers"' not in json.dumps(value):
        assert Masking().value(value) == value


@given(values)
def test_what_nobody_edits_is_the_real_thing_again(value: JsonValue) -> None:
    assert Masking([SECRET]).unmasked(Masking([SECRET]).value(value), value) == value


@pytest.mark.parametrize(
    "name", ["Authorization", "X-Access-Key", "Ocp-Apim-Subscription-Key", "X-Session-Id", "PRIVATE-TOKEN", "apikey"]
)
def test_headers_that_carry_a_key_are_hidden(name: str) -> None:
    assert mask_headers({name: "sEcReT", "Accept": "x", "Idempotency-Key": "7"}) == {
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
        masked = Masking([secret]).text(f"Basic {written.rstrip('=')} and {written}")
        assert masked.count(MASK) == 2
        # What is left at the edges says less than one letter of the secret.
        assert all(len(piece) <= len(encode(f"{before}{after}".encode())) + 8 for piece in masked.split(MASK))


def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    secret = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n"
    shown = "".join(f"+{line}\n" for line in secret.splitlines())
    assert Masking([secret]).text(shown) == f"+{MASK}\n" * 4
    assert Masking([secret]).text(secret.replace("\n", "\r\n")) == f"{MASK}\r\n" * 4


def test_thousands_of_secrets_are_known_as_well_as_one() -> None:
    masking = Masking()
    for number in range(3_000):
        masking.learn([f"Bearer token-{number:05}-token"])
    said = "".join(f"'Bearer token-{number:05}-token' " for number in range(3_000))
    assert masking.text(said) == f"'{MASK}' " * 3_000
    assert masking.text("x" * 1_000_000) == "x" * 1_000_000
    stream = MaskedStream(masking)
    assert "".join([*map(stream.feed, "a Bearer token-02999-token b"), stream.rest()]) == f"a {MASK} b"


def test_the_longest_secret_is_masked_first() -> None:
    assert Masking(["abcd", "abcdefgh"]).text("abcdefgh abcd") == f"{MASK} {MASK}"


def test_headers_that_carry_keys_are_masked_by_their_names() -> None:
    names = ["Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-API-Key", "x-auth-token", "apikey"]
    assert set(mask_headers(dict.fromkeys(names, "v")).values()) == {MASK}
    assert mask_headers({"Accept": "v"}) == {"Accept": "v"}


def test_an_edit_of_a_masked_value_is_taken_as_it_is() -> None:
    real: JsonValue = {"headers": {"Authorization": "real", "A": 1}}
    edited: JsonValue = {"headers": {"Authorization": "other", "A": 1}, "new": 2}
    assert Masking().unmasked(edited, real) == edited
    assert Masking().unmasked({"headers": {"Authorization": MASK, "A": 2}}, real) == {
        "headers": {"Authorization": "real", "A": 2}
    }


def test_a_text_that_is_edited_around_its_masks_keeps_its_secrets() -> None:
    masking = Masking([SECRET, "other-secret"])
    real: JsonValue = {"url": f"https://a.example/?key={SECRET}&b=other-secret&page=1", "list": [f"x {SECRET}", "y"]}
    edited: JsonValue = {"url": f"https://a.example/?key={MASK}&b={MASK}&page=2", "list": [f"x {MASK}", "z"]}
    assert masking.unmasked(edited, real) == {
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
        Masking([SECRET]).unmasked(edited, {"url": f"https://a.example/?key={SECRET}"})
    assert refused.value.code == "mask-in-edit"


def test_three_stars_where_nothing_was_hidden_are_three_stars() -> None:
    assert Masking([SECRET]).unmasked({"content": "a *** c"}, {"content": "a *** b"}) == {"content": "a *** c"}
    assert Masking([SECRET]).unmasked({"a": SECRET, "b": "***"}, {"a": SECRET, "b": "x"}) == {"a": SECRET, "b": "***"}


def test_a_very_long_secret_is_blackened_quickly_and_so_is_a_short_one_beside_it() -> None:
    long = "long " * 2_000_000
    masking = Masking([long, "short-secret"])
    assert masking.text(f"a {long} b short-secret c") == "a *** b *** c"
    assert Masking([long]).text("nothing in it") == "nothing in it"


@given(st.lists(st.sampled_from(["ab", "a", "b", "abab", "-", "xyxy", "x", "y", "abxy", "YWJ"])))
def test_a_text_in_pieces_is_masked_like_the_whole(pieces: list[str]) -> None:
    masking = Masking(["abab", "babxy", "xyxy-xyxy"])
    stream = MaskedStream(masking)
    shown = [stream.feed(piece) for piece in pieces]
    assert "".join([*shown, stream.rest()]) == masking.text("".join(pieces))


def test_only_what_may_begin_a_secret_waits_for_the_next_piece() -> None:
    stream = MaskedStream(Masking([SECRET]))
    assert [stream.feed(piece) for piece in ("one s", "Ec", "ond sEcReT-", "0123 two")] == [
        "one ",
        "",
        "sEcond ",
        f"{MASK} two",
    ]
    assert stream.rest() == ""
