"""How the catalogue is written: spelling, quotation marks, the ends of sentences, words that nobody should read."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from spellchecker import SpellChecker

from paperagents.messages import sentences

CODE = re.compile(
    r"\{[^{}]*\}|\{\{+[^{}]*\}\}+"  # values, braces that are shown
    r"|`[^`]*`|'[^' ]*'|„[^“ ]*“|“[^” ]*”"  # code, names in quotation marks
    r"|(?<!\w)(?:paper|pip|keyring|npm|git) [a-z][^.;:,，。；：]*"  # commands
    r"|--?[a-z][\w-]*|https?://\S+|/\w+|\b\w+[_.(]\w*|\b[A-Z][A-Z_]+\b|\b\w*[a-z][A-Z]\w*"  # options, addresses, code
)
MISSPELT = re.compile(
    r"\b(teh|recieve\w*|occured|seperat\w*|existant|paramter\w*|langauge|wich|adress(?!e|ier)\w*|succesful\w*"
    r"|dependancy|neccessary|refered|untill|wiederspr\w*|Standart\w*|seperat\w*|vorraus\w*|garnicht|desweiteren"
    r"|Authoris\w*|zumindestens)\b",
    re.IGNORECASE,
)
FORBIDDEN = {
    "en": re.compile(r"\b(oops|please note|simply|obviously|illegal|fatal|invalid input)\b", re.IGNORECASE),
    "de": re.compile(r"\b(Wände der Sandbox|der Kern verwehrt|zu seiner Frist|ungültige Eingabe|illegal|fatal)\b"),
    "zh": re.compile("您输入的内容非法|致命|请您注意"),
}


VOCABULARY = frozenset({
    "const", "cron", "emoji", "eval", "evals", "frontmatter", "http", "https", "init", "json", "lodash", "lways",
    "ollect", "postprocess", "preprocess", "toml", "validator", "vaultref", "yaml",
})  # fmt: skip
"""Words of the trade that no dictionary has, and what is left of [a]lways and [c]ollect."""


def versions(number: int) -> list[tuple[str, str]]:
    return [(key, each[number]) for key, each in sentences().items()]


def test_there_are_no_two_blanks_in_a_row() -> None:
    wrong = [key for number in range(3) for key, each in versions(number) if re.search(r"\S  +\S", each)]
    # The question at a terminal is a row of answers.
    assert [key for key in wrong if not key.startswith("ask.")] == []


def test_every_language_has_its_own_quotation_marks() -> None:
    english = [key for key, each in versions(0) if re.search(r"[„“”«»]", CODE.sub("", each))]
    german = [key for key, each in versions(1) if each.count("„") != each.count("“") or "”" in each]
    chinese = [key for key, each in versions(2) if each.count("“") != each.count("”") or "„" in each]
    assert (english, german, chinese) == ([], [], [])


def test_a_sentence_ends_alike_in_every_language() -> None:
    """All three end, or none does; a command or a value at the end has no full stop to be copied along."""
    wrong = []
    for key, told in sentences().items():
        ended = {bool(re.search(r"[.!?…。！？][”“'\")）]*$", each)) for each in told}
        if len(ended) > 1 and not re.search(r"\{\w+\}\W*$|: [\w./ -]+;?$", told[0]) and not ends_with_number(told):
            wrong.append(key)
    # The user's own wording, kept to the letter.
    assert wrong == ["argument-missing"]


def ends_with_number(told: tuple[str, str, str]) -> bool:
    """An example at the end is copied by somebody: a full stop would belong to it."""
    return any(re.search(r"[0-9]$", each) for each in told)


def test_values_stand_as_often_in_every_language() -> None:
    def values(told: str) -> Counter[str]:
        return Counter(re.findall(r"(?<!\{)\{(\w+)", told.replace("{{", "")))

    wrong = [key for key, told in sentences().items() if len({frozenset(values(each)) for each in told}) > 1]
    assert wrong == []


@pytest.mark.parametrize(("number", "language"), [(0, "en"), (1, "de"), (2, "zh")])
def test_no_sentence_has_a_known_slip_or_a_word_for_machines(number: int, language: str) -> None:
    told = [(key, CODE.sub(" ", each)) for key, each in versions(number)]
    assert [key for key, each in told if MISSPELT.search(each) or FORBIDDEN[language].search(each)] == []


def test_a_slip_is_noticed() -> None:
    assert MISSPELT.search("We recieved it.")
    assert FORBIDDEN["de"].search("Die Wände der Sandbox stehen.")


def test_chinese_is_written_with_chinese_signs() -> None:
    told = [(key, CODE.sub(" ", each)) for key, each in versions(2)]
    assert [key for key, each in told if re.search(r"[\u4e00-\u9fff][,;!?]", each)] == []
    assert [key for key, each in told if any(not sign.encode("gb2312", "ignore") for sign in cjk(each))] == []


def cjk(told: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]", told)


def test_english_sentences_are_spelt_as_the_dictionary_has_it() -> None:
    dictionary = SpellChecker("en")
    words = {
        word.lower()
        for _, each in versions(0)
        for word in re.findall(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])", CODE.sub(" ", each))
    }
    assert sorted(dictionary.unknown(words) - VOCABULARY) == []
