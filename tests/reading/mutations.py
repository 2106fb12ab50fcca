"""Makes broken files out of good ones, one slip each, and knows what must be said about it and where.

Every file of ``GOOD`` is without problems. A mutation changes one place of it, so exactly the problems that
the change brings may be reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

SINGLE = """\
---
tool: true
name: Save a page
description: Fetches a page and keeps it
category: web
version: 1.2
strict: true
timeout: 20
parameters:
  - name: url
    type: string
    description: The address
    required: true
  - name: folder
    type: string
    description: Where to keep it
    default: pages
---

# Fetch

```js
// @preprocess
const address = input.url.trim();
return { ...input, address };
```

```yaml
tool: rest_request
parameters:
  url: input.address
  method: GET
  headers:
    X-Folder: from {{folder}} on {{date}}
    X-Address: "{{preprocess.address}}"
```

```js
// @postprocess
return output.body;
```
"""

CHAIN = """\
---
tool: true
name: Größen sammeln
description: Sammelt Größen aus Notizen
author: Änne
parameters:
  - name: größe
    type: string
    description: Gesuchte Größe
---

1. Suchen und schreiben:

   ```yaml
   steps:
     - name: finden
       tool: search_files
       parameters:
         query: Größe {{größe}}
         limit: 10
     - tool: read_file
       for_each: steps.finden.output.results
       max_parallel: 2
       continue_on_error: true
       parameters:
         filePath: Öl/{{item.path}}
       post_processing: |
         // @postprocess
         return output.content;
     - tool: write_file
       if: input.größe
       parameters:
         filePath: /größen/{{date}}.md
         content: |
           # Größen ü

           Alles: {{prev_step.output}} und {{finden.output.count}}
   ```
"""

FUNCTION = """\
---
tool: true
id: shout
name: Shout
description: Makes everything loud
tags: [text, fun]
parameters:
  - name: words
    type: array
    description: What to shout
    items: {type: string}
custom_function: |
  const loud = input.words.map((word) => word.toUpperCase());
  return { loud };
examples:
  - input: {words: [a]}
    output: {loud: [A]}
---

Some prose about shouting.
"""

AGENT = """\
---
agent: true
name: Librarian
description: Finds and reads notes
model: some/model
protocol: auto
max_iterations: 12
temperature: 0.5
memory: true
---

