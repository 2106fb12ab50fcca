"""Another name for a parameter, a label or a tool: at every place that means it, and at no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.language.conftest import AGENT, FILES, FIND, SCRIPT, SHORTEN, Serve, apply, place

from paperagents.errors import UsageError
from paperagents.language.answers import Edit
from paperagents.notes_folder import NotesFolder

Rename = Callable[[str, str, str], dict[str, str]]


@pytest.fixture
def rename(serve: Serve, root: Path) -> Rename:
    """Rename what is named by some words of a file; the new texts of the files that change, which are also written."""

    def do(file: str, words: str, new: str) -> dict[str, str]:
        files = FILES
        service = serve(files)
        edits: dict[str, list[Edit]] = {}
        for edit in service.rename(file, place(files[file], words), new):
            edits.setdefault(edit.file, []).append(edit)
        changed = {name: apply(files[name], each) for name, each in edits.items()}
        for name, text in changed.items():
            (root / name).write_text(text, encoding="utf-8")
        assert NotesFolder(root).check() == []
        return changed

    return do


def test_a_parameter_is_renamed_wherever_it_is_meant(rename: Rename) -> None:
    assert rename("find.md", "query\n", "words") == {
        "find.md": FIND.replace("name: query", "name: words")
        .replace("{{query}} in", "{{words}} in")
        .replace("query.length", "words.length")
        .replace("context.parameters.query", "context.parameters.words")
        .replace("{ query: garden }", "{ words: garden }")
        .replace("input.query", "input.words"),
        "helper.md": AGENT.replace("query='y'", "words='y'"),
    }


def test_a_variable_taken_out_of_the_input_keeps_its_name(rename: Rename) -> None:
    assert rename("find.md", "limit\n", "most")["find.md"] == FIND.replace("name: limit", "name: most").replace(
        "input.limit", "input.most"
    ).replace("const { limit }", "const { most: limit }")


def test_a_parameter_is_renamed_in_every_file_that_gives_it(rename: Rename) -> None:
    assert rename("shorten.md", "text\n", "body") == {
        "shorten.md": SHORTEN.replace("name: text", "name: body").replace("given.text", "given.body"),
        "find.md": FIND.replace("      text:", "      body:"),
        "helper.md": AGENT.replace('text="x"', 'body="x"').replace("{ text: long }", "{ body: long }"),
        "loud.tool.js": SCRIPT.replace("text: params", "body: params"),
    }


def test_a_label_is_renamed_in_its_file(rename: Rename) -> None:
    assert rename("find.md", "find\n", "look") == {
        "find.md": FIND.replace("name: find\n", "name: look\n")
        .replace("steps.find.", "steps.look.")
        .replace("{{find.output", "{{look.output")
        .replace("responses: { find:", "responses: { look:")
        .replace("context.steps.find", "context.steps.look")
    }


def test_a_step_without_a_label_gets_one(rename: Rename) -> None:
    assert rename("find.md", "read_file.output", "read") == {
        "find.md": FIND.replace("  - tool: read_file\n", "  - tool: read_file\n    name: read\n").replace(
            "{{read_file.", "{{read."
        )
    }


def test_a_tool_is_renamed_wherever_it_is_called_and_with_it_the_steps_that_are_called_like_it(rename: Rename) -> None:
    assert rename("shorten.md", "shorten", "cut") == {
        "shorten.md": SHORTEN.replace("name: shorten\n", "name: shorten\nid: cut\n"),
        "find.md": FIND.replace("- tool: shorten", "- tool: cut")
        .replace("shorten: ", "cut: ")
        .replace("context.steps.shorten", "context.steps.cut"),
        "helper.md": AGENT.replace("shorten", "cut"),
        "loud.tool.js": SCRIPT.replace("shorten", "cut"),
    }


def test_an_id_that_is_written_is_changed(rename: Rename) -> None:
    changed = rename("helper.md", "find-notes", "seek")
    assert changed == {
        "find.md": FIND.replace("id: find-notes", "id: seek"),
        "helper.md": AGENT.replace("find-notes", "seek"),
    }


def test_a_file_that_is_a_tool_is_renamed_inside(rename: Rename) -> None:
    changed = rename("loud.tool.js", "word:", "term")
    assert changed == {
        "loud.tool.js": SCRIPT.replace("{ word:", "{ term:").replace('"word"', '"term"').replace(".word", ".term")
    }
    assert rename("loud.tool.js", "loud", "noisy") == {"loud.tool.js": SCRIPT.replace('"loud"', '"noisy"')}


def test_a_field_that_preprocessing_makes_is_no_parameter(serve: Serve) -> None:
    text = (
        "---\ntool: true\nname: t\ndescription: T.\nparameters:\n"
        "  - name: url\n    type: string\n    description: U.\n---\n"
        "```js\n// @preprocess\nreturn { url: input.url.trim() };\n```\n"
        '```yaml\ntool: read_file\nparameters:\n  filePath: "{{input.url}}"\n```\n'
    )
    edits = serve({"t.md": text}).rename("t.md", place(text, "url\n"), "address")
    assert apply(text, edits) == text.replace("name: url", "name: address").replace(
        "input.url.trim", "input.address.trim"
    )


def test_references_in_quoted_and_folded_texts_are_renamed(serve: Serve) -> None:
    text = (
        "---\ntool: true\nname: t\ndescription: T.\nparameters:\n"
        "  - name: word\n    type: string\n    description: W.\n"
        "steps:\n  - tool: write_file\n    parameters:\n      filePath: 'a-{{ word }}.md'\n"
        '      content: "say \\"{{word}}\\" and {{word}}\\n"\n'
        "  - tool: write_file\n    parameters:\n      filePath: b.md\n"
        "      content: >-\n        folded {{word}}\n        and {{word}} word\n---\n"
    )
    edits = serve({"t.md": text}).rename("t.md", place(text, "word\n"), "term")
    assert apply(text, edits) == text.replace("name: word", "name: term").replace("{{word}}", "{{term}}").replace(
        "{{ word }}", "{{ term }}"
    )


@pytest.mark.parametrize(
    ("file", "words", "new", "reason"),
    [
        ("find.md", "search_files", "seek", "builtin"),
        ("find.md", "query\n", "limit", "taken"),
        ("find.md", "query\n", "find", "taken"),
        ("find.md", "query\n", "date", "invalid"),
        ("find.md", "query\n", "two words", "invalid"),
        ("find.md", "query\n", "two-words", "javascript"),
        ("find.md", "find\n", "query", "taken"),
        ("find.md", "find\n", "input", "invalid"),
        ("shorten.md", "shorten", "find-notes", "taken"),
        ("shorten.md", "shorten", "read_file", "taken"),
        ("shorten.md", "shorten", "a b", "invalid"),
    ],
)
def test_a_name_that_would_mean_something_else_is_refused(
    file: str, words: str, new: str, reason: str, serve: Serve
) -> None:
    with pytest.raises(UsageError) as refused:
        serve().rename(file, place(FILES[file], words), new)
    assert (refused.value.code, refused.value.values["case"]) == ("cannot-rename", reason)


def test_definition_and_references_go_across_files(serve: Serve) -> None:
    service = serve()
    [defined] = service.definition("find.md", place(FIND, 'text: "{{read'))
    assert (defined.file, defined.span.line) == ("shorten.md", 6)
    [tool] = service.definition("loud.tool.js", place(SCRIPT, "shorten"))
    assert (tool.file, tool.span.line) == ("shorten.md", 3)
    [label] = service.definition("find.md", place(FIND, "find.output.results"))
    assert (label.file, label.span.line) == ("find.md", 15)
    found = service.references("shorten.md", place(SHORTEN, "shorten"))
    assert sorted((each.file, each.span.line) for each in found) == [
        ("find.md", 27), ("helper.md", 5), ("helper.md", 9), ("helper.md", 14), ("loud.tool.js", 6), ("shorten.md", 3),
    ]  # fmt: skip


# --- a large vault

CALLER = """\
---
tool: true
id: caller-{n}
name: Caller {n}
description: Calls text tools; text, steps and word stand for themselves here.
parameters:
  - name: {own}
    type: string
    description: The text of {{{{word}}}}.
