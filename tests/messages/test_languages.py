"""Nothing English is left in German and Chinese, neither in the sentences nor in what libraries put into them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import paperagents
from paperagents.definitions.source import Problem
from paperagents.errors import SettingsError
from paperagents.messages import in_language, sentences

ENGLISH = frozenset(
    re.findall(
        r"\w+",
        """
        the an is are was were be been being of to from for with without and or not no nor only must may can cannot
        could would should will this that these those it its here there where when which what who why how has have had
        does did do expected expecting unexpected default found find missing unknown invalid allowed error warning
        failed waiting denied succeeded skipped chain required value values line column character characters file
        files folder name names list key type step run runs show
        """,
    )
)
GERMAN_TOO = frozenset({"an", "was", "will", "not", "name", "names"})
FOREIGN = re.compile(
    r"\{[^{}]*\}|\{\{.*?\}\}"  # values and placeholders
    r"|\b(?:paper|keyring|pip|gh|npm|deno)(?: [\w./:=<>\[\]|'\"…*-]+)+"  # commands
    r"|--[\w-]+|\$\w+|\[\w\]|\w+://\S*"  # options, keys, addresses
    r"|\b[A-Z][A-Z_]+\b|\b\w+[_-]\w+\b|\w+\([^)]*\)|[\w.]+\.\w+\b|\b\w+:(?= ?[\w\"'\[{…])"  # code
    r"|\b[\w.]+ \([\w$]+(?:: .*)?\)"  # a place in a schema and its rule
    r"|„[^“]*“|“[^”]*”|\"[^\"]*\"|'[^']*'|`[^`]*`"  # what is quoted
)
WORDS_OF_FILES = {
    "builtin.search_files.query": {"file"},
    "duplicate-id.hint": {"name"},
    "invalid-log.hint": {"file"},
    "missing-field.step.hint": {"name"},
    "missing-field.type.hint": {"type"},
    "steps-in-single.hint": {"chain", "type"},
    "wrong-type.boolean.hint": {"no"},
}
"""Sentences that tell what to write: fields and values, which have one name in every language."""


def english_words(sentence: str, allowed: frozenset[str] = frozenset()) -> list[str]:
    plain = FOREIGN.sub(" ", sentence)
    return [word for word in re.findall(r"[A-Za-zÄÖÜäöüß]+", plain) if word.lower() in ENGLISH - allowed]


@pytest.mark.parametrize(("place", "language"), [(1, "de"), (2, "zh")])
def test_no_sentence_has_english_words_in_it(place: int, language: str) -> None:
    allowed = GERMAN_TOO if language == "de" else frozenset()
    found = {key: english_words(versions[place], allowed) for key, versions in sentences().items()}
    rests = {key: words for key, words in found.items() if set(words) - WORDS_OF_FILES.get(key, set())}
    assert rests == {}


def test_an_english_rest_is_noticed() -> None:
    assert english_words("Das ist kein YAML: did not find expected key.") == ["did", "not", "find", "expected", "key"]
    assert english_words("Der Lauf ist failed.", GERMAN_TOO) == ["failed"]


@pytest.mark.parametrize(
    ("place", "used", "other"),
    [
        (1, "Datenspeicher", "Datentresor"),
        (1, "Kette", "Chain"),
        (1, "fehlgeschlagen", "gescheitert"),
        (2, "数据保险库", "数据存储"),
    ],
)
def test_one_thing_has_one_word(place: int, used: str, other: str) -> None:
    told = [versions[place] for versions in sentences().values()]
    assert any(used in sentence for sentence in told)
    assert [sentence for sentence in told if other in sentence] == []


def test_german_and_chinese_quote_in_one_way() -> None:
    german = [key for key, (_, text, _) in sentences().items() if re.search(r"(?<![\w`=(])['‚»«]\w+['‘»«](?!\w)", text)]
    chinese = [key for key, (_, _, text) in sentences().items() if re.search(r"[「」『』]|'\{", text)]
    assert (german, chinese) == ([], [])


# --- words of libraries


BROKEN_YAML = [
    'type: "single" | "chain"', "a: [1, 2", "a: {b: 1", "a: 'x", 'a: "x', 'a: "\\q"', "a: b: c", "a: @b", "a: `b`",
    "a: *b", "a: &", "a\nb: 1", "a: 1\n b: 2", "- a\nb: 1", "a:\n\t- b", "a: \x01", "a: |x", "%YAML 9\n---\na: 1",
    "a: !<x", "? [", "a: ]", "a: 'x' y", 'a: "\\ud83d"', "a: |9\n  x", "{{x}}: 1", "a: {{x}}",
]  # fmt: skip
BROKEN_PARAMETERS = [
    "minimum: a", "pattern: '('", "enum: 3", "type: strin", "type: [string, string]", "minLength: -1", "$ref: 'file:///x'",
    "$ref: '#/nowhere'", "items: [1]", "default: 1,0", "default: 12abc", "properties: {a: 5}",
]  # fmt: skip


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[Problem]]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def problems(text: str) -> list[Problem]:
        (tmp_path / "a.md").write_text(text, encoding="utf-8")
        with paperagents.open_vault(tmp_path) as vault:
            entries = [each for each in vault.registry.entries() if each.file == "a.md"]
            return [*vault.registry.loose_problems(), *(problem for each in entries for problem in each.problems)]

    return problems


@pytest.mark.parametrize("front", BROKEN_YAML)
def test_broken_yaml_is_told_without_a_word_of_the_library(front: str, check: Callable[[str], list[Problem]]) -> None:
    assert_no_english(check(f"---\ntool: true\nname: x\ndescription: d\n{front}\n---\n"))


@pytest.mark.parametrize("wrong", BROKEN_PARAMETERS)
def test_a_broken_schema_is_told_without_a_word_of_the_library(
    wrong: str, check: Callable[[str], list[Problem]]
) -> None:
    kind = "" if wrong.startswith("type") else "    type: number\n"
    parameters = f"parameters:\n  - name: p\n    description: d\n{kind}    {wrong}\n"
    front = f"tool: true\nname: x\ndescription: d\n{parameters}custom_function: return input.p;\n"
    found = check(f"---\n{front}---\n")
    assert [problem for problem in found if problem.severity == "error"]
    assert_no_english(found)


def assert_no_english(found: list[Problem]) -> None:
    assert found
    for language, allowed in (("de", GERMAN_TOO), ("zh", frozenset[str]())):
        with in_language(language):
            told = [f"{problem.message} {problem.hint or ''}" for problem in found]
        assert [each for each in told if english_words(each, allowed)] == []


def test_broken_settings_are_told_without_a_word_of_the_library(tmp_path: Path) -> None:
    (tmp_path / ".paper").mkdir()
    (tmp_path / ".paper" / "settings.toml").write_text("language : 3", encoding="utf-8")
    with in_language("de"), pytest.raises(SettingsError) as caught:
        paperagents.open_vault(tmp_path).settings.get("language")
    with in_language("de"):
        assert english_words(caught.value.message, GERMAN_TOO) == []