You are a librarian.
"""

GOOD = {"single": SINGLE, "chain": CHAIN, "function": FUNCTION, "agent": AGENT}

FORBIDDEN = (
    ("eval('1');", "forbidden-javascript"),
    ("require('fs');", "forbidden-javascript"),
    ("process.exit();", "forbidden-javascript"),
    ("fs.readFileSync('a');", "forbidden-javascript"),
    ("while (true) { input.n = 1; }", "endless-loop"),
    ("for (;;) {}", "endless-loop"),
)
KEYS_THAT_MAY_BE_LOST = (
    "category", "version", "strict", "timeout", "author", "default", "max_parallel", "continue_on_error",
    "post_processing", "protocol", "max_iterations", "temperature", "memory", "examples",
)  # fmt: skip
REFERENCE = re.compile(r"\{\{(?P<path>[^{}]+)\}\}|(?<=: )(?:input|steps)\.(?P<bare>[^\s{}]+)$", re.MULTILINE)
SIMPLE_FIELD = re.compile(r"^(?P<indent> *(?:- )?)(?P<key>\w+): (?P<value>[^\n|\[{]+)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """A broken file and every problem it has."""

    name: str
    text: str
    problems: tuple[str, ...]
    or_else: tuple[str, ...] = ()
    """What may be said just as well."""


def all_mutations() -> Iterator[Mutation]:
    """Every mutation of every good file, always in the same order."""
    for name, good in GOOD.items():
        for make in (
            _doubled_fields, _misspelt_keys, _misspelt_references, _wrong_values, _misspelt_tools, _bad_statements,
            _lost_returns, _lost_brackets, _tabs, _quotes_left_open, _lost_markers, _lost_fences, _lost_lines,
        ):  # fmt: skip
            for number, mutation in enumerate(make(good), 1):
                title = f"{name}-{make.__name__.strip('_').replace('_', '-')}-{number}"
                yield replace(mutation, name=title)


def _doubled_fields(good: str) -> Iterator[Mutation]:
    """Write a field a second time, right below the first."""
    for field in _yaml_fields(good):
        line = field[0].replace("- ", "  ", 1) if field["indent"].endswith("- ") else field[0]
        below, column = good.count("\n", 0, field.end()) + 2, len(field["indent"]) + 1
        problem = f"{below}:{column} error yaml-duplicate-key"
        yield _mutation(good, field.end(), field.end(), f"\n{line}", problem)


def _misspelt_keys(good: str) -> Iterator[Mutation]:
    """Drop the second letter of a key the tool can do without."""
    for key in re.finditer(r"^ *(?:- )?(\w+):", good, re.MULTILINE):
        if key[1] in KEYS_THAT_MAY_BE_LOST:
            problem = f"{_place(good, key.start(1))} warning unknown-field"
            yield _mutation(good, key.start(1) + 1, key.start(1) + 2, "", problem)


def _misspelt_references(good: str) -> Iterator[Mutation]:
    """Put two letters too many into a reference."""
    for reference in REFERENCE.finditer(good):
        problem = f"{_place(good, reference.start())} error unknown-reference"
        inside = reference.start("path") if reference["path"] else reference.start("bare")
        # The letters go into the first name of {{name…}} or of input.name.
        yield _mutation(good, inside, inside, "qq", problem)


def _wrong_values(good: str) -> Iterator[Mutation]:
    """Give a field a value it cannot have."""
    wrong = {
        "type": ("strng", "invalid-value"), "required": ("yes", "wrong-type"), "strict": ("yes", "wrong-type"),
        "timeout": ("soon", "wrong-type"), "limit": None, "max_parallel": ("none", "wrong-type"),
        "continue_on_error": ("on", "wrong-type"), "protocol": ("xml", "invalid-value"), "memory": ("no", "wrong-type"),
        "max_iterations": ("-1", "invalid-value"), "temperature": ("9", "invalid-value"), "id": ("a b", "invalid-id"),
        "description": ("12", "wrong-type"), "name": None,
    }  # fmt: skip
    for field in _yaml_fields(good):
        change = wrong.get(field["key"])
        if change is not None and (field["key"] != "description" or not field["indent"]):
            problem = f"{_place(good, field.start('value'))} error {change[1]}"
            yield _mutation(good, field.start("value"), field.end("value"), change[0], problem)


def _misspelt_tools(good: str) -> Iterator[Mutation]:
    """Lose one letter of the name of a tool."""
    for tool in re.finditer(r"tool: (\w+_\w+)", good):
        for position in range(tool.start(1), tool.end(1), 4):
            yield _mutation(good, position, position + 1, "", f"{_place(good, tool.start(1))} error unknown-tool")


def _bad_statements(good: str) -> Iterator[Mutation]:
    """Add a statement in front of a block's return."""
    for returning in re.finditer(r"^ *(?=return )", good, re.MULTILINE):
        for statement, code in FORBIDDEN:
            line = f"{returning[0]}const größe = '😀'; {statement}\n"
            column = line.index(statement) + 1
            number = good.count("\n", 0, returning.start()) + 1
            yield _mutation(good, returning.start(), returning.start(), line, f"{number}:{column} error {code}")


def _lost_returns(good: str) -> Iterator[Mutation]:
    """Take away the return statement; the block's first line is what a person is shown."""
    for returning in re.finditer(r"(?<=\n) *return [^\n]+\n", good):
        first = _first_line_of_block(good, returning.start())
        problems = [f"{_place(good, first)} error missing-return"]
        if "...input" in returning[0]:
            continue
        yield _mutation(good, returning.start(), returning.end(), "", *problems)


