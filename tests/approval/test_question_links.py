"""Links to one question: good once, for an hour, for one vault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paperagents.approval.question_links import LINK_SECONDS, MOST_LINKS, QuestionLinks
from paperagents.errors import PaperError


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def links(tmp_path: Path, clock: Clock) -> QuestionLinks:
    return QuestionLinks(tmp_path / "links.json", lambda: "vault", clock)


def refused(links: QuestionLinks, word: str) -> bool:
    with pytest.raises(PaperError) as error:
        links.redeem(word)
    return error.value.code == "question-link-used"


def test_a_link_is_good_once(links: QuestionLinks) -> None:
    one, other = links.create("1"), links.create("2")
    assert links.redeem(one) == "1"
    assert refused(links, one)
    assert links.redeem(other) == "2"


def test_a_link_is_good_for_an_hour(links: QuestionLinks, clock: Clock) -> None:
    early, late = links.create("1"), links.create("2")
    clock.now += LINK_SECONDS - 1
    assert links.redeem(early) == "1"
    clock.now += 1
    assert refused(links, late)


@pytest.mark.parametrize("word", ["", "x", "\udc80", "ä" * 50])
def test_what_is_no_link_opens_nothing(links: QuestionLinks, word: str) -> None:
    links.create("1")
    assert refused(links, word)


def test_a_link_of_another_vault_opens_nothing_here(links: QuestionLinks, tmp_path: Path) -> None:
    word = QuestionLinks(tmp_path / "links.json", lambda: "other").create("1")
    assert refused(links, word)


def test_links_are_kept_as_hashes_and_not_for_ever(links: QuestionLinks, tmp_path: Path, clock: Clock) -> None:
    first = links.create("0")
    assert first not in (tmp_path / "links.json").read_text("utf-8")
    kept = {f"{number:064x}": {"question": "x", "expires": clock.now + 9} for number in range(MOST_LINKS)}
    (tmp_path / "links.json").write_text(json.dumps({"vault": kept}))
    assert links.redeem(links.create("1")) == "1"
    assert len(json.loads((tmp_path / "links.json").read_text("utf-8"))["vault"]) == MOST_LINKS - 1
    clock.now += 10
    links.create("2")
    assert len(json.loads((tmp_path / "links.json").read_text("utf-8"))["vault"]) == 1
