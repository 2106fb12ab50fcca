"""The beginnings of new files: small, working, and easy to change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Starter:
    """Where a new file is proposed to be, and what stands in it."""

    folder: str
    name: str
    ending: str
    content: str


_TOOL = """\
---
tool: true
name: My tool
description: Says what it does in one sentence.
category: mine
parameters:
  - name: text
    type: string
    description: What to work on
custom_function: |
  return { result: input.text.trim() };
examples:
  - input: { text: " hello " }
    output: { result: hello }
---

# My tool

Notes about the tool stand here.
"""
_CHAIN = """\
---
tool: true
name: My chain
description: Finds notes and writes a list of them. Asks before it writes.
category: mine
parameters:
  - name: query
    type: string
    description: What to look for
steps:
  - name: find
    tool: search_files
    parameters:
      query: "{{query}}"
  - name: write
    tool: write_file
    parameters:
      filePath: "lists/{{date}}.md"
      content: "{{input.title}}\\n\\n{{steps.find.output.results}}\\n"
      overwrite: true
---

# My chain

```javascript
// @preprocess
return { ...input, title: `# Notes about ${input.query}` };
```
"""
_AGENT = """\
---
agent: true
name: My agent
description: Answers questions about the notes.
tools: [search_files, read_file]
---

You answer questions about the notes of this vault. Search before you answer, and say which notes you used.
"""

STARTERS = {
    "tool": Starter(folder="tools", name="my-tool", ending=".md", content=_TOOL),
    "chain": Starter(folder="tools", name="my-chain", ending=".md", content=_CHAIN),
    "agent": Starter(folder="agents", name="my-agent", ending=".md", content=_AGENT),
}
