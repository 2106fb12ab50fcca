"""Cookies, tokens, links, the key they are derived from, and the rate limit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.interfaces.serving import access as module
from paperagents.interfaces.serving.access import COOKIE_SECONDS, Access, RateLimit, load_user_key

from ..served import KEY  # noqa: TID252  shared by the tests of two interfaces


@given(st.text(max_size=60))
def test_no_other_text_is_a_cookie_or_a_token(text: str) -> None:
    access = Access(KEY, Path("/vault"))
    assert not access.allows_cookie(text)
    assert access.identify(text, text) is None
    assert access.redeem_link(text) is None


def test_a_cookie_of_one_vault_is_none_of_another() -> None:
    one, other = Access(KEY, Path("/one")), Access(KEY, Path("/other"))
    cookie = one.redeem_link(one.new_link_token())
    assert cookie is not None
    assert one.allows_cookie(cookie)
    assert not other.allows_cookie(cookie)
    expired = "1." + cookie.partition(".")[2]
    assert not one.allows_cookie(expired)


def test_the_key_is_kept_for_the_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "config" / "serving.key"
    key = load_user_key(file)
    assert load_user_key(file) == key
    assert file.stat().st_mode & 0o077 == 0
    file.write_bytes(b"cut off")
    assert len(load_user_key(file)) == 32


def test_a_rate_fills_up_again() -> None:
    now = [0.0]
    rate = RateLimit(burst=2, per_second=1, clock=lambda: now[0])
    assert [rate.allows("a"), rate.allows("a"), rate.allows("a"), rate.allows("b")] == [True, True, False, True]
    now[0] = 1.0
    assert [rate.allows("a"), rate.allows("a")] == [True, False]


def test_a_link_is_good_once() -> None:
    access = Access(KEY, Path("/vault"))
    one, other = access.new_link_token(), access.new_link_token()
    assert access.redeem_link(one) is not None
    assert access.redeem_link(one) is None
    assert access.redeem_link(other) is not None


def test_a_cookie_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    access = Access(KEY, Path("/vault"))
    monkeypatch.setattr(time, "time", lambda: 1_000.0)
    cookie = access.redeem_link(access.new_link_token())
    assert cookie is not None
    monkeypatch.setattr(time, "time", lambda: 999.0 + COOKIE_SECONDS)
    assert access.allows_cookie(cookie)
    monkeypatch.setattr(time, "time", lambda: 1_000.0 + COOKIE_SECONDS)
    assert not access.allows_cookie(cookie)


def test_nobody_gives_a_cookie_more_time() -> None:
    access = Access(KEY, Path("/vault"))
    cookie = access.redeem_link(access.new_link_token())
    assert cookie is not None
    expires, _, signature = cookie.partition(".")
    assert not access.allows_cookie(f"{int(expires) + 1}.{signature}")


def test_every_vault_has_secrets_of_its_own_and_a_token_of_the_settings_wins() -> None:
    one, other = Access(KEY, Path("/one")), Access(KEY, Path("/other"))
    assert one.token != other.token
    assert one.sealing_key != other.sealing_key
    assert Access(KEY, Path("/one")).token == one.token
    chosen = Access(KEY, Path("/one"), token="of the settings")
    assert chosen.identify("of the settings", "") is not None
    assert chosen.identify(one.token, "") is None


def test_of_two_processes_that_make_the_key_together_both_have_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "serving.key"
    link = os.link

    def link_second(draft: Path, place: Path) -> None:
        place.write_bytes(b"1" * 32)
        link(draft, place)

    monkeypatch.setattr(os, "link", link_second)
    assert load_user_key(file) == b"1" * 32
    assert [each.name for each in tmp_path.iterdir()] == ["serving.key"]


def test_nobody_saves_up_more_than_the_burst() -> None:
    now = [0.0]
    rate = RateLimit(burst=2, per_second=1, clock=lambda: now[0])
    rate.allows("a")
    now[0] = 100.0
    assert rate.left("a") == 2


def test_of_very_many_the_one_that_has_not_come_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEYS", 2)
    rate = RateLimit(burst=2, per_second=0, clock=lambda: 0.0)
    for key in ("a", "b", "a", "c"):
        rate.allows(key)
    assert [rate.left("a"), rate.left("b"), rate.left("c")] == [0, 2, 1]