steps:
  - name: {label}
    tool: {tool}
    parameters:
      {text}: "{{{{{own}}}}} text word"
  - tool: {tool}
    parameters:
      {text}: "{{{{{label}.output}}}}"
  - tool: write_file
    if: {own} != "word" && steps.{label}.output
    parameters:
      filePath: word/text.md
      content: "{{{{steps.{tool}.output}}}} text"
---

The first of text and word in prose.

```javascript
// @postprocess
// text word first
return {{ text: input.{own}, word: context.steps.{label}, last: context.steps["{tool}"], note: "text word first" }};
```
"""


def _vault(*, tool: str = "shared", text: str = "text", own: str = "word", label: str = "first") -> dict[str, str]:
    files = {
        "shared.md": SHORTEN.replace("name: shorten", f"id: {tool}\nname: Shared tool")
        .replace("name: text", f"name: {text}")
        .replace("given.text", f"given.{text}")
    }
    for number in range(499):
        # The renamed parameter and label belong to one file; all the others keep theirs.
        mine = {"own": own, "label": label} if number == 250 else {"own": "word", "label": "first"}
        files[f"tools/caller-{number}.md"] = CALLER.format(n=number, tool=tool, text=text, **mine)
    return files


@pytest.mark.parametrize(
    ("file", "words", "new", "expected"),
    [
        ("shared.md", "shared", "common", {"tool": "common"}),
        ("shared.md", "text\n", "body", {"text": "body"}),
        ("tools/caller-250.md", "word\n", "phrase", {"own": "phrase"}),
        ("tools/caller-250.md", "first\n", "start", {"label": "start"}),
    ],
)
def test_in_a_vault_of_500_files_every_reference_changes_and_nothing_else(
    file: str, words: str, new: str, expected: dict[str, str], *, serve: Serve, root: Path
) -> None:
    before = _vault()
    service = serve(before)
    assert NotesFolder(root).check() == []
    edits: dict[str, list[Edit]] = {}
    for edit in service.rename(file, place(before[file], words), new):
        edits.setdefault(edit.file, []).append(edit)
    after = {name: apply(text, edits.get(name, [])) for name, text in before.items()}
    assert after == _vault(**expected)
    for name in edits:
        (root / name).write_text(after[name], encoding="utf-8")
    assert NotesFolder(root).check() == []