def _lost_brackets(good: str) -> Iterator[Mutation]:
    """Lose the last closing bracket before a semicolon: told where it is missing or where it was opened."""
    for bracket in re.finditer(r"[)\]}](?=;\n)", good):
        gap = len(good[: bracket.start()].rstrip())
        opener = good.rindex({")": "(", "]": "[", "}": "{"}[bracket[0]], 0, bracket.start())
        problems = [f"{_place(good, place)} error javascript-syntax" for place in (gap, opener)]
        broken = _mutation(good, bracket.start(), bracket.end(), "", problems[0])
        yield replace(broken, or_else=(problems[1],))


def _tabs(good: str) -> Iterator[Mutation]:
    """Indent a line of the frontmatter with a tab."""
    front = good[: good.index("\n---\n") + 1]
    for line in re.finditer(r"^ +(?=\w+:)", front, re.MULTILINE):
        yield _mutation(good, line.start(), line.end(), "\t", f"{_place(good, line.start())} error yaml-syntax")


def _quotes_left_open(good: str) -> Iterator[Mutation]:
    """Open a quote in a description and never close it."""
    front = good[: good.index("\n---\n") + 1]
    for value in re.finditer(r"(?<=description: )", front):
        for quote in "\"'":
            problem = f"{_place(good, value.start())} error yaml-syntax"
            yield _mutation(good, value.start(), value.start(), quote, problem)


def _lost_markers(good: str) -> Iterator[Mutation]:
    """Misspell the marker of a block, or lose the line that ends the frontmatter."""
    for marker in re.finditer(r"^// (@postprocess)", good, re.MULTILINE):
        problem = f"{_place(good, marker.start(1))} warning unknown-marker"
        yield _mutation(good, marker.end(1) - 1, marker.end(1), "", problem)
    closing = good.index("\n---\n")
    yield _mutation(good, closing, closing + 4, "", "1:1 error frontmatter-unclosed")


def _lost_fences(good: str) -> Iterator[Mutation]:
    """Lose the end of a yaml block that another block follows: the next fence is read as YAML."""
    for block in re.finditer(r"```yaml\n(?:[^`]+\n)(```\n)\n(?=```)", good):
        problem = f"{_place(good, block.end())} error yaml-syntax"
        line, rest = problem.split(":", 1)
        yield _mutation(good, block.start(1), block.end(1), "", f"{int(line) - 1}:{rest}")


def _lost_lines(good: str) -> Iterator[Mutation]:
    """Lose the name, or the description."""
    line = good.index("name: ")
    end = good.index("\n", line) + 1
    if good.startswith(("---\ntool: true\nname", "---\nagent: true\nname")):
        yield _mutation(good, line, end, "", "2:1 error missing-field")
    line = good.index("description: ")
    end = good.index("\n", line) + 1
    yield _mutation(good, line, end, "", f"{_place(good, good.index('name: '))} warning missing-description")


def _yaml_fields(good: str) -> Iterator[re.Match[str]]:
    for field in SIMPLE_FIELD.finditer(good):
        if "//" not in field[0] and not _inside_literal(good, field.start()):
            yield field


def _inside_literal(good: str, position: int) -> bool:
    """Whether a line belongs to a literal text: one above it, with less indentation, ends with a bar."""
    indent = len(good[position:]) - len(good[position:].lstrip(" "))
    for line in reversed(good[:position].split("\n")[:-1]):
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return line.endswith("|")
    return False


def _first_line_of_block(good: str, position: int) -> int:
    """Where the block begins that this place belongs to: below its fence or its bar."""
    lines = good[:position].split("\n")[:-1]
    while not (lines[-1].lstrip().startswith("```") or lines[-1].endswith("|")):
        lines.pop()
    start = len("\n".join(lines)) + 1
    return start + len(good[start:]) - len(good[start:].lstrip(" "))


def _mutation(good: str, start: int, end: int, new: str, *problems: str) -> Mutation:
    return Mutation(name="", text=good[:start] + new + good[end:], problems=problems)


def _place(text: str, offset: int) -> str:
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


MUTATIONS = tuple(all_mutations())
