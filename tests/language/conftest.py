"""Shared by the tests of the language service: a vault of real files, and places marked in their text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from paperagents.definitions.source import Span
from paperagents.language.answers import Edit
from paperagents.language.document import Position
from paperagents.language.service import LanguageService
from paperagents.language.surroundings import Recordings
from paperagents.notes_folder import NotesFolder

FIND = """\
---
tool: true
id: find-notes
name: Find notes
description: Finds notes and reads the first.
parameters:
  - name: query
    type: string
    description: What to look for.
  - name: limit
    type: integer
    description: How many.
    default: 3
steps:
  - name: find
    tool: search_files
    parameters:
      query: "{{query}} in {{input.limit}}"
      limit: input.limit
  - tool: read_file
    if: query.length > 2 && steps.find.output.count > 0
    parameters:
      filePath: "{{find.output.results[0].path}}"
    post_processing: |
      const { limit } = input;
      return { text: output.content, limit, asked: context.parameters.query };
  - tool: shorten
    parameters:
      text: "{{read_file.output.text}}"
examples:
  - name: one
    input: { query: garden }
    responses: { find: { results: [] }, shorten: "…" }
---

```javascript
// @postprocess
return { output, asked: input.query, found: context.steps.find, short: context.steps.shorten };
```
"""
SHORTEN = """\
---
tool: true
name: shorten
description: Shortens a text.
parameters:
  - name: text
    type: string
    description: The text.
custom_function: |
  function transform(given) { return given.text.slice(0, 10); }
  return transform(input);
---
"""
AGENT = """\
---
agent: true
name: Helper
description: Helps.
tools: [find-notes, "shorten"]
evals:
  - question: What is long?
    calls:
      - tool: shorten
        arguments: { text: long }
    not_calls: [find-notes]
    responses: { find-notes: [] }
---
Write {{<shorten text="x" />}} or {{<find-notes query='y'>}}z{{</find-notes>}}.
"""
SCRIPT = """\
module.exports = {
  getMetadata() { return { id: "loud", name: "Loud", description: "Loud words." }; },
  getSchema() {
    return { parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] } };
  },
  async execute(params) { return this.api.callTool("shorten", { text: params.word.toUpperCase() }); },
};
"""
FILES = {"find.md": FIND, "shorten.md": SHORTEN, "helper.md": AGENT, "loud.tool.js": SCRIPT}
Serve = Callable[..., LanguageService]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture
def serve(root: Path) -> Serve:
    """A service over these files, none of them open."""

    def make(files: Mapping[str, str] = FILES, recordings: Recordings | None = None) -> LanguageService:
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        return LanguageService(NotesFolder(root).registry, recordings)

    return make


def place(text: str, words: str, offset: int = 1, *, nth: int = 0) -> Position:
    """The place inside some words of a text."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    start += offset
    return Position(line=text.count("\n", 0, start) + 1, column=start - text.rfind("\n", 0, start))


def mark(text: str) -> tuple[str, Position]:
    """A text and the place that ``¦`` marks in it."""
    before, after = text.split("¦")
    return before + after, Position(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))


def apply(text: str, edits: list[Edit]) -> str:
    """The text with the edits made."""
    lines = text.split("\n")

    def offset(line: int, column: int) -> int:
        return sum(len(each) + 1 for each in lines[: line - 1]) + column - 1

    def start(edit: Edit) -> tuple[int, int]:
        return edit.span.line, edit.span.column

    for edit in sorted(edits, key=start, reverse=True):
        span: Span = edit.span
        text = text[: offset(span.line, span.column)] + edit.text + text[offset(span.end_line, span.end_column) :]
    return text
