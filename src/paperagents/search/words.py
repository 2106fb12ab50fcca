"""Words as the search index sees them.

Scripts that put blanks between words have words as everybody knows them. Chinese and Japanese do not, so there
every two neighbouring characters are a word, and the last character of a run is one too: a text is found by any part
of it, and a word never reaches over the end of a run.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from paperagents.search.notes import folded

LONGEST_WORD = 10_000
"""Characters of a word in the index; it stays below the limit of the index, which counts bytes."""
LONGEST_SOUGHT = 500
"""Characters of a word that are looked up; longer ones are found by their beginning and then looked at."""

DENSE = (
    r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U000323af"
)
"""Characters of scripts without blanks between words, as a part of a regular expression's set."""
_DENSE_RUN = re.compile(f"[{DENSE}]+")
# Vowel signs of many scripts belong to a word for the index but not for Python: only plain signs surely end one.
# Written as what it is not: Python takes milliseconds to make a set of so many characters.
_UNBROKEN = r"[^\x00-/:-@\[-`{-\x7f]"
_LONG_RUN = re.compile(rf"(?<!{_UNBROKEN}){_UNBROKEN}{{{LONGEST_WORD},}}+")
_HALF = LONGEST_WORD // 2
_HALF_RUN = re.compile(rf"{_UNBROKEN}{{{_HALF}}}")


def words_text(text: str) -> str:
    """A text, folded and written so that cutting it at everything but letters and digits gives the words."""
    if text.isascii():
        words = text.lower()
    else:
        # Most lines of most notes are plain; passing over them is much quicker than looking through them.
        words = "\n".join([line.lower() if line.isascii() else _dense_words(line) for line in text.split("\n")])
    return _LONG_RUN.sub(_overlapping_pieces, words) if _may_hold_long_run(words) else words


def _may_hold_long_run(words: str) -> bool:
    """Looks at few places only: a word that long fills the text between two of them."""
    return len(words) >= LONGEST_WORD and any(_HALF_RUN.match(words, place) for place in range(0, len(words), _HALF))


def _dense_words(line: str) -> str:
    return _DENSE_RUN.sub(_spaced_pairs, folded(line))


def is_dense(text: str) -> bool:
    """Whether a text is all Chinese or Japanese characters."""
    return _DENSE_RUN.fullmatch(text) is not None


def pairs(run: str) -> list[str]:
    """Every two neighbouring characters."""
    return [run[place : place + 2] for place in range(len(run) - 1)]


def runs(text: str) -> list[str]:
    """The parts of a folded query text that lie inside of one word each, wherever the text stands."""
    found, start = list[str](), 0
    kinds = [_kind(character) for character in text]
    for place in range(1, len(text) + 1):
        if place == len(text) or kinds[place] != kinds[start]:
            if kinds[start]:
                found.append(text[start:place])
            start = place
    return found


@lru_cache(maxsize=1000)
def _kind(character: str) -> str:
    """Letters and digits of all times: what the index takes for one, whichever version of Unicode it knows."""
    if is_dense(character):
        return "dense" if unicodedata.category(character)[0] in "LN" else ""
    return "letter" if unicodedata.category(character)[0] in "LN" else ""


def _spaced_pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(pairs(text))} {text[-1]} "


def _overlapping_pieces(run: re.Match[str]) -> str:
    """A word too long for the index, in pieces that overlap by as much as is looked up; only the last has its end."""
    text, step = run[0], LONGEST_WORD - LONGEST_SOUGHT
    return " ".join(text[place : place + LONGEST_WORD] for place in range(0, len(text) - LONGEST_SOUGHT, step))
