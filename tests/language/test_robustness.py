"""Whatever a file says, wherever the cursor is: there is an answer, and no error."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.language.conftest import Serve

from paperagents.definitions.source import Span
from paperagents.errors import UsageError
from paperagents.language.document import Position

FOLDERS = Path(__file__).parents[1] / "reading"
FILES = sorted((*(FOLDERS / "corpus").glob("*.md"), *(FOLDERS / "good").glob("*.md")))
ODD = {
    "empty.md": "",
    "open.md": '---\ntool: true\nsteps:\n  - tool: "{{',
    "braces.md": "---\n{tool: true, name: x, steps: [{tool: read_file, parameters: {filePath: '{{a}}'}}]}\n---\n",
    "signs.md": (
        '---\ntool: true\nname: "😀\u2028\x0b"\n---\n'
        "```js\n// @preprocess\nreturn {...input, '😀': input[\"a\"]}\n```\n"
    ),
    "broken.tool.js": "module.exports = { getMetadata() { return {",
    "tag.md": "---\ntag: true\nname: t\nwords: [a\n---\n{{<a ",
    "agent.md": "---\nagent: true\nname: a\ntools: {a: b}\nevals: [1, {calls: 3}]\n---\n{{<a b='{{</a",
}
TEXTS = {file.name: file.read_bytes().decode("utf-8", "replace") for file in FILES} | ODD


@pytest.mark.parametrize("name", TEXTS)
def test_every_place_of_every_file_has_an_answer(name: str, serve: Serve) -> None:
    service = serve({})
    text = TEXTS[name]
    service.open(name, text)
    for number, line in enumerate(text.split("\n"), 1):
        # The middle and the end of each line; all of them would take minutes.
        for column in {len(line) + 1, len(line) // 2 + 1}:
            at = Position(line=number, column=column)
            service.completions(name, at)
            service.hover(name, at)
            service.definition(name, at)
            try:
                service.rename(name, at, "another_name")
            except UsageError as refused:
                assert refused.code == "cannot-rename"  # noqa: PT017  a refusal is an answer
    service.fixes(name, Span(line=1, column=1, end_line=10_000, end_column=1))
    service.symbols(name)
    service.lenses(name)
    service.tokens(name)
    service.hints(name, 1, 10_000)


def test_places_outside_of_a_file_have_no_answer(serve: Serve) -> None:
    service = serve({})
    service.open("a.md", "---\ntool: true\n---\n")
    nowhere = Position(line=99, column=99)
    assert service.hover("a.md", nowhere) is None
    assert service.completions("a.md", nowhere).items == ()
    assert service.rename("missing.md", nowhere, "x") == []
