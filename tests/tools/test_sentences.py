from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import paperagents
from paperagents.messages import has_text
from paperagents.messages.catalogue.tools import TEXTS as EVERY

# What the operating system and the command line say stands in the same file, and is no error of a tool.
TEXTS = {key: texts for key, texts in EVERY.items() if not key.startswith(("system.", "cli."))}
ROOMS = ("files", "http", "search", "tools", "npm")
PACKAGE = Path(paperagents.__path__[0])
SOURCES = sorted([PACKAGE / "errors.py", *(file for room in ROOMS for file in (PACKAGE / room).glob("*.py"))])
# Codes stand where an error or a sentence is made, and in the table of system errors.
USED = re.compile(
    r'(?:ToolError|QuerySyntaxError|super\(\).__init__|HttpStatusError|_not_found)\(\s*"([a-z0-9-]+)"'
    r'|key="([a-z0-9-]+)"|\brefuse\([^"]*"([a-z0-9-]+)"'
    r'|text\(\s*"(search-[a-z-]+)"|url_invalid\(\w+, "([a-z0-9-]+)"|errno\.\w+: "([a-z0-9-]+)"'
    r'|find_shortage\(error\) or "([a-z-]+)"|else "(query-[a-z-]+)"|"(query-[a-z-]+)" if'
)


def used_codes() -> set[str]:
    found = {next(filter(None, groups)) for source in SOURCES for groups in USED.findall(source.read_text())}
    assert len(found) > 40
    return found


@pytest.mark.parametrize("code", sorted(used_codes()))
def test_every_code_has_a_sentence(code: str) -> None:
    assert has_text(code)


def test_no_sentence_is_left_over() -> None:
    # A second word after the code is a case of it.
    assert {key.partition(".")[0] for key in TEXTS} <= used_codes()


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_a_sentence_says_the_same_in_every_language(key: str) -> None:
    values = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in TEXTS[key]]
    assert len(TEXTS[key]) == 3
    assert values[0] == values[1] == values[2]
    assert len(set(TEXTS[key])) == 3
