"""The sentences: three languages, the same values, and one for every code."""

from __future__ import annotations

import ast
import errno
import re
import string
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import pytest

from paperagents.messages import (
    LANGUAGES,
    has_text,
    in_language,
    join_sentences,
    language,
    language_of_locale,
    sentences,
    system_text,
    text,
)
from paperagents.messages.catalogue import AREAS

SOURCE = Path(str(files("paperagents")))
CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
RAISED = re.compile(r"Error$|^Problem$|^(error|warning|_problem|problem|_error|_warn|_refuse|refuse|fail|_fail)$")
NAMES = re.compile(r"^[\W\d_]*(\{\w+\}[\W\d_]*)*$")
"""A sentence that is nothing but values and signs."""


def placeholders(sentence: str) -> set[str]:
    return {name.split(".")[0].split("[")[0] for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_every_sentence_stands_in_three_languages_with_the_same_values() -> None:
    wrong = [
        key
        for key, versions in sentences().items()
        if len(versions) != len(LANGUAGES)
        or not all(each.strip() for each in versions)
        or len({frozenset(placeholders(each)) for each in versions}) != 1
    ]
    assert wrong == []


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_every_sentence_can_be_filled_in_with_any_values(spoken: str) -> None:
    with in_language(spoken):
        for key, versions in sentences().items():
            values = dict.fromkeys(placeholders(versions[0]), "{{x}} {0} %s")
            assert text(key, **values).count("{{x}} {0} %s") >= len(values), key


@pytest.mark.parametrize(
    ("spoken", "one", "two"),
    [
        ("en", "1 more file", "2 more files"),
        ("de", "1 weitere Datei", "2 weitere Dateien"),
        ("zh", "另有 1 个文件", "另有 2 个文件"),
    ],
)
def test_one_is_told_otherwise_than_several(spoken: str, one: str, two: str) -> None:
    with in_language(spoken):
        assert [text("web.more-changes", count=count) for count in (1, "1", 2)] == [one, one, two]


def test_no_sentence_counts_one_of_several_things() -> None:
    """A number right before a plain plural would read "1 files"; here it is never one, or no noun follows."""
    never_one = {
        "run.cut-results", "for-each-too-long", "too-many-calls", "cli.chat.thought", "mcp.ask.cut", "web.pair.limits",
        "web.group-about",
    }  # fmt: skip
    no_noun = {"cli.search.count", "cli.run.rounds-failed", "web.js.chosen", "web.js.row-failed", "web.approve-all",
               "web.deny-all"}  # fmt: skip
    plural = re.compile(r"\{(?:count|rows|columns|minutes|seconds)\} (?:more |weitere )?[A-Za-zäöü]+(?:s|en)\b")
    found = {key for key, versions in sentences().items() if any(plural.search(each) for each in versions)}
    assert found == never_one | no_noun


def test_no_key_stands_in_two_areas() -> None:
    counted = Counter(key for area in AREAS for key in import_module(f"paperagents.messages.catalogue.{area}").TEXTS)
    assert [key for key, count in counted.items() if count > 1] == []


def test_every_area_is_in_use() -> None:
    written = {file.stem for file in (SOURCE / "messages" / "catalogue").glob("*.py")} - {"__init__"}
    assert written == set(AREAS)


def test_chinese_sentences_are_chinese() -> None:
    latin = [
        key
        for key, (_, _, chinese) in sentences().items()
        if not NAMES.match(chinese) and not re.search(r"[\u4e00-\u9fff]", chinese)
    ]
    assert latin == []


def test_german_sentences_are_german() -> None:
    """A single word may be the same in both languages; a sentence of three words or more may not."""
    same = [
        key
        for key, (english, german, _) in sentences().items()
        if english == german and not NAMES.match(english) and len(re.findall(r"\b[A-Za-z]?[a-z]+\b", english)) > 2
    ]
    assert same == []


def test_hints_belong_to_a_sentence() -> None:
    for key in sentences():
        if key.endswith(".hint"):
            code = key.removesuffix(".hint")
            assert has_text(code) or has_text(code.rsplit(".", 1)[0]), key


def test_the_same_quotation_marks_are_used_throughout_a_language() -> None:
    wrong = [key for key, (_, german, _) in sentences().items() if re.search(r"(?<!\w)'\{", german)]
    # The user's own wording, kept to the letter.
    assert wrong == ["argument-missing"]


def codes_in(file: Path) -> Iterator[tuple[str, int]]:
    """The codes a module gives to errors and problems, as far as they stand there as plain texts."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and RAISED.search(_called(node.func)):
            given = [*node.args[:2], *(each.value for each in node.keywords if each.arg == "code")]
            for argument in given:
                for part in _texts(argument):
                    if CODE.fullmatch(part):
                        yield part, node.lineno


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(argument: ast.expr) -> Iterator[str]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value
    elif isinstance(argument, ast.IfExp):
        yield from _texts(argument.body)
        yield from _texts(argument.orelse)


def test_every_code_in_the_program_has_a_sentence() -> None:
    missing = [
        f"{file.relative_to(SOURCE)}:{line} {code}"
        for file in sorted(SOURCE.rglob("*.py"))
        for code, line in codes_in(file)
        if not has_text(code) and not any(key.startswith(f"{code}.") for key in sentences())
    ]
    assert missing == []


def test_the_scan_finds_the_codes_it_is_meant_to_find() -> None:
    files_with_codes = {"registry/vault_checks.py": "endless-chain", "known_settings.py": "unknown-setting"}
    for file, code in files_with_codes.items():
        assert code in {found for found, _ in codes_in(SOURCE / file)}


def test_every_text_key_in_the_program_exists() -> None:
    missing = []
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _called(node.func) == "text" and isinstance(node.func, ast.Name):
                keys = _texts(node.args[0]) if node.args else ()
                missing += [f"{file.name}:{node.lineno} {key}" for key in keys if not has_text(key)]
    assert missing == []


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "zh_TW"}, "zh"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "en_GB"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({}, "en"),
    ],
)
def test_the_locale_decides_the_language(
    environment: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    assert language_of_locale() == expected


def test_a_language_chosen_for_a_block_ends_with_the_block() -> None:
    before = language()
    with in_language("zh"):
        assert language() == "zh"
        with in_language("de"):
            assert language() == "de"
        assert language() == "zh"
    assert language() == before


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "keine Berechtigung"),
        (OSError(9999, "Never heard of"), "Never heard of"),
        (ValueError("embedded null byte"), "embedded null byte"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_what_the_system_refuses_is_told_in_the_language_that_is_spoken(error: Exception, told: str) -> None:
    with in_language("de"):
        assert system_text(error) == told


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (["Parameter 'a' ist Pflichtfeld"], "Parameter 'a' ist Pflichtfeld"),
        (
            ["Parameter 'a' ist Pflichtfeld", "Siehe: paper show t"],
            "Parameter 'a' ist Pflichtfeld. Siehe: paper show t",
        ),
        (["", None], ""),
        (["One.", None, "Two!", "Three?", "four"], "One. Two! Three? four"),
        (["参数 “a” 为必填项。", "t 需要什么：paper show t"], "参数 “a” 为必填项。 t 需要什么：paper show t"),
    ],
)
def test_sentences_one_after_the_other_stay_sentences(told: list[str | None], expected: str) -> None:
    assert join_sentences(*told) == expected
