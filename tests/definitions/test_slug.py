"""Short names for machines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperagents.definitions.names import MAX_LENGTH, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Über Nacht: Backup!", "ueber-nacht-backup"),
        ("U\u0308ber", "ueber"),
        ("chain_beispiel", "chain_beispiel"),
        ("Größe", "groesse"),
        ("Café  crème", "cafe-creme"),
        ("../../etc/passwd", "etc-passwd"),
        ("笔记", ""),
        ("", ""),
        ("笔记 2", "2"),
        ("---", ""),
    ],
)
def test_a_name_becomes_its_slug(name: str, expected: str) -> None:
    assert slug(name) == expected


@given(st.text(max_size=200))
def test_a_slug_has_only_harmless_characters(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9_]?[a-z0-9_-]*", slug(name))
    assert len(slug(name)) <= MAX_LENGTH


@given(st.text(max_size=200))
def test_a_slug_of_a_slug_is_itself(name: str) -> None:
    assert slug(slug(name)) == slug(name)
