"""The notes of the vault that the pages are tried on."""

from __future__ import annotations

from pathlib import Path

SHOUT = """---
tool: true
id: shout
name: Shout
description: Says it loudly.
category: words
parameters:
  - {name: words, type: string, description: What to say, minLength: 2}
  - {name: times, type: integer, description: How often, minimum: 1, maximum: 5, default: 1}
custom_function: |
  console.log("saying", input.words);
  return Array(input.times).fill(input.words.toUpperCase()).join(" ");
examples:
  - {name: Twice, input: {words: hello, times: 2}, output: HELLO HELLO}
---
"""
KEEP = """---
tool: true
id: keep
name: Keep
description: Writes two notes, and asks before each.
category: notes
parameters:
  - {name: title, type: string, description: The heading}
steps:
  - name: first
    tool: write_file
    parameters: {filePath: kept/one.md, content: "# {{title}}\\n\\nfirst\\n", overwrite: true}
  - name: second
    tool: write_file
    parameters: {filePath: kept/two.md, content: "# {{title}}\\n\\nsecond\\n", overwrite: true}
---
"""
SLOW = """---
tool: true
id: slow
name: Slow
description: Three slow steps.
category: notes
steps:
  - {name: one, tool: nap, parameters: {milliseconds: 700}}
  - {name: two, tool: nap, parameters: {milliseconds: 3500}}
  - {name: three, tool: nap, parameters: {milliseconds: 700}}
---
"""
NAP = """---
tool: true
id: nap
name: Nap
description: Takes its time.
category: notes
parameters:
  - {name: milliseconds, type: integer, description: How long}
custom_function: |
  const end = Date.now() + input.milliseconds;
  while (Date.now() < end) {}
  return { slept: input.milliseconds };
---
"""
PEOPLE = """---
tool: true
id: people
name: People
description: A list of people.
category: words
custom_function: |
  return [{ name: "Ada", age: 36 }, { name: "Ben", age: 41, note: "left early" }];
---
"""
REPORT = """---
tool: true
id: report
name: Report
description: A report in Markdown.
category: words
custom_function: |
  return "# Report\\n\\n- one\\n- **two**\\n\\n[a link](https://example.com)\\n";
---
"""
BOOM = """---
tool: true
id: boom
name: Boom
description: Fails.
category: words
custom_function: |
  return missing.value;
---
"""
BROKEN = """---
tool: true
name: Broken one
description: Has two mistakes.
parameters:
  - {name: x, type: strin, description: Something}
steps:
  - tool: serch_files
    parameters: {query: "{{x}}"}
---
"""
EVERYTHING = """---
tool: true
id: everything
name: Everything
description: Every kind of parameter.
category: forms
parameters:
  - {name: title, type: string, description: A short text, minLength: 3}
  - {name: content, type: string, required: false, description: A long text}
  - {name: count, type: integer, minimum: 1, maximum: 10, default: 3, description: How often}
  - {name: ratio, type: number, required: false, description: A number}
  - {name: urgent, type: boolean, default: false, description: Whether it is urgent}
  - {name: color, type: string, enum: [red, green, blue], description: One of three}
  - {name: day, type: string, format: date, required: false, description: A day}
  - {name: mail, type: string, format: email, required: false, description: An address}
  - {name: labels, type: array, required: false, description: Some words, items: {type: string}}
  - {name: sizes, type: array, required: false, uniqueItems: true, description: Any of these, items: {enum: [S, M, L]}}
  - name: people
    type: array
    required: false
    description: Several people
    items: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer, minimum: 0}}}
  - name: place
    type: object
    required: false
    description: Where
    properties: {city: {type: string}, at: {type: object, properties: {lat: {type: number}}}}
  - name: contact
    type: object
    required: false
    description: One or the other
    oneOf:
      - {title: Phone, type: object, required: [phone], properties: {phone: {type: string}}}
      - {title: Mail, type: object, required: [mail], properties: {mail: {type: string, format: email}}}
  - {name: extra, type: object, required: false, description: Any object}
  - {name: anything, required: false, type: [string, number], description: A text or a number}
custom_function: |
  return input;
examples:
  - name: All of it
    input:
      title: Harvest
      content: "two\\nlines"
      count: 2
      ratio: 0.5
      urgent: true
      color: green
      day: "2026-11-16"
      mail: a@example.com
      labels: [a, b]
      sizes: [S, L]
      people: [{name: Ada, age: 36}, {name: Ben}]
      place: {city: Berlin, at: {lat: 52.5}}
      contact: {mail: b@example.com}
      extra: {deep: [1, {er: null}]}
      anything: 7
    output_contains: {title: Harvest}
---
"""
HELPER = """---
agent: true
id: helper
name: Helper
description: Thinks with a script.
model: scripted:data/script.json
tools: [search_files, write_file]
---
Help.
"""
SCRIPT = """[
 {"text": "I will look first.", "calls": [{"tool": "search_files", "arguments": {"query": "peas"}}]},
 {"text": "Now I write.", "calls": [{"tool": "write_file",
  "arguments": {"filePath": "summary.md", "content": "They climb.\\n"}}]},
 "I wrote a **summary**.",
 "And again."
]
"""
NOTES = {
    "tools/shout.md": SHOUT,
    "tools/keep.md": KEEP,
    "tools/slow.md": SLOW,
    "tools/nap.md": NAP,
    "tools/people.md": PEOPLE,
    "tools/report.md": REPORT,
    "tools/boom.md": BOOM,
    "tools/broken.md": BROKEN,
    "tools/everything.md": EVERYTHING,
    "agents/helper.md": HELPER,
    "data/script.json": SCRIPT,
    "notes/peas.md": "# Peas\n\nThey like to climb.\n",
}


def fill_garden(folder: Path) -> None:
    """Write them."""
    (folder / ".paper").mkdir(parents=True)
    for path, content in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
